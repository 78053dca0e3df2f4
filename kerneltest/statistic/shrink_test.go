package statistic

import (
	"math"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// The Gram matrix of the shrunk features is Kc (Kc + ridge I)⁻¹.
func TestShrink(t *testing.T) {
	const n, ridge = 20, 0.3
	x := fixture.Normals(1, n, 2, 0)
	k := kernels.SquaredExponential(1.2)
	f, err := NewFactor(k, x, 1e-14)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Shrink(ridge)
	if err != nil {
		t.Fatal(err)
	}
	features := f.Features()
	var centred mat.Dense
	centred.Mul(features, features.T())
	a := mat.NewDense(n, n, nil)
	a.Copy(&centred)
	for i := range n {
		a.Set(i, i, a.At(i, i)+ridge)
	}
	var want, got mat.Dense
	if err := want.Solve(a, &centred); err != nil {
		t.Fatal(err)
	}
	shrunk := s.Features()
	got.Mul(shrunk, shrunk.T())
	for i := range n {
		for j := range n {
			if math.Abs(got.At(i, j)-want.At(i, j)) > 1e-12 {
				t.Errorf("element %d, %d is %v, want %v", i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := f.Shrink(bad); err == nil {
			t.Errorf("a ridge of %v is taken", bad)
		}
	}
}
