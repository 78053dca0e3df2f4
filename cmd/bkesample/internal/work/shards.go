package work

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/internal/shards"
	"bayeskernel/internal/table"
	"bayeskernel/kernels"
	"bayeskernel/summary"
)

// ShardFlags say which files are read and how.
type ShardFlags struct {
	From    string
	workers int
	skip    bool
}

// Define defines the flags.
func (f *ShardFlags) Define(s *cli.FlagSet) {
	s.Text(&f.From, "files-from", "", "read further names of files from this `file`, one a line")
	s.Yes(&f.skip, "skip-missing", "leave out rows in which a value is missing, and count them")
	s.Whole(&f.workers, "j", 0, "the `number` of files, or Parquet row groups, to read at a time "+
		"(default the number of processors)")
}

func (f *ShardFlags) options(con *cli.Console, line *cli.Status) shards.Options {
	o := shards.Options{Skip: f.skip, Workers: f.workers, Stdin: con.Stdin,
		Done: func(done, total int) { line.StepLeft("reading files", done, total) }}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o
}

// Summarise makes the summary of the files of one sample.
func (f *ShardFlags) Summarise(ctx context.Context, con *cli.Console, p *summary.Plan, sample string,
	files []string, equal bool) (*summary.Summary, error) {
	line := con.Working("reading files")
	defer line.End()
	o := f.options(con, line)
	o.Columns = p.Columns
	files, err := shards.Expand(files, f.From)
	if err != nil {
		return nil, err
	}
	units, err := shards.Units(sample, files, o)
	if err != nil {
		return nil, err
	}
	s, err := shards.Summarise(ctx, p, equal, units, o)
	if err != nil {
		return nil, err
	}
	if n, skipped := s.Rows(sample); n == 0 {
		return nil, fmt.Errorf("no row is left of sample %q: %d miss a value", sample, skipped)
	}
	return s, nil
}

// PlanFlags say which plan is made.
type PlanFlags struct {
	Columns                            string
	inputs, rows, bins                 int
	inputsFrom, inputsFile, theta      string
	standardize, weight, nu, path, ard string
	kernel                             string
	tau2, eta                          float64
	seed                               uint64
}

// Define defines the flags.
func (f *PlanFlags) Define(s *cli.FlagSet) {
	s.Group("Model")
	s.Choice(&f.standardize, "standardize", "", []string{"none", "prior", "columns"}, "`how` columns "+
		"and priors are scaled: none, prior or columns, as in the main command; columns are divided by "+
		"their sds in the sample of rows")
	s.Whole(&f.inputs, "inputs", 0, "the `number` of pseudo-inputs (default min(10^D, 100, n/5), doubled "+
		"if the fit calls for it)")
	s.Choice(&f.inputsFrom, "inputs-from", "", []string{"quantiles", "kmeans"}, "`where` pseudo-inputs "+
		"come from: quantiles or kmeans (default quantiles for one column, kmeans for more)")
	s.Text(&f.inputsFile, "inputs-file", "", "read the pseudo-inputs from this `file`, in the units of "+
		"the data")
	s.Text(&f.theta, "theta", "", "the centres of the windows of theta, `numbers` separated by commas "+
		"(default the modes in the sample of rows)")
	s.Text(&f.weight, "weight", "auto", "the `power` of the Gaussian part of the pseudolikelihood; auto "+
		"is 0.9 d/m")
	s.Choice(&f.nu, "nu", "unit", []string{"unit", "lebesgue", "gaussian"}, "the `measure` in the prior "+
		"covariance of the embedding: unit, lebesgue or gaussian")
	s.Number(&f.tau2, "tau2", 0, "fix tau2 at this `value` (default learned)")
	s.Number(&f.eta, "eta", 0, "fix eta, the width of -nu gaussian, at this `value` (default learned)")
	s.Whole(&f.rows, "rows", 0, "about how many `rows` there will be, if more than are read here")
	s.Whole(&f.bins, "bins", 0, "the `number` of bins that sums are kept for (default 256)")
	s.Choice(&f.path, "path", "auto", []string{"auto", "portable", "avx2", "avx512"}, "the `code` that "+
		"computes exponentials, the same for all summaries: portable runs on any machine")
	s.Seed(&f.seed, "seed", 1, "the `seed` of the sample of rows and of the pseudo-inputs")
	s.Retired(&f.kernel, "kernel")
	s.Retired(&f.ard, "ard")
}

// Check finds what is wrong with the flags; files is set if there are some.
func (f *PlanFlags) Check(s *cli.FlagSet, files bool) error {
	switch {
	case s.Given("kernel") && f.kernel != "se":
		return cli.Usagef("-kernel is %s, and a summary is of se alone", f.kernel)
	case s.Given("ard"):
		return cli.Usagef("-ard is not for a plan: a grid in several lengthscales would be too large")
	case !files && (f.inputsFile == "" || f.theta == ""):
		return cli.Usagef("found no file, want at least one, or -inputs-file with -theta")
	case f.inputsFile != "" && (s.Given("inputs") || s.Given("inputs-from")):
		return cli.Usagef("-inputs-file gives the pseudo-inputs, and -inputs and -inputs-from choose " +
			"them: want only one of these")
	case !files && f.Columns == "":
		return cli.Usagef("-columns is missing, want the columns that will be read, as there are no files")
	case s.Given("tau2") && !(f.tau2 > 0), s.Given("eta") && !(f.eta > 0):
		return cli.Usagef("-tau2 and -eta are %v and %v, want positive numbers", f.tau2, f.eta)
	case s.Given("inputs") && f.inputs < 2:
		return cli.Usagef("-inputs is %d, want at least 2", f.inputs)
	case f.rows < 0 || s.Given("bins") && f.bins < 2:
		return cli.Usagef("-rows and -bins are %d and %d, want positive numbers", f.rows, f.bins)
	}
	_, err := f.thetas()
	return err
}

func (f *PlanFlags) thetas() ([]float64, error) {
	if f.theta == "" {
		return nil, nil
	}
	var out []float64
	for _, word := range strings.Split(f.theta, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(v > 0) || v-v != 0 {
			return nil, cli.Usagef("-theta is %q, want positive numbers separated by commas", f.theta)
		}
		out = append(out, v)
	}
	return out, nil
}

// options are those of the library, but for what needs the data.
func (f *PlanFlags) options(con *cli.Console) (o summary.PlanOptions, err error) {
	o = summary.PlanOptions{Inputs: inputs.Options{Number: f.inputs, Seed: f.seed}, Bins: f.bins,
		Rows:  int64(f.rows),
		Model: bke.Options{Tau2: f.tau2, Eta: f.eta, Path: f.path}}
	if o.Thetas, err = f.thetas(); err != nil {
		return o, err
	}
	if f.weight != "auto" {
		if o.Model.Weight, err = strconv.ParseFloat(f.weight, 64); err != nil || !(o.Model.Weight > 0) {
			return o, cli.Usagef("-weight is %q, want auto or a positive number", f.weight)
		}
	}
	if o.Model.Nu, err = kernels.ParseNu(f.nu); err != nil {
		return o, err
	}
	if f.inputsFrom != "" {
		if o.Inputs.Kind, err = inputs.ParseKind(f.inputsFrom); err != nil {
			return o, err
		}
	}
	if f.inputsFile != "" {
		t, err := input.Open(con, f.inputsFile, table.Options{})
		if err != nil {
			return o, err
		}
		o.Inputs.Points = t.Data
	}
	return o, nil
}

// Make makes the plan from the files of one sample or two.
func (f *PlanFlags) Make(ctx context.Context, con *cli.Console, files *ShardFlags, p, q []string) (
	*summary.Plan, error) {
	o, err := f.options(con)
	if err != nil {
		return nil, err
	}
	for _, c := range strings.Split(f.Columns, ",") {
		if c = strings.TrimSpace(c); c != "" {
			o.Columns = append(o.Columns, c)
		}
	}
	var pilot *summary.Pilot
	if len(p) > 0 || files.From != "" {
		if pilot, err = f.pilot(ctx, con, files, p, q, &o); err != nil {
			return nil, err
		}
	}
	if o.Called = f.standardize; o.Called == "" {
		o.Called = "prior"
		if len(o.Columns) > 1 {
			o.Called = "columns"
		}
	}
	o.Standardize = o.Called == "columns"
	if o.Standardize && pilot == nil {
		o.Called, o.Standardize = "none", false
	}
	line := con.Working("learning from a sample of the rows")
	defer line.End()
	return summary.NewPlan(ctx, pilot, o)
}

// pilot reads the files.
func (f *PlanFlags) pilot(ctx context.Context, con *cli.Console, files *ShardFlags, p, q []string,
	o *summary.PlanOptions) (*summary.Pilot, error) {
	line := con.Working("reading files")
	defer line.End()
	read := files.options(con, line)
	read.Columns = o.Columns
	var units []shards.Unit
	for k, list := range [][]string{p, q} {
		from := files.From
		if k == 1 {
			from = ""
		}
		list, err := shards.Expand(list, from)
		if err != nil {
			return nil, err
		}
		more, err := shards.Units(string(rune('P'+k)), list, read)
		if err != nil {
			return nil, err
		}
		units = append(units, more...)
	}
	pilot, names, err := shards.Pilot(ctx, summary.PilotRows, f.seed, units, read)
	if o.Columns == nil {
		o.Columns = names
	}
	return pilot, err
}

// ReadPlan reads the file of a plan.
func ReadPlan(name string) (*summary.Plan, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	p, err := summary.ParsePlan(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// ReadSummary reads the file of a summary, or standard input for "-".
func ReadSummary(con *cli.Console, name string) (*summary.Summary, error) {
	var b []byte
	var err error
	if name == "-" {
		b, err = io.ReadAll(con.Stdin)
	} else {
		b, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, err
	}
	s, err := summary.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// MergeSummaries reads summaries and puts them together.
func MergeSummaries(ctx context.Context, con *cli.Console, files []string, from string, equal bool) (
	*summary.Summary, error) {
	files, err := shards.Expand(files, from)
	if err != nil {
		return nil, err
	}
	line := con.Working("merging")
	defer line.End()
	var all *summary.Summary
	for i, f := range files {
		s, err := ReadSummary(con, f)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = s
			all.AllowEqual = equal
			continue
		}
		if err := all.Merge(s); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		line.Step("merging", i+1, len(files))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if all == nil {
		return nil, fmt.Errorf("there are no summaries to merge")
	}
	return all, nil
}
