package main

import (
	"context"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/cmd/bkesample/internal/show"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
)

func twoSampleCommand() cli.Command {
	return cli.Command{
		Name: "twosample", Args: "P.csv [Q.csv]",
		Summary: "test whether two samples have the same distribution (MMD, learned kernel)",
		About: `Tests whether two samples come from the same distribution, by the maximum mean discrepancy.
The kernels are learned from both samples together, blind to which row is from which: the
permutation test is exact although no data are set aside. A single file needs -label.` + input.AboutFiles,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &twoSampleJob{}
			j.data.Define(s, false, "The statistic is that of the weighted samples; the kernel is "+
				"learned from the rows as they are. Permutations exchange rows together with their "+
				"weights, which must be on one scale in both samples")
			j.test.Define(s, false)
			j.bayes.Define(s, true)
			j.output.Define(s, "twosample", func() { defineExitCode(s, &j.exitCode) })
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type twoSampleJob struct {
	data     input.Flags
	test     work.TestFlags
	bayes    work.BayesFlags
	output   folder.Flags
	exitCode bool
}

func (j *twoSampleJob) check(s *cli.FlagSet, files []string) error {
	if err := j.test.Check(s); err != nil {
		return err
	}
	if err := j.output.Check(s); err != nil {
		return err
	}
	if err := j.bayes.Check(j.test.Blocks, j.data.Weights); err != nil {
		return err
	}
	switch {
	case j.bayes.Paired && !j.test.Permutes():
		return cli.Usagef("-paired is for permutations, and -null is %s", j.test.Null)
	case len(files) == 0:
		return cli.Usagef("found no file, want P.csv and Q.csv, or one file with -label")
	case len(files) == 1 && j.data.Label == "":
		return cli.Usagef("found one file and no -label, want a second file, or the column that tells " +
			"the samples apart")
	case j.data.Weights != "" && !j.test.Permutes():
		return cli.Usagef("-weights is for permutations, and -null is %s", j.test.Null)
	}
	return nil
}

// run goes from files to files.
func (j *twoSampleJob) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.check(set, files); err != nil {
		return err
	}
	j.data.Blocks = j.test.Blocks
	data, err := j.data.Load(set, con, files)
	if err != nil {
		return err
	}
	data.Notes = append(data.Notes, tell.WeightsOfTest(data)...)
	if err := j.bayes.Admit(data); err != nil {
		return err
	}
	if data.Groups != nil {
		return runPairs(ctx, con, &j.output, data, &j.test, "twosample", j.exitCode)
	}
	if err := j.test.AdmitSamples(data); err != nil {
		return err
	}
	return j.output.In(con, "", func(dir *folder.Folder) error {
		out, err := work.TwoSample(ctx, con, data, &j.test, &j.bayes)
		if err != nil {
			return err
		}
		rep := tell.NewTestReport(out, dir.Dir, again(con))
		return finishTest(con, &j.output, dir, rep, j.exitCode)
	})
}

// finishTest leaves the files of a test, and prints.
func finishTest(con *cli.Console, output *folder.Flags, dir *folder.Folder,
	rep *tell.TestReport, exitCode bool) error {
	files, err := show.Test(rep, []folder.File{folder.JSON("summary.json", rep.Summary)})
	if err != nil {
		return err
	}
	if err := dir.Write(files); err != nil {
		return err
	}
	dir.Finished()
	if err := output.Print(con, rep.Summary, rep.Text); err != nil {
		return err
	}
	return rejected(exitCode && rep.Summary.Reject)
}

// defineExitCode defines the flag by which scripts are told of a rejection.
func defineExitCode(s *cli.FlagSet, p *bool) {
	s.Yes(p, "exit-code", "exit with code 4 if the null hypothesis is rejected")
}

// rejected is the error that a command ends with which tells of a rejection.
func rejected(yes bool) error {
	if yes {
		return cli.ErrRejected
	}
	return nil
}

// runPairs tests all pairs of more than two groups.
func runPairs(ctx context.Context, con *cli.Console, output *folder.Flags, data *input.Dataset,
	test *work.TestFlags, command string, exitCode bool, notes ...string) error {
	return output.In(con, "", func(dir *folder.Folder) error {
		out, err := work.TestPairs(ctx, con, data, test)
		if err != nil {
			return err
		}
		rep := tell.NewPairsReport(out, command, dir.Dir, again(con), notes...)
		files, err := show.Pairs(rep, []folder.File{folder.JSON("summary.json", rep.Summary),
			{Name: "pairs.csv", Fill: rep.WriteCSV}})
		if err != nil {
			return err
		}
		if err := dir.Write(files); err != nil {
			return err
		}
		dir.Finished()
		if err := output.Print(con, rep.Summary, rep.Text); err != nil {
			return err
		}
		return rejected(exitCode && rep.Summary.Reject)
	})
}
