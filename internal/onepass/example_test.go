package onepass_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"bayeskernel/internal/onepass"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// Of two hundred thousand pairs the correlation is zero; the spread of y goes with x.
func ExampleIndependence() {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 200000
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		u := r.NormFloat64()
		x.Set(i, 0, u)
		y.Set(i, 0, (1+0.1*u*u)*r.NormFloat64())
	}
	res, err := onepass.Independence(context.Background(), x, y, kerneltest.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("independent is rejected at the level .05:", res.Reject)
	// Output: independent is rejected at the level .05: true
}
