package lowrank

import (
	"context"
	"math"
)

// Cholesky is a factor of a positive semidefinite matrix A of n rows: A = L L' + E, where E is
// positive semidefinite with diagonal Residual. The zero value is ready for use; a factor may be
// reused and keeps its memory.
type Cholesky struct {
	Pivots   []int     // the rows of A that were chosen, in order; their number is the rank
	Residual []float64 // the diagonal of E; rounding may leave it a little below zero
	// Limit is the largest rank, 0 for none: Factor stops there, and E is then what is left out.
	Limit int
	size  float64 // the largest element of the diagonal of A
	n     int
	l     []float64 // column k of L at l[k*n:(k+1)*n]
	row   []float64 // a row of L
}

// Factor factors the matrix with the given diagonal; column writes its column i. It ends when no
// element of the diagonal of E exceeds tol >= 0, or the rank is at its limit. The diagonal is
// copied.
func (c *Cholesky) Factor(diag []float64, tol float64, column func(dst []float64, i int)) {
	_ = c.FactorContext(context.Background(), diag, tol, column) // which never ends
}

// FactorContext is Factor until ctx ends: the error is then the cause, and the factor without
// meaning.
func (c *Cholesky) FactorContext(ctx context.Context, diag []float64, tol float64,
	column func(dst []float64, i int)) error {
	c.n = len(diag)
	c.Residual = append(c.Residual[:0], diag...)
	c.Pivots = c.Pivots[:0]
	c.l = c.l[:0]
	if size := c.Limit * c.n; size > large && cap(c.l) == 0 {
		c.l = make([]float64, 0, size) // memory that is not touched costs nothing
	}
	c.size = 0
	for _, d := range diag {
		c.size = max(c.size, d)
	}
	at, top, bar := -1, tol, tol
	for i, d := range diag {
		if d > bar {
			at, top, bar = i, d, c.bar(d)
		}
	}
	for at >= 0 && (c.Limit == 0 || len(c.Pivots) < c.Limit) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		at, top = c.step(at, top, tol, column)
	}
	return nil
}

// bar is what a later element of the diagonal must exceed to be taken in the place of one of value d. Of
// elements that are equal but for rounding the first is taken: the pivots are the same on all processors.
func (c *Cholesky) bar(d float64) float64 { return d*(1+1e-9) + 1e-14*c.size }

// A factor of more than large elements is not copied as it grows.
const large = 1 << 22

// step takes row i, where the diagonal of E is d, as the next pivot. It returns the place and the
// value of the largest element of the new diagonal; the place is -1 if none exceeds tol.
func (c *Cholesky) step(i int, d, tol float64, column func([]float64, int)) (int, float64) {
	rank, n := len(c.Pivots), c.n
	most := c.Limit * n
	if most == 0 {
		most = math.MaxInt
	}
	c.l = grow(c.l, (rank+1)*n, most)
	col := c.l[rank*n:]
	column(col, i)
	c.row = grow(c.row, rank, math.MaxInt)
	for k := range rank {
		c.row[k] = c.l[k*n+i]
	}
	Combine(col, -1, c.row[:rank], c.l)
	root := math.Sqrt(d)
	for _, j := range c.Pivots {
		col[j] = 0 // what rounding left: L at the pivots is triangular
	}
	scale := 1 / root
	at, top, bar := -1, tol, tol
	residual := c.Residual[:len(col)]
	for j, v := range col {
		v *= scale
		col[j] = v
		e := residual[j] - v*v
		residual[j] = e
		if e > bar && j != i {
			at, top, bar = j, e, c.bar(e)
		}
	}
	col[i], residual[i] = root, 0
	c.Pivots = append(c.Pivots, i)
	return at, top
}

// Columns returns L, column by column. It is valid until the next call of Factor.
func (c *Cholesky) Columns() []float64 { return c.l[:len(c.Pivots)*c.n] }

// TraceError is the trace of E over that of A, 0 where A is 0: of what is left out, as a share.
func (c *Cholesky) TraceError(diag []float64) float64 {
	left, all := 0.0, 0.0
	for i, v := range diag {
		left += max(0, c.Residual[i])
		all += v
	}
	if all == 0 {
		return 0
	}
	return left / all
}

// grow returns s with length n, its first elements kept. It never has memory for more than most.
func grow(s []float64, n, most int) []float64 {
	if n <= cap(s) {
		return s[:n]
	}
	t := make([]float64, n, min(max(n, 2*cap(s)), most))
	copy(t, s)
	return t
}
