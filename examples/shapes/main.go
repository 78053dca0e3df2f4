// Shapes shows why weights and shapes of kernels are not learned by the marginal pseudolikelihood of
// package bke, as its lengthscale is. Rows are normal, with one scale; the kernel is a mixture of two
// squared exponentials, whose weight is learned for a range of ratios of their widths. All data are synthetic.
//
//	go run ./examples/shapes -sets 20 -out examples/shapes/shapes.png
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"bayeskernel/bke"
	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

func main() { report.Program(run) }

const (
	rowCount = 200
)

// ratios are those of the wide component's width to that of the narrow one, and shares weights of the
// narrow one.
var (
	ratios = []float64{2, 3, 10}
	shares = []float64{0, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, 1}
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("shapes", flag.ContinueOnError)
	f.SetOutput(stderr)
	out := f.String("out", "shapes.png", "the picture to write")
	sets := f.Int("sets", 20, "data sets")
	seed := f.Uint64("seed", 1, "seed of the rows")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if f.NArg() > 0 || *sets < 1 {
		fmt.Fprintln(stderr, "shapes: want -sets at least 1, and no other arguments")
		return 2
	}
	if err := study(ctx, *out, *sets, *seed, stdout); err != nil {
		fmt.Fprintf(stderr, "shapes: %v\n", err)
		return 1
	}
	return 0
}

// study prints what the best weight gains over one width, and draws it.
func study(ctx context.Context, path string, sets int, seed uint64, stdout io.Writer) error {
	gain := make([][]float64, len(ratios)) // by ratio and share, summed over sets
	for k := range gain {
		gain[k] = make([]float64, len(shares))
	}
	for s := range sets {
		r := rand.New(rand.NewPCG(seed+uint64(s), 9))
		x := mat.NewDense(rowCount, 1, nil)
		x.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, x)
		one, z, err := best(ctx, x, nil, kernels.SquaredExponential(1).Radial)
		if err != nil {
			return err
		}
		for k, ratio := range ratios {
			for l, share := range shares {
				kernel := kernels.Radial(kernels.Mixture{Weights: []float64{share, 1 - share}, Widths: []float64{1, ratio}})
				if share == 0 || share == 1 {
					kernel = kernels.SquaredExponential(1).Radial
				}
				v, _, err := best(ctx, x, z, kernel)
				if err != nil {
					return err
				}
				gain[k][l] += (v - one) / float64(sets)
			}
		}
	}
	fmt.Fprintf(stdout, "Log pseudolikelihood above that of one width, %d rows of N(0, 1), mean of %d sets\n\n", rowCount, sets)
	fmt.Fprint(stdout, "| weight of the narrow component |")
	for _, ratio := range ratios {
		fmt.Fprintf(stdout, " widths 1 and %g |", ratio)
	}
	fmt.Fprint(stdout, "\n|---|---|---|---|\n")
	panel := figure.Curves{Title: "Rows of one scale, kernels of two (synthetic data)", XLabel: "weight of the narrow component",
		YLabel: "log pseudolikelihood above that of one width"}
	for l, share := range shares {
		fmt.Fprintf(stdout, "| %g |", share)
		for k := range ratios {
			fmt.Fprintf(stdout, " %.1f |", gain[k][l])
		}
		fmt.Fprintln(stdout)
	}
	for k, ratio := range ratios {
		panel.Series = append(panel.Series, figure.Series{Name: fmt.Sprintf("widths 1 and %g", ratio), X: shares, Y: gain[k]})
	}
	drawn, err := panel.Draw()
	if err != nil {
		return err
	}
	return atomicfile.Write(path, drawn.WritePNG)
}

// best is the largest log pseudolikelihood of a kernel over theta and tau2, at z or at pseudo-inputs of
// its own choice.
func best(ctx context.Context, x, z mat.Matrix, k kernels.Radial) (float64, mat.Matrix, error) {
	if z == nil {
		points := mat.NewDense(10, 1, nil)
		for l := range 10 { // quantiles of N(0, 1)
			points.Set(l, 0, math.Sqrt2*math.Erfinv(2*(float64(l)+.5)/10-1))
		}
		z = points
	}
	m, err := bke.NewModel(x, z, bke.Options{Kernel: k})
	if err != nil {
		return 0, nil, err
	}
	fit, err := m.Learn(ctx, bke.LearnOptions{ThetaMin: 1e-4, ThetaMax: 1e3})
	if err != nil {
		return 0, nil, err
	}
	return fit.Modes[0].Value, z, nil
}
