// Efficiency measures how much the No-U-Turn sampler learns per gradient: on eight targets, the
// smallest bulk effective sample size over the parameters, and over their squares, per 1000
// gradients after warm-up; four chains of 1000 draws at a target acceptance of 0.8, the median over
// seeds. Beside it go figures of Stan's, of one run as published and the median of ten; the ratio
// is to the latter.
//
// With -large the targets are those of 150 to 1000 dimensions in examples/models; Stan has not been
// run on them.
//
// Squares of a parameter whose sign is certain have the bulk effective sample size of the parameter
// itself, since only ranks count.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"bayeskernel/examples/internal/report"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	if err := o.parse(args, stderr); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	all, err := targets()
	if o.large {
		all, err = largeTargets(), nil
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if o.only != "" {
		all = slices.DeleteFunc(all, func(t target) bool { return t.name != o.only })
		if len(all) == 0 {
			fmt.Fprintf(stderr, "efficiency: no target is called %q\n", o.only)
			return 2
		}
	}
	fmt.Fprintf(stdout, "%v, median over %d seeds from %d.\n\n", &o, o.seeds, o.seed)
	fmt.Fprintln(stdout, "| target | ESS/1000 gradients | range | of the squares | Stan, one run "+
		"| Stan | ratio | gradients | warm-up gradients | divergent | R-hat |")
	fmt.Fprintln(stdout, "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
	for _, t := range all {
		r, err := o.measure(ctx, t)
		if err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		fmt.Fprintln(stdout, r)
	}
	return 0
}

// options are the flags.
type options struct {
	seeds int
	seed  uint64
	only  string
	large bool
	cfg   nuts.Config
}

func (o *options) parse(args []string, stderr io.Writer) error {
	f := flag.NewFlagSet("efficiency", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.IntVar(&o.seeds, "seeds", 10, "number of runs, each with a seed of its own")
	f.Uint64Var(&o.seed, "seed", 1, "first seed")
	f.StringVar(&o.only, "only", "", "measure this target alone")
	f.BoolVar(&o.large, "large", false, "measure the targets of 150 to 1000 dimensions")
	s := &o.cfg.Settings
	f.IntVar(&s.Warmup, "warmup", 1000, "transitions of warm-up per chain")
	f.BoolVar(&s.Adapt.StanWarmup, "stan", false, "warm up as Stan does")
	f.Func("acceptance", "symmetric or plain (default symmetric, plain with -stan)",
		func(v string) (err error) {
			s.Adapt.Acceptance, err = choose(v, map[string]hmc.Acceptance{
				"symmetric": hmc.SymmetricAcceptance, "plain": hmc.PlainAcceptance})
			return err
		})
	f.Func("metric", "auto, diag, dense or lowrank (default auto)", func(v string) (err error) {
		s.Adapt.Metric, err = choose(v, map[string]hmc.MetricKind{"auto": hmc.AutoMetric,
			"diag": hmc.DiagMetric, "dense": hmc.DenseMetric, "lowrank": hmc.LowRankMetric})
		return err
	})
	f.Func("estimator", "fisher or covariance (default fisher, covariance with -stan)",
		func(v string) (err error) {
			s.Adapt.Estimator, err = choose(v, map[string]hmc.Estimator{"fisher": hmc.Fisher,
				"covariance": hmc.Covariance})
			return err
		})
	if err := f.Parse(args); err != nil {
		return err
	}
	var err error
	switch {
	case f.NArg() > 0:
		err = fmt.Errorf("efficiency: unexpected argument %q", f.Arg(0))
	case o.seeds < 1:
		err = fmt.Errorf("efficiency: -seeds is %d, want it positive", o.seeds)
	case s.Warmup < 1:
		err = fmt.Errorf("efficiency: -warmup is %d, want it positive", s.Warmup)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
	}
	return err
}

func choose[T any](v string, known map[string]T) (T, error) {
	t, ok := known[v]
	if !ok {
		return t, errors.New("unknown")
	}
	return t, nil
}

// String says what is measured.
func (o *options) String() string {
	a := o.cfg.Adapt
	estimator, acceptance, as := "Fisher", "symmetric", ""
	if a.StanWarmup {
		as = " as Stan does it"
	}
	if a.Estimator == hmc.Covariance || a.StanWarmup && a.Estimator == hmc.AutoEstimator {
		estimator = "covariance"
	}
	if a.Acceptance == hmc.PlainAcceptance || a.StanWarmup && a.Acceptance == hmc.AutoAcceptance {
		acceptance = "plain"
	}
	return fmt.Sprintf("Metric %v, estimator %s, %s statistic of acceptance, warm-up of %d%s",
		a.Metric, estimator, acceptance, o.cfg.Warmup, as)
}
