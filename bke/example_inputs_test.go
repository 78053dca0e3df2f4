package bke_test

import (
	"fmt"

	"bayeskernel/bke"

	"gonum.org/v1/gonum/mat"
)

// Half of the rows are 0 and half are 1, and so are the pseudo-inputs: an infinite lengthscale would
// be better than any other.
func ExampleModel_Doubling() {
	x := mat.NewDense(6, 1, []float64{0, 1, 0, 1, 0, 1})
	z := mat.NewDense(2, 1, []float64{0, 1})
	m, err := bke.NewModel(x, z, bke.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, reason := range m.Doubling([]float64{2}).Reasons {
		fmt.Println(reason)
	}
	// Output:
	// theta is 3.65 times sqrt(D) standard deviations of the data, above 3.
	// The fit is worse than that of a kernel without limit in width, by 0.0632 a row in log pseudolikelihood.
}

func ExampleStandardize() {
	x := mat.NewDense(3, 2, []float64{
		10, 0.001,
		20, 0.002,
		30, 0.003,
	})
	y, scaling, err := bke.Standardize(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(y))
	// A lengthscale that was learned from y, in the units of each column of x.
	fmt.Println(scaling.Theta([]float64{0.5}))
	// Output:
	// ⎡1  1⎤
	// ⎢2  2⎥
	// ⎣3  3⎦
	// [5 0.0005]
}
