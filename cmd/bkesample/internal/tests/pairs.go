package tests

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// Pairs are the test of all groups at once, and those of all pairs of groups.
type Pairs struct {
	Data     *input.Dataset
	Groups   *input.Grouped // the rows, for pictures of all groups
	Omnibus  *kerneltest.Result
	Flags    *Flags
	Tests    []*Tested
	Adjusted []float64 // p-values, corrected by Holm's method
}

// TestPairs tests all groups at once, and then all pairs. If the user did not set the number of permutations, it is
// large enough for corrected p-values to be small.
func TestPairs(ctx context.Context, con *cli.Console, data *input.Dataset, f *Flags) (*Pairs,
	error) {
	together := *f
	together.Together = true
	f = &together
	k := len(data.Groups) * (len(data.Groups) - 1) / 2
	least := int(math.Ceil(float64(k)/f.Alpha)) - 1
	switch {
	case !f.Permutes() || f.Permutations >= least:
	case f.permutationsGiven:
		return nil, cli.Usagef("-permutations is %d, with which no p-value of %d pairs, corrected, is as "+
			"small as -alpha, %v: want at least %d", f.Permutations, k, f.Alpha, least)
	default:
		f.Permutations = 2*least + 1
	}
	out := &Pairs{Data: data, Flags: f}
	var err error
	if out.Groups, err = data.Grouped(); err != nil {
		return nil, err
	}
	if err := f.AdmitSamples(data); err != nil {
		return nil, err
	}
	if out.Omnibus, err = f.several(ctx, con, data.Source, out.Groups); err != nil {
		return nil, err
	}
	var p []float64
	for i, a := range data.Groups {
		for _, b := range data.Groups[i+1:] {
			pair, err := data.Pair(a, b)
			if err != nil {
				return nil, err
			}
			if err := f.AdmitSamples(pair); err != nil {
				return nil, err
			}
			t, err := TwoSample(ctx, con, pair, f, &BayesFlags{})
			if err != nil {
				return nil, err
			}
			out.Tests = append(out.Tests, t)
			p = append(p, t.Result.P)
		}
	}
	out.Adjusted = holm(p)
	return out, nil
}

// several tests all groups at once, by permutation whatever -null says.
func (f *Flags) several(ctx context.Context, con *cli.Console, source string, g *input.Grouped) (
	*kerneltest.Result, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	o.Null, o.Blocks, o.SampleWeights = statistic.Auto, g.Blocks, g.Weights
	var samples []mat.Matrix
	for _, x := range g.Samples {
		samples = append(samples, x)
	}
	line := con.Working("comparing all groups")
	defer line.End()
	o.Progress = line.Step
	r, err := kerneltest.Several(ctx, samples, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return r, nil
}

// holm corrects p-values for multiple testing (Holm, 1979): the i-th smallest of k is multiplied by
// k+1-i, and then raised to at least the one before it.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	most := 0.0
	for i, at := range order {
		most = max(most, min(1, float64(len(p)-i)*p[at]))
		out[at] = most
	}
	return out
}

// OfModel is the default test with the kernel, seed and path of a model.
func OfModel(m *study.ModelFlags) *Flags {
	return &Flags{Kernel: m.Kernel, Choose: kerneltest.Recipes(false)[0].Name, Statistic: "biased", Null: "auto",
		Alpha: 0.05, Permutations: DefaultPermutations, inputsFrom: m.InputsFrom, inputs: m.Inputs,
		path: m.Path, Seed: m.Seed}
}
