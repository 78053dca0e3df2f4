package studentt_test

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/kernels"
	"bayeskernel/studentt"

	"gonum.org/v1/gonum/mat"
)

// Rows on a circle: its centre is about as novel as a point outside.
func Example() {
	x := mat.NewDense(40, 2, nil)
	for i := range 40 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 40)
		x.SetRow(i, []float64{cos, sin})
	}
	k := kernels.SquaredExponential(0.5)
	m, err := studentt.New(k, 2, studentt.Params{Alpha: 1, Beta: 0.01, Scale2: 0.1})
	if err == nil {
		err = m.AddAll(context.Background(), x)
	}
	scores := make([]float64, 3)
	if err == nil {
		err = m.Novelty(context.Background(), scores, mat.NewDense(3, 2, []float64{0, 1, 0, 0, 0, 2}))
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("on the circle %.0f, at its centre %.0f, outside %.0f\n", scores[0], scores[1],
		scores[2])
	// Output: on the circle 4, at its centre 48, outside 52
}
