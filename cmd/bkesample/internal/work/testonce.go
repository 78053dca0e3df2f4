package work

import (
	"context"
	"fmt"

	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/compare"
	"bayeskernel/kerneltest"
	"bayeskernel/summary"

	"gonum.org/v1/gonum/mat"
)

// onePassRows is the number of rows of so many columns above which two samples are compared in one pass,
// by all commands: in one and two columns the range in which kernels are exact. In more columns a
// summary has no embeddings, so that nothing could be said of where samples differ, and rows are
// permuted with kernels of low rank as long as that takes seconds. With 50000 rows in one column the
// program takes 1 s of processor time in one pass and 13 otherwise, with 200000 it is 2 and 19.
func onePassRows(dim int) int {
	if dim > 2 {
		return onePassPairs
	}
	return kerneltest.ExactRows
}

// onePassPairs is the number of pairs above which independence is tested in one pass.
const onePassPairs = 200000

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
	r, err := sum.TwoSample(s.names[0], s.names[1], summary.TestOptions{Alpha: o.Alpha,
		Permutations: o.Permutations, Seed: f.Seed})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	if sum.Plan().Standardize == "columns" {
		r.Kernel.Scaling = &bke.Scaling{SD: sum.Plan().SD}
	}
	post, err := pointPosterior(ctx, sum, r.Kernel.Scaling)
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

// pointPosterior is the mode of theta: with so many rows its posterior is narrower than anything a test
// can see.
func pointPosterior(ctx context.Context, sum *summary.Summary, scaling *bke.Scaling) (*compare.Posterior,
	error) {
	o, err := sum.Plan().Options()
	if err != nil {
		return nil, err
	}
	model, err := sum.Model(o)
	if err != nil {
		return nil, err
	}
	fit, err := model.Learn(ctx, bke.LearnOptions{Priors: &bke.Priors{}})
	if err != nil {
		return nil, err
	}
	if err := sum.Check(fit); err != nil {
		return nil, err
	}
	return &compare.Posterior{Model: model, Scaling: scaling,
		Draws: []bke.Params{fit.Modes[0].Params}}, nil
}

// pictured is the number of rows that the picture of a test of many rows is made of.
const pictured = 10000

// thinned are rows at even distances, for the picture of a test of all of them.
func thinned(x *mat.Dense) *mat.Dense {
	n, dim := x.Dims()
	out := mat.NewDense(min(n, pictured), dim, nil)
	k, _ := out.Dims()
	for i := range k {
		out.SetRow(i, x.RawRowView(i*n/k))
	}
	return out
}
