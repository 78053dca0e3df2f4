package draws

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestPrint(t *testing.T) {
	run := idealRun([]string{"mu", "a very long name"}, 2, 100, 1)
	run.Model, run.Seed, run.Ending, run.Sampler.Draws = "demo", 7, RuleMet, 200 // which is a note
	for c := range run.Chains {
		for i := range run.Chains[c].Values {
			row := run.Chains[c].Values[i]
			row[0], row[1] = 1000+100*float64((7*i+c)%10), 0.001*float64((3*i+c)%10)-0.0045
		}
	}
	got := fmt.Sprint(run.Summary())
	want := `demo: nuts, seed 7, 2 chains of 100 draws

                       mean       sd     MCSE        5%      50%      95%  R-hat  bulk ESS  tail ESS
  mu                   1450      288       13      1000     1450     1900`
	if !strings.HasPrefix(got, want) || !strings.Contains(got, "\n\nNote: ") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	run.Chains[1].Err = context.Canceled
	run.Chains[0].Metric = Metric{Kind: "diag_e"}
	run.Chains[1].Values, run.Chains[1].Stats = nil, nil
	got = fmt.Sprint(run)
	want = `demo: nuts, seed 7, 2 parameters

  chain  draws  step size  metric  acceptance  mean lp  divergences  gradients
      1    100        0.5  diag_e        0.75`
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "context canceled") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	modes := fmt.Sprint(twoModes([]float64{1}).Modes)
	if !strings.HasPrefix(modes, "2 modes from 8 starts, 0 of which failed") ||
		!strings.Contains(modes, "70%") {
		t.Error(modes)
	}
	// Nothing is too empty or too large to print.
	for _, v := range []any{&Run{}, new(Summary), new(Modes), (&Run{}).Summary()} {
		if s := fmt.Sprint(v); strings.Contains(s, "PANIC") {
			t.Error(s)
		}
	}
	many := &Summary{Parameters: make([]Parameter, 1094)}
	if n := strings.Count(fmt.Sprint(many), "\n"); n > 60 {
		t.Errorf("%d lines", n)
	}
}

func TestDigits(t *testing.T) {
	for _, c := range []struct {
		x, spread float64
		want      string
	}{{1234.5678, 1, "1234.57"}, {0.00012, 0.0001, "0.000120"}, {-1e-9, 1, "-0.00"},
		{1e12, 1, "1e+12"}, {3, 0, "3"}, {math.NaN(), math.NaN(), "NaN"}, {1e-12, 1e-13, "1e-12"},
		{12345, 1e4, "12345"}} {
		if got := digits(c.x, c.spread); got != c.want {
			t.Errorf("%v with spread %v: %q, want %q", c.x, c.spread, got, c.want)
		}
	}
}

// The size in the name is parameters times chains times draws.
func BenchmarkSummary(b *testing.B) {
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("x[%d]", i)
	}
	run := idealRun(names, 4, 1000, 1)
	b.Run("100x4x1000", func(b *testing.B) {
		for b.Loop() {
			run.Summary()
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(100*b.N), "µs/name")
	})
}
