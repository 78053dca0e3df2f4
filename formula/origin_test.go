package formula_test

import (
	"context"
	"math"
	"testing"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/formula"
	"bayeskernel/internal/long"
	"bayeskernel/nuts"
)

// Counted from the mean of w or from 0, the posterior is the same, within 4 Monte Carlo errors: of a few rows, where the
// priors of the standard deviations and of the correlation matter. Predictions for a group that is new are too.
func TestOrigin(t *testing.T) {
	ctx := context.Background()
	f, err := formula.Parse("y ~ x + (1 + w | g)")
	if err != nil {
		t.Fatal(err)
	}
	new := rowsOf(t, 61, 59, 61)
	sample := func(plain bool, sd string) (reported, predicted *draws.Run) {
		reg, err := f.Model(rowsOf(t, 61, 0, 18), formula.Options{Plain: plain, Priors: []string{sd, "cor ~ lkj(3)"}})
		if err != nil {
			t.Fatal(err)
		}
		cfg := nuts.Config{}
		cfg.Chains, cfg.Draws, cfg.Warmup, cfg.Seed, cfg.TargetAccept = 2, 1500, 500, 5, .98
		run, err := nuts.Sample(ctx, reg.Program.Target, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if reported, err = reg.Report(run); err != nil {
			t.Fatal(err)
		}
		if predicted, err = reg.Predict(ctx, run, new, 3); err != nil {
			t.Fatal(err)
		}
		return reported, predicted
	}
	for _, sd := range []string{"sd ~ exponential(1)", "sd ~ student_t(4, 1, 2)"} {
		if sd != "sd ~ exponential(1)" && !long.Enabled() {
			continue
		}
		a, pa := sample(true, sd)
		b, pb := sample(false, sd)
		compare := func(name string, one, other [][]float64) {
			x, y := mean(one), mean(other)
			if z := (x - y) / math.Hypot(diagnostics.MCSEMean(one), diagnostics.MCSEMean(other)); !(math.Abs(z) < 4) {
				t.Errorf("%s: %s has means %v and %v, %.1f standard errors apart", sd, name, x, y, z)
			}
		}
		if len(a.Names) != len(b.Names) || len(a.Names) < 18 {
			t.Fatalf("%v and %v", a.Names, b.Names)
		}
		for k, name := range a.Names {
			if b.Names[k] != name {
				t.Fatalf("%s is %s", name, b.Names[k])
			}
			compare(name, a.Column(k), b.Column(k))
		}
		for k := range pa.Names {
			compare("the log of the distance of "+pa.Names[k], logs(pa.Column(k)), logs(pb.Column(k)))
		}
	}
}

func mean(chains [][]float64) float64 {
	n, out := 0.0, 0.0
	for _, c := range chains {
		for _, v := range c {
			n++
			out += (v - out) / n
		}
	}
	return out
}

// logs are those of distances from 3.
func logs(chains [][]float64) [][]float64 {
	out := make([][]float64, len(chains))
	for k, c := range chains {
		for _, v := range c {
			out[k] = append(out[k], math.Log(math.Abs(v-3)))
		}
	}
	return out
}
