// Package power is the command that finds how many rows a test needs.
package power

import (
	"context"
	"fmt"
	"strings"

	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/kerneltest"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "power", Args: "P.csv Q.csv | -x a -y b XY.csv | -problem NAME",
		Summary: "find how many rows a test needs",
		About: `Answers how many rows a test needs: it draws data sets of growing size from a pilot (two files,
one with -label, or the columns -x and -y of one) or from a named problem, tests each as
twosample or independence would, and looks for the size with the power that is wanted.` + input.AboutNumbers,
		Records: []cli.Record{{Name: "power", Of: record{}, About: "The number of rows that a test needs.",
			Commands: []string{"power"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			j.data.TwoGroups = true
			j.data.Define(s, false, "")
			j.pairs.DefineColumns(s)
			j.power.define(s)
			j.output.Define(s, func() { j.output.DefineUnits(s) })
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type job struct {
	data   input.Flags
	pairs  input.PairFlags
	power  flags
	output folder.Flags
}

// flags say which power is wanted, and for which test.
type flags struct {
	problem                                  string
	target, alpha                            float64
	replicates, permutations, smallest, most int
	choose                                   string
	seed                                     uint64
}

func (f *flags) define(s *cli.FlagSet) {
	s.Group("Power")
	s.Text(&f.problem, "problem", "", "instead of a pilot: the named `problem` from which data sets are "+
		"drawn, such as normal:shift=0.3 (two samples) or linear:rho=0.2 (two variables); "+
		"-problem list lists them all, with their parameters and defaults")
	s.Number(&f.target, "power", 0.8, "the `probability` of rejection that is wanted")
	s.Number(&f.alpha, "alpha", 0.05, "`level` of the test")
	s.Choice(&f.choose, "choose", "auto", append([]string{"auto"}, kerneltest.RecipeNames(false)...), "the `rule` that "+
		"gives the kernels their lengthscales, as in twosample and independence; auto is "+
		kerneltest.Recipes(false)[0].Name)
	s.Whole(&f.permutations, "permutations", 199, "`number` of permutations of each test")
	s.Whole(&f.replicates, "replicates", 200, "`number` of data sets of each size")
	s.Whole(&f.smallest, "from", 20, "the smallest `number` of rows that is tried")
	s.Whole(&f.most, "most", 2000, "the largest `number` of rows that is tried")
	s.Seed(&f.seed, "seed", 1, "the `seed` of data sets and permutations")
}

func (f *flags) check() error {
	if !(f.target > 0 && f.target < 1) {
		return cli.Usagef("-power is %v, want it between 0 and 1", f.target)
	}
	if err := tests.CheckLevel(f.alpha, f.permutations); err != nil {
		return err
	}
	switch {
	case f.target <= f.alpha:
		return cli.Usagef("-power is %v, want more than -alpha, which is %v", f.target, f.alpha)
	case f.replicates < 20:
		return cli.Usagef("-replicates is %d, want at least 20", f.replicates)
	case f.smallest < 8:
		return cli.Usagef("-from is %d, want at least 8 rows", f.smallest)
	case f.most < f.smallest:
		return cli.Usagef("-most is %d, want at least -from, which is %d", f.most, f.smallest)
	}
	return nil
}

func (j *job) check(s *cli.FlagSet, files []string) error {
	if err := j.power.check(); err != nil {
		return err
	}
	if err := j.output.Check(s); err != nil {
		return err
	}
	if err := j.output.AdmitShard(j.power.replicates, "data sets of each size"); err != nil {
		return err
	}
	pairs := s.Given("x") || s.Given("y")
	switch {
	case j.power.problem != "" && len(files) > 0:
		return cli.Usagef("-problem takes the place of a pilot, but %s is given", files[0])
	case j.power.problem != "" && pairs:
		return cli.Usagef("-problem takes the place of a pilot, but -x or -y is given")
	case j.power.problem != "":
		return nil
	case pairs && (s.Given("label") || s.Given("columns") || s.Given("drop")):
		return cli.Usagef("-x and -y choose columns, and -label, -columns and -drop choose them for two " +
			"samples: want one way")
	case pairs:
		return j.pairs.Check(files)
	case len(files) == 0:
		return cli.Usagef("found no file, want a pilot, P.csv and Q.csv, or -problem")
	case len(files) == 1 && j.data.Label == "":
		return cli.Usagef("found one file, want a second one, or -label, or -x and -y")
	}
	return nil
}

// run finds the number of rows from a pilot or a named problem, and writes the result.
func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console, files []string) error {
	if j.power.problem == "list" {
		_, err := fmt.Fprintln(con.Stdout, strings.Join(problems(), "\n"))
		return err
	}
	if err := j.check(set, files); err != nil {
		return err
	}
	from, err := j.population(set, con, files)
	if err != nil {
		return err
	}
	return j.output.Run(con, j.output.Resume, func(dir *folder.Folder) (*report.Document, error) {
		found, err := resume(ctx, con, dir, from, &j.power, j.output.Shard)
		if err != nil || j.output.Shard.N > 0 {
			return nil, err
		}
		return found.document()
	})
}

// population is the source of the data sets.
func (j *job) population(set *cli.FlagSet, con *cli.Console, files []string) (*population, error) {
	switch {
	case j.power.problem != "":
		return named(j.power.problem)
	case set.Given("x") || set.Given("y"):
		data, err := j.data.LoadPairs(con, &j.pairs, files[0])
		if err != nil {
			return nil, err
		}
		if err := data.Numbers("power", "choose other columns"); err != nil {
			return nil, err
		}
		return ofPairs(data), nil
	}
	j.data.Only = "power"
	data, err := j.data.Load(set, con, files)
	if err != nil {
		return nil, err
	}
	if data.Groups != nil {
		return nil, cli.Usagef("-label %s has %d groups, want two: name them, as in -label %s",
			j.data.Label, len(data.Groups), cli.Quote(data.Label()+"="+data.Labels[0]+","+data.Labels[1]))
	}
	return ofSamples(data.Varying()), nil
}
