package kerneltest

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"bayeskernel/internal/permute"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Several tests whether two or more samples come from one distribution. With N rows in all, its
// statistic for one kernel is the sum over pairs of samples
//
//	T = sum_{g<h} n_g n_h/N MMD²(g, h),   MMD² unbiased,
//
// which is the variation between the samples. For two samples it is mn/N times the statistic of
// TwoSample. The default kernels are those of TwoSample and the one whose T is the between-sample
// part of the energy statistic; the largest T, each divided by its standard deviation under the null
// hypothesis, is compared with those of labels exchanged at random. If the distributions are the
// same, the probability of a p-value of at most alpha is at most alpha, however few rows there are.
//
// Kernels are learned from all rows together, blind to the labels, and enter as factors of low rank:
// of any rank up to 1000 rows, of rank 400 up to 10,000 and less beyond (see Result.TraceError). Each permutation takes
// the sums of the features over the samples: O(N r) operations for kernels whose ranks add up to r,
// whatever the number of samples.
//
// Options.Blocks are respected, and features are centred within blocks: differences between blocks
// neither hide a difference of samples nor look like one. Differences that have opposite signs in
// different blocks cancel. Each default kernel is then used twice, with the rows as they are and with
// the rows less the mean of their block: Candidate.Within. Weights of rows are Options.SampleWeights. Null must be Permutation.
//
// Result.Groups has the numbers of rows. Biased and Unbiased are T of the strongest kernel with the
// biased and the unbiased MMD². Ratio is NaN.
func Several(ctx context.Context, samples []mat.Matrix, o Options) (*Result, error) {
	t, err := newSeveral(ctx, samples, o)
	if err != nil {
		return nil, err
	}
	if t.design, err = permute.NewDesign(len(t.label), t.o.Seed, t.o.Blocks); err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	if err := t.features(ctx); err != nil {
		return nil, err
	}
	if err := t.units(ctx); err != nil {
		return nil, err
	}
	r, all, err := t.o.combined(ctx, arrangements{draw: t.draw,
		most: max(64, mostLabels/len(t.label)), kernels: len(t.kernels)})
	if err != nil {
		return nil, err
	}
	t.o.finish(r, all, t.candidates())
	t.describe(r)
	r.Decide()
	return r, nil
}

const (
	// severalRows is the number of rows up to which Several takes factors of any rank.
	severalRows = 1000
	// mostFeatures is the number of features of all rows for one kernel beyond, for time and memory.
	mostFeatures = 4e6
	// mostLabels is the number of exchanged labels that are held at a time.
	mostLabels = 1 << 24
	// referenceDraws is the number of permutations, besides those of the test, that set the units in
	// which kernels are compared.
	referenceDraws = 500
)

// several is a test under way.
type several struct {
	sizes      []int
	label      []int // of the sample of each row
	dim        int
	rows       []float64 // in the units of the kernels
	weights    []float64 // of mean 1; nil if there are none
	o          Options
	chosen     *Chosen
	kernels    []kernels.Kernel
	amplitudes []float64 // of each kernel, 0 where it is not shrunk
	// within are the rows less the mean of their block, for the kernels from number whole on; nil
	// without blocks.
	within   []float64
	whole    int
	replaced []approximation
	design   *permute.Design

	// table has a row for each row of the data: its weight times its features, kernel after kernel
	// up to ends, then for each kernel the square of their norm, and with weights the weight and its
	// square.
	table      []float64
	width      int
	ends       []int
	all        []float64 // sums of the columns of table
	mean, unit []float64 // of each kernel's statistic over permutations
}

func newSeveral(ctx context.Context, samples []mat.Matrix, o Options) (*several, error) {
	t := &several{}
	if len(samples) < 2 {
		return nil, fmt.Errorf("kerneltest: there is %s, want at least 2", rows.Count(len(samples), "sample"))
	}
	var pooled []float64
	for g, x := range samples {
		name := fmt.Sprintf("sample %d", g+1)
		data, n, dim, err := finiteRows(name, x)
		switch {
		case err != nil:
			return nil, err
		case g > 0 && dim != t.dim:
			return nil, fmt.Errorf("kerneltest: %s has width %d, want %d as sample 1", name, dim, t.dim)
		case n < 2:
			return nil, fmt.Errorf("kerneltest: %s has 1 row, want at least 2", name)
		}
		t.dim, t.sizes, pooled = dim, append(t.sizes, n), append(pooled, data...)
		t.label = append(t.label, slices.Repeat([]int{g}, n)...)
	}
	var err error
	if t.o, err = o.Complete(len(t.label)); err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	choice := t.o.Kernel.resolve(Bayes)
	if t.chosen, t.rows, err = choice.choose(ctx, pooled, t.dim, t.o, "the pooled sample"); err != nil {
		return nil, err
	}
	t.kernels, t.amplitudes = t.chosen.Kernels, t.chosen.Amplitudes
	if t.amplitudes == nil {
		t.amplitudes = make([]float64, len(t.kernels))
	}
	t.whole = len(t.kernels)
	if choice.Rule == Bayes && choice.Kernels == nil && len(choice.Categories) == 0 {
		t.add(kernels.Distance{Centre: centreOf(t.rows, t.dim)}, 0)
		t.whole++
		t.addWithin()
	}
	if _, err := t.o.weights(len(t.kernels)); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *several) add(k kernels.Kernel, amplitude float64) {
	t.kernels = append(slices.Clip(t.kernels), k)
	t.amplitudes = append(slices.Clip(t.amplitudes), amplitude)
}

// addWithin adds, where there are blocks, kernels of the rows less the mean of their block. Features of
// a kernel at different places are not alike: a difference that is the same in all blocks adds
// up only if what the blocks differ by is taken from the rows themselves.
func (t *several) addWithin() {
	if t.o.Blocks == nil {
		return
	}
	n := len(t.label)
	t.within = make([]float64, len(t.rows))
	column := make([]float64, n)
	for j := range t.dim {
		for i := range n {
			column[i] = t.rows[i*t.dim+j]
		}
		centreWithin(column, n, t.o.Blocks, t.weights)
		for i, v := range column {
			t.within[i*t.dim+j] = v
		}
	}
	for k := range t.whole {
		kernel := t.kernels[k]
		if _, ok := kernel.(kernels.Distance); ok {
			kernel = kernels.Distance{Centre: make([]float64, t.dim)}
		}
		t.add(kernel, t.amplitudes[k])
	}
}

// check says what is wrong with the options, and reads the weights of the rows.
func (t *several) check() error {
	o := t.o
	switch {
	case !o.KernelY.isZero():
		return fmt.Errorf("kerneltest: several samples have a kernel for y, want one for all")
	case o.WeightsX != nil || o.WeightsY != nil:
		return fmt.Errorf("kerneltest: there are weights of two samples with several samples, want " +
			"SampleWeights")
	case !o.permutes():
		return fmt.Errorf("kerneltest: null is %v with several samples, want permutation", o.Null)
	}
	if err := t.checkBlocks(); err != nil || o.SampleWeights == nil {
		return err
	}
	if len(o.SampleWeights) != len(t.sizes) {
		return fmt.Errorf("kerneltest: there are weights of %d samples, want %d", len(o.SampleWeights),
			len(t.sizes))
	}
	for g, list := range o.SampleWeights {
		if list == nil {
			list = slices.Repeat([]float64{1}, t.sizes[g])
		}
		if err := checkWeights(fmt.Sprintf("sample %d", g+1), list, t.sizes[g]); err != nil {
			return err
		}
		t.weights = append(t.weights, list...)
	}
	mean := total(t.weights) / float64(len(t.weights))
	for i := range t.weights {
		t.weights[i] /= mean
	}
	return nil
}

// checkBlocks wants a block with rows of two samples.
func (t *several) checkBlocks() error {
	if t.o.Blocks == nil {
		return nil
	}
	seen := map[int]int{}
	for i, b := range t.o.Blocks {
		if g, ok := seen[b]; ok && g != t.label[i] {
			return nil
		}
		seen[b] = t.label[i]
	}
	return fmt.Errorf("kerneltest: no block has rows of two samples, want one where rows can be exchanged")
}

// centreOf is the mean of the rows, whatever their order.
func centreOf(data []float64, dim int) []float64 {
	sorted, out := rows.Sort(data, dim), make([]float64, dim)
	n := float64(len(data) / dim)
	for i, v := range sorted {
		out[i%dim] += v / n
	}
	return out
}

func (t *several) candidates() []Candidate {
	out := make([]Candidate, len(t.kernels))
	for k, kernel := range t.kernels {
		out[k].Kernel, out[k].Amplitude, out[k].Within = kernel, t.amplitudes[k], k >= t.whole
	}
	return out
}

// describe sets what is known of the strongest kernel, and the notes.
func (t *several) describe(r *Result) {
	r.Groups, r.Kernel, r.Ratio = t.sizes, t.chosen, math.NaN()
	s := t.newSums()
	s.add(t, func(i int) int { return t.label[i] })
	r.Unbiased, r.Biased = s.statistic(t, r.Best), s.biased(t, r.Best)
	for k, kernel := range t.kernels {
		if k < len(t.chosen.Kernels) && (k == 0 || !reflect.DeepEqual(kernel, t.kernels[k-1])) {
			r.Scales = append(r.Scales, t.chosen.scale(k, kernel))
		}
	}
	if twoValued(t.rows, t.dim) {
		r.note("The data have 2 distinct values: %s.", t.o.testOfCounts())
	} else {
		r.Notes = append(r.Notes, t.chosen.Notes...)
	}
	for k, a := range t.replaced {
		if r.TraceError = max(r.TraceError, a.traceError); a.traceError > largeTraceError {
			r.noteRank(a, "Kernel "+number(k, t.kernels))
		}
	}
	if least := t.leastP(); least > t.o.Alpha {
		r.note("With samples of %v rows%s no p-value can be below %.2g.", t.sizes, t.o.inBlocks(), least)
	}
}

// leastP is the smallest p-value that the number of ways to divide the rows allows: samples that
// have as many rows in every block can change places.
func (t *several) leastP() float64 {
	blocks, ways := map[int][]int{}, 0.0
	for i, g := range t.label {
		b := 0
		if t.o.Blocks != nil {
			b = t.o.Blocks[i]
		}
		if blocks[b] == nil {
			blocks[b] = make([]int, len(t.sizes))
		}
		blocks[b][g]++
	}
	for _, in := range blocks {
		n := 0
		for _, c := range in {
			n += c
			ways -= logFactorial(c)
		}
		ways += logFactorial(n)
	}
	for g := range t.sizes { // the h-th of equal samples has h places
		alike := 1
		for h := range g {
			same := true
			for _, in := range blocks {
				same = same && in[g] == in[h]
			}
			if same {
				alike++
			}
		}
		ways -= math.Log(float64(alike))
	}
	return math.Exp(-ways)
}

// units finds the mean and the standard deviation of the statistic of each kernel over permutations
// that the test does not use. Given the rows they are independent of the labels, so that dividing by
// them keeps the test exact.
func (t *several) units(ctx context.Context) error {
	t.mean, t.unit = make([]float64, len(t.kernels)), make([]float64, len(t.kernels))
	moves := t.weights != nil || t.o.Blocks != nil // otherwise the mean is 0
	if len(t.kernels) == 1 && !moves {
		return nil
	}
	values, err := t.statistics(ctx, mostPermutations+1, referenceDraws, nil)
	if err != nil {
		return err
	}
	for k, list := range values {
		if moves {
			t.mean[k] = total(list) / float64(len(list))
		}
		for _, v := range list {
			t.unit[k] += (v - t.mean[k]) * (v - t.mean[k]) / float64(len(list))
		}
		t.unit[k] = math.Sqrt(t.unit[k])
		if !(t.unit[k] > negligible*t.size(k)) {
			t.unit[k] = 0
		}
	}
	return nil
}

// draw computes the statistics of a range of permutations.
func (t *several) draw(ctx context.Context, first, count, all int) (*table, error) {
	out := newTable(len(t.kernels))
	var err error
	if out.values, err = t.statistics(ctx, first, count, t.o.within(first, count, all, 0, 1)); err != nil {
		return nil, err
	}
	for k := range t.kernels {
		for b := range out.values[k] {
			out.values[k][b] -= t.mean[k]
		}
		out.slack[k], out.norm[k] = t.size(k), t.unit[k]
		if t.o.Combine.of().squares { // exponents of variance 2, as of two variables
			out.norm[k] /= math.Sqrt2 * t.o.Sharpness
		}
	}
	return out, nil
}
