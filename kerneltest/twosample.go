package kerneltest

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"bayeskernel/internal/permute"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// TwoSample tests whether the rows of x and of y are samples of one distribution. It learns the
// kernel from all rows together, without looking at which sample they are from, and compares the
// squared maximum mean discrepancy of the samples with that of samples whose rows were exchanged
// at random. If the distributions are the same, the probability of a p-value of at most alpha is
// then at most alpha, however few rows there are. With more than AutoRows rows the default null
// distribution is an approximation; see Options for it and for other kernels.
//
// Results depend on the data, the options and the seed alone, not on the number of processors; on
// processors with other vector instructions they differ by rounding, and the draws of PosteriorMean
// are others.
func TwoSample(ctx context.Context, x, y mat.Matrix, o Options) (*Result, error) {
	xs, m, dim, err := finiteRows("x", x)
	if err != nil {
		return nil, err
	}
	ys, n, ydim, err := finiteRows("y", y)
	if err != nil {
		return nil, err
	}
	if ydim != dim {
		return nil, fmt.Errorf("kerneltest: y has width %d, want %d as x", ydim, dim)
	}
	if o, err = o.complete(m + n); err != nil {
		return nil, err
	}
	if !o.KernelY.isZero() {
		return nil, fmt.Errorf("kerneltest: two samples have a kernel for y, want one for both")
	}
	if err := checkBlocks(o.Blocks, m); err != nil {
		return nil, err
	}
	if o.approximates(m+n) || min(m, n) < 2 {
		o.Kernel = o.Kernel.single()
	}
	chosen, rows, err := o.Kernel.choose(ctx, slices.Concat(xs, ys), dim, o, "the pooled sample")
	if err != nil {
		return nil, err
	}
	t := &twoSample{m: m, n: n, dim: dim, rows: rows, o: o, kernels: chosen.Kernels}
	if err := t.check(); err != nil {
		return nil, err
	}
	r, err := t.run(ctx)
	if err != nil {
		return nil, err
	}
	r.RowsX, r.RowsY, r.Kernel = m, n, chosen
	r.Notes = append(slices.Clone(chosen.Notes), r.Notes...)
	r.decide()
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
	o         Options
	kernels   []kernels.Kernel
	design    *permute.Design
	stored    *mat.SymDense // the Gram matrix of the only kernel
}

func (t *twoSample) check() error {
	if err := t.o.checkNull(len(t.kernels)); err != nil {
		return err
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

// run chooses the null distribution and makes the test.
func (t *twoSample) run(ctx context.Context) (*Result, error) {
	many := t.m+t.n > AutoRows
	if !t.o.permutes() || len(t.kernels) == 1 && t.o.approximates(t.m+t.n) {
		r, err := t.asymptotic(ctx, many)
		if err == nil || !t.o.permutes() || ctx.Err() != nil {
			return r, err
		}
		// The kernel is too narrow for a factor of low rank.
	}
	return t.permutation(ctx)
}

// asymptotic takes the Gram matrix, or a factor of it where there are many rows.
func (t *twoSample) asymptotic(ctx context.Context, many bool) (*Result, error) {
	null := t.o.Null
	if null == Auto {
		null = Spectral
	}
	s, err := t.statistic(ctx, many)
	if err != nil {
		return nil, err
	}
	tail, err := s.Tail(null)
	if err != nil {
		return nil, err
	}
	r := &Result{Null: null, Alpha: t.o.Alpha, P: tail.P, Tail: &tail, Statistic: s.Biased()}
	r.Candidates = []Candidate{{Kernel: t.kernels[0], Statistic: r.Statistic, P: r.P, Weight: 1}}
	r.describe(s)
	r.noteAlike("the pooled sample", t.rows, t.dim, s.diag, s.diagMean)
	return r, nil
}

// statistic makes an MMD of the first kernel.
func (t *twoSample) statistic(ctx context.Context, many bool) (*MMD, error) {
	if many {
		f, err := newFactor(ctx, t.kernels[0], mat.NewDense(t.m+t.n, t.dim, t.rows),
			factorTolerance, t.o.step("factor"))
		if err != nil {
			return nil, err
		}
		return NewMMDFactor(f, t.m)
	}
	gram, err := newTiles(t.kernels[0], t.rows, t.dim).gram(ctx)
	if err != nil {
		return nil, err
	}
	return NewMMD(gram, t.m)
}

// factorTolerance is the error of a kernel value that factors of low rank may have.
const factorTolerance = 1e-10

// describe sets the statistics of the kernel that says most.
func (r *Result) describe(s *MMD) {
	r.Biased, r.Unbiased, r.EffectSize = s.Biased(), math.NaN(), math.NaN()
	if u, err := s.Unbiased(); err == nil {
		r.Unbiased = u
	}
	if e, err := s.EffectSize(); err == nil {
		r.EffectSize = e
	}
}

func (t *twoSample) permutation(ctx context.Context) (*Result, error) {
	var err error
	if t.design, err = permute.NewDesign(t.m+t.n, t.o.Seed, t.o.Blocks); err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	r, all, err := t.o.combined(ctx, arrangements{
		draw: t.draw, most: max(64, 1<<27/(t.m+t.n)), kernels: len(t.kernels),
	})
	if err != nil {
		return nil, err
	}
	candidates := make([]Candidate, len(t.kernels))
	for k, kernel := range t.kernels {
		candidates[k].Kernel = kernel
	}
	t.o.finish(r, all, candidates)
	if err := t.describe(ctx, r); err != nil {
		return nil, err
	}
	if least := t.leastP(); least > t.o.Alpha {
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

// describe sets the statistics of the kernel that says most, from the Gram matrix where there is
// room for it and from sums of its rows where there is not.
func (t *twoSample) describe(ctx context.Context, r *Result) error {
	k := newTiles(t.kernels[r.Best], t.rows, t.dim)
	if t.m+t.n <= AutoRows {
		gram := t.stored
		if gram == nil {
			var err error
			if gram, err = k.gram(ctx); err != nil {
				return err
			}
		}
		s, err := NewMMD(gram, t.m)
		if err != nil {
			return err
		}
		r.describe(s)
		r.noteAlike("the pooled sample", t.rows, t.dim, s.diag, s.diagMean)
		return nil
	}
	toX, toY, _, err := k.rowSums(ctx, t.m, t.o.step("describe"))
	if err != nil {
		return err
	}
	d, _ := k.diagonal()
	m, n := float64(t.m), float64(t.n)
	xx, yy, xy := total(toX[:t.m]), total(toY[t.m:]), total(toY[:t.m])
	dx, dy := total(d[:t.m]), total(d[t.m:])
	r.Biased = max(0, (xx+dx)/(m*m)+(yy+dy)/(n*n)-2*xy/(m*n))
	r.Unbiased, r.EffectSize = math.NaN(), math.NaN()
	if t.m < 2 || t.n < 2 {
		return nil
	}
	r.Unbiased = xx/(m*(m-1)) + yy/(n*(n-1)) - 2*xy/(m*n)
	witness := make([]float64, len(toX))
	for i := range witness {
		a, b := toX[i], toY[i]
		if i < t.m {
			a += d[i]
		} else {
			b += d[i]
		}
		witness[i] = a/m - b/n
	}
	floor := negligible * (dx + dy) / (m + n) // as in MMD.EffectSize, for a whole witness
	if v := 4 * (spread(witness[:t.m])/m + spread(witness[t.m:])/n); v > floor*floor {
		r.EffectSize = r.Unbiased / math.Sqrt(v)
	}
	return nil
}

// draw computes the statistics of a range of permutations.
func (t *twoSample) draw(ctx context.Context, first, count, all int) (*table, error) {
	signs, err := t.design.Signs(t.m, first, count)
	if err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	out := newTable(len(t.kernels))
	sums := make([]permute.Sums, count)
	engine := permute.Best()
	for k, kernel := range t.kernels {
		tiles := newTiles(kernel, t.rows, t.dim)
		gram, norm, err := t.gram(ctx, tiles)
		if err != nil {
			return nil, err
		}
		engine.Progress = t.o.within(first, count, all, k, len(t.kernels))
		if err := engine.Forms(ctx, sums, signs, tiles.matrix(gram)); err != nil {
			return nil, fmt.Errorf("kerneltest: %w", err)
		}
		out.values[k], out.slack[k] = t.values(sums, signs, tiles)
		out.norm[k] = norm
	}
	return out, nil
}

// gram returns the Gram matrix of a kernel, nil where it does not fit, and with several kernels the
// unit of its statistic.
func (t *twoSample) gram(ctx context.Context, k *tiles) (g *mat.SymDense, norm float64, err error) {
	single := len(t.kernels) == 1
	if k.n > AutoRows {
		if single {
			return nil, 0, nil
		}
		sums, toY, squares, err := k.rowSums(ctx, t.m, t.o.step("scale"))
		for i := range sums {
			sums[i] += toY[i]
		}
		return nil, t.norm(squares, sums), err
	}
	if t.stored != nil {
		return t.stored, 0, nil
	}
	if g, err = k.gram(ctx); err != nil {
		return nil, 0, err
	}
	if single {
		t.stored = g
		return g, 0, nil
	}
	squares, sums := 0.0, make([]float64, k.n)
	data := g.RawSymmetric().Data
	for i := range k.n {
		for j, v := range data[i*k.n+i+1 : (i+1)*k.n] {
			squares += 2 * v * v
			sums[i] += v
			sums[i+1+j] += v
		}
	}
	return g, t.norm(squares, sums), nil
}

// norm makes the unit of a statistic from the sums of the Gram matrix off its diagonal.
func (t *twoSample) norm(squares float64, sums []float64) float64 {
	if t.o.Combine == Fuse {
		n := float64(min(t.m, t.n))
		return math.Sqrt(squares) / (n * (n - 1)) / t.o.Sharpness
	}
	return nullDeviation(t.m, t.n, squares, sums)
}

// values makes statistics of sums. Weights of XX and YY are exact opposites of those of the samples
// exchanged, so that no rounding distinguishes an arrangement from its mirror image.
func (t *twoSample) values(sums []permute.Sums, signs *permute.Signs, k *tiles) ([]float64,
	float64) {
	m, n := float64(t.m), float64(t.n)
	w := permute.Sums{XX: 1 / (m * m), YY: 1 / (n * n), XY: -2 / (m * n)}
	unbiased := t.o.Unbiased || len(t.kernels) > 1
	if unbiased {
		w.XX, w.YY = 1/(m*(m-1)), 1/(n*(n-1))
	}
	out := make([]float64, len(sums))
	for b, s := range sums {
		out[b] = s.Dot(w)
	}
	s := sums[0]
	size := (math.Abs(s.XX) + math.Abs(s.YY) + 2*math.Abs(s.XY)) * max(w.XX, w.YY)
	if unbiased {
		return out, size
	}
	d, constant := k.diagonal()
	all := total(d)
	size += math.Abs(all) * max(w.XX, w.YY)
	for b := range out {
		dx := d[0] * m
		dy := d[0] * n
		if !constant {
			dx = 0
			for i, v := range d {
				if signs.First(b, i) {
					dx += v
				}
			}
			dy = all - dx
		}
		out[b] += dx*w.XX + dy*w.YY
	}
	return out, size
}
