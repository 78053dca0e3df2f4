package kerneltest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"bayeskernel/internal/permute"
	"bayeskernel/internal/rows"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// Independence tests whether two variables are independent: row i of x was observed together with
// row i of y. It learns a kernel for each variable, from its rows alone, and compares HSIC with
// that of rows of y exchanged at random. If the variables are independent, the probability of a
// p-value of at most alpha is then at most alpha, however few rows there are. With more than
// ExactPairs rows the kernels are replaced by approximations of low rank, and the same holds for
// these: see Result.TraceError. The rows must be independent of each other; where there are groups
// of rows that are not, see Options.Blocks: with them kernels are centred within the blocks, so that
// differences between blocks do not hide a dependence. A dependence that has opposite signs in
// different blocks cancels.
func Independence(ctx context.Context, x, y mat.Matrix, o Options) (*Result, error) {
	for _, a := range []struct {
		name string
		of   mat.Matrix
	}{{"x", x}, {"y", y}} {
		if rows.Nil(a.of) {
			return nil, fmt.Errorf("kerneltest: %s is nil, want a matrix", a.name)
		}
	}
	nx, ny := rowsOf(x), rowsOf(y)
	if nx > 0 && ny > 0 {
		if err := checkPairs(nx, ny); err != nil {
			return nil, err
		}
		if err := o.checkIndependence(nx); err != nil {
			return nil, err
		}
	}
	if o.KernelY.isZero() {
		o.KernelY = o.Kernel
	}
	vx, vy, err := o.variables(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return IndependenceOf(ctx, vx, vy, o)
}

// variables learns the kernels of both at once.
func (o Options) variables(ctx context.Context, x, y mat.Matrix) (vx, vy *Variable, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if tell := o.Progress; tell != nil {
		var mu sync.Mutex
		learned := 0
		o.Progress = func(step string, done, total int) {
			mu.Lock()
			defer mu.Unlock()
			if done == total {
				learned++
			}
			tell(step, learned, 2)
		}
	}
	var wg sync.WaitGroup
	var errY error
	wg.Go(func() { vy, errY = NewVariable(ctx, "y", y, o.KernelY, o) })
	vx, err = NewVariable(ctx, "x", x, o.Kernel, o)
	if err != nil {
		cancel()
	}
	wg.Wait()
	if err != nil {
		return nil, nil, err
	}
	return vx, vy, errY
}

// rowsOf is the number of rows.
func rowsOf(a mat.Matrix) int {
	n, _ := a.Dims()
	return n
}

// checkIndependence says what is wrong with the options before anything is learned.
func (o Options) checkIndependence(n int) error {
	if _, err := o.Complete(n); err != nil {
		return err
	}
	if o.WeightsX != nil || o.WeightsY != nil || o.SampleWeights != nil {
		return fmt.Errorf("kerneltest: there are weights of rows with a test of independence, want " +
			"them with samples only")
	}
	return checkPairBlocks(o.Blocks)
}

// IndependenceOf is Independence for variables whose kernels were chosen before. It does not look
// at Kernel, KernelY and Standardize. The result is the same as that of Independence, to the last
// bit.
func IndependenceOf(ctx context.Context, x, y *Variable, o Options) (*Result, error) {
	if err := checkPairs(x.n, y.n); err != nil {
		return nil, err
	}
	if err := o.checkIndependence(x.n); err != nil {
		return nil, err
	}
	o, _ = o.Complete(x.n)
	t := &independence{n: x.n, o: o, x: x.sides, y: y.sides}
	if o.Blocks != nil {
		for _, v := range []*Variable{x, y} {
			if rows.Fixed(o.Blocks, v.rows, v.dim) {
				return nil, fmt.Errorf("kerneltest: %s is the same in all rows of a block, in every block, so that "+
					"exchanging rows changes nothing: want blocks in which it varies", v.name)
			}
		}
		t.x, t.y = within(t.x, o.Blocks), within(t.y, o.Blocks)
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	t.parts = wideParts(x, y, o)
	r, err := t.run(ctx)
	if err != nil {
		return nil, err
	}
	r.RowsX, r.RowsY, r.Kernel, r.KernelY = t.n, t.n, x.Kernel, y.Kernel
	if twoValued(x.rows, x.dim) && twoValued(y.rows, y.dim) {
		r.Notes = append(r.Notes, "Both variables have 2 distinct values: "+o.testOfCounts()+".")
	} else {
		r.Notes = slices.Concat(x.Kernel.Notes, y.Kernel.Notes, r.Notes)
	}
	r.Decide()
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
	n        int
	o        Options
	x, y     []*side
	parts    []widePart // of rule Broad; nil for others
	d        *permute.Design
	observed []float64 // sums over the products of two centred matrices, for each pair of kernels
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

func (t *independence) run(ctx context.Context) (*Result, error) {
	if t.o.permutes() {
		return t.permutation(ctx)
	}
	return t.asymptotic(ctx)
}

// asymptotic compares with the null that was asked for.
func (t *independence) asymptotic(ctx context.Context) (*Result, error) {
	s, factors, err := t.statistic(ctx, t.x[0], t.y[0])
	if err != nil {
		return nil, err
	}
	tail, err := s.Tail(t.o.Null)
	if err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	r := &Result{Null: t.o.Null, Alpha: t.o.Alpha, P: tail.P, Tail: &tail, Statistic: s.Biased()}
	r.Candidates = []Candidate{{Kernel: t.x[0].tiles.k, KernelY: t.y[0].tiles.k,
		Statistic: r.Statistic, P: r.P, Weight: 1}}
	r.describeHSIC(s)
	t.noteAlike(r, s)
	r.noteFew(t.n, "", t.x[0].tiles, t.y[0].tiles)
	for _, f := range factors {
		r.noteRank(approximationBy(f), "Its kernel")
	}
	return r, nil
}

// statistic makes an HSIC of Gram matrices, or of factors where there are many rows.
func (t *independence) statistic(ctx context.Context, x, y *side) (h *statistic.HSIC,
	factors [2]*statistic.Factor, err error) {
	if t.n <= x.of.limits.dense {
		k, err := x.tiles.gram(ctx)
		if err != nil {
			return nil, factors, err
		}
		l, err := y.tiles.gram(ctx)
		if err != nil {
			return nil, factors, err
		}
		if h, err = statistic.NewHSIC(k, l); err != nil {
			return nil, factors, fmt.Errorf("kerneltest: %w", err)
		}
		return h, factors, nil
	}
	for i, s := range []*side{x, y} {
		f, err := s.lowRank(ctx, t.o.step("factor"))
		if err == nil && f == nil {
			f, err = s.of.factor(ctx, slices.Index(s.of.sides, s))
		}
		if err != nil {
			return nil, factors, err
		}
		factors[i] = f
	}
	if h, err = statistic.NewHSICFactor(factors[0], factors[1]); err != nil {
		return nil, factors, fmt.Errorf("kerneltest: %w", err)
	}
	return h, factors, nil
}

// noteAlike warns of kernels that are nearly constant.
func (t *independence) noteAlike(r *Result, s *statistic.HSIC) {
	x, y := t.x[0], t.y[0]
	ofX, ofY := s.Variation()
	r.noteAlike(x.of.name, x.tiles.rows, x.tiles.dim, ofX)
	r.noteAlike(y.of.name, y.tiles.rows, y.tiles.dim, ofY)
}

// describeHSIC sets the statistics of the kernels with the largest statistic.
func (r *Result) describeHSIC(s *statistic.HSIC) {
	r.Biased, r.Unbiased, r.Ratio = s.Biased(), math.NaN(), math.NaN()
	if u, err := s.Unbiased(); err == nil {
		r.Unbiased = u
	}
	if e, err := s.Normalized(); err == nil {
		r.Ratio = e
	}
}

func (t *independence) permutation(ctx context.Context) (*Result, error) {
	var err error
	if t.d, err = permute.NewDesign(t.n, t.o.Seed, t.o.Blocks); err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	r, err := t.permuted(ctx)
	if err != nil {
		return nil, err
	}
	ways := 0.0
	for _, size := range blockSizes(t.o.Blocks, 0, t.n) {
		ways += logFactorial(size)
	}
	if least := r.raise(math.Exp(-ways)); least > t.o.Alpha {
		r.note("With %d rows%s no p-value can be below %.2g.", t.n, t.o.inBlocks(), least)
	}
	return r, nil
}

// permuted makes the test, and describes what it found.
func (t *independence) permuted(ctx context.Context) (*Result, error) {
	if t.parts != nil {
		return t.broad(ctx)
	}
	for _, s := range slices.Concat(t.x, t.y) {
		if _, err := s.lowRank(ctx, t.o.step("factor")); err != nil {
			return nil, err
		}
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
	s, err := t.best(ctx, r.Best)
	if err != nil {
		return nil, err
	}
	r.describeHSIC(s)
	if t.o.Blocks != nil {
		r.Unbiased = all.values[r.Best][0]
	}
	t.noteAlike(r, s)
	for _, side := range slices.Concat(t.x, t.y) {
		r.noteRank(approximationBy(side.low), "A kernel of "+side.of.name)
	}
	return r, nil
}

// best is the HSIC of a pair of kernels, from what is known of each and of both.
func (t *independence) best(ctx context.Context, pair int) (*statistic.HSIC, error) {
	x, y := t.x[pair/len(t.y)], t.y[pair%len(t.y)]
	ofX, ofY := x.ofLow, y.ofLow
	if !t.crosses(x, y) {
		var err error
		if _, ofX, err = x.upper(ctx); err != nil {
			return nil, err
		}
		if _, ofY, err = y.upper(ctx); err != nil {
			return nil, err
		}
	}
	s, err := statistic.NewHSICMargins(ofX, ofY, t.observed[pair])
	if err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	return s, nil
}

func checkPairs(nx, ny int) error {
	if nx != ny {
		return fmt.Errorf("kerneltest: the variables have %d and %d rows, want as many of each",
			nx, ny)
	}
	if nx < 2 {
		return fmt.Errorf("kerneltest: the variables have %d row, want at least 2", nx)
	}
	return nil
}

// What decides between a factor and the matrix. The product of two factors takes n r s
// multiplications a permutation, the matrices n²/2 numbers from all over memory, for up to three
// kernels at once.
const (
	crossPerRow  = 2 // the largest r s per row with which factors are faster
	pairsAtATime = 1 << 24
)

// crosses reports whether a pair of kernels goes by its factors.
func (t *independence) crosses(x, y *side) bool {
	return x.low != nil && y.low != nil &&
		(t.n > x.of.limits.exact || x.base != nil && !(x.kept() && y.kept()) || x.low.Rank()*y.low.Rank() <= crossPerRow*t.n)
}
