package ica_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/ica"

	"gonum.org/v1/gonum/mat"
)

// Two signals, of which only sums and differences are recorded.
func ExampleFind() {
	r := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(1000, 2, nil)
	signal := make([]float64, 1000)
	for i := range 1000 {
		signal[i] = r.Float64()
		noise := r.ExpFloat64()
		x.SetRow(i, []float64{signal[i] + noise, signal[i] - noise})
	}
	found, err := ica.Find(context.Background(), x, ica.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	y := make([]float64, 2)
	var products [2]float64 // correlations with the signal, of variance 1/12
	for i := range 1000 {
		found.Components(y, x.RawRowView(i))
		for c, v := range y {
			products[c] += v * (signal[i] - 0.5) * math.Sqrt(12) / 1000
		}
	}
	best := max(math.Abs(products[0]), math.Abs(products[1]))
	fmt.Printf("correlation of a component with the signal: %.2f\n", best)
	// Output: correlation of a component with the signal: 1.00
}
