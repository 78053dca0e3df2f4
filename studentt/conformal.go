package studentt

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Conformal computes p-values of novelty. It adds the point to the rows, and computes the form D of
// the point and of each ranked row given all others. The p-value is the fraction of these D, the
// point's own included, that are at least the point's.
//
// If the ranked rows and the point are exchangeable, such as draws from one distribution, the p-value
// is at most alpha with probability at most alpha. This holds for any number of rows and any
// distribution. The rows before the ranked ones may be arbitrary. Choose the kernel, its parameters
// and the units of the columns from those earlier rows alone.
type Conformal struct {
	kernel  kernels.Kernel
	rows    *mat.Dense
	first   int // of the rows that are ranked
	params  Params
	inverse *mat.SymDense // of W
}

// ties are values of 1/D that differ by no more than rounding. They count as equal, which can only
// make a p-value larger.
const ties = 1e-9

// NewConformal ranks the rows of x from row number first on. It takes O(N³) time for N rows. It uses
// the form D only, and ignores the Jacobian term, which is constant for radial kernels. When ctx ends,
// NewConformal returns an error after the step under way: the Gram matrix, its factor, or the inverse,
// each one call.
func NewConformal(ctx context.Context, k kernels.Kernel, x mat.Matrix, first int, p Params) (*Conformal, error) {
	if err := rows.Check("x", x); err != nil {
		return nil, fmt.Errorf("studentt: %w", err)
	}
	n, dim := x.Dims()
	if _, err := New(k, dim, p); err != nil {
		return nil, err
	}
	switch {
	case p.Form != NIW:
		return nil, fmt.Errorf("studentt: form is %d, want NIW for conformal p-values", p.Form)
	case first < 0 || first >= n:
		return nil, fmt.Errorf("studentt: first is %d, want a row from 0 to %d", first, n-1)
	}
	c := &Conformal{kernel: k, rows: mat.DenseCopyOf(x), first: first, params: p}
	var w mat.SymDense
	if err := kernels.Gram(&w, k, x); err != nil {
		return nil, fmt.Errorf("studentt: %w", err)
	}
	stopped := func() error {
		if ctx.Err() != nil {
			return fmt.Errorf("studentt: stopped: %w", context.Cause(ctx))
		}
		return nil
	}
	if err := stopped(); err != nil {
		return nil, err
	}
	for i := range n {
		for j := i; j < n; j++ {
			v := w.At(i, j) + p.Scale2/p.Beta
			if i == j {
				v += p.Scale2
			}
			w.SetSym(i, j, v)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(&w) {
		return nil, fmt.Errorf("studentt: the Gram matrix is not positive definite to within rounding, " +
			"want a larger Scale2")
	}
	if err := stopped(); err != nil {
		return nil, err
	}
	c.inverse = &w
	if err := chol.InverseTo(c.inverse); err != nil {
		return nil, fmt.Errorf("studentt: %w", err)
	}
	if err := stopped(); err != nil {
		return nil, err
	}
	return c, nil
}

// Forms writes D of each row given all the others into dst.
func (c *Conformal) Forms(dst []float64) {
	for i := range dst {
		dst[i] = 1 / (c.params.Scale2 * c.inverse.At(i, i))
	}
}

// PValues writes the p-value of each point into dst. Each point is compared with the rows, not with
// other points, in O(N²) time.
//
// D of a row given all others is, up to a constant, the reciprocal of its diagonal element of W^-1.
// Adding a point with column w and Schur complement s = w_xx - w'W^-1 w changes the elements to
// (W^-1)_ii + (W^-1 w)_i²/s, and the point's own is 1/s.
func (c *Conformal) PValues(ctx context.Context, dst []float64, points mat.Matrix) error {
	m, dim := points.Dims()
	n, want := c.rows.Dims()
	if len(dst) != m || dim != want {
		return fmt.Errorf("studentt: %d values for points %d x %d, want one for each and %d columns",
			len(dst), m, dim, want)
	}
	w, u := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	x := make([]float64, dim)
	shift := c.params.Scale2 / c.params.Beta
	for j := range m {
		if ctx.Err() != nil {
			return fmt.Errorf("studentt: stopped after %d of %d points: %w", j, m, context.Cause(ctx))
		}
		mat.Row(x, j, points)
		for i := range n {
			w.SetVec(i, c.kernel.At(c.rows.RawRowView(i), x)+shift)
		}
		u.MulVec(c.inverse, w)
		s := c.kernel.At(x, x) + c.params.Scale2 + shift - mat.Dot(w, u)
		if !(s > 0) || math.IsInf(s, 1) {
			return fmt.Errorf("studentt: point %d has variance %v, want a positive number", j, s)
		}
		least := 1
		for i := c.first; i < n; i++ {
			if e := c.inverse.At(i, i) + u.AtVec(i)*u.AtVec(i)/s; e <= (1+ties)/s {
				least++
			}
		}
		dst[j] = float64(least) / float64(n-c.first+1)
	}
	return nil
}
