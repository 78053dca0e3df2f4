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

// pairs is the model for rows that belong together: under H0 each pair may be exchanged, so that
// the signs of the contrasts phi(x_i) - phi(y_i) are tosses of a coin.
type pairs struct {
	n, dim int
	x, y   []float64 // sorted as rows of both
	order  []int
	unit   float64
	most   int
}

func newPairs(x, y mat.Matrix) (*pairs, error) {
	xs, m, dim, err := finiteRows("x", x)
	if err != nil {
		return nil, err
	}
	ys, n, ydim, err := finiteRows("y", y)
	if err != nil {
		return nil, err
	}
	if m != n || dim != ydim {
		return nil, fmt.Errorf("bayesfactor: pairs have %d rows of %d columns and %d of %d, want as "+
			"many in y as in x", m, dim, n, ydim)
	}
	if n < 2 {
		return nil, fmt.Errorf("bayesfactor: there is %d pair, want at least 2", n)
	}
	all := append(append([]float64(nil), xs...), ys...)
	unit := rows.PooledSD(rows.SDs(all, dim)) * math.Sqrt(float64(dim))
	if !(unit > 0) || math.IsInf(unit, 1) {
		return nil, fmt.Errorf("bayesfactor: the pooled standard deviation of the rows is %v, want a "+
			"positive number: rows that are not all equal", unit/math.Sqrt(float64(dim)))
	}
	p := &pairs{n: n, dim: dim, unit: unit, most: mostRank(n)}
	if n <= wholeRows {
		p.most = n // signs serve a factor of any rank
	}
	// The order of the pairs does not know which of the two is x.
	both := make([]float64, 0, 2*n*dim)
	for i := range n {
		a, b := xs[i*dim:(i+1)*dim], ys[i*dim:(i+1)*dim]
		if rows.Order(append(append([]float64(nil), a...), b...), dim)[0] == 1 {
			a, b = b, a
		}
		both = append(append(both, a...), b...)
	}
	p.order = rows.Order(both, 2*dim)
	p.x, p.y = rows.Pick(xs, dim, p.order), rows.Pick(ys, dim, p.order)
	return p, nil
}

// variance is that of the effect of a pair per s².
func (p *pairs) variance() float64 { return 1.0 / 16 }

// at factors L_ij = k(x_i,x_j) + k(y_i,y_j) - k(x_i,y_j) - k(y_i,x_j).
func (p *pairs) at(ctx context.Context, theta float64) (*features, error) {
	k := kernels.SquaredExponential(theta)
	path, n, dim := fused.Best(), p.n, p.dim
	diag, other := make([]float64, n), make([]float64, n)
	for i := range diag {
		diag[i] = 2 - 2*k.At(p.x[i*dim:(i+1)*dim], p.y[i*dim:(i+1)*dim])
	}
	factor := lowrank.Cholesky{Limit: max(1, p.most)}
	if err := factor.FactorContext(ctx, diag, tolerance(n), func(dst []float64, i int) {
		clear(dst)
		for _, t := range []struct {
			row, of []float64
			sign    float64
		}{{p.x, p.x, 1}, {p.y, p.y, 1}, {p.x, p.y, -1}, {p.y, p.x, -1}} {
			kernels.Fill(other, k, path, t.row[i*dim:(i+1)*dim], t.of, dim)
			for j, v := range other {
				dst[j] += t.sign * v
			}
		}
	}); err != nil {
		return nil, fmt.Errorf("bayesfactor: %w", err)
	}
	f := &features{columns: make([]float64, len(factor.Columns()))}
	if len(factor.Pivots) >= factor.Limit && factor.Limit < n {
		f.traceError = factor.TraceError(diag)
	}
	for k := range factor.Pivots {
		for to, v := range factor.Columns()[k*n : (k+1)*n] {
			f.columns[k*n+p.order[to]] = v
		}
	}
	f.node = nodeOf(f.columns, n)
	return f, nil
}

// arrange draws signs: which row of each pair counts as x.
func (p *pairs) arrange(_ context.Context, d *permute.Design, first, count int) (*arrangements,
	error) {
	signs, err := d.Signs(p.n, first, count)
	if err != nil {
		return nil, fmt.Errorf("bayesfactor: %w", err)
	}
	return &arrangements{signs: signs}, nil
}

// project returns Q'F' times the signs.
func (p *pairs) project(_ context.Context, f *features, a *arrangements) (z, square []float64,
	err error) {
	count := a.signs.Count()
	z = make([]float64, f.rank*count)
	row := make([]float64, count)
	for i := range p.n {
		for b := range row {
			row[b] = -1
			if a.signs.First(b, i) {
				row[b] = 1
			}
		}
		for k := range f.rank {
			v := f.columns[k*p.n+i]
			for b, s := range row {
				z[k*count+b] += v * s
			}
		}
	}
	f.rotate(z, count)
	return z, nil, nil
}

// design exchanges row i of x with row i of y.
func (p *pairs) design(seed uint64) (*permute.Design, error) {
	blocks := make([]int, 2*p.n)
	for i := range p.n {
		blocks[i], blocks[p.n+i] = i, i
	}
	d, err := permute.NewDesign(2*p.n, seed, blocks)
	if err != nil {
		return nil, fmt.Errorf("bayesfactor: %w", err)
	}
	return d, nil
}

// Paired is Density for rows that belong together, row i of x to row i of y: before and after, left
// and right. Under H0 the two may be exchanged. For samples that are independent of each other the
// pairing is arbitrary and the answer depends on it: use Density.
func Paired(ctx context.Context, x, y mat.Matrix, o Options) (*Result, error) {
	p, err := newPairs(x, y)
	if err != nil {
		return nil, err
	}
	switch {
	case o.WeightsX != nil || o.WeightsY != nil || o.Blocks != nil:
		return nil, fmt.Errorf("bayesfactor: pairs come with weights or blocks, want neither")
	case o.Points != nil:
		return nil, fmt.Errorf("bayesfactor: pairs come with points, want none")
	}
	if o, err = o.complete(2 * p.n); err != nil {
		return nil, err
	}
	d, err := p.design(o.Seed)
	if err != nil {
		return nil, err
	}
	r, _, err := run(ctx, p, d, p.unit, o)
	if err != nil {
		return nil, err
	}
	r.RowsX, r.RowsY = p.n, p.n
	r.warnEdges()
	return r, nil
}
