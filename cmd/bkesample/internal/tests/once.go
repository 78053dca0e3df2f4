package tests

import (
	"context"
	"fmt"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/compare"
	"bayeskernel/internal/onepass"
	"bayeskernel/kerneltest"
	"bayeskernel/summary"
)

// onePass reports whether to run the test in one pass: there are more than most rows, and no flag
// rules it out.
func (f *Flags) onePass(data *input.Dataset, o kerneltest.Options, most int) bool {
	p, q := data.Rows()
	return p+q > most && f.plainKernel(&f.Kernel) && f.isDefault() && data.Weights == nil &&
		o.Blocks == nil && data.Blocks == nil && data.Categories == nil && o.Permutations <= 9999
}

// isDefault reports whether the test is the default one, apart from its size.
func (f *Flags) isDefault() bool {
	return (f.Choose == "broad" || f.Choose == "bayes" || f.Choose == "ladder") && f.theta == 0 && f.Null == "auto" && f.stop == 0 &&
		f.Statistic == "biased" && f.inputs == 0 && f.inputsFrom == ""
}

// plainKernel reports whether the program chooses the kernel.
func (f *Flags) plainKernel(k *study.KernelFlag) bool {
	return !k.Named && len(k.List) == 1 && k.List[0].String() == "se"
}

// twoSampleOnce plans and summarises the samples, and permutes bins of the summary.
func twoSampleOnce(ctx context.Context, con *cli.Console, data *input.Dataset, f *Flags,
	o kerneltest.Options) (*Tested, error) {
	m := &study.ModelFlags{Seed: f.Seed, Nu: "unit", Weight: "auto", Path: o.Kernel.Model.Path,
		Standardize: f.standardize, Theta: "gamma(1,1)", Tau2Prior: "gamma(1,1)"}
	sum, held, err := study.OnePassData(ctx, con, m, data)
	if err != nil {
		return nil, err
	}
	s := &study.Summed{Sum: sum, Names: sum.Samples()}
	r, post, err := onepass.TwoSample(ctx, sum, s.Names[0], s.Names[1], summary.TestOptions{
		Alpha: o.Alpha, Permutations: o.Permutations, Seed: f.Seed})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	line := con.Working("comparing the samples")
	defer line.End()
	both := Samples(held)
	s.Means(&both)
	two, err := compare.Samples(ctx, both[0], both[1], compare.Options{Columns: held.Columns, Tested: r,
		Pointwise: WitnessLevel, Seed: f.Seed, Posterior: post, Progress: line.Step})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	return &Tested{Command: "twosample", Flags: f, Data: held, Result: two.Test, Two: two,
		Names: [2]string{data.PName, data.QName}}, nil
}
