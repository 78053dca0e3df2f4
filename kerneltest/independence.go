package kerneltest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/permute"

	"gonum.org/v1/gonum/mat"
)

// Independence tests whether two variables are independent: row i of x was observed together with
// row i of y. It learns a kernel for each variable, from its rows alone, and compares HSIC with
// that of rows of y exchanged at random. If the variables are independent, the probability of a
// p-value of at most alpha is then at most alpha, however few rows there are. With more than
// AutoRows rows the default null distribution is an approximation, and with more than 7000 the
// kernels must be smooth enough for factors of rank MaxRank. The rows must be independent of each
// other; where there are groups of rows that are not, see Options.Blocks.
func Independence(ctx context.Context, x, y mat.Matrix, o Options) (*Result, error) {
	xs, n, xdim, err := finiteRows("x", x)
	if err != nil {
		return nil, err
	}
	ys, ny, ydim, err := finiteRows("y", y)
	if err != nil {
		return nil, err
	}
	if err := checkPairs(n, ny); err != nil {
		return nil, err
	}
	if o, err = o.complete(n); err != nil {
		return nil, err
	}
	if err := checkPairBlocks(o.Blocks); err != nil {
		return nil, err
	}
	if o.KernelY.isZero() {
		o.KernelY = o.Kernel
	}
	for _, c := range []*Choice{&o.Kernel, &o.KernelY} {
		if c.Bandwidths == 0 {
			c.Bandwidths = defaultPairBandwidths
		}
		if o.approximates(n) || n < 4 {
			*c = c.single()
		}
		if c.Rungs == nil {
			c.Rungs = defaultPairRungs()
		}
	}
	kx, xs, err := o.Kernel.choose(ctx, xs, xdim, o, "x")
	if err != nil {
		return nil, err
	}
	ky, ys, err := o.KernelY.choose(ctx, ys, ydim, o, "y")
	if err != nil {
		return nil, err
	}
	t := &independence{n: n, o: o, x: newSides(kx, xs, xdim), y: newSides(ky, ys, ydim)}
	if err := t.check(); err != nil {
		return nil, err
	}
	r, err := t.run(ctx)
	if err != nil {
		return nil, err
	}
	r.RowsX, r.RowsY, r.Kernel, r.KernelY = n, n, kx, ky
	r.Notes = slices.Concat(kx.Notes, ky.Notes, r.Notes)
	r.decide()
	return r, nil
}

// checkPairBlocks wants a block of at least two rows.
func checkPairBlocks(blocks []int) error {
	if blocks == nil {
		return nil
	}
	seen := make(map[int]bool)
	for _, b := range blocks {
		if seen[b] {
			return nil
		}
		seen[b] = true
	}
	return fmt.Errorf("kerneltest: every block has one row, want one where rows can be exchanged")
}

// independence is a test under way.
type independence struct {
	n    int
	o    Options
	x, y []*side
	d    *permute.Design
	only *pair // if there are no others
}

// side is one variable with one kernel.
type side struct {
	tiles  *tiles
	factor *Factor         // nil where the rank is not low
	packed *permute.Factor // the same
}

func newSides(c *Chosen, rows []float64, dim int) []*side {
	out := make([]*side, len(c.Kernels))
	for i, k := range c.Kernels {
		out[i] = &side{tiles: newTiles(k, rows, dim)}
	}
	return out
}

func (t *independence) pairs() int { return len(t.x) * len(t.y) }

func (t *independence) check() error {
	if err := t.o.checkNull(t.pairs()); err != nil {
		return err
	}
	if _, err := t.o.weights(t.pairs()); err != nil {
		return err
	}
	if (t.o.Unbiased || t.pairs() > 1) && t.n < 4 {
		return fmt.Errorf("kerneltest: the variables have %d rows, want at least 4 for unbiased "+
			"statistics and for several kernels", t.n)
	}
	return nil
}

// run chooses the null distribution and makes the test.
func (t *independence) run(ctx context.Context) (*Result, error) {
	many := t.n > AutoRows
	if !t.o.permutes() || t.pairs() == 1 && t.o.approximates(t.n) {
		r, err := t.asymptotic(ctx, many)
		if err == nil || !t.o.permutes() || ctx.Err() != nil {
			return r, err
		}
	}
	return t.permutation(ctx)
}

func (t *independence) asymptotic(ctx context.Context, many bool) (*Result, error) {
	null := t.o.Null
	if null == Auto {
		null = Spectral
	}
	for _, s := range []*side{t.x[0], t.y[0]} {
		if !many {
			break
		}
		if err := s.factorize(ctx, t.o.step("factor")); err != nil {
			return nil, err
		}
	}
	p, err := t.pair(ctx, t.x[0], t.y[0])
	if err != nil {
		return nil, err
	}
	tail, err := p.s.Tail(null)
	if err != nil {
		return nil, err
	}
	r := &Result{Null: null, Alpha: t.o.Alpha, P: tail.P, Tail: &tail, Statistic: p.s.Biased()}
	r.Candidates = []Candidate{{Kernel: t.x[0].tiles.k, KernelY: t.y[0].tiles.k,
		Statistic: r.Statistic, P: r.P, Weight: 1}}
	r.describeHSIC(p.s)
	t.noteAlike(r, p.s)
	return r, nil
}

// noteAlike warns of kernels that are nearly constant.
func (t *independence) noteAlike(r *Result, s *HSIC) {
	r.noteAlike("x", t.x[0].tiles.rows, t.x[0].tiles.dim, s.x.diag, s.x.diagMean)
	r.noteAlike("y", t.y[0].tiles.rows, t.y[0].tiles.dim, s.y.diag, s.y.diagMean)
}

// describeHSIC sets the statistics of the kernels that say most.
func (r *Result) describeHSIC(s *HSIC) {
	r.Biased, r.Unbiased, r.EffectSize = s.Biased(), math.NaN(), math.NaN()
	if u, err := s.Unbiased(); err == nil {
		r.Unbiased = u
	}
	if self := math.Sqrt(s.x.squares) * math.Sqrt(s.y.squares); self > 0 {
		r.EffectSize = min(1, max(0, s.cross/self)) // Cortes, Mohri and Rostamizadeh, 2012
	}
}

// What decides between a factor and the matrix. The product of two factors takes n r s
// multiplications a permutation, the matrices n²/2 numbers from all over memory.
const (
	probeRows    = 256  // rows of which the rank is tried first
	probeRank    = 100  // beyond which a factor is not tried
	gatherRows   = 7000 // beyond which two matrices take a gigabyte
	crossPerRow  = 2    // r s per row up to which the factors are faster
	pairsAtATime = 1 << 25
)

// prepare makes factors where they help.
func (t *independence) prepare(ctx context.Context) error {
	for _, s := range slices.Concat(t.x, t.y) {
		if t.n <= gatherRows && (t.n <= probeRows || s.probe() > probeRank) {
			continue
		}
		err := s.factorize(ctx, t.o.step("factor"))
		if ctx.Err() != nil || err != nil && t.n > gatherRows {
			return err
		}
	}
	return nil
}

// probe returns the rank of the Gram matrix of some rows, evenly spaced in sorted order.
func (s *side) probe() int {
	t := s.tiles
	order := sortedOrder(t.rows, t.dim)
	row := func(i int) []float64 { return t.row(order[i*t.n/probeRows]) }
	diag := make([]float64, probeRows)
	for i := range diag {
		diag[i] = t.k.At(row(i), row(i))
	}
	var c lowrank.Cholesky
	c.Factor(diag, factorTolerance*largest(diag), func(dst []float64, i int) {
		for j := range dst {
			dst[j] = t.k.At(row(i), row(j))
		}
	})
	return len(c.Pivots)
}

// factorize factors the Gram matrix with the rows in sorted order, since which pivots are taken may
// depend on the order, and a permutation test wants the matrix of exchanged rows to be the
// exchanged matrix.
func (s *side) factorize(ctx context.Context, progress func(done, total int)) error {
	if s.factor != nil {
		return nil
	}
	t := s.tiles
	f, err := newFactor(ctx, t.k, mat.NewDense(t.n, t.dim, sortRows(t.rows, t.dim)),
		factorTolerance, progress)
	if err != nil {
		return err
	}
	centred := make([]float64, len(f.centred))
	for to, i := range sortedOrder(t.rows, t.dim) {
		for k := range f.rank {
			centred[k*t.n+i] = f.centred[k*t.n+to]
		}
	}
	f.centred = centred
	s.factor, s.packed = f, permute.NewFactor(centred, t.n)
	return nil
}

// pair is what the permutations of one kernel of each variable need.
type pair struct {
	s    *HSIC
	k, l []float64 // both centred; nil if there are factors, or before they are asked for
	phi  *permute.Factor
	psi  *permute.Factor
	size float64 // bound of the sum of the sizes of the terms of a cross product
}

func (t *independence) pair(ctx context.Context, x, y *side) (*pair, error) {
	if t.only != nil {
		return t.only, nil
	}
	p := &pair{}
	if x.factor != nil && y.factor != nil &&
		(x.factor.rank*y.factor.rank <= crossPerRow*t.n || t.n > gatherRows) {
		s, err := NewHSICFactor(x.factor, y.factor)
		if err != nil {
			return nil, err
		}
		p.s, p.phi, p.psi = s, x.packed, y.packed
		p.size = total(s.x.diag) * total(s.y.diag)
	} else if err := p.matrices(ctx, x.tiles, y.tiles); err != nil {
		return nil, err
	}
	if t.pairs() == 1 {
		t.only = p
	}
	return p, nil
}

// matrices computes both Gram matrices.
func (p *pair) matrices(ctx context.Context, x, y *tiles) error {
	k, err := x.gram(ctx)
	if err != nil {
		return err
	}
	l, err := y.gram(ctx)
	if err != nil {
		return err
	}
	if p.s, err = NewHSIC(k, l); err != nil {
		return err
	}
	p.size = math.Sqrt(p.s.x.squares) * math.Sqrt(p.s.y.squares)
	return nil
}

// centre makes the centred matrices in the place of K and L, whose null distributions are then no
// longer to be had. One would do, but that the sum over L of what rounding leaves of the rows of K
// can be more than the statistic.
func (p *pair) centre() {
	if p.k == nil && p.phi == nil {
		p.k, p.l = p.s.x.gram.replace(), p.s.y.gram.replace()
	}
}

func (t *independence) permutation(ctx context.Context) (*Result, error) {
	var err error
	if t.d, err = permute.NewDesign(t.n, t.o.Seed, t.o.Blocks); err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	if err := t.prepare(ctx); err != nil {
		return nil, err
	}
	r, all, err := t.o.combined(ctx, arrangements{
		draw: t.draw, most: max(64, pairsAtATime/t.n), kernels: t.pairs(),
	})
	if err != nil {
		return nil, err
	}
	var candidates []Candidate
	for _, x := range t.x {
		for _, y := range t.y {
			candidates = append(candidates, Candidate{Kernel: x.tiles.k, KernelY: y.tiles.k})
		}
	}
	t.o.finish(r, all, candidates)
	p, err := t.pair(ctx, t.x[r.Best/len(t.y)], t.y[r.Best%len(t.y)])
	if err != nil {
		return nil, err
	}
	r.describeHSIC(p.s)
	t.noteAlike(r, p.s)
	ways := 0.0
	for _, size := range blockSizes(t.o.Blocks, 0, t.n) {
		ways += logFactorial(size)
	}
	if least := math.Exp(-ways); least > t.o.Alpha {
		r.note("With %d rows%s no p-value can be below %.2g.", t.n, t.o.inBlocks(), least)
	}
	return r, nil
}

// draw computes the statistics of a range of permutations.
func (t *independence) draw(ctx context.Context, first, count, all int) (*table, error) {
	perms, err := t.d.Perms(first, count)
	if err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	out := newTable(t.pairs())
	engine := permute.Best()
	for k := range out.values {
		p, err := t.pair(ctx, t.x[k/len(t.y)], t.y[k%len(t.y)])
		if err != nil {
			return nil, err
		}
		engine.Progress = t.o.within(first, count, all, k, t.pairs())
		cross := make([]float64, count)
		if p.phi != nil {
			err = engine.Cross(ctx, cross, perms, p.phi, p.psi)
		} else {
			p.centre()
			err = engine.Gather(ctx, [][]float64{cross}, perms, []permute.Rows{{Data: p.k}}, p.l)
		}
		if err != nil {
			return nil, fmt.Errorf("kerneltest: %w", err)
		}
		out.slack[k] = p.finish(cross, perms, t.o.Unbiased || t.pairs() > 1)
		out.values[k] = cross
		n := float64(t.n)
		out.norm[k] = math.Sqrt(p.s.x.squares) * math.Sqrt(p.s.y.squares) /
			math.Pow(n*(n-1), 1.5)
		if t.o.Combine == Fuse {
			out.norm[k] /= t.o.Sharpness
		} else {
			out.norm[k] *= math.Sqrt2
		}
	}
	return out, nil
}

// finish makes statistics of cross products, and returns the sum of the sizes of their terms.
func (p *pair) finish(cross []float64, perms *permute.Perms, isUnbiased bool) float64 {
	n := float64(p.s.n)
	if !isUnbiased {
		for b := range cross {
			cross[b] /= n * n
		}
		return p.size / (n * n)
	}
	dx, dy := p.s.x.diag, p.s.y.diag
	tx, ty := total(dx), total(dy)
	for b := range cross {
		both := 0.0
		for i, j := range perms.At(b) {
			both += dx[i] * dy[j]
		}
		cross[b] = (cross[b] - n/(n-2)*both + tx*ty/((n-1)*(n-2))) / (n * (n - 3))
	}
	return (p.size + n/(n-2)*tx*largest(dy) + tx*ty/((n-1)*(n-2))) / (n * (n - 3))
}
