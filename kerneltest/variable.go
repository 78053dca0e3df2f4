package kerneltest

import (
	"context"
	"fmt"
	"math"
	"sync"

	"bayeskernel/internal/permute"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// Variable is one variable of tests of independence: its rows, the kernels that were chosen for it,
// and their Gram matrices or factors, computed once for any number of tests. It may be used by
// several goroutines at once.
type Variable struct {
	// Kernel is what the rows gave. It must not be changed.
	Kernel *Chosen

	name   string
	n, dim int
	rows   []float64 // in the units of the kernels
	sides  []*side
	limits limits
	wide   map[View][]*side // of rule Broad; nil for others
}

// NewVariable chooses kernels for the rows of x. Messages call the variable name. Of the options it
// looks at Standardize, Seed and Progress, and at whether Null wants one kernel.
func NewVariable(ctx context.Context, name string, x mat.Matrix, c Choice, o Options) (*Variable,
	error) {
	data, n, dim, err := finiteRows(name, x)
	if err != nil {
		return nil, err
	}
	if n < 2 {
		return nil, fmt.Errorf("kerneltest: %s has 1 row, want at least 2", name)
	}
	if c.Bandwidths == 0 {
		c.Bandwidths = defaultPairBandwidths
	}
	if !o.permutes() || n < 4 {
		c = c.single()
	}
	wide := o.Combine == Largest && (c.broad() || c.Rule == Default && len(c.Categories) == 0 && c.Rungs == nil &&
		len(c.Kernels) == 0)
	if (wide || c.Rule == Broad) && c.made == nil {
		c.Rule = Ladder // with rungs, categories or a combination of kernels it is all there is
	}
	if c = c.resolve(Ladder); c.Rule == Bayes {
		return nil, fmt.Errorf("kerneltest: rule of %s is bayes, want another: it is for two samples", name)
	}
	if c.Rungs == nil {
		c.Rungs = defaultPairRungs()
	}
	v := &Variable{name: name, n: n, dim: dim,
		limits: limits{denseRows, ExactPairs, keptBytes, pairRank(n)}}
	if v.Kernel, v.rows, err = c.choose(ctx, data, dim, o, name); err != nil {
		return nil, err
	}
	for _, k := range v.Kernel.Kernels {
		v.sides = append(v.sides, &side{tiles: newTiles(k, v.rows, dim), of: v})
	}
	if wide && (v.Kernel.Rule == Ladder || c.made != nil) {
		v.widen()
	}
	return v, nil
}

// factor returns the factor of the Gram matrix of kernel number k, of rank at most
// statistic.MaxRank where there are more than twice as many rows: see its TraceError.
func (v *Variable) factor(ctx context.Context, k int) (*statistic.Factor, error) {
	if k < 0 || k >= len(v.sides) {
		return nil, fmt.Errorf("kerneltest: kernel number %d of %s, want 0 to %d", k, v.name,
			len(v.sides)-1)
	}
	s := v.sides[k]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.whole == nil {
		f, err := s.tiles.sortedFactor(ctx, factorTolerance, statistic.RankLimit(v.n), nil)
		if err != nil {
			return nil, err
		}
		s.whole = f
	}
	return s.whole, nil
}

// side is a variable with one of its kernels.
type side struct {
	of    *Variable
	tiles *tiles
	// blocks, if not nil, are those within which rows are exchanged, and the kernel is centred: see
	// within. Base is the side without them.
	blocks []int
	base   *side
	ridge  float64 // of a kernel that is shrunk, 0 for others
	limit  int     // of the rank of a factor; 0: that of the variable

	mu      sync.Mutex
	probed  bool
	low     *statistic.Factor // that tests use, nil where the rank is not low
	packed  *permute.Factor   // the same
	ofLow   statistic.Margin
	matrix  []float64 // centred, n x n; nil if there is no room to keep it
	centre  *centre   // nil before it is asked for
	ofWhole statistic.Margin
	whole   *statistic.Factor // that Variable.Factor returned
}

// centre is what is taken from the elements of a Gram matrix to centre it.
type centre struct {
	row   []float64 // means of the rows
	grand float64
}

const (
	// Up to ExactPairs rows, tests of independence have the exact kernel.
	ExactPairs = 7000
	// mostPairWork bounds n r² for the rank r of approximations in tests of independence, so that
	// a thousand permutations of nine pairs of kernels take a minute or so, whatever n.
	mostPairWork = 5e8
)

// What is known of the rank before a factor is made for a test of independence.
const (
	probeRows = 256 // the rank of so many rows is tried first
	probeRank = 100 // beyond which the rank of all rows is not low
)

// pairRank is the rank of approximations in tests of independence of n rows.
func pairRank(n int) int {
	return max(8, min(statistic.MaxRank, int(math.Sqrt(mostPairWork/float64(n)))))
}

// lowRank returns the factor with which tests replace the Gram matrix, nil where they do not: of
// all kernels beyond ExactPairs rows, otherwise where it is no approximation.
func (s *side) lowRank(ctx context.Context, progress func(done, total int)) (*statistic.Factor,
	error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.probed {
		return s.low, nil
	}
	if s.base != nil {
		return s.lowWithin(ctx, progress)
	}
	if s.limit > 0 || s.ridge > 0 {
		return s.lowFew(ctx, progress)
	}
	n, limit := s.tiles.n, 0
	approximate := n > s.of.limits.exact
	if approximate {
		limit = s.of.limits.rank
	} else if n > probeRows && s.tiles.rankOf(probeRows, probeRank+1) <= probeRank {
		limit = min(n, statistic.MaxRank)
	}
	if limit > 0 {
		f, err := s.tiles.sortedFactor(ctx, factorTolerance, limit, progress)
		if err != nil && (ctx.Err() != nil || approximate) {
			return nil, err
		}
		if err == nil && (approximate || f.Rank() < limit) {
			s.low, s.packed, s.ofLow = f, permute.NewFactor(f.Columns(), n), f.Margin()
		}
	}
	s.probed = true
	return s.low, nil
}

// kept reports whether there is room to keep the Gram matrix.
func (s *side) kept() bool {
	n := s.tiles.n
	return len(s.of.sides)*n*n*8 <= s.of.limits.kept
}

// gram returns the centred Gram matrix and its properties.
func (s *side) gram(ctx context.Context) ([]float64, statistic.Margin, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.matrix != nil {
		return s.matrix, s.ofWhole, nil
	}
	g, err := s.tiles.gram(ctx)
	if err != nil {
		return nil, statistic.Margin{}, err
	}
	if s.ridge > 0 && s.base == nil && !shrink(g.RawSymmetric().Data, s.tiles.n, s.ridge) {
		return nil, statistic.Margin{}, fmt.Errorf("kerneltest: the Gram matrix of %s is not positive semidefinite",
			s.of.name)
	}
	if s.base != nil {
		return s.gramWithin(g.RawSymmetric().Data)
	}
	c, err := statistic.NewCentred("gram of "+s.of.name, g)
	if err != nil {
		return nil, statistic.Margin{}, fmt.Errorf("kerneltest: %w", err)
	}
	if s.centre == nil {
		row, grand := c.Means()
		s.centre, s.ofWhole = &centre{row, grand}, c.Margin()
	}
	data := c.Replace()
	if s.kept() {
		s.matrix = data
	}
	return data, s.ofWhole, nil
}

// upper returns the centred Gram matrix for sums over its elements on and above the diagonal: some
// rows at a time where it is not kept.
func (s *side) upper(ctx context.Context) (permute.Rows, statistic.Margin, error) {
	n := s.tiles.n
	if s.kept() || s.base != nil {
		data, m, err := s.gram(ctx)
		return permute.Rows{Data: data}, m, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.centre == nil {
		if err := s.measure(ctx); err != nil {
			return permute.Rows{}, statistic.Margin{}, err
		}
	}
	c := s.centre
	return permute.Rows{Fill: func(dst []float64, i0, i1 int) {
		for i := i0; i < i1; i++ {
			row := dst[(i-i0)*n+i : (i-i0+1)*n]
			s.tiles.fill(row, i, i+1, i, n)
			c.subtract(row, i, i)
		}
	}}, s.ofWhole, nil
}

// subtract centres elements of row i, from column j0 on.
func (c *centre) subtract(elements []float64, i, j0 int) {
	ri := c.row[i]
	for j, rj := range c.row[j0 : j0+len(elements)] {
		elements[j] = (elements[j] - (ri + rj)) + c.grand
	}
}

// measure sets centre and ofWhole without a matrix.
func (s *side) measure(ctx context.Context) error {
	t := s.tiles
	sums, err := t.rowSums(ctx, t.n, nil, nil)
	if err != nil {
		return err
	}
	n := float64(t.n)
	c := &centre{row: sums.toX}
	diag := t.diagonal()
	m := statistic.Margin{Diagonal: diag, DiagMean: total(diag) / n}
	for i := range c.row {
		c.row[i] = (c.row[i] + diag[i]) / n
		c.grand += c.row[i] / n
	}
	m.OffMean = (n*c.grand - m.DiagMean) / (n - 1)
	squares := make([]float64, t.n)
	err = inParallel(ctx, (t.n+band-1)/band, nil, func(part int) {
		row := make([]float64, t.n)
		for i := part * band; i < min((part+1)*band, t.n); i++ {
			e := row[:t.n-i]
			t.fill(e, i, i+1, i, t.n)
			c.subtract(e, i, i)
			squares[i] = e[0] * e[0]
			for _, v := range e[1:] {
				squares[i] += 2 * v * v
			}
		}
	})
	if err != nil {
		return err
	}
	for i := range diag {
		diag[i] = (diag[i] - 2*c.row[i]) + c.grand
	}
	m.Squares = total(squares)
	s.centre, s.ofWhole = c, m
	return nil
}
