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

func column(v ...float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }

// near compares two numbers to an absolute tolerance.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.17g, want %.17g: off by %.2g, want %.2g", what, got, want, got-want, tol)
	}
}
