// Centring measures what it gains that warm-up learns how far each group effect is centred, on five
// shapes of hierarchical models: each is declared as it is, with its effects centred, and not centred.
//
// A run passes its gates when every parameter has a rank R-hat of at most 1.01 and effective sample
// sizes of bulk and tail of at least 400, and no transition after warm-up diverged. The efficiency is
// the smallest of both sizes over all parameters, per 1000 gradients, warm-up counted.
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

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/examples/internal/report"
	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

func main() { report.Program(run) }

// ways are how the effects are declared.
var ways = []struct {
	name    string
	options []model.Option
}{{"learned", nil}, {"centred", []model.Option{model.Centred}},
	{"not centred", []model.Option{model.NonCentred}}}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("centring", flag.ContinueOnError)
	f.SetOutput(stderr)
	seeds := f.Int("seeds", 10, "number of runs of each model, each with data and a seed of its own")
	seed := f.Uint64("seed", 1, "first seed")
	only := f.String("only", "", "measure these shapes alone: names with commas between them")
	fixed := f.Bool("fixed", false, "make a warm-up of fixed length, each chain for itself")
	verbose := f.Bool("v", false, "print every run")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	fmt.Fprintln(stdout, "| model | effects | gates | largest R-hat | ESS/1000, least to largest | divergences |")
	fmt.Fprintln(stdout, "| --- | --- | --: | --: | --: | --: |")
	for _, s := range shapes() {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), s.name) {
			continue
		}
		for _, w := range ways {
			var all []result
			for k := range uint64(*seeds) {
				r, err := measure(ctx, s.declare(*seed+k, w.options...), *seed+k, *fixed)
				if err != nil {
					fmt.Fprintln(stderr, err)
					return 1
				}
				if *verbose {
					fmt.Fprintf(stderr, "%s %s %d: %+v\n", s.name, w.name, *seed+k, r)
				}
				all = append(all, r)
			}
			fmt.Fprintf(stdout, "| %s | %s | %s |\n", s.name, w.name, summary(all))
		}
	}
	return 0
}

// result is what a run gave.
type result struct {
	rhat, ess            float64
	divergences, warm, n int // gradients of warm-up, and after
	centring             string
}

func (r result) passed() bool { return r.rhat <= 1.01 && r.ess >= 400 && r.divergences == 0 }

func (r result) efficiency() float64 { return 1000 * r.ess / float64(r.warm+r.n) }

func measure(ctx context.Context, m *model.Model, seed uint64, fixed bool) (result, error) {
	p, err := m.Compile()
	if err != nil {
		return result{}, err
	}
	run, err := nuts.Sample(ctx, p.Target,
		nuts.Config{Settings: hmc.Settings{Seed: seed, Adapt: hmc.Adapt{Fixed: fixed}}})
	if err != nil {
		return result{}, err
	}
	r := judge(run)
	for name, v := range p.Centring(run) {
		mean := 0.0
		for _, x := range v {
			mean += x / float64(len(v))
		}
		r.centring += fmt.Sprintf("%s %.2f (%.2f to %.2f) ", name, mean, slices.Min(v), slices.Max(v))
	}
	return r, nil
}

func judge(run *draws.Run) result {
	r := result{ess: math.Inf(1)}
	for _, c := range run.Chains {
		r.warm += c.WarmupGradients
		r.n += c.Gradients
		r.divergences += len(c.Divergences)
	}
	for j := range run.Names {
		x := run.Column(j)
		r.rhat = max(r.rhat, diagnostics.RHat(x))
		r.ess = min(r.ess, diagnostics.ESSBulk(x), diagnostics.ESSTail(x))
	}
	return r
}

func summary(all []result) string {
	passed, divergences, rhat := 0, 0, 0.0
	var e []float64
	for _, r := range all {
		if r.passed() {
			passed++
		}
		divergences += r.divergences
		rhat = max(rhat, r.rhat)
		e = append(e, r.efficiency())
	}
	slices.Sort(e)
	return fmt.Sprintf("%d of %d | %.3f | %s (%s to %s) | %d", passed, len(all), rhat,
		report.Digits(report.Median(e)), report.Digits(e[0]), report.Digits(e[len(e)-1]), divergences)
}
