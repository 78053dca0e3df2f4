package kerneltest

import (
	"context"
	"fmt"
	"slices"

	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/rows"
	"bayeskernel/kerneltest/statistic"
)

// factorTolerance is the largest error of a kernel value in a factor that replaces the exact
// kernel.
const factorTolerance = 1e-10

// factor factors the Gram matrix up to a rank, until the context is done. Progress, if not nil, is
// told the rank so far.
func (t *tiles) factor(ctx context.Context, tol float64, limit int,
	progress func(done, total int)) (*statistic.Factor, error) {
	diag := t.diagonal()
	rank := 0
	f, err := statistic.FactorColumns(ctx, diag, tol, limit, func(dst []float64, i int) {
		t.fill(dst, i, i+1, 0, t.n)
		if rank++; progress != nil {
			progress(rank, limit)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	return f, nil
}

// sortedFactor is factor with the rows in sorted order. The pivots may depend on the order, and a
// permutation test wants the matrix of exchanged rows to be the exchanged matrix.
func (t *tiles) sortedFactor(ctx context.Context, tol float64, limit int,
	progress func(done, total int)) (*statistic.Factor, error) {
	order := rows.Order(t.rows, t.dim)
	sorted := newTiles(t.k, rows.Sort(t.rows, t.dim), t.dim)
	f, err := sorted.factor(ctx, tol, limit, progress)
	if err != nil {
		return nil, err
	}
	columns, buffer := f.Columns(), make([]float64, t.n)
	for k := range f.Rank() {
		column := columns[k*t.n : (k+1)*t.n]
		for to, i := range order {
			buffer[i] = column[to]
		}
		copy(column, buffer)
	}
	return f, nil
}

// rankOf returns the rank of the Gram matrix of some rows, evenly spaced in sorted order, or limit
// where it is at least that.
func (t *tiles) rankOf(some, limit int) int {
	order := rows.Order(t.rows, t.dim)
	index := make([]int, min(some, t.n))
	for i := range index {
		index[i] = order[i*t.n/len(index)]
	}
	u := newTiles(t.k, rows.Pick(t.rows, t.dim, index), t.dim)
	diag := u.diagonal()
	c := lowrank.Cholesky{Limit: limit}
	c.Factor(diag, factorTolerance*max(0, slices.Max(diag)), func(dst []float64, i int) {
		u.fill(dst, i, i+1, 0, u.n)
	})
	return len(c.Pivots)
}

// approximation is what notes need of a factor that replaces a kernel; its zero value is that of an
// exact kernel.
type approximation struct {
	rank       int
	traceError float64
}

// approximationBy is that by a factor, which may be nil.
func approximationBy(f *statistic.Factor) approximation {
	if f == nil {
		return approximation{}
	}
	return approximation{f.Rank(), f.TraceError()}
}

// total is the sum of x, from the first to the last.
func total(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}
