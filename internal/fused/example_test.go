package fused_test

import (
	"fmt"

	"bayeskernel/internal/fused"
)

// The mean embedding of four numbers at two pseudo-inputs, and the variance of the kernel there.
func ExampleRun() {
	x := []float64{-1, 0, 0.5, 2}
	z := []float64{0, 1}
	shift := []float64{0.7, 0.6} // guesses of the means

	s := fused.NewSums(len(z))
	fused.Run(fused.Best(), s, x, z, shift, 1)

	n := float64(len(x))
	for l := range z {
		off := s.C[l] / n
		fmt.Printf("z = %g: mean %.6f, variance %.6f\n", z[l], shift[l]+off, s.F[l]/n-off*off)
	}
	// Output:
	// z = 0: mean 0.656091, variance 0.110794
	// z = 1: mean 0.557723, variance 0.072163
}

func ExampleExpNeg() {
	squared := []float64{0, 1, 4, 9}
	k := make([]float64, len(squared))
	fused.ExpNeg(k, squared, 0.5)
	fmt.Printf("%.6f\n", k)
	// Output:
	// [1.000000 0.606531 0.135335 0.011109]
}
