package main

import (
	"context"
)

func twoSampleCommand() command {
	return command{
		name: "twosample", args: "P.csv [Q.csv]",
		summary: "test whether two samples have the same distribution (MMD, learned kernel)",
		about: `Tests whether two samples come from the same distribution, by the maximum mean discrepancy.
The kernels are learned from both samples together, blind to which row is from which: the
permutation test is exact although no data are set aside. A single file needs -label.`,
		flags: func(s *flagSet) func(context.Context, *console, []string) error {
			j := &twoSampleJob{}
			j.data.define(s, false, "The statistic is that of the weighted samples; the kernel is "+
				"learned from the rows as they are. Permutations exchange rows together with their "+
				"weights, which must be on one scale in both samples")
			j.test.define(s, false)
			j.output.define(s, "twosample", nil)
			return func(ctx context.Context, con *console, files []string) error {
				j.output.hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type twoSampleJob struct {
	data   dataFlags
	test   testFlags
	output outputFlags
}

func (j *twoSampleJob) check(s *flagSet, files []string) error {
	if err := j.test.check(s); err != nil {
		return err
	}
	if err := j.output.check(s); err != nil {
		return err
	}
	switch {
	case len(files) == 0:
		return usagef("found no file, want P.csv and Q.csv, or one file with -label")
	case len(files) == 1 && j.data.label == "":
		return usagef("found one file and no -label, want a second file, or the column that tells " +
			"the samples apart")
	case j.data.weights != "" && !j.test.permutes():
		return usagef("-weights is for permutations, and -null is %s", j.test.null)
	}
	return nil
}

// run goes from files to files.
func (j *twoSampleJob) run(ctx context.Context, set *flagSet, con *console, files []string) error {
	if err := j.check(set, files); err != nil {
		return err
	}
	j.data.blocks = j.test.blocks
	data, err := j.data.load(set, con, files)
	if err != nil {
		return err
	}
	data.notes = append(data.notes, weightsOfTest(data)...)
	if err := j.test.admitSamples(data); err != nil {
		return err
	}
	dir, err := j.output.prepare()
	if err != nil {
		return err
	}
	out, err := twoSample(ctx, con, data, &j.test)
	if err != nil {
		return err
	}
	return finishTest(con, &j.output, newTestReport(out, dir))
}

// finishTest leaves the files of a test, and prints.
func finishTest(con *console, output *outputFlags, rep *testReport) error {
	pictures, err := testPictures(rep)
	if err != nil {
		return err
	}
	files := append([]file{jsonFile("summary.json", rep.summary)}, pictures...)
	if err := writeFiles(rep.dir, files, testFiles...); err != nil {
		return err
	}
	return output.print(con, rep.summary, rep.text)
}
