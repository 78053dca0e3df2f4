package hmc

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/long"
	"bayeskernel/internal/testmodels"
)

// TestStaticInvariance: one transition of static HMC from exact draws leaves exact draws. The largest
// of 10 z statistics in each of 5 cases must stay below 5.5, which fails by chance 4e-8 of the time
// each, 2e-6 for all of them on a reseed.
func TestStaticInvariance(t *testing.T) {
	n := 20000
	if long.Enabled() {
		n = 400000
	}
	diag, err := NewDiagMetric([]float64{0.4, 2.5})
	if err != nil {
		t.Fatal(err)
	}
	dense, err := NewDenseMetric([][]float64{{1, 0.6}, {0.6, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name           string
		target         testmodels.Exact
		metric         Metric
		eps            float64
		length, jitter float64
	}{
		{"logistic, diagonal", testmodels.ExactLogistic(2), diag, 1.2, 2, 0.5},
		{"logistic, no jitter", testmodels.ExactLogistic(2), NewUnitMetric(2), 1.5, 3, 0},
		{"logistic, dense", testmodels.ExactLogistic(2), dense, 0.9, 2, 0.9},
		{"normal, dense", testmodels.ExactCorrelated(0.8), dense, 0.6, 1.5, 0.5},
		{"banana", testmodels.ExactBanana(), diag, 0.4, 1.5, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := NewHamiltonian(c.target, c.metric)
			s := NewStatic(h, c.length, c.jitter, 1000)
			r := rand.New(rand.NewPCG(21, 22))
			z := NewPoint(2)
			accept := 0.0
			worst, name := testmodels.Invariance(c.target, n, r, func(x []float64) {
				copy(z.X, x)
				h.Evaluate(z)
				accept += s.Step(z, c.eps, r).AcceptStat
				copy(x, z.X)
			})
			t.Logf("acceptance %.2f, largest |z| = %.2f (%s)", accept/float64(n), worst, name)
			if !(worst < 5.5) {
				t.Errorf("%s is not left invariant: |z| = %.1f", name, worst)
			}
		})
	}
}

func TestStaticNoAllocations(t *testing.T) {
	h := NewHamiltonian(testmodels.Gauss3(), NewUnitMetric(3))
	s := NewStatic(h, 1, 0.5, 100)
	z := startAt(h, 1, 2, 3)
	r := rand.New(rand.NewPCG(1, 2))
	if n := testing.AllocsPerRun(100, func() { s.Step(z, 0.1, r) }); n != 0 {
		t.Errorf("%v allocations a transition", n)
	}
}

// TestStaticSteps: a trajectory has as many steps as fit, never none and never more than the limit.
func TestStaticSteps(t *testing.T) {
	h := NewHamiltonian(testmodels.Gauss3(), NewUnitMetric(3))
	for _, c := range []struct {
		eps  float64
		want int
	}{{0.1, 15}, {0.5, 3}, {5, 1}, {1e-3, 100}, {math.SmallestNonzeroFloat64, 100}} {
		s := NewStatic(h, 1.5, 0, 100)
		out := s.Step(startAt(h, 0.1, 0.1, 0.1), c.eps, rand.New(rand.NewPCG(1, 2)))
		if out.Leapfrogs != c.want {
			t.Errorf("step size %v: %d steps, want %d", c.eps, out.Leapfrogs, c.want)
		}
	}
}
