package bke

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Level against variances column by column, also where all kernel values are near 1, and in more
// than one block of rows.
func TestLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for _, c := range []struct {
		n, dim int
		theta  []float64
	}{{1500, 1, []float64{0.3}}, {300, 2, []float64{0.7, 2}}, {90, 3, []float64{5000}}} {
		x, z := normalRows(r, c.n, c.dim), normalRows(r, 7, c.dim)
		m := newModel(t, x, z, Options{ARD: len(c.theta) > 1})
		want := 0.0
		for l := range 7 {
			d := make([]float64, c.n) // 1 - k
			mean := 0.0
			for i := range c.n {
				s := 0.0
				for a := range c.dim {
					u := (x.At(i, a) - z.At(l, a)) / c.theta[min(a, len(c.theta)-1)]
					s += u * u
				}
				d[i] = -math.Expm1(-s / 2)
				mean += d[i] / float64(c.n)
			}
			for _, v := range d {
				want += (v - mean) * (v - mean) / float64(c.n-1) / 7
			}
		}
		nearly(t, "level", m.Evaluator().Level(Params{Theta: c.theta}), want, 1e-7)
	}
}

func TestComplete(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 4), column(0.5, 1.5), Options{Nu: Gaussian, Eta: 7, Tau2: 5})
	given := Params{Theta: []float64{2}}
	p, err := m.Complete(given)
	if err != nil || p.Tau2 != 5 || p.Eta != 7 || p.Theta[0] != 2 {
		t.Error(p, err)
	}
	given.Theta[0] = 3
	if p.Theta[0] != 2 {
		t.Error("theta was not copied")
	}
	_, err = m.Complete(Params{Theta: []float64{1, 2}})
	wantError(t, err, "theta has 2 elements, want 1")
	_, err = m.Complete(Params{Theta: []float64{math.Inf(1)}})
	wantError(t, err, "want positive, finite numbers")
}

func TestCoordinates(t *testing.T) {
	line := mat.NewDense(4, 2, []float64{0, 1, 1, 2, 2, 3, 4, 5})
	m := newModel(t, line, mat.NewDense(2, 2, []float64{0.5, 1.5, 3, 4}), Options{})
	got, err := m.Coordinates("points", line)
	if err != nil || len(got) != 4 {
		t.Fatal(got, err)
	}
	nearly(t, "distance", math.Abs(got[3]-got[0]), 4*math.Sqrt2, 1e-14)
	_, err = m.Coordinates("points", mat.NewDense(1, 2, []float64{1, 1}))
	wantError(t, err, "row 1 of points is 0.707 away from the plane of rank 1")
	_, err = m.Coordinates("points", column(1))
	wantError(t, err, "points has 1 column, want 2 as in the model's data")
	_, err = m.Coordinates("points", mat.NewDense(1, 2, []float64{1, math.NaN()}))
	wantError(t, err, "points is NaN in row 1, column 2")
}
