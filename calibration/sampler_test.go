package calibration

import (
	"math"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/internal/long"
	"bayeskernel/nuts"
)

// short is a warm-up and a number of draws that are enough for the models of these tests.
var short = hmc.Settings{Warmup: 300, Draws: 300}

// TestSamplers calibrates both samplers, adaptation included, at level falseAlarm. So few
// simulations see gross errors only, as the last line of each log says; the kernels themselves are
// tested by Geweke's test and in their own packages.
func TestSamplers(t *testing.T) {
	samplers := map[string]Sampler{"nuts": NUTS(nuts.Config{Settings: short}),
		"hmc": HMC(hmc.Config{Settings: short})}
	for name, s := range samplers {
		t.Run(name+" normal", func(t *testing.T) {
			passes(t, mustRun(t, normal{n: 6}.model(), Options{Seed: 1, Sampler: s}))
		})
		t.Run(name+" groups", func(t *testing.T) {
			passes(t, mustRun(t, groups(), Options{Simulations: 100, Seed: 2, Sampler: s}))
		})
	}
}

// TestSamplersLong is the same with 1000 simulations; the last line of each log says what they see.
func TestSamplersLong(t *testing.T) {
	long.Skip(t)
	s := hmc.Settings{Warmup: 1000, Draws: 1000}
	samplers := map[string]Sampler{"nuts": NUTS(nuts.Config{Settings: s}),
		"hmc": HMC(hmc.Config{Settings: s})}
	for name, s := range samplers {
		t.Run(name+" normal", func(t *testing.T) {
			passes(t, mustRun(t, normal{n: 6}.model(),
				Options{Simulations: 1000, Seed: 1, Sampler: s}))
		})
		t.Run(name+" groups", func(t *testing.T) {
			passes(t, mustRun(t, groups(), Options{Simulations: 1000, Seed: 2, Sampler: s}))
		})
	}
}

// TestWrongModels: mistakes that people make in a density show, in the parameters they concern.
func TestWrongModels(t *testing.T) {
	for _, c := range []struct {
		name string
		m    normal
		n    int
	}{
		{"prior too narrow", normal{n: 6, priorSD: 0.25}, 100},
		{"no Jacobian", normal{n: 2, noJacobian: true}, 400},
		{"half of the data", normal{n: 6, missing: 3}, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := mustRun(t, c.m.model(), Options{Simulations: c.n, Seed: 4,
				Sampler: NUTS(nuts.Config{Settings: short})})
			found := false
			for _, q := range mustCheck(t, res, falseAlarm).Quantities {
				t.Logf("%s; z %.1f, %.1f", q.Sentence, q.ShiftZ, q.ScaleZ)
				found = found || q.Leaves
			}
			if !found {
				t.Error("not found")
			}
		})
	}
}

// TestStoppingRuleLong: a run that ends when its diagnostics look good uses its draws to choose its
// length.
func TestStoppingRuleLong(t *testing.T) {
	long.Skip(t)
	for _, c := range []struct {
		name string
		m    Model
	}{{"normal", normal{n: 6}.model()}, {"groups", groups()}} {
		t.Run(c.name, func(t *testing.T) {
			s := hmc.Settings{Warmup: 300, Draws: 5000,
				Until: &hmc.Until{RHat: 1.05, ESSBulk: 100, ESSTail: 50, MinDraws: 50, Growth: 1.2}}
			res := mustRun(t, c.m, Options{Simulations: 2000, Seed: 8,
				Sampler: NUTS(nuts.Config{Settings: s})})
			passes(t, res)
			least, most, sum := math.MaxInt, 0, 0
			for _, rep := range res.Replicates {
				least, most = min(least, rep.Draws), max(most, rep.Draws)
				sum += rep.Draws
			}
			t.Logf("draws %d to %d, mean %d", least, most, sum/len(res.Replicates))
		})
	}
}
