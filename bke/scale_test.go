package bke

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestStandardize(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := randomRows(r, 40, 3)
	for i := range 40 {
		x.Set(i, 0, 1e8*x.At(i, 0))
		x.Set(i, 1, 273.15)
	}
	y, s, err := Standardize(x)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{1, 0, 1} {
		if got := stat.StdDev(mat.Col(nil, j, y), nil); math.Abs(got-want) > 1e-14 {
			t.Errorf("column %d has sd %v, want %v", j, got, want)
		}
	}
	if s.SD[1] != 1 {
		t.Errorf("a constant column is divided by %v, want 1", s.SD[1])
	}
	if got := s.Theta([]float64{2}); got[0] != 2*s.SD[0] || got[1] != 2 || got[2] != 2*s.SD[2] {
		t.Errorf("theta = 2 becomes %v with sds %v", got, s.SD)
	}
	if got := s.Theta([]float64{2, 3, 4}); got[0] != 2*s.SD[0] || got[2] != 4*s.SD[2] {
		t.Errorf("theta = 2, 3, 4 becomes %v with sds %v", got, s.SD)
	}
	z, err := s.Apply(mat.NewDense(1, 3, []float64{s.SD[0], 5, -s.SD[2]}))
	if err != nil || z.At(0, 0) != 1 || z.At(0, 1) != 5 || z.At(0, 2) != -1 {
		t.Errorf("pseudo-input becomes %v, %v", z, err)
	}
	_, err = s.Apply(mat.NewDense(1, 2, nil))
	wantError(t, err, "2 columns to be standardized, want 3")
	_, _, err = Standardize(mat.NewDense(1, 2, nil))
	wantError(t, err, "x has 1 row")
	_, _, err = Standardize(mat.NewDense(2, 1, []float64{0, math.NaN()}))
	wantError(t, err, "NaN in row 2, column 1")
}

// A far row changes the scale of Standardize and not that of StandardizeBulk; without one they are the same.
func TestStandardizeBulk(t *testing.T) {
	x := randomRows(rand.New(rand.NewPCG(3, 5)), 200, 2)
	_, plain, err := Standardize(x)
	if err != nil {
		t.Fatal(err)
	}
	_, same, err := StandardizeBulk(x)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(same.SD, plain.SD) {
		t.Errorf("sds %v of normal columns, want %v", same.SD, plain.SD)
	}
	x.Set(17, 1, 1e6)
	y, far, err := StandardizeBulk(x)
	if err != nil {
		t.Fatal(err)
	}
	if far.SD[0] != plain.SD[0] || math.Abs(far.SD[1]/plain.SD[1]-1) > 0.7 {
		t.Errorf("sds %v with a far row, without it %v", far.SD, plain.SD)
	}
	if got := y.At(17, 1); got != 1e6/far.SD[1] {
		t.Errorf("the far row becomes %v, want it divided by %v", got, far.SD[1])
	}
	_, sd, err := Standardize(x)
	if err != nil || sd.SD[1] < 1e4 {
		t.Errorf("sds %v with a far row, %v", sd.SD, err)
	}
	_, _, err = StandardizeBulk(mat.NewDense(1, 2, nil))
	wantError(t, err, "x has 1 row")
}
