package embedding

import (
	"fmt"

	"bayeskernel/internal/lowrank"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// basis are some of the points t asked for, p, from which the functions in the span of the kernel are
// known at all of them: with K the kernel matrix at p,
//
//	k(t, .) = B k(p, .),   B = k(t, p) inverse(K + delta I),
//
// so that mu(t) = B mu(p), and the posterior at t is that at p, carried over. On a grid a smooth
// kernel has few such points, chosen by pivoted Cholesky: a function of norm 1 is off by at most the
// square root of what the factor leaves of the diagonal, and one centred near the points by no more
// than that itself. Where points are far apart, or the kernel is rough, p are all points and B = I.
type basis struct {
	plain  bool
	t, p   []float64
	q, r   int
	delta  float64
	tri    []float64 // Cholesky factor of K + delta I
	cross  []float64 // k(t, p)
	values []float64
}

// plan is what all workspaces of a basis share.
type plan struct {
	places []int // of p among t; nil: all
	delta  float64
}

const (
	// finest and coarsest bound what a basis may leave of the diagonal of the kernel matrix, which is
	// 1; in between it is a millionth of the noise far from all rows.
	finest   = 1e-13
	coarsest = 1e-10
	// mostPivots is the share of the points from which a basis saves nothing.
	mostPivots = 0.7
)

// newPlan chooses the points of a basis for all lengthscales not below that of the field.
func newPlan(f *field, t []float64, least float64) plan {
	q := len(t) / f.dim
	tol := min(max(1e-6*kappa*least*least, finest), coarsest)
	diag := make([]float64, q)
	for i := range diag {
		diag[i] = 1
	}
	var c lowrank.Cholesky
	c.Factor(diag, tol, func(dst []float64, i int) {
		f.kernel(dst, t[i*f.dim:(i+1)*f.dim], t)
	})
	r := len(c.Pivots)
	if float64(r) > mostPivots*float64(q) {
		return plan{}
	}
	return plan{places: c.Pivots, delta: max(tol/4, float64(4*r)*0x1p-52)}
}

// newBasis makes a workspace.
func (p plan) newBasis(t []float64, dim int) *basis {
	b := &basis{plain: p.places == nil, t: t, q: len(t) / dim, delta: p.delta}
	if b.plain {
		b.p, b.r = t, b.q
		return b
	}
	for _, i := range p.places {
		b.p = append(b.p, t[i*dim:(i+1)*dim]...)
	}
	b.r = len(p.places)
	return b
}

// set takes the hyperparameters of the field.
func (b *basis) set(f *field) error {
	if b.plain {
		return nil
	}
	b.tri = resize(b.tri, b.r*b.r)
	f.kernel(b.tri, b.p, b.p)
	for i := range b.r {
		b.tri[i*b.r+i] += b.delta
	}
	if !lowrank.Decompose(b.tri, b.r) {
		return fmt.Errorf("embedding: kernel matrix of %d points is not positive definite", b.r)
	}
	b.cross = resize(b.cross, b.q*b.r)
	f.kernel(b.cross, b.t, b.p)
	return nil
}

// solve replaces the columns of an r x g matrix by those of inverse(K + delta I) times it.
func (b *basis) solve(a []float64, g int) {
	lowrank.SolveLower(b.tri, b.r, a, g)
	tri := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: b.r, Stride: b.r, Data: b.tri}
	if g == 1 {
		blas64.Trsv(blas.Trans, tri, vector(a))
		return
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, tri,
		blas64.General{Rows: b.r, Cols: g, Stride: g, Data: a})
}

// extend writes B times a vector, which may not be dst.
func (b *basis) extend(dst, vector []float64) {
	if b.plain {
		copy(dst, vector)
		return
	}
	b.values = append(b.values[:0], vector...)
	b.solve(b.values, 1)
	lowrank.Products(dst, b.values, b.cross, b.r)
}

// transposed writes B', r x q.
func (b *basis) transposed() []float64 {
	out := make([]float64, b.r*b.q)
	for i := range b.q {
		if b.plain {
			out[i*b.q+i] = 1
			continue
		}
		for k := range b.r {
			out[k*b.q+i] = b.cross[i*b.r+k]
		}
	}
	if !b.plain {
		b.solve(out, b.q)
	}
	return out
}
