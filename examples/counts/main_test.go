package main

import (
	"context"
	"io"
	"testing"

	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/internal/reporttest"
	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/internal/long"
	"bayeskernel/nuts"
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return report.RunWorked(ctx, "counts", args, stdout, stderr, fit)
}

// What the README says: leave-one-out cannot tell the first two models apart, and the intervals hold
// the counts.
func TestRun(t *testing.T) {
	long.Skip(t)
	said := reporttest.Worked(t, run, "-chains 1 -warmup 150 -draws 150",
		"Leave-one-out cannot tell the ", "check", "rate")
	if v := reporttest.Number(t, `intervals hold (\d+)%`, said); !(v >= 85) {
		t.Errorf("the predictive intervals hold %v%% of the counts", v)
	}
	for model, most := range map[string]float64{"Gaussian process": 2.5, "cubic": 2.5,
		"overdispersed process": 4.5} {
		v := reporttest.Number(t, `(?m)^ *`+model+` +\S+ +-?(\S+)`, said)
		if !(v <= most) {
			t.Errorf("%s: %v below the best", model, v)
		}
	}
}

// Ten years ahead the process knows less than the cubic claims: its interval is wider.
func TestAhead(t *testing.T) {
	long.Skip(t)
	var d struct{ C []float64 }
	if err := models.Data("glm_poisson", &d); err != nil {
		t.Fatal(err)
	}
	width := func(kind string) float64 {
		p, err := declare(kind, d.C).Compile()
		if err != nil {
			t.Fatal(err)
		}
		run, err := nuts.Sample(t.Context(), p.Target, nuts.Config{Settings: hmc.Settings{Chains: 1,
			Warmup: 150, Draws: 150, Seed: 1}})
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.Predictive(t.Context(), run, 1)
		if err != nil {
			t.Fatal(err)
		}
		lo, _, hi, err := report.Bands(again, "ahead[1]", ahead)
		if err != nil {
			t.Fatal(err)
		}
		return hi[ahead-1] - lo[ahead-1]
	}
	if process, cubic := width("Gaussian process"), width("cubic"); !(process > 1.5*cubic) {
		t.Errorf("the interval ten years ahead is %v wide, of the cubic %v", process, cubic)
	}
}

func TestArguments(t *testing.T) {
	reporttest.Calls(t, run, []reporttest.Call{
		{Args: "-help", Stderr: "folder for the pictures"},
		{Args: "-draws -1", Code: 2, Stderr: "-draws"},
	})
}
