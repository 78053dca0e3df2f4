// Package independence is the command that tests whether two sets of columns are independent.
package independence

import (
	"context"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "independence", Args: "-x a,b -y c XY.csv",
		Summary: "test whether two sets of columns are independent (HSIC, learned kernels)",
		About: `Tests whether two sets of columns of one file are independent, by the Hilbert-Schmidt
independence criterion. A kernel is learned for each set, blind to the other: the permutation
test is exact although no data are set aside. -given tests independence given covariates.` + input.AboutFiles,
		Records: []cli.Record{{Name: "independence", Of: tests.IndependenceRecord{},
			About: "A test of independence.", Commands: []string{"independence"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			j.data.Define(s)
			j.test.Define(s, true)
			j.kernelY.Define(s, "kernel-y", "", "the radial `kernel` of the second variable (default as "+
				"-kernel)")
			j.output.Define(s, func() { j.output.TellRejection(s) })
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type job struct {
	data    input.PairFlags
	test    tests.Flags
	kernelY study.KernelFlag
	output  folder.Flags
}

func (j *job) check(s *cli.FlagSet, files []string) error {
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

// run reads the data, computes the result and writes it.
func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.check(set, files); err != nil {
		return err
	}
	j.data.Given = j.test.Given
	data, err := j.data.Load(con, files[0], j.test.Blocks)
	if err != nil {
		return err
	}
	if err := j.test.AdmitPairs(data, &j.kernelY); err != nil {
		return err
	}
	return j.output.Run(con, "", func(*folder.Folder) (*report.Document, error) {
		if data.Given != nil {
			return tests.IndependenceGiven(ctx, con, data, &j.test, &j.kernelY)
		}
		t, err := tests.Independence(ctx, con, data, &j.test, &j.kernelY)
		if err != nil {
			return nil, err
		}
		return t.Document(), nil
	})
}
