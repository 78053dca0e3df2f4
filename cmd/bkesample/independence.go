package main

import (
	"context"
)

func independenceCommand() command {
	return command{
		name: "independence", args: "-x a,b -y c XY.csv",
		summary: "test whether two sets of columns are independent (HSIC, learned kernels)",
		about: `Tests whether two sets of columns of one file are independent, by the Hilbert-Schmidt
independence criterion. A kernel is learned for each set, blind to the other: the permutation
test is exact although no data are set aside.`,
		flags: func(s *flagSet) func(context.Context, *console, []string) error {
			j := &independenceJob{}
			j.data.define(s)
			j.test.define(s, true)
			j.kernelY.define(s, "kernel-y", "", "the radial `kernel` of the second variable (default as "+
				"-kernel)")
			j.output.define(s, "independence", nil)
			return func(ctx context.Context, con *console, files []string) error {
				j.output.hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type independenceJob struct {
	data    pairFlags
	test    testFlags
	kernelY kernelFlag
	output  outputFlags
}

func (j *independenceJob) check(s *flagSet, files []string) error {
	if err := j.test.check(s); err != nil {
		return err
	}
	if !s.given("kernel-y") {
		j.kernelY.text = j.test.kernel.text
	}
	j.kernelY.named = s.given("kernel-y") || s.given("kernel")
	if err := j.kernelY.read(); err != nil {
		return err
	}
	if err := j.output.check(s); err != nil {
		return err
	}
	return j.data.check(files)
}

// run goes from a file to files.
func (j *independenceJob) run(ctx context.Context, set *flagSet, con *console, files []string) error {
	if err := j.check(set, files); err != nil {
		return err
	}
	data, err := j.data.load(con, files[0], j.test.blocks)
	if err != nil {
		return err
	}
	if err := j.test.admitPairs(data, &j.kernelY); err != nil {
		return err
	}
	dir, err := j.output.prepare()
	if err != nil {
		return err
	}
	out, err := independence(ctx, con, data, &j.test, &j.kernelY)
	if err != nil {
		return err
	}
	return finishTest(con, &j.output, newTestReport(out, dir))
}
