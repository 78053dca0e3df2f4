package calibration

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// falseAlarm is the level of every statistical test of this package that ought to pass: seeds are
// fixed, and with another seed each quantity of each test would fail with at most this probability.
const falseAlarm = 1e-7

func mustRun(t *testing.T, m Model, cfg Options) *Result {
	t.Helper()
	res, err := Run(context.Background(), m, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func mustCheck(t *testing.T, res *Result, alpha float64) *Report {
	t.Helper()
	rep, err := res.Check(alpha)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// passes fails the test if a quantity leaves its envelope.
func passes(t *testing.T, res *Result) {
	t.Helper()
	rep := mustCheck(t, res, falseAlarm)
	for _, q := range rep.Quantities {
		t.Logf("%s; z %.1f, %.1f", q.Sentence, q.ShiftZ, q.ScaleZ)
		if q.Leaves {
			t.Errorf("%s", q.Sentence)
		}
	}
	for _, n := range rep.Notes {
		t.Log(n)
	}
}

// TestExact calibrates exact draws, right and wrong ones. A shift of s sds has z = .977 s sqrt(N)
// and an error of the sd by a factor 1+e has z = 1.23 e sqrt(N) where e is small: with N = 1000,
// 9.3 and 11.7 at 30%, and the threshold of falseAlarm is 5.3. So a wrong sampler escapes with a
// probability below 1e-4, and its seed is fixed.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		name    string
		s       independent
		wrong   bool
		words   string
		z       func(q Quantity) float64
		expectZ float64
	}{
		{"right", independent{scale: 1}, false, "no sign", nil, 0},
		{"high", independent{shift: 0.3, scale: 1}, true, "too high",
			func(q Quantity) float64 { return q.ShiftZ }, 0.977 * 0.3 * math.Sqrt(1000)},
		{"low", independent{shift: -0.3, scale: 1}, true, "too low",
			func(q Quantity) float64 { return q.ShiftZ }, -0.977 * 0.3 * math.Sqrt(1000)},
		{"narrow", independent{scale: 0.7}, true, "too narrowly",
			func(q Quantity) float64 { return q.ScaleZ }, -varianceZ(0.7) * math.Sqrt(1000)},
		{"wide", independent{scale: 1.3}, true, "too widely",
			func(q Quantity) float64 { return q.ScaleZ }, -varianceZ(1.3) * math.Sqrt(1000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.draws, c.s.chains = 99, 1
			res := mustRun(t, conjugate(), Options{Simulations: 1000, Seed: 7, Sampler: c.s.sample})
			q := mustCheck(t, res, falseAlarm).Quantities[0]
			t.Log(q.Sentence)
			if q.Leaves != c.wrong || !strings.Contains(q.Sentence, c.words) {
				t.Errorf("%+v", q)
			}
			if c.z == nil {
				return
			}
			if got := c.z(q); math.Abs(got-c.expectZ) > 4 {
				t.Errorf("z = %.1f, expected about %.1f", got, c.expectZ)
			}
			// The standard errors of both estimates are about 1/30.
			if math.Abs(q.Shift-c.s.shift) > 0.17 || math.Abs(q.Scale-c.s.scale) > 0.17 {
				t.Errorf("shift %.2f and scale %.2f, expected %g and %g", q.Shift, q.Scale,
					c.s.shift, c.s.scale)
			}
		})
	}
}

// varianceZ is the expected z per root of N when the posterior's sd is c times the right one.
func varianceZ(c float64) float64 {
	return (math.Asin(1/(1+c*c))/(2*math.Pi) - 1.0/12) * math.Sqrt(180)
}

// TestCorrelation: draws with the right marginals and no correlation have uniform ranks for every
// parameter; the log likelihood tells.
func TestCorrelation(t *testing.T) {
	cfg := Options{Simulations: 500, Seed: 3,
		Sampler: independent{scale: 1, draws: 99, chains: 1}.sample}
	passes(t, mustRun(t, sum(), cfg))
	cfg.Sampler = independent{scale: 1, draws: 99, chains: 1, uncorrelated: true}.sample
	res := mustRun(t, sum(), cfg)
	var got []bool
	for _, q := range mustCheck(t, res, falseAlarm).Quantities {
		got = append(got, q.Leaves)
	}
	if !slices.Equal(got, []bool{false, false, true}) {
		t.Errorf("%v leave %v, expected the last alone", res.Names, got)
	}
}

// TestTies: draws and truths of few different values have uniform ranks too, because ties are
// broken at random.
func TestTies(t *testing.T) {
	m := conjugate()
	simulate := m.Simulate
	m.Quantities = []string{"sign", "constant"}
	m.Simulate = func(r *rand.Rand) (Simulation, error) {
		sim, err := simulate(r)
		sim.Quantities = func(dst, v []float64) { dst[0], dst[1] = math.Copysign(1, v[0]), 4 }
		return sim, err
	}
	passes(t, mustRun(t, m, Options{Simulations: 1000, Seed: 5,
		Sampler: independent{scale: 1, draws: 200, chains: 2}.sample}))
}

// TestFewDraws: with fewer draws than ranks, and with draws that are not independent, ranks are
// uniform still.
func TestFewDraws(t *testing.T) {
	s := independent{scale: 1, draws: 37, chains: 1}
	res := mustRun(t, conjugate(), Options{Simulations: 1000, Seed: 5, Sampler: s.sample})
	passes(t, res)
	for _, rep := range res.Replicates {
		if rep.Kept > 37 || rep.Draws != 37 {
			t.Fatalf("%+v", rep)
		}
	}
	res = mustRun(t, conjugate(), Options{Simulations: 1000, Seed: 6, Sampler: sticky})
	passes(t, res)
	notes := mustCheck(t, res, 0.05).Notes
	if len(notes) != 2 || !strings.Contains(notes[0], "effective draws") {
		t.Errorf("notes %q", notes)
	}
}
