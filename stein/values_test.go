package stein

import (
	"math"
	"strings"
	"testing"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Values that no computation here takes are named by row and column, counted from 1, or by their range.
func TestValuesOutOfRange(t *testing.T) {
	nan, huge := mat.NewDense(3, 1, []float64{1, math.NaN(), 3}), mat.NewDense(3, 1, []float64{-1e300, 1e300, 3e299})
	small, scores := mat.NewDense(3, 1, []float64{-1e-300, 1e-300, 0}), mat.NewDense(3, 1, []float64{1, 0, -1})
	k, err := New(kernels.RQ{Alpha: 0.5}, Lengthscale(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	median := func(x mat.Matrix) error { _, err := Median(x); return err }
	support := func(x mat.Matrix) error { _, err := SupportPoints(x, nil, 2); return err }
	u := func(x, s mat.Matrix) error { _, err := k.U(x, s); return err }
	v := func(x, s mat.Matrix) error { _, err := k.V(x, s); return err }
	for i, c := range []struct {
		err  error
		want string
	}{
		{median(nil), "stein: x is nil, want a matrix"},
		{median(new(mat.Dense)), "stein: x has 0 rows and 0 columns"},
		{median(nan), "stein: x is NaN in row 2, column 1"},
		{median(huge), "stein: column 1 of x goes from -1e+300 to 1e+300"},
		{support(nan), "stein: row 2 has NaN in column 1"},
		{support(huge), "stein: column 1 of x goes from -1e+300 to 1e+300"},
		{support(small), "stein: column 1 of x goes from -1e-300 to 1e-300"},
		{u(nil, scores), "stein: x is nil, want a matrix"},
		{u(scores, (*mat.Dense)(nil)), "stein: u is nil, want a matrix"},
		{u(nan, scores), "stein: row 2 has NaN in column 1"},
		{u(huge, scores), "stein: the discrepancy is "},
		{v(scores, huge), "stein: the discrepancy is "},
	} {
		if c.err == nil || !strings.HasPrefix(c.err.Error(), c.want) {
			t.Errorf("%d: error %v, want %s", i, c.err, c.want)
		}
	}
	if m, err := Median(mat.NewDense(1, 1, []float64{4})); m != 0 || err != nil {
		t.Errorf("one row: %v, %v", m, err)
	}
}
