package shards

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
	"bayeskernel/internal/shards"
	"bayeskernel/kernels"
	"bayeskernel/summary"
)

// Plan is the command that fixes the settings that all summaries share.
func Plan() cli.Command {
	return cli.Command{
		Name: "plan", Args: "P.csv ...",
		Summary: "fix what has to be known before one pass over any number of rows",
		About: `Reads all files once and keeps a sample of 1e5 rows, from which it chooses pseudo-inputs, and
windows around the modes of theta. bkesample summarize then makes one pass over each shard, on
any number of machines, bkesample merge puts the summaries together, and bkesample -summary does
the rest, at a cost that does not depend on the number of rows. With -inputs-file, -theta and
-columns no file is needed.` + aboutFiles,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &planJob{}
			s.Group("Data")
			s.Text(&j.second, "second", "", "the `files` of the second sample, separated by commas; patterns are "+
				"expanded")
			j.files.define(s)
			j.plan.define(s)
			j.outFlags.define(s)
			return func(ctx context.Context, con *cli.Console, files []string) error {
				if err := j.hush(con); err != nil {
					return err
				}
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type planJob struct {
	outFlags
	second string
	files  fileFlags
	plan   planFlags
}

func (j *planJob) run(ctx context.Context, s *cli.FlagSet, con *cli.Console, files []string) error {
	if err := j.plan.check(s, len(files) > 0 || j.files.from != ""); err != nil {
		return err
	}
	var second []string
	if j.second != "" {
		second = strings.Split(j.second, ",")
	}
	var named []string
	if j.files.from != "" {
		var err error
		if named, err = frame.Expand(nil, j.files.from); err != nil {
			return err
		}
	}
	if err := checkOut(con, aPlan, j.out, named...); err != nil {
		return err
	}
	p, err := j.plan.make(ctx, con, &j.files, files, second)
	if err != nil {
		return err
	}
	b, err := p.MarshalBytes()
	if err != nil {
		return err
	}
	for _, note := range p.Notes {
		con.Warn("%s", note)
	}
	con.Warn("%s", planned(p))
	return writeOut(con, j.out, b)
}

// planned describes a plan in one line.
func planned(p *summary.Plan) string {
	var windows []string
	for _, w := range p.Windows {
		windows = append(windows, fmt.Sprintf("%.4g to %.4g (%d points)", w.Nodes[len(w.Nodes)-1].Theta,
			w.Nodes[0].Theta, len(w.Nodes)))
	}
	rows := "an unknown number of"
	if p.Rows > 0 {
		rows = strconv.FormatInt(p.Rows, 10)
	}
	return fmt.Sprintf("plan of %s rows, %s: %d pseudo-inputs (%s), theta from %s", rows,
		cli.Plural(p.Dim(), "column"), p.M(), p.Kind, strings.Join(windows, " and "))
}

// planFlags say what plan to make.
type planFlags struct {
	columns                            string
	inputs, rows, bins                 int
	inputsFrom, inputsFile, theta      string
	standardize, weight, nu, path, ard string
	kernel                             string
	tau2, eta                          float64
	seed                               uint64
}

func (f *planFlags) define(s *cli.FlagSet) {
	s.Text(&f.columns, "columns", "", "the `columns` to use, separated by commas: names, or "+
		"numbers from 1 (default all)")
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

// check returns an error if the flags are wrong; files is set if any were given.
func (f *planFlags) check(s *cli.FlagSet, files bool) error {
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
	case !files && f.columns == "":
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

func (f *planFlags) thetas() ([]float64, error) {
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

// options are the library's options, except those that depend on the data.
func (f *planFlags) options(con *cli.Console) (o summary.PlanOptions, err error) {
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
	return o, study.ReadInputs(con, &o.Inputs, f.inputsFrom, f.inputsFile)
}

// make makes the plan from the files of one sample or two.
func (f *planFlags) make(ctx context.Context, con *cli.Console, files *fileFlags, p, q []string) (
	*summary.Plan, error) {
	o, err := f.options(con)
	if err != nil {
		return nil, err
	}
	for _, c := range strings.Split(f.columns, ",") {
		if c = strings.TrimSpace(c); c != "" {
			o.Columns = append(o.Columns, c)
		}
	}
	var pilot *summary.Pilot
	if len(p) > 0 || files.from != "" {
		if pilot, err = f.pilot(ctx, con, files, p, q, &o); err != nil {
			return nil, err
		}
	}
	o.Called = study.Standardized(f.standardize, len(o.Columns))
	o.Standardize = o.Called == "columns"
	if o.Standardize && pilot == nil {
		o.Called, o.Standardize = "none", false
	}
	line := con.Working("learning from a sample of the rows")
	defer line.End()
	return summary.NewPlan(ctx, pilot, o)
}

// pilot reads the files and takes a sample of their rows.
func (f *planFlags) pilot(ctx context.Context, con *cli.Console, files *fileFlags, p, q []string,
	o *summary.PlanOptions) (*summary.Pilot, error) {
	line := con.Working("reading files")
	defer line.End()
	read := files.options(con, line)
	read.Columns = o.Columns
	var units []shards.Unit
	for k, list := range [][]string{p, q} {
		from := files.from
		if k == 1 {
			from = ""
		}
		list, err := frame.Expand(list, from)
		if err != nil {
			return nil, err
		}
		more, err := shards.Units(ctx, string(rune('P'+k)), list, read)
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
