package work

import (
	"context"
	"fmt"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/compare"
	"bayeskernel/internal/onepass"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// WitnessLevel is that of the band in the picture of a test, point by point.
const (
	WitnessLevel = 0.8
	witnessZ     = 1.2815515655446004 // (1+witnessLevel)/2 quantile of the normal distribution
)

// Tested is what a test has led to.
type Tested struct {
	Command string
	Flags   *TestFlags
	con     *cli.Console
	Data    *input.Dataset
	Result  *kerneltest.Result
	Two     *compare.Result // nil for a test of independence
	Bayes   *Bayes          // nil without -bayes
	X, Y    mat.Matrix
	Names   [2]string
}

// Witness is the function that the statistic is the squared norm of, with a band at each point.
func (r *Tested) Witness(points *mat.Dense) (value, lower, upper []float64, err error) {
	line := r.con.Working("witness of the test")
	result := *r.Result // of the rows that are pictured, which may be some of those of the test
	result.RowsX, _ = r.X.Dims()
	result.RowsY, _ = r.Y.Dims()
	value, se, err := result.Witness(r.X, r.Y, points)
	line.End()
	if err != nil {
		return nil, nil, nil, err
	}
	for j, v := range value {
		lower, upper = append(lower, v-witnessZ*se[j]), append(upper, v+witnessZ*se[j])
	}
	return value, lower, upper, nil
}

// AdmitSamples refuses flags that do not suit the data.
func (f *TestFlags) AdmitSamples(data *input.Dataset) error {
	p, q := data.Rows()
	_, dim := data.P.Dims()
	if err := f.checkInputs(p+q, dim); err != nil {
		return err
	}
	return f.admit(&f.Kernel, dim)
}

// TwoSample tests whether the samples of a data set have one distribution.
func TwoSample(ctx context.Context, con *cli.Console, data *input.Dataset, f *TestFlags,
	b *BayesFlags) (*Tested, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	if f.onePass(data, o, onepass.Rows(len(data.Columns))) {
		tested, err := twoSampleOnce(ctx, con, data, f, o)
		if err == nil || ctx.Err() != nil {
			return tested, err
		}
		con.Warn("one pass is not enough, so rows are permuted: %v", err)
	}
	line := con.Working("preparing the test")
	both := samples(data)
	two, err := compare.Samples(ctx, both[0], both[1], compare.Options{Columns: data.Columns, Test: o,
		Pointwise: WitnessLevel, Seed: f.Seed, Together: f.Together, Progress: line.Step})
	line.End()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	bayes, err := b.Factor(ctx, con, data, f.Permutations, f.Seed)
	if err != nil {
		return nil, err
	}
	return &Tested{Command: "twosample", Flags: f, con: con, Data: data, Result: two.Test, Two: two,
		Bayes: bayes, X: data.P, Y: data.Q, Names: [2]string{data.PName, data.QName}}, nil
}

// AdmitPairs refuses flags that do not suit the data; y is the kernel of the second variable.
func (f *TestFlags) AdmitPairs(data *input.Pairs, y *KernelFlag) error {
	n, dx := data.X.Dims()
	_, dy := data.Y.Dims()
	if err := f.checkInputs(n, max(dx, dy)); err != nil {
		return err
	}
	if err := f.admit(&f.Kernel, dx); err != nil {
		return err
	}
	return f.admit(y, dy)
}

// Independence tests whether two variables are independent; y is the kernel of the second.
func Independence(ctx context.Context, con *cli.Console, data *input.Pairs, f *TestFlags,
	y *KernelFlag) (*Tested, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	if o.KernelY, err = f.choice(y); err != nil {
		return nil, err
	}
	o.Blocks = data.Blocks
	line := con.Working("preparing the test")
	o.Progress = line.Step
	test, once := kerneltest.Independence, f.onePass(data.Dataset, o, onepass.Pairs) && f.plainKernel(y)
	if once {
		test = onepass.Independence
	}
	r, err := test(ctx, data.X, data.Y, o)
	line.End()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	_, dx := data.X.Dims()
	x, y2 := mat.Matrix(data.X), mat.Matrix(data.Y)
	if once {
		x, y2 = onepass.Thinned(data.X), onepass.Thinned(data.Y)
	}
	return &Tested{Command: "independence", Flags: f, con: con, Data: data.Dataset, Result: r,
		X: x, Y: y2, Names: [2]string{strings.Join(data.Columns[:dx], ", "),
			strings.Join(data.Columns[dx:], ", ")}}, nil
}
