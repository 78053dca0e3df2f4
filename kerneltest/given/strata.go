package given

import (
	"context"
	"fmt"
	"slices"

	"bayeskernel/internal/rows"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// samplesWithin exchanges labels within strata.
func samplesWithin(ctx context.Context, samples []mat.Matrix, label []float64, strata []int,
	z []Covariate, o Options) (*Result, error) {
	_, first := samples[0].Dims()
	for g, x := range samples {
		if _, dim := x.Dims(); dim != first {
			return nil, fmt.Errorf("given: sample %d has width %d, want %d as sample 1", g+1, dim, first)
		}
	}
	mixed := map[int]bool{}
	in := map[int]float64{}
	for i, s := range strata {
		if g, ok := in[s]; ok && g != label[i] {
			mixed[s] = true
		}
		in[s] = label[i]
	}
	if len(mixed) == 0 {
		return nil, fmt.Errorf("given: every stratum of %s has rows of one sample only, want one with rows "+
			"of two", names(z))
	}
	blocks := o.Test.Blocks
	if blocks != nil && len(blocks) != len(label) {
		return nil, fmt.Errorf("given: blocks have %d labels, want one for each of %d rows", len(blocks),
			len(label))
	}
	t := o.Test
	t.Blocks, t.SampleWeights = nil, nil
	var used []mat.Matrix
	var labels []int
	at := 0
	for g, x := range samples {
		n, _ := x.Dims()
		var index []int
		for i := range n {
			if mixed[strata[at+i]] {
				index = append(index, i)
				labels = append(labels, at+i)
			}
		}
		if len(index) < 2 {
			return nil, fmt.Errorf("given: %s has %s in strata of %s that have rows of another sample, want "+
				"at least 2", o.Names[g], rows.Count(len(index), "row"), names(z))
		}
		used = append(used, picked(x, index))
		if o.Test.SampleWeights != nil {
			weights, err := weightsOf(o.Test.SampleWeights, g, n, index)
			if err != nil {
				return nil, err
			}
			t.SampleWeights = append(t.SampleWeights, weights)
		}
		at += n
	}
	t.Blocks = blocksOf(strata, blocks, labels)
	r, err := kerneltest.Several(ctx, used, t)
	if err != nil {
		return nil, err
	}
	out := &Result{Test: r, Strata: len(mixed), Rows: len(label), Used: len(labels)}
	if left := out.Rows - out.Used; left > 0 {
		out.note("%d of %d rows are not used: they are in strata of %s with rows of one sample only.", left,
			out.Rows, names(z))
	}
	return out.within(r), nil
}

// weightsOf picks weights of the rows of sample g.
func weightsOf(all [][]float64, g, n int, index []int) ([]float64, error) {
	if g >= len(all) || all[g] == nil {
		return nil, nil
	}
	if len(all[g]) != n {
		return nil, fmt.Errorf("given: there are %d weights of sample %d, want %d", len(all[g]), g+1, n)
	}
	var out []float64
	for _, i := range index {
		out = append(out, all[g][i])
	}
	return out, nil
}

// blocksOf numbers the strata of some rows, divided by blocks if there are some.
func blocksOf(strata, blocks, index []int) []int {
	seen := map[[2]int]int{}
	var out []int
	for _, i := range index {
		key := [2]int{strata[i], 0}
		if blocks != nil {
			key[1] = blocks[i]
		}
		if _, ok := seen[key]; !ok {
			seen[key] = len(seen)
		}
		out = append(out, seen[key])
	}
	return out
}

// variablesWithin exchanges rows of y within strata.
func variablesWithin(ctx context.Context, x, y mat.Matrix, strata []int, z []Covariate, o Options) (
	*Result, error) {
	at := map[int][]int{}
	for i, s := range strata {
		at[s] = append(at[s], i)
	}
	var index []int
	used := 0
	for s := range len(at) {
		if varies(x, at[s]) && varies(y, at[s]) {
			index, used = append(index, at[s]...), used+1
		}
	}
	if used == 0 {
		return nil, fmt.Errorf("given: in every stratum of %s one of the variables is constant, want one "+
			"where both vary", names(z))
	}
	slices.Sort(index)
	t := o.Test
	if t.Blocks != nil && len(t.Blocks) != len(strata) {
		return nil, fmt.Errorf("given: blocks have %d labels, want one for each of %d rows", len(t.Blocks),
			len(strata))
	}
	t.Blocks = blocksOf(strata, o.Test.Blocks, index)
	r, err := kerneltest.Independence(ctx, picked(x, index), picked(y, index), t)
	if err != nil {
		return nil, err
	}
	out := &Result{Test: r, Strata: used, Rows: len(strata), Used: len(index)}
	if left := out.Rows - out.Used; left > 0 {
		out.note("%d of %d rows are not used: they are in strata of %s in which one of the variables is "+
			"constant.", left, out.Rows, names(z))
	}
	return out.within(r), nil
}

// varies reports whether some rows differ.
func varies(x mat.Matrix, index []int) bool {
	_, dim := x.Dims()
	for _, i := range index[1:] {
		for j := range dim {
			if x.At(i, j) != x.At(index[0], j) {
				return true
			}
		}
	}
	return false
}

// within takes over the outcome of the test.
func (r *Result) within(t *kerneltest.Result) *Result {
	r.P, r.PError, r.Alpha, r.Reject = t.P, t.PError, t.Alpha, t.Reject
	r.Notes = append(r.Notes, t.Notes...)
	return r
}

func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}
