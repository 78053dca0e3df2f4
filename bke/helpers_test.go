package bke

import (
	"math"
	"testing"

	"bayeskernel/bke/inputs"

	"gonum.org/v1/gonum/mat"
)

func choose(t *testing.T, x mat.Matrix, o inputs.Options) *inputs.Set {
	t.Helper()
	in, err := inputs.Choose(t.Context(), x, o)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// The levels (i-1/2)/n of a distribution function F stand for its sample.
func plotted(n int, quantile func(p float64) float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = quantile((float64(i) + 0.5) / float64(n))
	}
	return v
}

func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
