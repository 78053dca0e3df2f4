package pca_test

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/embedding/pca"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Rows on a circle: a point off it is moved to near where it belongs.
func Example() {
	x := mat.NewDense(60, 2, nil)
	for i := range 60 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 60)
		x.SetRow(i, []float64{cos, sin})
	}
	k := kernels.SquaredExponential(0.5)
	p, err := pca.New(context.Background(), k, x, pca.Options{Components: 6})
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := p.PreImage([]float64{0.9, 0.9})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f %.3f\n", t.Point[0], t.Point[1])
	// Output: 0.682 0.682
}
