package formula_test

import (
	"context"
	"fmt"
	"strings"

	"bayeskernel/formula"
	"bayeskernel/frame"
)

// The columns of a design matrix are those of R.
func Example() {
	const csv = "y,x,g\n1.5,1,a\n2.5,2,b\n2.0,4,a\n4.5,3,b\n3.0,5,c\n2.2,2,c\n"
	data, err := frame.From(context.Background(), strings.NewReader(csv), "data.csv", frame.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := formula.Parse("y ~ x + g")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := f.Model(data, formula.Options{Priors: []string{"b ~ normal(0, 1)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Design.Names)
	for _, p := range r.Priors {
		fmt.Println(p)
	}
	// Output:
	// [(Intercept) x gb gc]
	// b ~ normal(0, 1)
	// Intercept ~ student_t(3, 2.4, 2.5)
	// sigma ~ student_t(3, 0, 2.5)
}
