// Package twosample is the command that tests whether two samples come from the same distribution.
package twosample

import (
	"context"

	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "twosample", Args: "P.csv [Q.csv]",
		Summary: "test whether two samples have the same distribution (MMD, learned kernel)",
		About: `Tests whether two samples come from the same distribution, by the maximum mean discrepancy.
The kernels are learned from both samples together, blind to which row is from which: the
permutation test is exact although no data are set aside. A single file needs -label. With more than
two groups all are compared at once, and then pair by pair. -given adjusts for covariates.` + input.AboutFiles,
		Records: []cli.Record{{Name: "twosample", Of: tests.Record{}, About: "A test of two samples.",
			Commands: []string{"twosample"}}, {Name: "pairs", Of: tests.PairsRecord{},
			About:    "Tests of all pairs of more than two groups.",
			Commands: []string{"sample", "twosample"}}, {Name: "given", Of: tests.GivenRecord{},
			About:    "A test of groups, or of independence, given covariates.",
			Commands: []string{"twosample", "independence"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			j.data.Define(s, false, "The statistic is that of the weighted samples; the kernel is "+
				"learned from the rows as they are. Permutations exchange rows together with their "+
				"weights, which must be on one scale in both samples")
			j.test.Define(s, false)
			j.bayes.Define(s, true)
			j.output.Define(s, func() { j.output.TellRejection(s) })
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type job struct {
	data   input.Flags
	test   tests.Flags
	bayes  tests.BayesFlags
	output folder.Flags
}

func (j *job) check(s *cli.FlagSet, files []string) error {
	if err := j.test.Check(s); err != nil {
		return err
	}
	if err := j.output.Check(s); err != nil {
		return err
	}
	j.bayes.Pairs = j.test.Pairs
	if err := j.bayes.Check(j.test.Blocks, j.data.Weights); err != nil {
		return err
	}
	switch {
	case j.test.Given != "" && (j.bayes.On || j.bayes.Paired):
		return cli.Usagef("-given is for neither -bayes nor -paired, want it without them")
	case j.bayes.Paired && !j.test.Permutes():
		return cli.Usagef("-paired is for permutations, and -null is %s", j.test.Null)
	case len(files) == 0:
		return cli.Usagef("found no file, want P.csv and Q.csv, or one file with -label")
	case len(files) == 1 && j.data.Label == "":
		return input.Lone(files[0], "a second file, or the column that tells the samples apart")
	case j.data.Weights != "" && !j.test.Permutes():
		return cli.Usagef("-weights is for permutations, and -null is %s", j.test.Null)
	}
	return nil
}

// run reads the data, computes the result and writes it.
func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.check(set, files); err != nil {
		return err
	}
	j.data.Blocks, j.data.Pairs, j.data.HasBlocks, j.data.HasPairs = j.test.Blocks, j.test.Pairs, true, true
	j.data.Given = j.test.Given
	data, err := j.data.Load(set, con, files)
	if err != nil {
		return err
	}
	if data.Groups == nil && data.Given == nil {
		data = data.Varying()
	}
	data.Notes = append(data.Notes, tests.WeightsOfTest(data)...)
	if err := j.bayes.Admit(data); err != nil {
		return err
	}
	if data.Given != nil {
		return tests.RunGiven(ctx, con, &j.output, data, &j.test, "twosample")
	}
	if data.Groups != nil {
		return tests.RunPairs(ctx, con, &j.output, data, &j.test, "twosample")
	}
	if err := j.test.AdmitSamples(data); err != nil {
		return err
	}
	return j.output.Run(con, "", func(*folder.Folder) (*report.Document, error) {
		t, err := tests.TwoSample(ctx, con, data, &j.test, &j.bayes)
		if err != nil {
			return nil, err
		}
		return t.Document(), nil
	})
}
