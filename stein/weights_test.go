package stein

import (
	"math"
	"testing"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// A row so far away that its score is 1e12 times that of others gets no weight, and changes nothing of theirs. It once kept
// all of them out, and one row had all the weight.
func TestWeightsBesideOneFarRow(t *testing.T) {
	r := source(21)
	n := 60
	x, u := mat.NewDense(n+1, 2, nil), mat.NewDense(n+1, 2, nil)
	for i := range n {
		for a := range 2 {
			x.Set(i, a, r.NormFloat64())
			u.Set(i, a, -x.At(i, a))
		}
	}
	x.SetRow(n, []float64{40, 1})
	u.SetRow(n, []float64{-1e12, -1})
	k, err := New(kernels.RQ{Alpha: 0.5}, Lengthscale(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	weights := func(n int) []float64 {
		m, err := k.Matrix(x.Slice(0, n, 0, 2), u.Slice(0, n, 0, 2))
		if err != nil {
			t.Fatal(err)
		}
		w, err := Weights(m, .3)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	with, without := weights(n+1), weights(n)
	if with[n] != 0 {
		t.Errorf("the far row has weight %v", with[n])
	}
	for i, w := range without {
		if math.Abs(with[i]-w) > 1e-9 {
			t.Errorf("row %d has weight %v, %v without the far row", i, with[i], w)
		}
	}
}
