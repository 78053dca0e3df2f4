package causal_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayeskernel/causal"

	"gonum.org/v1/gonum/mat"
)

// Two causes of one effect are found, and which way.
func Example() {
	r := rand.New(rand.NewPCG(1, 2))
	rows := mat.NewDense(500, 3, nil)
	for i := range 500 {
		sun, wind := r.NormFloat64(), r.NormFloat64()
		rows.SetRow(i, []float64{sun, wind, sun - wind + r.NormFloat64()})
	}
	data, err := causal.NewData([]string{"sun", "wind", "ozone"}, rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	test, err := causal.NewFisherZ(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := causal.PC(context.Background(), test, causal.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Graph)
	fmt.Println(result.Tests, "tests")
	// Output:
	// sun -> ozone, wind -> ozone
	// 5 tests
}
