package bayesfactor

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/permute"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// contrast is the model `density`: the difference of the empirical distributions of two samples,
// row by row, whose covariance is known under H0 and under H1.
type contrast struct {
	x, y   int       // rows of the samples
	dim    int       // columns
	sorted []float64 // all rows, in an order that knows no labels
	order  []int     // row k of sorted is row order[k] of x above y
	mass   []float64 // of the rows of x above y: weights whose sum is the effective size; nil for ones
	size   float64   // the effective number of rows
	kappa  float64   // (1/n_P + 1/n_Q)/(N-1)
	unit   float64   // of lengthscales: the pooled standard deviation times sqrt(D)
	most   int       // the largest rank, where the matrix is not held
}

// newContrast reads the samples. Weights may be nil.
func newContrast(x, y mat.Matrix, wx, wy []float64) (*contrast, error) {
	xs, m, dim, err := finiteRows("x", x)
	if err != nil {
		return nil, err
	}
	ys, n, ydim, err := finiteRows("y", y)
	if err != nil {
		return nil, err
	}
	switch {
	case dim != ydim:
		return nil, fmt.Errorf("bayesfactor: y has width %d, want %d as x", ydim, dim)
	case m < 2 || n < 2:
		return nil, fmt.Errorf("bayesfactor: samples have %d and %d rows, want at least 2 in each",
			m, n)
	}
	all := append(xs, ys...)
	unit := rows.PooledSD(rows.SDs(all, dim)) * math.Sqrt(float64(dim))
	if !(unit > 0) || math.IsInf(unit, 1) {
		return nil, fmt.Errorf("bayesfactor: the pooled standard deviation of the rows is %v, want a "+
			"positive number: rows that are not all equal", unit/math.Sqrt(float64(dim)))
	}
	c := &contrast{x: m, y: n, dim: dim, sorted: rows.Sort(all, dim), order: rows.Order(all, dim),
		unit: unit, size: float64(m + n)}
	if err := c.weigh(wx, wy); err != nil {
		return nil, err
	}
	share := float64(m) / float64(m+n)
	c.kappa = (1/share + 1/(1-share)) / c.size / (c.size - 1)
	c.most = mostRank(m + n)
	return c, nil
}

// weigh sets the masses: the weights times N_e/sum a, with the effective size
// N_e = (sum a)²/sum a², so that equal weights are none.
func (c *contrast) weigh(wx, wy []float64) error {
	if wx == nil && wy == nil {
		return nil
	}
	sum, squares := 0.0, 0.0
	for _, s := range []struct {
		name    string
		weights []float64
		rows    int
	}{{"x", wx, c.x}, {"y", wy, c.y}} {
		if s.weights == nil {
			s.weights = ones(s.rows)
		}
		if len(s.weights) != s.rows {
			return fmt.Errorf("bayesfactor: there are %d weights of the rows of %s, want %d",
				len(s.weights), s.name, s.rows)
		}
		for i, w := range s.weights {
			if !(w >= 1/mostWeight && w <= mostWeight) {
				return fmt.Errorf("bayesfactor: weight of row %d of %s is %v, want a number from %v "+
					"to %v", i+1, s.name, w, 1/mostWeight, mostWeight)
			}
			sum += w
			squares += w * w
		}
		c.mass = append(c.mass, s.weights...)
	}
	c.size = sum / squares * sum
	if c.size < 2 {
		return fmt.Errorf("bayesfactor: weights leave %.3g rows, want at least 2", c.size)
	}
	for i := range c.mass {
		c.mass[i] *= c.size / sum
	}
	return nil
}

// mostWeight is the largest weight of a row, so that no sum of squares overflows.
const mostWeight = 1e50

const (
	// Up to wholeRows rows, a Gram matrix without a factor of low rank is held whole.
	wholeRows = 2048
	// factorBytes is the memory of one factor, and mostFactor its largest rank.
	factorBytes = 240e6
	mostFactor  = 400
)

// mostRank is the largest useful rank of a factor. A larger one is cut, or not used.
func mostRank(n int) int {
	if n <= wholeRows {
		return n / 2
	}
	return max(8, min(mostFactor, factorBytes/8/n))
}

// variance is that of h per s² in units of the noise, 1/(N² kappa0).
func (c *contrast) variance() float64 { return 1 / (c.size * c.size * c.kappa) }

// rank is the dimension of the space of contrasts.
func (c *contrast) freedom() float64 { return float64(c.x + c.y - 1) }

// features is a kernel at one lengthscale: a node, and the centred features, nil where it is whole.
type features struct {
	*node
	columns    []float64 // feature k of row i of x above y at [k*n+i]
	centre     []float64 // what was taken from each feature
	traceError float64   // the share of the trace that a cut rank leaves out
}

// at factors the kernel at one lengthscale.
func (c *contrast) at(ctx context.Context, theta float64) (*features, error) {
	n := c.x + c.y
	k := kernels.SquaredExponential(theta)
	diag := ones(n)
	path := fused.Best()
	factor := lowrank.Cholesky{Limit: max(1, c.most)}
	if err := factor.FactorContext(ctx, diag, tolerance(n), func(dst []float64, i int) {
		kernels.Fill(dst, k, path, c.sorted[i*c.dim:(i+1)*c.dim], c.sorted, c.dim)
	}); err != nil {
		return nil, fmt.Errorf("bayesfactor: %w", err)
	}
	cut := len(factor.Pivots) >= factor.Limit && factor.Limit < n
	if cut && n <= wholeRows {
		return c.held(k, path), nil
	}
	f := &features{columns: make([]float64, len(factor.Columns()))}
	if cut {
		f.traceError = factor.TraceError(diag)
	}
	for k := range factor.Pivots {
		column := f.columns[k*n : (k+1)*n]
		for to, v := range factor.Columns()[k*n : (k+1)*n] {
			column[c.order[to]] = v
		}
		f.centre = append(f.centre, c.removeMean(column))
	}
	f.node = nodeOf(c.scaled(f.columns, 0.5), n)
	return f, nil
}

// tolerance is the error of a diagonal element of the kernel that a factor may have. The trace of
// what is left out is at most n times that, and log BF at s = 1 changes by at most an eighth of it,
// or so: by 1e-10 up to 200 rows, and then by 1e-9 n.
func tolerance(n int) float64 {
	if n <= fewRows {
		return 1e-9 / float64(n)
	}
	return 1e-8
}

// removeMean subtracts the mean, weighted by the masses.
func (c *contrast) removeMean(column []float64) float64 {
	mean := 0.0
	for range 2 { // the second time for what rounding left
		s := 0.0
		for i, v := range column {
			s += v * c.massOf(i)
		}
		s /= c.size
		for i := range column {
			column[i] -= s
		}
		mean += s
	}
	return mean
}

func (c *contrast) massOf(i int) float64 {
	if c.mass == nil {
		return 1
	}
	return c.mass[i]
}

// scaled is the columns with each row times a power of its mass.
func (c *contrast) scaled(columns []float64, power float64) []float64 {
	if c.mass == nil {
		return columns
	}
	n := c.x + c.y
	out := make([]float64, len(columns))
	for i, m := range c.mass {
		scale := math.Pow(m, power)
		for at := i; at < len(out); at += n {
			out[at] = scale * columns[at]
		}
	}
	return out
}

// held makes a node of the whole centred matrix.
func (c *contrast) held(k kernels.Kernel, path kernels.Path) *features {
	n := c.x + c.y
	raw := make([]float64, n*n)
	kernels.Fill(raw, k, path, c.sorted, c.sorted, c.dim)
	means, grand := make([]float64, n), 0.0
	for i := range n {
		for j, v := range raw[i*n : (i+1)*n] {
			means[i] += v * c.massOf(c.order[j]) / c.size
		}
		grand += means[i] * c.massOf(c.order[i]) / c.size
	}
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			p, q := c.order[i], c.order[j]
			v := raw[i*n+j] - means[i] - means[j] + grand
			v *= math.Sqrt(c.massOf(p) * c.massOf(q))
			a[max(p, q)*n+min(p, q)] = v
		}
	}
	return &features{node: newNode(a, n, true)}
}

// arrangements are divisions of the rows into two samples, number 0 as they are.
type arrangements struct {
	signs *permute.Signs
	// toX and toY are 1/sum of the masses over the samples times the root of kappa0⁻¹, for each.
	toX, toY []float64
}

// arrange draws arrangements first to first+count-1.
func (c *contrast) arrange(ctx context.Context, d *permute.Design, first, count int) (*arrangements,
	error) {
	signs, err := d.Signs(c.x, first, count)
	if err != nil {
		return nil, fmt.Errorf("bayesfactor: %w", err)
	}
	a := &arrangements{signs: signs, toX: make([]float64, count), toY: make([]float64, count)}
	if c.mass == nil {
		fill(a.toX, float64(c.x))
	} else if err := permute.Best().ColumnSums(ctx, a.toX, signs, c.mass); err != nil {
		return nil, fmt.Errorf("bayesfactor: %w", err)
	}
	root := math.Sqrt(c.kappa)
	for b, x := range a.toX {
		a.toX[b], a.toY[b] = 1/(x*root), 1/((c.size-x)*root)
	}
	return a, nil
}

// project returns the rotated contrasts of arrangements from to to-1, an arrangement a column, and
// their squared lengths where the node is whole.
func (c *contrast) project(ctx context.Context, f *features, a *arrangements) (z, square []float64,
	err error) {
	count, n := a.signs.Count(), c.x+c.y
	z, square = make([]float64, f.rank*count), make([]float64, count)
	if f.whole {
		for i := range n {
			root := math.Sqrt(c.massOf(i))
			for b := range count {
				v := -root * a.toY[b]
				if a.signs.First(b, i) {
					v = root * a.toX[b]
				}
				z[i*count+b] = v
				square[b] += v * v
			}
		}
	} else {
		sums := make([]float64, len(z))
		engine := permute.Best()
		engine.Parallel = 1
		if err := engine.ColumnSums(ctx, sums, a.signs, c.scaled(f.columns, 1)); err != nil {
			return nil, nil, fmt.Errorf("bayesfactor: %w", err)
		}
		for b := range count {
			for k, v := range sums[b*f.rank : (b+1)*f.rank] {
				z[k*count+b] = v * (a.toX[b] + a.toY[b]) // the columns sum to 0
			}
		}
	}
	f.rotate(z, count)
	return z, square, nil
}

// finiteRows copies a, row by row, and names the first element that is not a finite number.
func finiteRows(name string, a mat.Matrix) (data []float64, n, dim int, err error) {
	if data, n, dim, err = rows.Finite(name, a); err != nil {
		return nil, 0, 0, fmt.Errorf("bayesfactor: %w", err)
	}
	return data, n, dim, nil
}

func ones(n int) []float64 {
	out := make([]float64, n)
	fill(out, 1)
	return out
}

func fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}
