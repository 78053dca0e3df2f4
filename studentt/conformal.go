package studentt

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Conformal gives p-values of novelty. With the point among the rows, each of the ranked rows and the
// point have the form D given all the others, and the p-value is the share of them whose D is at
// least that of the point, itself included.
//
// If the ranked rows and the point are exchangeable, as draws of one distribution are, a p-value of
// at most alpha has a probability of at most alpha, for any number of rows and any distribution. The
// rows before them may be any, and it is they alone that kernel, parameters and units of the columns
// may have been chosen by.
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

// NewConformal ranks the rows of x from number first on. It takes O(N³) for N rows. Only the form D
// is looked at, and so the Jacobian term does not count, which is constant for radial kernels.
func NewConformal(k kernels.Kernel, x mat.Matrix, first int, p Params) (*Conformal, error) {
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
	c.inverse = &w
	if err := chol.InverseTo(c.inverse); err != nil {
		return nil, fmt.Errorf("studentt: %w", err)
	}
	return c, nil
}

// Forms writes D of each row given all the others into dst.
func (c *Conformal) Forms(dst []float64) {
	for i := range dst {
		dst[i] = 1 / (c.params.Scale2 * c.inverse.At(i, i))
	}
}

// PValues writes those of the points into dst, each beside the rows alone. A point takes O(N²).
//
// D of a row given all the others is, up to a constant, the inverse of its diagonal element in the
// inverse of W. With a point, of column w and Schur complement s = w_xx - w'W^-1 w, the elements
// become (W^-1)_ii + (W^-1 w)_i²/s, and 1/s for the point.
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
