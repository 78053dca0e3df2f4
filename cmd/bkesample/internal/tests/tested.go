package tests

import (
	"context"
	"fmt"
	"strings"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/compare"
	"bayeskernel/internal/onepass"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// WitnessLevel is the pointwise level of the band in the picture of a test.
const (
	WitnessLevel = 0.8
	witnessZ     = 1.2815515655446004 // (1+witnessLevel)/2 quantile of the normal distribution
)

// Tested is the result of a test.
type Tested struct {
	Command string
	Flags   *Flags
	Data    *input.Dataset
	Result  *kerneltest.Result
	Names   [2]string
	Two     *compare.Result // nil for a test of independence
	Bayes   *Bayes          // nil without -bayes
	Sizes   *Sizes          // of the differences; nil for a test of independence
	// Dependence is how strong the dependence is; nil for two samples.
	Dependence *Dependence
	Plane      *plane // of a test of independence of two columns; nil without a picture
}

// plane is the witness of an independence test on a grid, with pointwise bands.
type plane struct {
	pairs               *mat.Dense // those that are shown
	axes                [][]float64
	value, lower, upper []float64
}

// onPlane evaluates the witness of a test of two columns, x and y.
func onPlane(con *cli.Console, r *kerneltest.Result, x, y *mat.Dense) (*plane, error) {
	n, _ := x.Dims()
	p := &plane{pairs: mat.NewDense(n, 2, nil)}
	for i := range n {
		p.pairs.SetRow(i, []float64{x.At(i, 0), y.At(i, 0)})
	}
	points, axes := PlaneGrid(p.pairs)
	if points == nil {
		return nil, nil
	}
	line := con.Working("witness of the test")
	defer line.End()
	of := *r // the rows that are pictured may be some of those of the test
	of.RowsX, of.RowsY = n, n
	value, se, err := of.Witness(x, y, points)
	if err != nil {
		return nil, err
	}
	p.axes, p.value = axes, value
	for j, v := range value {
		p.lower, p.upper = append(p.lower, v-witnessZ*se[j]), append(p.upper, v+witnessZ*se[j])
	}
	return p, nil
}

// AdmitSamples returns an error if the flags do not suit the data.
func (f *Flags) AdmitSamples(data *input.Dataset) error {
	p, q := data.Rows()
	_, dim := data.P.Dims()
	dim -= len(data.Discrete(0, dim))
	if err := f.checkInputs(p+q, dim); err != nil {
		return err
	}
	return f.admit(&f.Kernel, dim)
}

// TwoSample tests whether the samples come from the same distribution.
func TwoSample(ctx context.Context, con *cli.Console, data *input.Dataset, f *Flags,
	b *BayesFlags) (*Tested, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	if f.onePass(data, o, onepass.Rows) {
		tested, err := twoSampleOnce(ctx, con, data, f, o)
		if err == nil {
			tested.Sizes, err = NewSizes(ctx, data, b.Paired, f.Seed)
		}
		if err == nil || ctx.Err() != nil {
			return tested, err
		}
		con.Warn("one pass is not enough, so rows are permuted: %v", err)
	}
	line := con.Working("preparing the test")
	both := Samples(data)
	two, err := compare.Samples(ctx, both[0], both[1], compare.Options{Columns: data.Columns, Inexact: data.Inexact(), Write: data.Write, Levels: data.Levels(), Test: o,
		Pointwise: WitnessLevel, Seed: f.Seed, Together: f.Together, Progress: line.Step})
	line.End()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	bayes, err := b.Factor(ctx, con, data, f.Permutations, f.Seed)
	if err != nil {
		return nil, err
	}
	sizes, err := NewSizes(ctx, data, b.Paired, f.Seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	return &Tested{Command: "twosample", Flags: f, Data: data, Result: two.Test, Two: two, Sizes: sizes,
		Bayes: bayes, Names: [2]string{data.PName, data.QName}}, nil
}

// AdmitPairs returns an error if the flags do not suit the data; y is the kernel of the second
// variable.
func (f *Flags) AdmitPairs(data *input.Pairs, y *study.KernelFlag) error {
	n, dx := data.X.Dims()
	_, dy := data.Y.Dims()
	dx, dy = dx-len(data.Discrete(0, dx)), dy-len(data.Discrete(dx, dx+dy))
	if err := f.checkInputs(n, max(dx, dy)); err != nil {
		return err
	}
	if err := f.admit(&f.Kernel, dx); err != nil {
		return err
	}
	return f.admit(y, dy)
}

// Independence tests whether two variables are independent; y is the kernel of the second.
func Independence(ctx context.Context, con *cli.Console, data *input.Pairs, f *Flags,
	y *study.KernelFlag) (*Tested, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	if o.KernelY, err = f.choice(y); err != nil {
		return nil, err
	}
	_, dx := data.X.Dims()
	o.Kernel.Categories, o.KernelY.Categories = data.Discrete(0, dx), data.Discrete(dx, len(data.Columns))
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
	out := &Tested{Command: "independence", Flags: f, Data: data.Dataset, Result: r,
		Names: [2]string{strings.Join(data.Columns[:dx], ", "), strings.Join(data.Columns[dx:], ", ")}}
	if out.Dependence, err = newDependence(ctx, data, f.Seed); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	if len(data.Columns) == 2 && data.Categories == nil {
		x, y := data.X, data.Y
		if once {
			x, y = onepass.Thinned(x), onepass.Thinned(y)
		}
		out.Plane, err = onPlane(con, r, x, y)
	}
	return out, err
}

// Samples are the samples of a data set, with their weights and blocks.
func Samples(d *input.Dataset) [2]compare.Sample {
	out := [2]compare.Sample{{Name: d.PName, X: d.P}, {Name: d.QName}}
	n, _ := d.P.Dims()
	if d.Q != nil {
		out[1].X = d.Q
	}
	if w := d.Weights; w != nil {
		for k := range out {
			out[k].Weights = w.Given[k]
		}
	}
	if d.Blocks != nil {
		out[0].Blocks, out[1].Blocks = d.Blocks[:n], d.Blocks[n:]
	}
	return out
}
