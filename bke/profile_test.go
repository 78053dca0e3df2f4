package bke

import (
	"math"
	"slices"
	"testing"
)

// A scan whose steps jump over a narrow peak, of five nats or of a third of one, finds it by looking
// in between.
func TestScanRefines(t *testing.T) {
	const at = 0.0575
	for _, height := range []float64{5, 0.3} {
		f := func(x float64) point {
			b := (x - at) / 0.02
			e := height * math.Exp(-b*b/2)
			return point{u: []float64{x}, lp: -x*x + e, slope: -2*x - e*b/0.02}
		}
		l := &line{}
		for i := -20; i <= 20; i++ {
			l.t = append(l.t, 0.115*float64(i))
			l.points = append(l.points, f(0.115*float64(i)))
		}
		whole := box{[]float64{-2.3}, []float64{2.3}}
		if n := len(l.rises(whole)); n != 1 {
			t.Fatalf("the coarse scan has %d rises, want the broad peak alone", n)
		}
		l.refine(f)
		found := false
		for _, s := range l.rises(whole) {
			found = found || s.within.lo[0] <= at && s.within.hi[0] >= at-1e-3 && s.within.width(0) < 0.1
		}
		if !found || !slices.IsSorted(l.t) {
			t.Errorf("the narrow peak of %v nats was not found", height)
		}
	}
}

// The sums over rows that are kept for one theta are not used for another.
func TestCriterionKeepsNoStaleSums(t *testing.T) {
	c := laplaceModel(t, "50", Options{}).newCriterion()
	u, v, g := []float64{-1, -2}, []float64{0.5, -1}, make([]float64, 2)
	want := c.value(u)
	other := c.at(g, v)
	if got := c.value(u); got != want {
		t.Errorf("value is %v, was %v", got, want)
	}
	within(t, "value and gradient", c.value(v), other, 1e-13)
	slope := g[1]
	within(t, "slope", c.slopeTau2(v), slope, 1e-12)
}

// On a saddle -H is not positive definite, and the step goes uphill along both axes.
func TestNewtonStepOnSaddle(t *testing.T) {
	h := [][]float64{{-4, 0}, {0, 2}}
	move, _, definite := newtonStep(h, []float64{0.4, 0.2}, make([]bool, 2))
	if definite || math.Abs(move[0]-0.1) > 1e-15 || math.Abs(move[1]-0.1) > 1e-15 {
		t.Errorf("step %v, definite %v", move, definite)
	}
	if _, _, definite = newtonStep(h, []float64{0.4, 0.2}, []bool{false, true}); !definite {
		t.Error("a held coordinate counts")
	}
}

func within(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1e-3, math.Abs(want))) {
		t.Errorf("%s is %.15g, want %.15g: off by %.2g", what, got, want, got-want)
	}
}
