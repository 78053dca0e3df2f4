package studentt

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Far points are in order: the farther, the more novel, to 1e8 standard deviations. Without tails they
// all score alike.
func TestTailsOrderFarPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for _, dim := range []int{1, 3} {
		x := drawn(r, 60, dim)
		k, err := WithTails(kernels.SquaredExponential(0.4), x, DefaultTails)
		if err != nil {
			t.Fatal(err)
		}
		m, err := New(k, dim, Params{Alpha: 1, Beta: 0.01, Scale2: 0.01})
		if err == nil {
			err = m.AddAll(t.Context(), x)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, sign := range []float64{1, -1} {
			at := []float64{5, 6, 7, 10, 100, 1e4, 1e4 + 1, 1e8}
			points := mat.NewDense(len(at), dim, nil)
			for i, v := range at {
				points.Set(i, dim-1, sign*v)
			}
			scores := make([]float64, len(at))
			if err := m.Novelty(t.Context(), scores, points); err != nil {
				t.Fatal(err)
			}
			for i := range scores[1:] {
				if !(scores[i+1] > scores[i]) {
					t.Errorf("%d columns: %v at %v, %v at %v", dim, scores[i], at[i], scores[i+1], at[i+1])
				}
			}
			// D is a quadratic function far away: the density falls like a power.
			power := float64(1 + 60 + 1)
			if got := (scores[7] - scores[5]) / math.Log(1e4); math.Abs(got-power) > 1e-3*power {
				t.Errorf("%d columns: the density falls with power %v, want %v", dim, got, power)
			}
		}
	}
}

// The kernel is what it says, and its derivatives are those of differences.
func TestTailsKernel(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 2, 5, 8}) // mean 3, 4; squared distances 8, 4, 20
	k, err := WithTails(kernels.SquaredExponential(1), x, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	a, b := []float64{4, 6}, []float64{2, 7}
	want := kernels.SquaredExponential(1).At(a, b) + 0.5*3/32*(1*-1+2*3)
	if got := k.At(a, b); math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
	m, err := New(k, 2, Params{Alpha: 1, Beta: 1, Scale2: 0.1})
	if err == nil {
		err = m.AddAll(t.Context(), x)
	}
	if err != nil {
		t.Fatal(err)
	}
	e, grad := m.Evaluator(), make([]float64, 2)
	e.LogDensity(a, grad)
	for j := range grad {
		const h = 1e-5
		up, down := append([]float64(nil), a...), append([]float64(nil), a...)
		up[j] += h
		down[j] -= h
		want := (e.LogDensity(up, nil) - e.LogDensity(down, nil)) / (2 * h)
		if math.Abs(grad[j]-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("gradient %d is %v, want %v", j, grad[j], want)
		}
	}
}

func TestTailsErrors(t *testing.T) {
	k := kernels.SquaredExponential(1)
	for _, c := range []struct {
		x     *mat.Dense
		share float64
		want  string
	}{
		{mat.NewDense(3, 1, []float64{1, 1, 1}), 0.01, "squared distance"},
		{mat.NewDense(2, 1, []float64{1, 2}), 0, "share of the tails is 0"},
		{mat.NewDense(2, 1, []float64{1, math.NaN()}), 1, "NaN"},
	} {
		if _, err := WithTails(k, c.x, c.share); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}

// Rows near a line: a row that is usual in each column but off the line falls the same by either; a row
// with one column far out falls by that one, and the best value is where the others say.
func TestExplain(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	x := mat.NewDense(80, 3, nil)
	for i := range 80 {
		v := r.NormFloat64()
		x.SetRow(i, []float64{v, v + 0.1*r.NormFloat64(), r.NormFloat64()})
	}
	k, err := WithTails(kernels.SquaredExponential(1), x, DefaultTails)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(k, 3, Params{Alpha: 1, Beta: 0.01, Scale2: 0.01})
	if err == nil {
		err = m.AddAll(t.Context(), x)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Explain([]float64{1, -1, 0}, x)
	if err != nil {
		t.Fatal(err)
	}
	if a, b, c := out[0], out[1], out[2]; !(min(a.Fall, b.Fall) > 5*c.Fall) || math.Abs(a.Best+1) > 0.4 ||
		math.Abs(b.Best-1) > 0.4 {
		t.Errorf("off the line: %+v", out)
	}
	if out, err = m.Explain([]float64{0.5, 0.5, 50}, x); err != nil {
		t.Fatal(err)
	}
	if a, b, c := out[0], out[1], out[2]; !(c.Fall > 5*max(a.Fall, b.Fall)) || math.Abs(c.Best) > 3 {
		t.Errorf("column 3 far out: %+v", out)
	}
	// The fall is the difference of two log densities.
	at := []float64{0.5, 0.5, out[2].Best}
	e := m.Evaluator()
	if want := e.LogDensity(at, nil) - e.LogDensity([]float64{0.5, 0.5, 50}, nil); out[2].Fall != want {
		t.Errorf("fall %v, want %v", out[2].Fall, want)
	}
	if _, err := m.Explain([]float64{1}, x); err == nil {
		t.Error("a row of one column")
	}
}
