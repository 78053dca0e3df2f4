package work

import (
	"context"
	"fmt"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/compare"
	"bayeskernel/internal/onepass"
	"bayeskernel/kerneltest"
	"bayeskernel/summary"
)

// onePass reports whether a test is to be made in one pass: there are more rows than most, and no flag
// asks for something else.
func (f *TestFlags) onePass(data *input.Dataset, o kerneltest.Options, most int) bool {
	p, q := data.Rows()
	return p+q > most && f.plainKernel(&f.Kernel) && f.isDefault() && data.Weights == nil &&
		o.Blocks == nil && data.Blocks == nil && o.Permutations <= 9999
}

// isDefault reports whether the test is the one that is made without flags but for its size.
func (f *TestFlags) isDefault() bool {
	return (f.Choose == "bayes" || f.Choose == "ladder") && f.theta == 0 && f.Null == "auto" && f.stop == 0 &&
		f.Statistic == "biased" && f.inputs == 0 && f.inputsFrom == ""
}

// plainKernel reports whether a kernel was left to the program.
func (f *TestFlags) plainKernel(k *KernelFlag) bool {
	return !k.Named && len(k.list) == 1 && k.list[0].String() == "se"
}

// twoSampleOnce makes the plan and the summary of the samples, and permutes bins of it.
func twoSampleOnce(ctx context.Context, con *cli.Console, data *input.Dataset, f *TestFlags,
	o kerneltest.Options) (*Tested, error) {
	m := &ModelFlags{Seed: f.Seed, Nu: "unit", weight: "auto", path: o.Kernel.Model.Path,
		standardize: f.standardize, Theta: "gamma(1,1)", Tau2Prior: "gamma(1,1)"}
	sum, held, err := OnePassData(ctx, con, m, data)
	if err != nil {
		return nil, err
	}
	s := &summed{sum, sum.Samples()}
	r, post, err := onepass.TwoSample(ctx, sum, s.names[0], s.names[1], summary.TestOptions{
		Alpha: o.Alpha, Permutations: o.Permutations, Seed: f.Seed})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	line := con.Working("comparing the samples")
	defer line.End()
	both := samples(held)
	s.means(&both)
	two, err := compare.Samples(ctx, both[0], both[1], compare.Options{Columns: held.Columns, Tested: r,
		Pointwise: WitnessLevel, Seed: f.Seed, Posterior: post, Progress: line.Step})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	return &Tested{Command: "twosample", Flags: f, con: con, Data: held, Result: two.Test, Two: two,
		X: held.P, Y: held.Q, Names: [2]string{data.PName, data.QName}}, nil
}
