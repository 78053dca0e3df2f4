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

func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// clusters are three tight clusters with too few pseudo-inputs: the posterior of theta has a mode
// at the width of a cluster and one at the distance between them.
func clusters(gap float64) (x, z []float64) {
	for i := range 12 {
		x = append(x, gap*float64(i%3)+0.37*math.Sin(float64(7*i)))
	}
	return x, []float64{-0.1, 0.2, gap - 0.1, gap + 0.3, 2 * gap}
}

func plane2(t testing.TB, n, m int, o Options) *Model {
	t.Helper()
	point := func(i, shift int) []float64 {
		a := float64(i + shift)
		return []float64{math.Sin(3*a) + 0.3*math.Cos(a*a), 2 * math.Cos(5*a)}
	}
	x, z := mat.NewDense(n, 2, nil), mat.NewDense(m, 2, nil)
	for i := range n {
		x.SetRow(i, point(i, 0))
	}
	for l := range m {
		z.SetRow(l, point(l, 1000))
	}
	model, err := NewModel(x, z, o)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func column(v ...float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }
