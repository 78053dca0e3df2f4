package compare_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"bayeskernel/compare"

	"gonum.org/v1/gonum/mat"
)

// Two samples of 300, of which the second has more on the right.
func ExampleSamples() {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(300, 1, nil), mat.NewDense(300, 1, nil)
	for i := range 300 {
		x.Set(i, 0, r.NormFloat64())
		y.Set(i, 0, r.NormFloat64()+0.5)
	}

	result, err := compare.Samples(context.Background(), compare.Sample{Name: "before", X: x},
		compare.Sample{Name: "after", X: y}, compare.Options{Columns: []string{"height"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Test.Reject)
	for _, v := range result.Witness.Where {
		fmt.Printf("more of %s, right of 0.25: %t\n", v.More, (v.From+v.To)/2 > 0.25)
	}
	// Output:
	// true
	// more of before, right of 0.25: false
	// more of after, right of 0.25: true
}
