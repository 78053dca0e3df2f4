package causal

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"bayeskernel/causal"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/kerneltest/conditional"
)

// Half-samples of a run for which none were asked.
const (
	leastHalves   = 10
	defaultHalves = 100
	halvesSeconds = 120  // a minute on two cores
	mostSeconds   = 1200 // ten minutes on two cores
)

// cost is about how many seconds of one core a test takes with so many rows. It is a formula, no
// measurement, so that the number of random halves is the same everywhere.
func (f *flags) cost(rows int) float64 {
	n := float64(rows)
	switch {
	case f.lingam:
		return n * 1e-6
	case f.test == "fisherz":
		return 1e-6
	case f.test == "g2":
		return n * 5e-8
	case rows > conditional.FeatureRows:
		return 0.08 + n*8e-6
	}
	return 0.02 * math.Pow(n/330, 2.4)
}

// halves is the number of random halves that take about a minute on two cores, or none if the least number that
// says something takes more than ten.
func (f *flags) halves(tests, rows int) int {
	each := float64(tests) * f.cost(rows/2)
	if rows < 8 || each*leastHalves > mostSeconds {
		return 0
	}
	return int(min(max(halvesSeconds/each, leastHalves), defaultHalves))
}

// unhalved says why no random halves were learned; "" if some were, or none were wanted.
func (f *flags) unhalved(tests, rows int) string {
	if !f.automatic || f.stability > 0 || rows < 8 {
		return ""
	}
	seconds := leastHalves * float64(tests) * f.cost(rows/2) / 2
	return fmt.Sprintf("How sure the edges are is not known: graphs of random halves would show it (-stability %d takes "+
		"about %s on two cores).", leastHalves, span(seconds))
}

// span is a time in words.
func span(seconds float64) string {
	switch {
	case seconds < 90:
		return "a minute"
	case seconds > 2*3600:
		return report.Roundly(seconds/3600) + " hours"
	}
	return report.Roundly(seconds/60) + " minutes"
}

// forecast says how long the work will take, where that is more than half a minute. The number of
// tests is that of a search with correlations, which takes no time.
func (f *flags) forecast(d *causal.Data) string {
	if f.lingam || f.test == "fisherz" || f.test == "g2" {
		return ""
	}
	p := len(d.Names())
	tests := 2 * p * (p - 1)
	if quick, err := causal.NewFisherZ(d); err == nil {
		if r, err := causal.PC(context.Background(), quick, f.options(d.Names())); err == nil {
			tests = r.Tests
		}
	}
	wanted := f.stability
	if wanted < 0 {
		wanted = f.halves(tests, d.Rows())
	}
	whole := float64(tests) * f.cost(d.Rows())
	cores := min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	if f.shard.N > 0 {
		whole, wanted = 0, f.shard.Of(wanted)
	}
	seconds := (whole + float64(wanted*tests)*f.cost(d.Rows()/2)) / float64(cores)
	if seconds < 30 {
		return ""
	}
	work := fmt.Sprintf("some %d tests on %d rows", tests, d.Rows())
	if wanted > 0 {
		work += ", and " + halves(wanted)
	}
	return fmt.Sprintf("this takes about %s on %s: %s", span(seconds), cli.Plural(cores, "core"), work)
}
