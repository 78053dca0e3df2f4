package onepass

import (
	"context"

	"bayeskernel/bke"
	"bayeskernel/compare"
	"bayeskernel/kerneltest"
	"bayeskernel/summary"

	"gonum.org/v1/gonum/mat"
)

// Pairs is the number of pairs above which programs test independence in one pass.
const Pairs = 200000

// Programs compare two samples in one pass if they have more than Rows rows in so many columns. In
// one and two columns, kernels are exact up to there. In more columns a summary has no embeddings
// and cannot locate differences. So rows are permuted with kernels of low rank as long as that
// takes seconds. With 50000 rows in one column one pass takes 1 s of processor time and permutation
// 13, with 200000 they take 2 and 19.
func Rows(dim int) int {
	if dim > 2 {
		return Pairs
	}
	return kerneltest.ExactRows
}

// TwoSample tests whether two samples of a summary have one distribution. The posterior is the mode of
// theta: with so many rows it is narrower than anything a test can see.
func TwoSample(ctx context.Context, sum *summary.Summary, p, q string, o summary.TestOptions) (
	*kerneltest.Result, *compare.Posterior, error) {
	r, err := sum.TwoSample(p, q, o)
	if err != nil {
		return nil, nil, err
	}
	plan := sum.Plan()
	if plan.Standardize == "columns" {
		r.Kernel.Scaling = &bke.Scaling{SD: plan.SD}
	}
	options, err := plan.Options()
	if err != nil {
		return nil, nil, err
	}
	model, err := sum.Model(options)
	if err != nil {
		return nil, nil, err
	}
	fit, err := model.Learn(ctx, bke.LearnOptions{Priors: &bke.Priors{}})
	if err != nil {
		return nil, nil, err
	}
	if err := sum.Check(fit); err != nil {
		return nil, nil, err
	}
	return r, &compare.Posterior{Model: model, Scaling: r.Kernel.Scaling,
		Draws: []bke.Params{fit.Modes[0].Params}}, nil
}

// pictured is the number of rows that the picture of a test of many rows is made of.
const pictured = 10000

// Thinned are rows at even distances, for the picture of a test of all of them.
func Thinned(x *mat.Dense) *mat.Dense {
	n, dim := x.Dims()
	out := mat.NewDense(min(n, pictured), dim, nil)
	k, _ := out.Dims()
	for i := range k {
		out.SetRow(i, x.RawRowView(i*n/k))
	}
	return out
}
