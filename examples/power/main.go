// Power measures how often tests reject: any methods on any problems of package power, over
// replicates spread over the processors. Results go to a file of one JSON line per replicate, to
// which later runs add: more replicates, other methods, other problems. A table of powers and, if
// -against names one of the methods, of the differences from it go to the standard output; -plot
// draws power against the parameter in which the problems differ. The data are synthetic.
//
//	go run ./examples/power -problem "grid:eps=1/2/4" -methods "median fuse" -out grid.jsonl
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/journal"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/power"
)

func main() { report.Program(run) }

// options are the flags.
type options struct {
	problems, methods, against string
	out, plot                  string
	test                       kerneltest.Options
	cfg                        power.Options
	level                      float64
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	// The columns of a problem are in the same units.
	o := options{test: kerneltest.Options{Standardize: kerneltest.StandardizeNever}}
	f := flag.NewFlagSet("power", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.problems, "problem", "normal-laplace", "problems, with white space between them; "+
		"their parameters and defaults:\n"+strings.Join(power.ProblemNames(), "\n"))
	f.StringVar(&o.methods, "methods", "median learned fuse mmdagg", "tests, with white space "+
		"between them, such as learned:m=90,weight=1,tau2=1")
	f.StringVar(&o.against, "against", "", "compare the other methods with this one, on the same "+
		"data sets")
	f.IntVar(&o.cfg.Replicates, "replicates", 100, "number of data sets of each problem")
	f.IntVar(&o.cfg.First, "first", 0, "number of the first replicate, for a study that is spread "+
		"over machines")
	f.Uint64Var(&o.cfg.Seed, "seed", 1, "seed of the random numbers")
	f.IntVar(&o.test.Permutations, "permutations", 999, "of each test")
	f.Float64Var(&o.test.Alpha, "alpha", 0.05, "level of the tests")
	f.Float64Var(&o.level, "level", 0.95, "level of the intervals of powers")
	f.IntVar(&o.cfg.Parallel, "parallel", 0, "replicates made at once; 0: one per processor")
	f.StringVar(&o.out, "out", "", "file of results, which is continued if it exists")
	f.StringVar(&o.plot, "plot", "", "picture to draw (PNG)")
	var shard journal.Shard
	f.Var(&shard, "shard", "`k/n`: make the k-th of n shares of the replicates; the files of all, one after the other, are those of one run")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if f.NArg() > 0 {
		fmt.Fprintf(stderr, "power: unexpected argument %q\n", f.Arg(0))
		return 2
	}
	o.cfg.Only = shard.Has
	problems, err := power.ParseProblems(o.problems)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	methods, err := power.ParseMethods(o.methods, o.test)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	if err := o.check(problems, methods); err != nil {
		fmt.Fprintf(stderr, "power: %v\n", err)
		return 2
	}
	if err := o.study(ctx, problems, methods, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// check says what is wrong with the flags: not after hours of a study.
func (o *options) check(problems []power.Problem, methods []power.Method) error {
	switch {
	case o.cfg.Replicates < 1:
		return fmt.Errorf("-replicates is %d, want at least 1", o.cfg.Replicates)
	case o.cfg.First < 0 || o.cfg.First > math.MaxInt-o.cfg.Replicates:
		return fmt.Errorf("-first is %d, want at least 0 and at most %d", o.cfg.First,
			math.MaxInt-o.cfg.Replicates)
	case o.cfg.Parallel < 0:
		return fmt.Errorf("-parallel is %d, want at least 0", o.cfg.Parallel)
	case o.test.Permutations < 1:
		return fmt.Errorf("-permutations is %d, want at least 1", o.test.Permutations)
	case !(o.test.Alpha > 0 && o.test.Alpha < 1):
		return fmt.Errorf("-alpha is %v, want above 0 and below 1", o.test.Alpha)
	case !(o.level > 0 && o.level < 1):
		return fmt.Errorf("-level is %v, want above 0 and below 1", o.level)
	}
	var names []string
	for _, p := range problems {
		if slices.Contains(names, p.Name) {
			return fmt.Errorf("-problem names %s twice", p.Name)
		}
		names = append(names, p.Name)
	}
	names = nil
	for _, m := range methods {
		if slices.Contains(names, m.Name) {
			return fmt.Errorf("-methods names %s twice", m.Name)
		}
		names = append(names, m.Name)
	}
	if o.against != "" {
		one, err := power.ParseMethods(o.against, o.test)
		if err != nil || len(one) != 1 || !slices.Contains(names, one[0].Name) {
			return fmt.Errorf("-against is %q, want one of the methods: %s", o.against,
				strings.Join(names, " "))
		}
		o.against = one[0].Name
	}
	if o.plot == "" {
		return nil
	}
	if dir, err := os.Stat(filepath.Dir(o.plot)); err != nil || !dir.IsDir() {
		return fmt.Errorf("-plot is %s, want a file in a folder that exists", o.plot)
	}
	_, err := differs(problems)
	return err
}

// study runs, and writes what there is also when it was cut short.
func (o options) study(ctx context.Context, problems []power.Problem, methods []power.Method,
	stdout, stderr io.Writer) error {
	o.cfg.Settings = power.Settings(o.test)
	o.cfg.OnRecord = progress(stderr, o.cfg.Replicates*len(problems))
	var records []power.Record
	var err error
	if o.out == "" {
		records, err = power.Run(ctx, problems, methods, o.cfg)
	} else {
		records, err = power.RunFile(ctx, o.out, problems, methods, o.cfg)
	}
	rates, rateErr := o.pick(records, problems, methods)
	if err == nil {
		err = rateErr
	}
	if len(rates) == 0 {
		return err
	}
	if rerr := o.report(records, rates, problems, methods, stdout); err == nil {
		err = rerr
	}
	return err
}

// progress returns a callback that tells, twice a minute at most, how many records are new.
func progress(w io.Writer, most int) func(power.Record) error {
	done, last := 0, time.Now()
	return func(power.Record) error {
		if done++; time.Since(last) > 30*time.Second {
			last = time.Now()
			fmt.Fprintf(w, "power: %d new records, of at most %d\n", done, most)
		}
		return nil
	}
}

// pick returns the rates of the methods and problems that were asked for, in their order: a file
// may have others too.
func (o options) pick(records []power.Record, problems []power.Problem, methods []power.Method) (
	[]power.Rate, error) {
	all, err := power.Rates(records)
	if err != nil {
		return nil, err
	}
	var out []power.Rate
	for _, m := range methods {
		for _, p := range problems {
			for _, r := range all {
				if r.Method == m.Name && r.Problem == p.Name {
					out = append(out, r)
				}
			}
		}
	}
	return out, nil
}

func (o options) report(records []power.Record, rates []power.Rate, problems []power.Problem,
	methods []power.Method, stdout io.Writer) error {
	fmt.Fprintf(stdout, "Share of rejections, with %.6g%% Wilson intervals; %s.\n\n", 100*o.level,
		power.Settings(o.test))
	if err := power.WriteRates(stdout, rates, o.level); err != nil {
		return err
	}
	if o.against != "" {
		var all []power.Comparison
		for _, p := range problems {
			for _, m := range methods {
				if m.Name == o.against {
					continue
				}
				// A study that was cut short may lack data sets with both.
				if c, err := power.Compare(records, p.Name, m.Name, o.against); err == nil {
					all = append(all, c)
				}
			}
		}
		fmt.Fprintln(stdout)
		if err := power.WriteComparisons(stdout, all); err != nil {
			return err
		}
	}
	if err := lengthscales(stdout, records, problems, methods); err != nil {
		return err
	}
	if err := failures(stdout, records, rates); err != nil {
		return err
	}
	if o.plot == "" {
		return nil
	}
	fig, err := curves(rates, problems, methods, o.level)
	if err != nil {
		return err
	}
	return atomicfile.Write(o.plot, fig.WritePNG)
}
