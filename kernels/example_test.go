package kernels_test

import (
	"fmt"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// A kernel by its name, at one lengthscale: its values for all pairs of rows, and the prior
// covariance of the mean embedding.
func Example() {
	radial, err := kernels.ParseRadial("matern32")
	if err != nil {
		fmt.Println(err)
		return
	}
	x, z := []float64{0, 1, 2}, []float64{0, 1.5}
	k := kernels.Stationary{Radial: radial, Theta: []float64{0.8}}
	values := make([]float64, 6)
	kernels.Fill(values, k, kernels.Path(0), x, z, 1)
	fmt.Printf("k = %.4f\n", values)

	prior, err := kernels.NewPrior(radial, kernels.Unit, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	prior.Set(k.Theta, 0)
	slope := make([]float64, 1)
	r, _ := prior.Pair(slope, z[:1], z[1:])
	fmt.Printf("r = %.4f, dr/dlog theta = %.4f\n", r, slope[0])
	// Output:
	// k = [1.0000 0.1651 0.3632 0.7054 0.0702 0.7054]
	// r = 0.4178, dr/dlog theta = 0.6365
}

func ExampleGram() {
	x := mat.NewDense(3, 2, []float64{
		0, 0,
		1, 0,
		1, 2,
	})
	k := kernels.Sum{
		kernels.SquaredExponential(1),
		kernels.Laplacian{Theta: []float64{1, 2}},
	}
	var g mat.SymDense
	if err := kernels.Gram(&g, k, x); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", mat.Formatted(&g))
	// Output:
	// ⎡2.0000  0.9744  0.3252⎤
	// ⎢0.9744  2.0000  0.5032⎥
	// ⎣0.3252  0.5032  2.0000⎦
}

func ExampleMedianDistance() {
	x := mat.NewDense(6, 1, []float64{1, 1, 1, 1, 3, 7})
	m, err := kernels.MedianDistance(x, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("median of %d pairs: %v; without %d ties: %v\n", m.Pairs, m.All, m.Ties, m.Distinct)
	for _, c := range []kernels.Convention{
		kernels.MedianOverSqrt2, kernels.Median, kernels.Sqrt2Median,
	} {
		fmt.Printf("%-12v theta = %.3f\n", c, m.Lengthscale(c))
	}
	// Output:
	// median of 15 pairs: 2; without 6 ties: 4
	// median/sqrt2 theta = 1.414
	// median       theta = 2.000
	// sqrt2*median theta = 2.828
}
