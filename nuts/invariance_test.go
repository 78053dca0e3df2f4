package nuts

import (
	"math/rand/v2"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/internal/long"
	"bayeskernel/internal/testmodels"
)

// invarianceCases pair targets with metrics that do not suit them and with step sizes both ordinary
// and so small that trees are deep.
func invarianceCases(t *testing.T) []struct {
	name   string
	target testmodels.Exact
	metric hmc.Metric
	eps    float64
} {
	t.Helper()
	diag, err := hmc.NewDiagMetric([]float64{0.4, 2.5})
	if err != nil {
		t.Fatal(err)
	}
	dense, err := hmc.NewDenseMetric([][]float64{{1, 0.6}, {0.6, 2}})
	if err != nil {
		t.Fatal(err)
	}
	low, err := hmc.NewLowRankMetric([]float64{0.7, 1.6}, [][]float64{{0.6, 0.8}}, []float64{3})
	if err != nil {
		t.Fatal(err)
	}
	unit := hmc.NewUnitMetric(2)
	return []struct {
		name   string
		target testmodels.Exact
		metric hmc.Metric
		eps    float64
	}{
		{"logistic, diagonal", testmodels.ExactLogistic(2), diag, 1.2},
		{"logistic, small steps", testmodels.ExactLogistic(2), unit, 0.25},
		{"logistic, dense", testmodels.ExactLogistic(2), dense, 0.9},
		{"logistic, low rank", testmodels.ExactLogistic(2), low, 0.8},
		{"banana, low rank", testmodels.ExactBanana(), low, 0.3},
		{"normal, dense", testmodels.ExactCorrelated(0.8), dense, 0.5},
		{"normal, long steps", testmodels.ExactNormal(1, 3), unit, 1.6},
		{"banana", testmodels.ExactBanana(), diag, 0.3},
	}
}

// TestInvariance: one transition from exact draws leaves exact draws. The largest of 10 z
// statistics in each of 8 cases must stay below 5.5, which fails by chance 4e-8 of the time each,
// 3e-6 for all of them on a reseed.
func TestInvariance(t *testing.T) {
	n := 10000
	if long.Enabled() {
		n = long.Of(60000, 200000)
	}
	for _, c := range invarianceCases(t) {
		t.Run(c.name, func(t *testing.T) {
			h := hmc.NewHamiltonian(c.target, c.metric)
			s := New(h, 10)
			r := rand.New(rand.NewPCG(11, 12))
			z := hmc.NewPoint(2)
			leapfrogs := 0
			worst, name := testmodels.Invariance(c.target, n, r, func(x []float64) {
				copy(z.X, x)
				h.Evaluate(z)
				leapfrogs += s.Step(z, c.eps, r).Leapfrogs
				copy(x, z.X)
			})
			t.Logf("%s, %.1f leapfrogs a transition: largest |z| = %.2f (%s)", c.name,
				float64(leapfrogs)/float64(n), worst, name)
			if !(worst < 5.5) {
				t.Errorf("%s is not left invariant: |z| = %.1f", name, worst)
			}
		})
	}
}
