// Scoreboard measures the No-U-Turn sampler with its default settings on posteriors of posteriordb,
// beside published figures of Stan's and nutpie's: the smallest bulk effective sample size over the
// parameters, per 1000 gradients. Every evaluation of the target counts, of all chains: warm-up,
// gradient checks, searches for a step size, and starts that came to nothing.
//
// A run passes its gates when every parameter has a rank R-hat of at most 1.01, effective sample
// sizes of bulk and tail of at least 400, and a mean within 5 standard errors of the reference, and
// no transition after warm-up diverged.
//
// Each run is kept as a line of a file and not repeated; the table is made from that file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"bayeskernel/examples/internal/report"
	"bayeskernel/hmc"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := options{metric: hmc.AutoMetric}
	if err := o.parse(args, stderr); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	records, err := readRecords(o.file)
	if err == nil && o.robust {
		if err = o.compare(ctx, records, stdout, stderr); err == nil {
			return 0
		}
	}
	if err == nil && !o.table {
		records, err = o.measureAll(ctx, records, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	o.writeTable(stdout, records)
	return 0
}

// options are the flags.
type options struct {
	entries       []entry
	seeds         int
	seed          uint64
	metric        hmc.MetricKind
	warmup, draws int
	stan          bool
	declared      bool
	fixed         bool
	file          string
	table         bool
	robust        bool
	trials        []trial // of the comparison of metrics
}

// metrics are the names that -metric understands.
var metrics = map[string]hmc.MetricKind{"auto": hmc.AutoMetric, "unit": hmc.UnitMetric,
	"diag": hmc.DiagMetric, "dense": hmc.DenseMetric, "lowrank": hmc.LowRankMetric}

func (o *options) parse(args []string, stderr io.Writer) error {
	f := flag.NewFlagSet("scoreboard", flag.ContinueOnError)
	f.SetOutput(stderr)
	var only string
	f.StringVar(&only, "only", "", "measure these models alone: names with commas between them,\n"+
		"or published for those with published figures")
	f.IntVar(&o.seeds, "seeds", 3, "number of runs per model, each with a seed of its own")
	f.Uint64Var(&o.seed, "seed", 1, "first seed")
	f.IntVar(&o.warmup, "warmup", 1000, "transitions of warm-up per chain")
	f.IntVar(&o.draws, "draws", 1000, "draws per chain")
	f.StringVar(&o.file, "file", "scoreboard.jsonl", "where finished runs are kept")
	f.BoolVar(&o.table, "table", false, "run nothing, make the table of the runs in the file")
	f.BoolVar(&o.robust, "robust", false, "compare the automatic metric with each that it chooses "+
		"from,\nseed by seed; chains and draws go by the target")
	f.BoolVar(&o.stan, "stan", false, "warm up as Stan does; with -metric diag this is Stan's sampler")
	f.BoolVar(&o.fixed, "fixed", false, "make a warm-up of fixed length, each chain for itself")
	f.BoolVar(&o.declared, "declared", false, "sample the models as package model has them declared,\n"+
		"not those with gradients by hand")
	f.Func("metric", "auto, unit, diag, lowrank or dense (default auto)", func(v string) error {
		m, ok := metrics[v]
		if !ok {
			return errors.New("unknown")
		}
		o.metric = m
		return nil
	})
	if err := f.Parse(args); err != nil {
		return err
	}
	err := o.choose(only)
	switch {
	case err != nil:
	case f.NArg() > 0:
		err = fmt.Errorf("scoreboard: unexpected argument %q", f.Arg(0))
	case o.seeds < 1:
		err = fmt.Errorf("scoreboard: -seeds is %d, want a positive number", o.seeds)
	case o.warmup < 1:
		err = fmt.Errorf("scoreboard: -warmup is %d, want a positive number", o.warmup)
	case o.draws < 1:
		err = fmt.Errorf("scoreboard: -draws is %d, want a positive number", o.draws)
	case o.declared && o.robust:
		err = errors.New("scoreboard: -robust compares metrics on models by hand, without -declared")
	case o.declared:
		o.entries, err = declare(o.entries)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
	}
	return err
}

// choose takes the entries named from the registry.
func (o *options) choose(only string) error {
	if o.robust {
		o.trials = trials()
		if only != "" {
			names := strings.Split(only, ",")
			o.trials = slices.DeleteFunc(o.trials, func(t trial) bool {
				return !slices.Contains(names, t.name)
			})
		}
		if len(o.trials) == 0 {
			return fmt.Errorf("scoreboard: no target is called %q", only)
		}
		return nil
	}
	switch only {
	case "":
		o.entries = registry
		return nil
	case "published":
		for _, e := range registry {
			if e.cmdStan != nil {
				o.entries = append(o.entries, e)
			}
		}
		return nil
	}
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(registry, func(e entry) bool { return e.name == name })
		if i < 0 {
			return fmt.Errorf("scoreboard: no model is called %q", name)
		}
		o.entries = append(o.entries, registry[i])
	}
	return nil
}
