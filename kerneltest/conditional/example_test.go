package conditional_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"bayeskernel/kerneltest/conditional"

	"gonum.org/v1/gonum/mat"
)

// Two variables that follow a third are dependent, and independent given it.
func ExampleTable() {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	table := mat.NewDense(150, 3, nil)
	for i := range 150 {
		z := r.NormFloat64()
		table.SetRow(i, []float64{math.Sin(3*z) + 0.3*r.NormFloat64(), math.Sin(3*z) + 0.3*r.NormFloat64(), z})
	}
	c, err := conditional.NewTable([]string{"x", "y", "z"}, table,
		conditional.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, given := range [][]int{nil, {2}} {
		r, err := c.Test(ctx, []int{0}, []int{1}, given)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("given %v: reject %v, R2 %.2f and %.2f\n", given, r.Reject, r.X.R2, r.Y.R2)
	}
	// Output:
	// given []: reject true, R2 0.00 and 0.00
	// given [2]: reject false, R2 0.76 and 0.71
}
