package given_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/given"

	"gonum.org/v1/gonum/mat"
)

// Two samples differ only because there are more old rows in one (synthetic data).
func ExampleSamples() {
	r := rand.New(rand.NewPCG(1, 1))
	var x [2][]float64
	var old [2][]float64
	for g, share := range []float64{0.2, 0.8} {
		for range 60 {
			age := 0.0
			if r.Float64() < share {
				age = 1
			}
			x[g] = append(x[g], 2*age+r.NormFloat64())
			old[g] = append(old[g], age)
		}
	}
	samples := []mat.Matrix{mat.NewDense(60, 1, x[0]), mat.NewDense(60, 1, x[1])}
	alone, err := kerneltest.Several(context.Background(), samples, kerneltest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	adjusted, err := given.Samples(context.Background(), samples,
		[]given.Covariate{{Name: "old", Values: append(old[0], old[1]...), Category: true}}, given.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("different: %v, given age: %v (%d strata, %d of %d rows)\n", alone.Reject, adjusted.Reject,
		adjusted.Strata, adjusted.Used, adjusted.Rows)
	// Output:
	// different: true, given age: false (2 strata, 120 of 120 rows)
}
