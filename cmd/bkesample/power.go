package main

import (
	"context"
	"fmt"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/cmd/bkesample/internal/show"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
)

func powerCommand() cli.Command {
	return cli.Command{
		Name: "power", Args: "P.csv Q.csv | -x a -y b XY.csv | -problem NAME",
		Summary: "find how many rows a test needs",
		About: `Answers how many rows a test needs: it draws data sets of growing size from a pilot (two files,
one with -label, or the columns -x and -y of one) or from a named problem, tests each as
twosample or independence would, and looks for the size with the power that is wanted.` + input.AboutFiles,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &powerJob{}
			j.data.TwoGroups = true
			j.data.Define(s, false, "")
			j.pairs.DefineColumns(s)
			j.power.Define(s)
			j.output.Define(s, "power", nil)
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type powerJob struct {
	data   input.Flags
	pairs  input.PairFlags
	power  work.PowerFlags
	output folder.Flags
}

func (j *powerJob) check(s *cli.FlagSet, files []string) error {
	if err := j.power.Check(); err != nil {
		return err
	}
	if err := j.output.Check(s); err != nil {
		return err
	}
	pairs := s.Given("x") || s.Given("y")
	switch {
	case j.power.Problem != "" && len(files) > 0:
		return cli.Usagef("-problem takes the place of a pilot, but %s is given", files[0])
	case j.power.Problem != "" && pairs:
		return cli.Usagef("-problem takes the place of a pilot, but -x or -y is given")
	case j.power.Problem != "":
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

// run goes from a pilot or a name to files.
func (j *powerJob) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if j.power.Problem == "list" {
		_, err := fmt.Fprintln(con.Stdout, strings.Join(work.Problems(), "\n"))
		return err
	}
	if err := j.check(set, files); err != nil {
		return err
	}
	from, pilot, err := j.population(ctx, set, con, files)
	if err != nil {
		return err
	}
	return j.output.In(con, "", func(dir *folder.Folder) error {
		var tested *work.Tested
		if pilot != nil {
			if tested, err = pilot(); err != nil {
				return err
			}
		}
		out, err := work.FindPower(ctx, con, from, &j.power)
		if err != nil {
			return err
		}
		rep := tell.NewPowerReport(out, tested, dir.Dir, again(con))
		files, err := show.Power(rep, []folder.File{folder.JSON("summary.json", rep.Summary),
			{Name: "power.csv", Fill: rep.WriteCSV}})
		if err != nil {
			return err
		}
		if err := dir.Write(files); err != nil {
			return err
		}
		dir.Finished()
		return j.output.Print(con, rep.Summary, rep.Text)
	})
}

// population is where data sets come from, and the test of the pilot if it is one.
func (j *powerJob) population(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) (*work.Population, func() (*work.Tested, error), error) {
	pairs := set.Given("x") || set.Given("y")
	test := j.power.Test(pairs)
	switch {
	case j.power.Problem != "":
		p, err := work.NamedPopulation(j.power.Problem)
		return p, nil, err
	case pairs:
		data, err := j.data.LoadPairs(con, &j.pairs, files[0])
		if err != nil {
			return nil, nil, err
		}
		return work.PilotPairs(data), func() (*work.Tested, error) {
			return work.Independence(ctx, con, data, test, &test.Kernel)
		}, nil
	}
	data, err := j.data.Load(set, con, files)
	if err != nil {
		return nil, nil, err
	}
	if data.Groups != nil {
		return nil, nil, cli.Usagef("-label %s has %d groups, want two: name them, as in -label %s",
			j.data.Label, len(data.Groups), cli.Quote(data.Label()+"="+data.Groups[0]+","+data.Groups[1]))
	}
	return work.PilotSamples(data), func() (*work.Tested, error) {
		return work.TwoSample(ctx, con, data, test, &work.BayesFlags{})
	}, nil
}
