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
	t, err := newSeveral(samples, o)
	if err != nil {
		return nil, err
	}
	if err := t.choose(ctx); err != nil {
		return nil, err
	}
	return t.run(ctx)
}

// run makes the test.
func (t *several) run(ctx context.Context) (*Result, error) {
	var err error
	if t.design, err = permute.NewDesign(len(t.label), t.o.Seed, t.o.Blocks); err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	if err := t.features(ctx); err != nil {
		return nil, err
	}
	if err := t.units(ctx); err != nil {
		return nil, err
	}
	a := arrangements{draw: t.draw, most: max(64, mostLabels/len(t.label)), kernels: len(t.members)}
	var r *Result
	var all *table
	if t.views != nil {
		join := t.views.smallest
		if t.dim >= broadColumns {
			join = t.views.together
		}
		r, all, err = t.o.sequence(ctx, a, join)
	} else {
		r, all, err = t.o.combined(ctx, a)
	}
	if err != nil {
		return nil, err
	}
	if t.views != nil {
		t.views.finish(r, all, func(k int) Candidate {
			m := t.members[k]
			return Candidate{Kernel: m.kernel, Amplitude: m.amplitude, Within: m.within, Part: m.part}
		})
	} else {
		t.o.finish(r, all, t.candidates())
	}
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
	sizes    []int
	label    []int // of the sample of each row
	dim      int
	rows     []float64 // in the units of the kernels
	weights  []float64 // of mean 1; nil if there are none
	o        Options
	chosen   *Chosen
	members  []member
	views    views // of rule Broad; nil for others
	replaced []approximation
	design   *permute.Design

	// The columns are the features of each row times its weight, kernel after kernel up to ends, then for each
	// kernel the square of their norm, and with weights the weight and its square. Two samples have them column
	// by column in pieces, more have them row by row in table.
	pieces     [][]float64
	table      []float64
	width      int
	ends       []int
	all        []float64 // sums of the columns
	slack      []float64 // bounds the sum of the sizes of the terms of each kernel's statistic
	mean, unit []float64 // of each kernel's statistic over permutations
}

func newSeveral(samples []mat.Matrix, o Options) (*several, error) {
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
	t.rows = pooled
	return t, nil
}

// choose chooses the kernels, and brings the rows into their units.
func (t *several) choose(ctx context.Context) error {
	var err error
	t.o.Kernel = t.o.Kernel.resolve(t.o.broadest())
	t.chosen, t.rows, err = t.o.Kernel.choose(ctx, t.rows, t.dim, t.o, "the pooled sample")
	if err != nil {
		return err
	}
	return t.enlist()
}

// enlist makes the members of the kernels that were chosen.
func (t *several) enlist() error {
	choice, within := t.o.Kernel, t.lessBlocks()
	ladder := func(data []float64, inner bool) {
		for k, kernel := range t.chosen.Kernels {
			m := member{kernel: kernel, rows: data, dim: t.dim, within: inner}
			if t.chosen.Amplitudes != nil {
				m.amplitude = t.chosen.Amplitudes[k]
			}
			if choice.broad() {
				m.view = Rows
			}
			t.members = append(t.members, m)
		}
	}
	ladder(t.rows, false)
	several := len(choice.Kernels) == 0 && len(choice.Categories) == 0
	switch {
	case choice.broad():
		t.members = append(t.members, broad(t.rows, t.dim, false, within == nil)...)
		if within != nil {
			ladder(within, true)
			t.members = append(t.members, broad(within, t.dim, true, true)...)
		}
		t.views = t.group()
	case choice.Rule == Bayes && several:
		t.members = append(t.members, member{kernel: kernels.Distance{Centre: centreOf(t.rows, t.dim)}, rows: t.rows,
			dim: t.dim})
		if within != nil {
			ladder(within, true)
			t.members = append(t.members, member{kernel: kernels.Distance{Centre: make([]float64, t.dim)}, rows: within,
				dim: t.dim, within: true})
		}
	}
	_, err := t.o.weights(len(t.members))
	return err
}

// lessBlocks are the rows less the mean of their block, nil without blocks. Features of
// a kernel at different places are not alike: a difference that is the same in all blocks adds
// up only if what the blocks differ by is taken from the rows themselves.
func (t *several) lessBlocks() []float64 {
	if t.o.Blocks == nil {
		return nil
	}
	n := len(t.label)
	out := make([]float64, len(t.rows))
	column := make([]float64, n)
	for j := range t.dim {
		for i := range n {
			column[i] = t.rows[i*t.dim+j]
		}
		centreWithin(column, n, t.o.Blocks, t.weights)
		for i, v := range column {
			out[i*t.dim+j] = v
		}
	}
	return out
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
	out := make([]Candidate, len(t.members))
	for k, m := range t.members {
		out[k].Kernel, out[k].Amplitude, out[k].Within = m.kernel, m.amplitude, m.within
	}
	return out
}

// describe sets what is known of the strongest kernel, and the notes.
func (t *several) describe(r *Result) {
	r.Groups, r.Kernel, r.Ratio = t.sizes, t.chosen, math.NaN()
	s := t.newSums()
	s.add(t, func(i int) int { return t.label[i] })
	best := r.Best
	if t.views != nil {
		best = t.views[best].strongest
		sight := t.sight(t.members[best])
		r.Sight = &sight
	}
	r.Unbiased, r.Biased = s.statistic(t, best), s.biased(t, best)
	for k, kernel := range t.chosen.Kernels {
		if k == 0 || !reflect.DeepEqual(kernel, t.chosen.Kernels[k-1]) {
			r.Scales = append(r.Scales, t.chosen.scale(k, kernel))
		}
	}
	if twoValued(t.rows, t.dim) {
		r.note("The data have 2 distinct values: %s.", t.o.testOfCounts())
	} else {
		r.Notes = append(r.Notes, t.chosen.Notes...)
	}
	t.noteRanks(r, largeTraceError)
	if least := r.raise(t.leastP()); least > t.o.Alpha {
		r.note("With samples of %v rows%s no p-value can be below %.2g.", t.sizes, t.o.inBlocks(), least)
	}
}

// noteRanks reports approximations of low rank: those of views in one sentence, others that leave out more than least.
func (t *several) noteRanks(r *Result, least float64) {
	if t.views != nil {
		r.noteRanks(t.replaced)
		return
	}
	for k, a := range t.replaced {
		if r.TraceError = max(r.TraceError, a.traceError); a.traceError <= least {
			continue
		}
		r.noteRank(a, fmt.Sprintf("Kernel %d of %d", k+1, len(t.members)))
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
	t.mean, t.unit = make([]float64, len(t.members)), make([]float64, len(t.members))
	moves := t.weights != nil || t.o.Blocks != nil // otherwise the mean is 0
	if len(t.members) == 1 && !moves {
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
		if !(t.unit[k] > negligible*t.slack[k]) {
			t.unit[k] = 0
		}
	}
	if t.views != nil {
		t.views.fit(t.inUnits(values))
	}
	return nil
}

// draw computes the statistics of a range of permutations.
func (t *several) draw(ctx context.Context, first, count, all int) (*table, error) {
	values, err := t.statistics(ctx, first, count, t.o.within(first, count, all, 0, 1))
	if err != nil {
		return nil, err
	}
	out := t.inUnits(values)
	if t.views != nil {
		return t.views.seen(out, first == 0), nil
	}
	return out, nil
}

// inUnits takes from the statistics their means, and adds their units and the sizes of rounding.
func (t *several) inUnits(values [][]float64) *table {
	out := newTable(len(t.members))
	out.values = values
	for k := range t.members {
		for b := range out.values[k] {
			out.values[k][b] -= t.mean[k]
		}
		out.slack[k], out.norm[k] = t.slack[k], t.unit[k]
		if t.o.Combine.of().squares { // exponents of variance 2, as of two variables
			out.norm[k] /= math.Sqrt2 * t.o.Sharpness
		}
	}
	return out
}

// group makes the views of the members.
func (t *several) group() views {
	var of []View
	for _, m := range t.members {
		of = append(of, m.view)
	}
	return newViews(of, viewWeights(t.rows, t.dim))
}
