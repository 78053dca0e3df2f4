package statistic_test

import (
	"fmt"

	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// Two samples of six; the second is wider.
func ExampleMMD() {
	pooled := mat.NewDense(12, 1, []float64{
		-0.6, -0.3, -0.1, 0.2, 0.3, 0.5, // X
		-2.9, -2.1, -1.6, 1.8, 2.2, 3.1, // Y
	})
	var gram mat.SymDense
	k := kernels.SquaredExponential(1)
	if err := kernels.Gram(&gram, k, pooled); err != nil {
		fmt.Println(err)
		return
	}
	mmd, err := statistic.NewMMD(&gram, 6)
	if err != nil {
		fmt.Println(err)
		return
	}
	unbiased, err := mmd.Unbiased()
	if err != nil {
		fmt.Println(err)
		return
	}
	tail, err := mmd.Tail(statistic.Spectral)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("squared MMD %.3f (biased), %.3f (unbiased)\n", mmd.Biased(), unbiased)
	fmt.Printf("p-value %.4f (%v)\n", tail.P, tail.Null)
	// Output:
	// squared MMD 1.000 (biased), 0.855 (unbiased)
	// p-value 0.0025 (spectral)
}
