package embedding

import (
	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// basis holds some of the points t asked for, p. They determine the functions in the span of the
// kernel at all of t: with K the kernel matrix at p,
//
//	k(t, .) = B k(p, .),   B = k(t, p) inverse(K),
//
// so that mu(t) = B mu(p), and the posterior at t is that at p, carried over. On a grid a smooth
// kernel has few such points, chosen by pivoted Cholesky. A function of norm 1 is off by at most
// the square root of the remaining diagonal. One centred near the points is off by at most that
// diagonal itself. Where points are far apart, or the kernel is rough, p are all points and B = I.
//
// The points of a theta are chosen among candidates, which serve all larger ones too.
type basis struct {
	*plan
	pivots []int     // of p among the candidates
	p      []float64 // the points
	r      int
	factor lowrank.Cholesky
	diag   []float64
	tri    []float64 // Cholesky factor of K
	cross  []float64 // k(t, p)
	values []float64
}

// plan is what all workspaces of a basis share.
type plan struct {
	t          []float64
	q, dim     int
	plain      bool      // p are all points
	candidates []float64 // t if plain
	tol        float64   // what may be left of the diagonal
}

const (
	// finest and coarsest bound what a basis may leave of the diagonal of the kernel matrix, which is
	// 1. In between it is 1e-4 of the noise far from all rows, so rows far from all points add an
	// error of 0.01 standard deviations at most. Rows among them add hardly any.
	finest   = 1e-13
	coarsest = 1e-7
	relative = 1e-4
	// mostPivots is the share of the points above which a basis saves nothing.
	mostPivots = 0.7
)

// newPlan chooses candidates for all lengthscales not below that of the field, given the noise far
// from all rows over the scale of that among them; it has all points where plain is set.
func newPlan(f *field, t []float64, noise float64, plain bool) *plan {
	p := &plan{t: t, q: len(t) / f.dim, dim: f.dim, plain: plain, candidates: t}
	if plain {
		return p
	}
	p.tol = min(max(relative*noise, finest), coarsest)
	var c lowrank.Cholesky
	c.Factor(ones(nil, p.q), p.tol, func(dst []float64, i int) {
		f.kernel(dst, t[i*f.dim:(i+1)*f.dim], t)
	})
	if p.plain = float64(len(c.Pivots)) > mostPivots*float64(p.q); !p.plain {
		p.candidates = rows.Pick(t, f.dim, c.Pivots)
	}
	return p
}

func ones(dst []float64, n int) []float64 {
	dst = resize(dst, n)
	for i := range dst {
		dst[i] = 1
	}
	return dst
}

// basis makes a workspace.
func (p *plan) basis() *basis {
	b := &basis{plan: p}
	if p.plain {
		b.p, b.r = p.t, p.q
		for i := range p.q {
			b.pivots = append(b.pivots, i)
		}
	}
	return b
}

// set takes the hyperparameters of the field.
func (b *basis) set(f *field) {
	if b.plain {
		return
	}
	n := len(b.candidates) / b.dim
	b.diag = ones(b.diag, n)
	b.factor.Factor(b.diag, b.tol, func(dst []float64, i int) {
		f.kernel(dst, b.candidates[i*b.dim:(i+1)*b.dim], b.candidates)
	})
	b.pivots, b.r = b.factor.Pivots, len(b.factor.Pivots)
	b.tri, b.p = resize(b.tri, b.r*b.r), b.p[:0]
	for i, at := range b.pivots {
		b.p = append(b.p, b.candidates[at*b.dim:(at+1)*b.dim]...)
		for k := range i + 1 {
			b.tri[i*b.r+k] = b.factor.Columns()[k*n+at]
		}
	}
	b.cross = resize(b.cross, b.q*b.r)
	f.kernel(b.cross, b.t, b.p)
}

// solve replaces the columns of an r x g matrix by those of inverse(K) times it.
func (b *basis) solve(a []float64, g int) {
	tri := lower(b.tri, b.r)
	if g == 1 {
		blas64.Trsv(blas.NoTrans, tri, vector(a))
		blas64.Trsv(blas.Trans, tri, vector(a))
		return
	}
	lowrank.SolveLower(b.tri, b.r, a, g)
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
