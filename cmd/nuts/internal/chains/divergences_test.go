package chains

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"bayeskernel/draws"
)

// funnel is a run of independent columns, with a scale in column 2 and a value of that scale in column 4: what
// has a small scale and a value near its end diverges. The generated quantity after them copies the scale.
func funnel(diverge bool) *draws.Run {
	r := rand.New(rand.NewPCG(3, 5))
	run := &draws.Run{}
	for j := range 7 {
		run.Names = append(run.Names, "x["+strconv.Itoa(j+1)+"]")
	}
	for range 2 {
		var c draws.Chain
		for range 500 {
			x := make([]float64, 7)
			for j := range x {
				x[j] = r.NormFloat64()
			}
			z := x[4]
			x[2] = math.Exp(1.5 * x[2])
			x[4], x[6] = x[2]*z, x[2]
			c.Values = append(c.Values, x)
			c.Stats = append(c.Stats, draws.Stat{Divergent: diverge && x[2] < 0.5 && z > 0.5})
		}
		run.Chains = append(run.Chains, c)
	}
	return run
}

// The pair shown is the one that tells where transitions diverged, a wide positive parameter by its logarithm.
func TestDivergences(t *testing.T) {
	told := Tell(funnel(true))
	told.Asked = 6
	f, ok := told.divergences()
	x, y := 0, 1
	if f.XLabel > f.YLabel {
		x, y = 1, 0
	}
	if got := [2]string{f.XLabel, f.YLabel}; !ok || got[x] != "log x[3]" || got[y] != "x[5]" {
		t.Fatalf("shown are %v, want log x[3] and x[5]", got)
	}
	all, bad := f.Samples[0].Points, f.Samples[1].Points
	if len(all)+len(bad) != 1000 || len(bad) == 0 {
		t.Errorf("%d draws and %d divergent ones, want 1000 in all", len(all), len(bad))
	}
	for _, p := range bad {
		if p[x] >= math.Log(0.5) || p[y] <= 0 {
			t.Errorf("a divergent draw at %v", p)
		}
	}
	if _, ok := Tell(funnel(false)).divergences(); ok {
		t.Error("nothing diverged, and a picture shows it")
	}
}

// One divergent draw is enough for a picture, a run of one parameter is not, and two parameters that are one
// make no pair.
func TestFewDivergences(t *testing.T) {
	run := funnel(false)
	run.Chains[1].Stats[7].Divergent = true
	if _, ok := Tell(run).divergences(); !ok {
		t.Error("one divergent draw, no picture")
	}
	for c := range run.Chains {
		for i, x := range run.Chains[c].Values {
			run.Chains[c].Values[i] = []float64{x[2], math.Log(x[2])}
		}
	}
	run.Names = []string{"scale", "log scale"}
	if f, ok := Tell(run).divergences(); ok {
		t.Errorf("%s and %s make a picture", f.XLabel, f.YLabel)
	}
}

// A value that is constant by design is no reason to distrust a run.
func TestConstants(t *testing.T) {
	run := funnel(false)
	for c := range run.Chains {
		for _, x := range run.Chains[c].Values {
			x[1], x[3] = 0, 1
		}
	}
	told := Tell(run)
	if !told.Sound() || !slices.Contains(told.Summary.Notes, "x[2] and x[4] are the same in all draws.") {
		t.Errorf("warnings %v, notes %q", told.Summary.Warnings, told.Summary.Notes)
	}
	for c := range run.Chains {
		for _, x := range run.Chains[c].Values {
			clear(x)
		}
	}
	if Tell(run).Sound() {
		t.Error("nothing moved, and no warning")
	}
}
