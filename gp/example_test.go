package gp_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"bayeskernel/gp"

	"gonum.org/v1/gonum/mat"
)

// A wave with noise that alternates: the lengthscale and the noise are learned, and the noise is
// what is left.
func Example() {
	x, y := mat.NewDense(60, 1, nil), make([]float64, 60)
	for i := range y {
		t := float64(i) / 10
		x.Set(i, 0, t)
		y[i] = math.Sin(t) + 0.1*float64(1-2*(i%2))
	}
	m, err := gp.New(x, y, gp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fit, err := m.Learn(context.Background(), gp.LearnOptions{})
	if err != nil {
		log.Fatal(err)
	}
	mean, _, err := fit.Predict(mat.NewDense(1, 1, []float64{math.Pi / 2}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("noise %.2f, at pi/2 %.2f, first residual %.2f\n", fit.Params.Noise, mean[0],
		fit.Residuals()[0])
	// Output: noise 0.11, at pi/2 1.00, first residual 0.06
}
