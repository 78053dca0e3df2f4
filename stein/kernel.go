package stein

import (
	"fmt"
	"math"

	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Kernel is a Stein kernel: that of a radial kernel k(x, y) = phi(q), q = (x-y)'A(x-y). It is safe for
// concurrent use.
type Kernel struct {
	radial kernels.Radial
	a      *mat.Dense
	dim    int
	same   bool // A is scale times the identity
	scale  float64
	trace  float64
	top    float64 // kappa(0)
}

// New returns the Stein kernel of k with A = a, the inverse of the matrix Gamma of squared lengthscales. It
// needs a kernel whose kappa is finite at 0, which all radial kernels of package kernels have but
// those that kernels.Radial cannot hold either.
func New(k kernels.Radial, a mat.Symmetric) (*Kernel, error) {
	if k == nil || a == nil {
		return nil, fmt.Errorf("stein: New needs a kernel and a matrix")
	}
	if err := k.Check(); err != nil {
		return nil, fmt.Errorf("stein: %w", err)
	}
	_, logKappa, _ := k.Profile(0)
	if math.IsInf(logKappa, 1) || math.IsNaN(logKappa) {
		return nil, fmt.Errorf("stein: %v has no second derivative at 0; a smoother kernel is needed", k)
	}
	n := a.SymmetricDim()
	if n < 1 {
		return nil, fmt.Errorf("stein: A is %d x %d; there must be at least one column", n, n)
	}
	for i := range n {
		for j := range n {
			if v := a.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("stein: A[%d][%d] is %v; it must be finite", i, j, v)
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return nil, fmt.Errorf("stein: A is not positive definite")
	}
	out := &Kernel{radial: k, a: mat.DenseCopyOf(a), dim: n, same: true, scale: a.At(0, 0), top: math.Exp(logKappa)}
	for i := range n {
		out.trace += a.At(i, i)
		for j := range n {
			if i == j && a.At(i, i) != out.scale || i != j && a.At(i, j) != 0 {
				out.same = false
			}
		}
	}
	return out, nil
}

// Lengthscale returns A = I/theta² for so many columns.
func Lengthscale(theta float64, dim int) *mat.DiagDense {
	out := mat.NewDiagDense(dim, nil)
	for i := range dim {
		out.SetDiag(i, 1/(theta*theta))
	}
	return out
}

// points are rows with their scores, centred, and what pairs of them need.
type points struct {
	n, dim     int
	x, u, b    []float64 // rows, scores, and rows times A
	xb, ub, bb []float64 // products of each row with itself
	centre     []float64
}

// read checks rows and scores.
func (k *Kernel) read(x, u mat.Matrix) (*points, error) {
	for _, a := range []struct {
		name string
		of   mat.Matrix
	}{{"x", x}, {"u", u}} {
		if err := rows.Check(a.name, a.of); err != nil {
			return nil, fmt.Errorf("stein: %w", err)
		}
	}
	n, d := x.Dims()
	m, e := u.Dims()
	switch {
	case d != k.dim || e != k.dim:
		return nil, fmt.Errorf("stein: rows have %d columns and scores %d; A has %d", d, e, k.dim)
	case n != m:
		return nil, fmt.Errorf("stein: %d rows and %d scores; there must be as many", n, m)
	}
	p := &points{n: n, dim: d, x: make([]float64, n*d), u: make([]float64, n*d), centre: make([]float64, d)}
	share := 1 / float64(n)
	for i := range n {
		for j := range d {
			v, w := x.At(i, j), u.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("stein: row %d has %v in column %d; it must be finite", i+1, v, j+1)
			}
			if math.IsNaN(w) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("stein: the score of row %d is %v in column %d; it must be finite", i+1, w, j+1)
			}
			p.x[i*d+j], p.u[i*d+j] = v, w
			p.centre[j] += v * share
		}
	}
	for from := 0; from < len(p.x); from += d {
		for j, c := range p.centre {
			p.x[from+j] -= c
		}
	}
	k.complete(p)
	return p, nil
}

// complete computes what the rows and scores of p determine.
func (k *Kernel) complete(p *points) {
	p.b = make([]float64, len(p.x))
	p.xb, p.ub, p.bb = make([]float64, p.n), make([]float64, p.n), make([]float64, p.n)
	if k.same {
		for i, v := range p.x {
			p.b[i] = k.scale * v
		}
	} else {
		mat.NewDense(p.n, p.dim, p.b).Mul(mat.NewDense(p.n, p.dim, p.x), k.a)
	}
	for i := range p.n {
		for j := i * p.dim; j < (i+1)*p.dim; j++ {
			p.xb[i] += p.x[j] * p.b[j]
			p.ub[i] += p.u[j] * p.b[j]
			p.bb[i] += p.b[j] * p.b[j]
		}
	}
}

// near is the share of the squared sizes of two rows below which their distance is computed from their
// difference: less is lost to cancellation there than rounding of the difference loses.
const near = 1e-5

// exact is q and |A(x-y)|² from the difference of two rows.
func (k *Kernel) exact(x, y []float64) (q, square float64) {
	for i := range x {
		along := 0.0
		for j := range x {
			along += k.a.At(i, j) * (x[j] - y[j])
		}
		q += (x[i] - y[i]) * along
		square += along * along
	}
	return max(q, 0), square
}

// diagonal is k_p(x, x) = |u|² + kappa(0) tr A.
func (k *Kernel) diagonal(u []float64) float64 {
	s := k.top * k.trace
	for _, v := range u {
		s += v * v
	}
	return s
}
