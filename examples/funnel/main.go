// Funnel compares plain NUTS with NUTS whose step size adapts within the trajectory, on two
// densities that narrow without end, where no single step size serves, and on two ordinary ones.
//
// Of the first two it measures the log of the scale that makes them narrow, whose distribution is
// known: the effective draws of it per 1000 gradients, and whether its 5% quantile comes out.
// Of the others it measures the parameter of the fewest effective draws. README.md has the figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

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
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	fmt.Fprintf(stdout, "4 chains of %d + %d transitions, target acceptance %v, metric %v, "+
		"%d seeds from %d.\n\n", o.cfg.Warmup, o.cfg.Draws, o.cfg.TargetAccept, o.cfg.Adapt.Metric,
		o.seeds, o.seed)
	fmt.Fprintln(stdout, head)
	found := false
	for _, t := range all {
		if o.only != "" && !strings.Contains(t.name, o.only) {
			continue
		}
		found = true
		for _, s := range o.samplers {
			r, err := o.measure(ctx, t, s)
			if err != nil {
				fmt.Fprintln(stderr, err)
				return 1
			}
			fmt.Fprintln(stdout, r)
		}
	}
	if !found {
		fmt.Fprintf(stderr, "funnel: no target is called %q\n", o.only)
		return 2
	}
	return 0
}

// options are the flags.
type options struct {
	seeds    int
	seed     uint64
	only     string
	cfg      hmc.Settings
	samplers []*nuts.WithinOrbit
}

func (o *options) parse(args []string, stderr io.Writer) error {
	f := flag.NewFlagSet("funnel", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.IntVar(&o.seeds, "seeds", 10, "number of runs, each with a seed of its own")
	f.Uint64Var(&o.seed, "seed", 1, "first seed")
	f.StringVar(&o.only, "only", "", "measure the targets alone whose names contain this")
	f.IntVar(&o.cfg.Warmup, "warmup", 1000, "transitions of warm-up per chain")
	f.IntVar(&o.cfg.Draws, "draws", 1000, "transitions per chain after warm-up")
	f.Float64Var(&o.cfg.TargetAccept, "accept", 0.8, "acceptance that warm-up tunes to")
	f.Float64Var(&o.cfg.StepJitter, "jitter", 0, "relative jitter of the step size")
	f.Func("metric", "auto, unit, diag or dense (default auto)", func(v string) error {
		for _, k := range []hmc.MetricKind{hmc.AutoMetric, hmc.UnitMetric, hmc.DiagMetric,
			hmc.DenseMetric} {
			if strings.TrimSuffix(k.String(), "_e") == v {
				o.cfg.Adapt.Metric = k
				return nil
			}
		}
		return errors.New("unknown")
	})
	text := f.String("samplers", "nuts,1", "what to compare, between commas: nuts, a value of "+
		"MaxError, or MaxError/Finer")
	if err := f.Parse(args); err != nil {
		return err
	}
	err := o.parseSamplers(*text)
	switch {
	case err != nil:
	case f.NArg() > 0:
		err = fmt.Errorf("funnel: unexpected argument %q", f.Arg(0))
	case o.seeds < 2:
		err = fmt.Errorf("funnel: -seeds is %d, want at least 2", o.seeds)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
	}
	return err
}

// parseSamplers reads the samplers to compare; nil stands for plain NUTS.
func (o *options) parseSamplers(text string) error {
	for _, word := range strings.Split(text, ",") {
		if word == "nuts" {
			o.samplers = append(o.samplers, nil)
			continue
		}
		var w nuts.WithinOrbit
		maxError, finer, both := strings.Cut(word, "/")
		var err error
		w.MaxError, err = strconv.ParseFloat(maxError, 64)
		if err == nil && both {
			w.Finer, err = strconv.ParseFloat(finer, 64)
		}
		if err != nil {
			return fmt.Errorf("funnel: -samplers has %q, want numbers or nuts", word)
		}
		o.samplers = append(o.samplers, &w)
	}
	return nil
}
