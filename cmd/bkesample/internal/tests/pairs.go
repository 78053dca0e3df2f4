package tests

import (
	"cmp"
	"context"
	"math"
	"slices"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/kerneltest"
)

// Pairs are the tests of all pairs of groups.
type Pairs struct {
	Data     *input.Dataset
	Flags    *Flags
	Tests    []*Tested
	Adjusted []float64 // p-values, corrected by Holm's method
}

// TestPairs tests all pairs of groups. If the user did not set the number of permutations, it is
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
