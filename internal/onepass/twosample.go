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

// Rows is the number of rows of two samples above which programs compare them in one pass. Kernels are exact up to
// there. With 50000 rows in one column one pass takes 1 s of processor time and permutation 13, in three columns 12
// and 110.
const Rows = kerneltest.ExactRows

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
