// Metric measures what the automatic metric costs beside a forced diagonal: CPU time and gradients,
// warm-up included, per effective draw of the parameter with the fewest. Independent components gain
// nothing from correlations; the other targets need them. The targets are simulated.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"bayeskernel/diagnostics"
	"bayeskernel/examples/internal/report"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("metric", flag.ContinueOnError)
	f.SetOutput(stderr)
	seeds := f.Int("seeds", 5, "runs per target and metric")
	seed := f.Uint64("seed", 1, "the first seed")
	only := f.String("only", "", "targets, with commas between them")
	skip := f.Bool("skip-diagonal", false, "do not run the diagonal metric")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if *seeds < 1 {
		fmt.Fprintf(stderr, "metric: -seeds is %d, want at least 1\n", *seeds)
		return 2
	}
	fmt.Fprintf(stdout, "Medians of %d seeds from %d; one chain after the other, 4 chains of 1000 draws.\n\n",
		*seeds, *seed)
	fmt.Fprintln(stdout, "| target | metric | ms a run | ms without gradients and steps | gradients | ESS/1000 gradients "+
		"| CPU us per effective draw | of the diagonal's | rank |")
	fmt.Fprintln(stdout, "| --- | --- "+strings.Repeat("| --: ", 7)+"|")
	for _, t := range targets() {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), t.name) {
			continue
		}
		kinds := []hmc.MetricKind{hmc.DiagMetric, hmc.AutoMetric}
		if *skip {
			kinds = kinds[1:]
		}
		diagonal := math.NaN()
		for _, kind := range kinds {
			m, err := measure(ctx, t, kind, *seeds, *seed)
			if err != nil {
				fmt.Fprintln(stderr, err)
				return 1
			}
			if kind == hmc.DiagMetric {
				diagonal = m.perDraw
			}
			fmt.Fprintf(stdout, "| %s | %v | %.1f | %.1f | %.0f | %.2f | %.2f | %.2f | %.0f |\n", t.name,
				kind, m.ms, m.rest, m.gradients, m.ess, m.perDraw, m.perDraw/diagonal, m.rank)
		}
	}
	return 0
}

// measured are medians over seeds.
type measured struct {
	ms, gradients, ess, perDraw, rank float64
	rest                              float64 // beside what the draws' time per gradient explains
}

func measure(ctx context.Context, t target, kind hmc.MetricKind, seeds int, seed uint64) (measured, error) {
	var ms, rest, gradients, ess, perDraw, rank []float64
	for i := range seeds {
		var cfg nuts.Config
		cfg.Seed, cfg.Adapt.Metric, cfg.Parallel = seed+uint64(i), kind, 1
		began := time.Now()
		run, err := nuts.Sample(ctx, func() (hmc.Target, error) { return t.new(), nil }, cfg)
		if err != nil {
			return measured{}, err
		}
		total := time.Since(began).Seconds()
		n, after, seconds := 0, 0, 0.0
		for _, c := range run.Chains {
			n += c.Gradients + c.WarmupGradients
			after += c.Gradients
			seconds += c.SampleSeconds
			rank = append(rank, float64(c.Metric.Rank))
		}
		least := math.Inf(1)
		for j := range run.Names {
			least = min(least, diagnostics.ESSBulk(run.Column(j)))
		}
		ms = append(ms, 1e3*total)
		rest = append(rest, 1e3*(total-seconds*float64(n)/float64(after)))
		gradients = append(gradients, float64(n))
		ess = append(ess, 1e3*least/float64(n))
		perDraw = append(perDraw, 1e6*total/least)
	}
	return measured{report.Median(ms), report.Median(gradients), report.Median(ess),
		report.Median(perDraw), report.Median(rank), report.Median(rest)}, nil
}
