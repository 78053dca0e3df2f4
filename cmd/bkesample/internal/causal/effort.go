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
	halvesSeconds = 120 // a minute on two cores
)

// cost is about how many seconds of one core a test takes with so many rows. It is a formula, no
// measurement, so that the number of half-samples is the same everywhere.
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
		return 0.2 + n*2e-5
	}
	return 0.02 * math.Pow(n/330, 2.4)
}

// halves is the number of half-samples that take about a minute on two cores.
func (f *flags) halves(tests, rows int) int {
	each := float64(tests) * f.cost(rows/2)
	return int(min(max(halvesSeconds/each, leastHalves), defaultHalves))
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
	halves := f.stability
	if halves < 0 {
		halves = f.halves(tests, d.Rows())
	}
	whole := float64(tests) * f.cost(d.Rows())
	cores := min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	if f.shard.N > 0 {
		whole, halves = 0, f.shard.Of(halves)
	}
	seconds := (whole + float64(halves*tests)*f.cost(d.Rows()/2)) / float64(cores)
	if seconds < 30 {
		return ""
	}
	span := fmt.Sprintf("%s minutes", report.Roundly(seconds/60))
	if seconds < 90 {
		span = "a minute"
	}
	if seconds > 2*3600 {
		span = fmt.Sprintf("%s hours", report.Roundly(seconds/3600))
	}
	return fmt.Sprintf("this takes about %s on %s: some %d tests on %d rows, and %s",
		span, cli.Plural(cores, "core"), tests, d.Rows(), cli.Plural(halves, "half-sample"))
}
