package kerneltest

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"bayeskernel/internal/permute"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// TwoSample tests whether the rows of x and of y are samples of one distribution. It learns the
// kernel from all rows together, without looking at which sample they are from, and compares the
// squared maximum mean discrepancy of the samples with that of samples whose rows were exchanged
// at random. If the distributions are the same, the probability of a p-value of at most alpha is
// then at most alpha, however few rows there are. With more than ExactRows rows the kernels are
// replaced by approximations of low rank, and the same holds for these: see Result.TraceError.
// Options has other kernels, null distributions, and weights of rows. With blocks the default test is
// that of Several, with its kernels.
//
// Results depend on the data, the options and the seed alone, not on the number of processors; on
// processors with other vector instructions they differ by rounding.
func TwoSample(ctx context.Context, x, y mat.Matrix, o Options) (*Result, error) {
	pooled, m, n, dim, err := pool(x, y)
	if err != nil {
		return nil, err
	}
	if o, err = o.Complete(m + n); err != nil {
		return nil, err
	}
	if !o.KernelY.isZero() {
		return nil, fmt.Errorf("kerneltest: two samples have a kernel for y, want one for both")
	}
	if err := checkBlocks(o.Blocks, m); err != nil {
		return nil, err
	}
	weights, err := o.rowWeights(m, n)
	if err != nil {
		return nil, err
	}
	if !o.permutes() || min(m, n) < 2 {
		o.Kernel = o.Kernel.single()
	}
	o.Kernel = o.Kernel.resolve(o.broadest())
	chosen, rows, err := o.Kernel.choose(ctx, pooled, dim, o, "the pooled sample")
	if err != nil {
		return nil, err
	}
	t := &twoSample{m: m, n: n, dim: dim, rows: rows, o: o, kernels: chosen.Kernels, chosen: chosen,
		amplitudes: chosen.Amplitudes, weights: weights,
		limits: limits{denseRows, ExactRows, keptBytes, approximateRank(m + n)}}
	if err := t.check(); err != nil {
		return nil, err
	}
	several := o.Kernel.broad() || o.Blocks != nil && o.Kernel.Rule == Bayes &&
		len(o.Kernel.Categories) == 0 && o.Combine == Largest && o.permutes()
	var r *Result
	if several {
		r, err = t.several(ctx, x, y)
	} else {
		r, err = t.run(ctx)
	}
	if err != nil {
		return nil, err
	}
	r.RowsX, r.RowsY, r.Kernel, r.weights = m, n, chosen, weights
	if twoValued(rows, dim) {
		r.Notes = append(r.Notes, "The data have 2 distinct values: "+o.testOfCounts()+".")
	} else {
		r.Notes = append(slices.Clone(chosen.Notes), r.Notes...)
	}
	r.Decide()
	return r, nil
}

// pool puts the m rows of x before the n of y.
func pool(x, y mat.Matrix) (rows []float64, m, n, dim int, err error) {
	xs, m, dim, err := finiteRows("x", x)
	if err != nil {
		return nil, 0, 0, 0, err
	}
	ys, n, ydim, err := finiteRows("y", y)
	if err == nil && ydim != dim {
		err = fmt.Errorf("kerneltest: y has width %d, want %d as x", ydim, dim)
	}
	return slices.Concat(xs, ys), m, n, dim, err
}

// several has the outcome of Several with the same kernels, and what describes a test of two samples.
func (t *twoSample) several(ctx context.Context, x, y mat.Matrix) (*Result, error) {
	o := t.o
	if o.WeightsX != nil || o.WeightsY != nil {
		o.SampleWeights = [][]float64{o.WeightsX, o.WeightsY}
	}
	o.WeightsX, o.WeightsY = nil, nil
	all, err := newSeveral([]mat.Matrix{x, y}, o)
	if err != nil {
		return nil, err
	}
	all.chosen, all.rows = t.chosen, t.rows
	if err := all.enlist(); err != nil {
		return nil, err
	}
	s, err := all.run(ctx)
	if err != nil {
		return nil, err
	}
	all.pieces = nil // the rest needs memory too
	t.begin()
	r := &Result{Null: s.Null, Alpha: s.Alpha, Statistic: s.Statistic, P: s.P, PError: s.PError, Draws: s.Draws,
		Permutations: s.Permutations, AtLeast: s.AtLeast, Stopped: s.Stopped, Candidates: s.Candidates, Best: s.Best,
		Combined: s.Combined, TraceError: s.TraceError, Sight: s.Sight}
	f, err := t.strongest(ctx, r, t.chosen, nil)
	if err != nil {
		return nil, err
	}
	if err := f.describe(ctx, r); err != nil {
		return nil, err
	}
	all.noteRanks(r, 0)
	if least := r.raise(t.leastP()); least > t.o.Alpha {
		r.note("With samples of %d and %d rows%s no p-value can be below %.2g.", t.m, t.n, t.o.inBlocks(), least)
	}
	return r, nil
}

// checkBlocks wants a block with rows of both samples.
func checkBlocks(blocks []int, m int) error {
	if blocks == nil {
		return nil
	}
	inX := make(map[int]bool)
	for _, b := range blocks[:m] {
		inX[b] = true
	}
	for _, b := range blocks[m:] {
		if inX[b] {
			return nil
		}
	}
	return fmt.Errorf("kerneltest: no block has rows of both samples, want one where rows can be " +
		"exchanged")
}

// twoSample is a test under way.
type twoSample struct {
	m, n, dim int
	rows      []float64 // of both samples, in the units of the kernels
	weights   []float64 // of the rows, of mean 1; nil if there are none
	o         Options
	kernels   []kernels.Kernel
	chosen    *Chosen
	// amplitudes are those of shrunk kernels, nil for plain ones; plain is the last factor that was
	// shrunk, which the next may share.
	amplitudes []float64
	plain      shared
	limits     limits
	design     *permute.Design
	held       []*form         // of each kernel, nil where there is no room
	replaced   []approximation // of each kernel
}

func (t *twoSample) check() error {
	if err := t.o.checkNull(len(t.kernels)); err != nil {
		return err
	}
	if t.amplitudes != nil && !t.o.permutes() {
		return fmt.Errorf("kerneltest: null is %v with rule %v, want permutation", t.o.Null, t.o.Kernel.Rule)
	}
	if _, err := t.o.weights(len(t.kernels)); err != nil {
		return err
	}
	if (t.o.Unbiased || len(t.kernels) > 1) && (t.m < 2 || t.n < 2) {
		return fmt.Errorf("kerneltest: samples have %d and %d rows, want at least 2 in each for "+
			"unbiased statistics and for several kernels", t.m, t.n)
	}
	return nil
}

func (t *twoSample) run(ctx context.Context) (*Result, error) {
	if t.o.permutes() {
		return t.permutation(ctx)
	}
	return t.asymptotic(ctx)
}

// asymptotic compares with the null that was asked for.
func (t *twoSample) asymptotic(ctx context.Context) (*Result, error) {
	s, f, err := t.statistic(ctx)
	if err != nil {
		return nil, err
	}
	tail, err := s.Tail(t.o.Null)
	if err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	r := &Result{Null: t.o.Null, Alpha: t.o.Alpha, P: tail.P, Tail: &tail, Statistic: s.Biased()}
	r.Candidates = []Candidate{{Kernel: t.kernels[0], Statistic: r.Statistic, P: r.P, Weight: 1}}
	r.Scales = []Scale{t.chosen.scale(0, t.kernels[0])}
	r.Biased, r.Unbiased, r.Ratio = s.Biased(), math.NaN(), math.NaN()
	if u, err := s.Unbiased(); err == nil {
		r.Unbiased = u
	}
	if e, err := s.SignalToNoise(); err == nil {
		r.Ratio = e
	}
	r.noteAlike("the pooled sample", t.rows, t.dim, s.Variation())
	r.noteFew(min(t.m, t.n), " of the smaller sample", newTiles(t.kernels[0], t.rows, t.dim))
	r.noteRank(approximationBy(f), "Its kernel")
	return r, nil
}

// statistic makes an MMD of the only kernel, from a factor where there are many rows.
func (t *twoSample) statistic(ctx context.Context) (s *statistic.MMD, f *statistic.Factor,
	err error) {
	tiles := newTiles(t.kernels[0], t.rows, t.dim)
	if tiles.n > t.limits.dense {
		f, err = tiles.factor(ctx, factorTolerance, t.limits.rank, t.o.step("factor"))
		if err != nil {
			return nil, nil, err
		}
		s, err = statistic.NewMMDFactor(f, t.m)
	} else {
		var gram *mat.SymDense
		if gram, err = tiles.gram(ctx); err != nil {
			return nil, nil, err
		}
		s, err = statistic.NewMMD(gram, t.m)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("kerneltest: %w", err)
	}
	return s, f, nil
}

// begin makes room for what is kept.
func (t *twoSample) begin() {
	if t.held == nil {
		t.held = make([]*form, len(t.kernels))
	}
	t.replaced = make([]approximation, len(t.kernels))
}

func (t *twoSample) permutation(ctx context.Context) (*Result, error) {
	var err error
	if t.design, err = permute.NewDesign(t.m+t.n, t.o.Seed, t.o.Blocks); err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	t.begin()
	r, all, err := t.o.combined(ctx, arrangements{
		draw: t.draw, most: max(64, 1<<27/(t.m+t.n)), kernels: len(t.kernels),
	})
	if err != nil {
		return nil, err
	}
	candidates := make([]Candidate, len(t.kernels))
	for k, kernel := range t.kernels {
		candidates[k].Kernel = kernel
		if t.amplitudes != nil {
			candidates[k].Amplitude = t.amplitudes[k]
		}
	}
	t.o.finish(r, all, candidates)
	f, err := t.strongest(ctx, r, t.chosen, all)
	if err != nil {
		return nil, err
	}
	if err := f.describe(ctx, r); err != nil {
		return nil, err
	}
	for k, a := range t.replaced {
		r.noteRank(a, "Kernel "+number(k, t.kernels))
	}
	if least := r.raise(t.leastP()); least > t.o.Alpha {
		r.note("With samples of %d and %d rows%s no p-value can be below %.2g.", t.m, t.n,
			t.o.inBlocks(), least)
	}
	return r, nil
}

// leastP is the smallest p-value that the number of ways to divide the rows allows. Where every
// block has as many of both samples, the data have a mirror image.
func (t *twoSample) leastP() float64 {
	inX, inY := blockSizes(t.o.Blocks, 0, t.m), blockSizes(t.o.Blocks, t.m, t.m+t.n)
	ways, mirrored := 0.0, maps.Equal(inX, inY)
	for block, x := range inX {
		y := inY[block]
		ways += logFactorial(x+y) - logFactorial(x) - logFactorial(y)
	}
	p := math.Exp(-ways)
	if mirrored {
		p *= 2
	}
	return p
}

// draw computes the statistics of a range of permutations.
func (t *twoSample) draw(ctx context.Context, first, count, all int) (*table, error) {
	signs, err := t.design.Signs(t.m, first, count)
	if err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	out := newTable(len(t.kernels))
	totals, err := t.sampleTotals(ctx, signs)
	if err != nil {
		return nil, err
	}
	engine := permute.Best()
	for k := range t.kernels {
		f, err := t.form(ctx, k)
		if err != nil {
			return nil, err
		}
		if len(t.kernels) > 1 {
			if out.norm[k], err = f.norm(ctx); err != nil {
				return nil, err
			}
		}
		engine.Progress = t.o.within(first, count, all, k, len(t.kernels))
		if out.values[k], out.slack[k], err = f.values(ctx, engine, signs, totals); err != nil {
			return nil, err
		}
	}
	return out, nil
}
