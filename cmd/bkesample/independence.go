package main

import (
	"context"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
)

func independenceCommand() cli.Command {
	return cli.Command{
		Name: "independence", Args: "-x a,b -y c XY.csv",
		Summary: "test whether two sets of columns are independent (HSIC, learned kernels)",
		About: `Tests whether two sets of columns of one file are independent, by the Hilbert-Schmidt
independence criterion. A kernel is learned for each set, blind to the other: the permutation
test is exact although no data are set aside.` + input.AboutFiles,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &independenceJob{}
			j.data.Define(s)
			j.test.Define(s, true)
			j.kernelY.Define(s, "kernel-y", "", "the radial `kernel` of the second variable (default as "+
				"-kernel)")
			j.output.Define(s, "independence", func() { defineExitCode(s, &j.exitCode) })
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type independenceJob struct {
	data     input.PairFlags
	test     work.TestFlags
	kernelY  work.KernelFlag
	output   folder.Flags
	exitCode bool
}

func (j *independenceJob) check(s *cli.FlagSet, files []string) error {
	if err := j.test.Check(s); err != nil {
		return err
	}
	if !s.Given("kernel-y") {
		j.kernelY.Text = j.test.Kernel.Text
	}
	j.kernelY.Named = s.Given("kernel-y") || s.Given("kernel")
	if err := j.kernelY.Read(); err != nil {
		return err
	}
	if err := j.output.Check(s); err != nil {
		return err
	}
	return j.data.Check(files)
}

// run goes from a file to files.
func (j *independenceJob) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.check(set, files); err != nil {
		return err
	}
	data, err := j.data.Load(con, files[0], j.test.Blocks)
	if err != nil {
		return err
	}
	if err := j.test.AdmitPairs(data, &j.kernelY); err != nil {
		return err
	}
	return j.output.In(con, "", func(dir *folder.Folder) error {
		out, err := work.Independence(ctx, con, data, &j.test, &j.kernelY)
		if err != nil {
			return err
		}
		rep := tell.NewTestReport(out, dir.Dir, again(con))
		return finishTest(con, &j.output, dir, rep, j.exitCode)
	})
}
