package energy_test

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/embedding/energy"

	"gonum.org/v1/gonum/mat"
)

// Three samples on the line. The first two are close, and the third is far from both for sure.
func Example() {
	sample := func(centre float64) mat.Matrix {
		x := mat.NewDense(40, 1, nil)
		for i := range 40 {
			p := (float64(i) + 0.5) / 40
			x.Set(i, 0, centre+math.Log(p/(1-p)))
		}
		return x
	}
	d, err := energy.Between(context.Background(), []mat.Matrix{sample(0), sample(0.5), sample(6)},
		energy.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range d.Pairs() {
		fmt.Printf("samples %d and %d: %.1f, between %.1f and %.1f\n", p.A+1, p.B+1, p.Distance, p.Lower,
			p.Upper)
	}
	fmt.Println("the first two are closest:", d.Closer(0, 1, 0, 2) && d.Closer(0, 1, 1, 2))
	// Output:
	// samples 1 and 2: 0.0, between 0.0 and 0.6
	// samples 2 and 3: 2.6, between 2.4 and 2.9
	// samples 1 and 3: 2.8, between 2.6 and 3.1
	// the first two are closest: true
}
