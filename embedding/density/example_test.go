package density_test

import (
	"fmt"
	"math/rand/v2"

	"bayeskernel/embedding/density"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// A third of the rows around -2, the others around 1: the weights of three candidates.
func ExampleMatch() {
	r := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(600, 1, nil)
	for i := range 600 {
		at := 1.0
		if i < 200 {
			at = -2
		}
		x.Set(i, 0, at+0.5*r.NormFloat64())
	}
	centres := density.Centres{At: mat.NewDense(3, 1, []float64{-2, 1, 4}), Spread: []float64{0.5}}
	p, s, err := density.Match(kernels.SquaredExponential(0.7), x, nil, centres)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f, conditions met: %v\n", p.Weights, s.KKT < 1e-12)
	// Output: [0.34 0.66 0.00], conditions met: true
}
