package hmc

import (
	"math"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/internal/testmodels"
)

// bumps are two round normals in ten dimensions whose centres are 8 apart, at -4 with weight .6 and at 4.
func bumps() Target {
	return testmodels.Func{N: 10, F: func(x, g []float64) float64 {
		far := math.Exp(-8 * math.Abs(x[0]))
		near, other, side := 0.6, 0.4*far, -4.0
		if x[0] > 0 {
			near, other, side = 0.4, 0.6*far, 4
		}
		lp := math.Log(near+other) - (x[0]-side)*(x[0]-side)/2
		g[0] = side - x[0] - 2*side*other/(near+other)
		for i, v := range x[1:] {
			lp -= v * v / 2
			g[i+1] = -v
		}
		return lp
	}}
}

// TestLeftMode: of runs all of whose draws are in one mode, chains that were in the other for windows of warm-up
// say so, and no others do, as the draws of warm-up tell. Of one normal, narrow and wide, no chain says so.
func TestLeftMode(t *testing.T) {
	said := 0
	for seed := range 30 {
		s := together()
		s.Seed, s.SaveWarmup, s.Warmup = uint64(4100+seed), true, 1000
		run := mustSample(t, bumps(), s)
		kept := map[bool]bool{}
		for _, c := range run.Chains {
			for _, v := range c.Values {
				kept[v[0] > 0] = true
			}
		}
		if len(kept) > 1 {
			continue // R-hat shows both
		}
		for id, c := range run.Chains {
			last := 0 // the last transition in the other mode
			for k, v := range c.WarmupValues {
				if !kept[v[0] > 0] {
					last = k + 1
				}
			}
			if c.LeftFrom == nil {
				// A chain that was there for the second window, of 20, was there all the while.
				if last >= 45 && last < c.Warmup/2 {
					t.Errorf("seed %d, chain %d says nothing of the mode that it was in until %d", seed, id+1, last)
				}
				continue
			}
			said++
			if kept[c.LeftFrom[0] > 0] || c.Left > last+c.Left/2 {
				t.Errorf("seed %d, chain %d was not at %.1f until %d but %d", seed, id+1, c.LeftFrom[0], c.Left, last)
			}
		}
	}
	if said == 0 {
		t.Error("no chain left a mode: the test shows nothing")
	}
	for seed := range 10 {
		s := together()
		s.Seed, s.Draws = uint64(4200+seed), 10
		run := mustSample(t, testmodels.Func{N: 6, F: func(x, g []float64) float64 {
			lp := 0.0
			for i, v := range x {
				sd := math.Pow(100, float64(i)-3)
				lp -= v * v / (2 * sd * sd)
				g[i] = -v / (sd * sd)
			}
			return lp
		}}, s)
		for _, w := range run.Warnings() {
			if w.Kind == draws.WarnLeftMode {
				t.Errorf("one normal: %v", w)
			}
		}
	}
}
