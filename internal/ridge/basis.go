package ridge

import (
	"math"
	"slices"
	"sync"

	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/product"
)

// Basis is a kernel matrix in tridiagonal form. It may be used by several goroutines at once.
type Basis struct {
	n, rank int
	p       []float64 // column k of P at p[k*n:(k+1)*n]
	d, e    []float64 // T: its diagonal, and what is beside it
	low     bool

	mu    sync.Mutex
	known []known // the last made first
}

// known is the diagonal of R for a ridge, which is the same for all outputs.
type known struct {
	lambda float64
	diag   []float64
}

// mostKnown is how many diagonals are kept.
const mostKnown = 16

// tolerance is the largest error of an element of the diagonal, in units of the largest, where a
// matrix is replaced by its factor.
const tolerance = 1e-14

// New makes the tridiagonal form of the positive semidefinite matrix k, which is n x n and given
// row by row. K is not changed.
func New(k []float64, n int) *Basis {
	diag := make([]float64, n)
	top := 0.0
	for i := range diag {
		diag[i] = k[i*n+i]
		top = max(top, diag[i])
	}
	c := lowrank.Cholesky{Limit: n/2 + 1}
	c.Factor(diag, tolerance*top, func(dst []float64, i int) { copy(dst, k[i*n:(i+1)*n]) })
	r := len(c.Pivots)
	if r > n/2 {
		b := &Basis{n: n, rank: n}
		q := append([]float64(nil), k...)
		b.d, b.e = tridiagonal(q, n)
		b.p = transposed(q, n)
		return b
	}
	return NewLow(c.Columns(), n)
}

// NewLow makes the tridiagonal form of L L', where l has the columns of L, of n elements each, one
// after another. There should be at most n/2 of them. L is not changed.
func NewLow(l []float64, n int) *Basis {
	r := len(l) / n
	b := &Basis{n: n, rank: r, low: true}
	gram := make([]float64, r*r)
	rows := product.Rows(l, n)
	product.Multiply(gram, r, r, n, rows, rows, product.Lower)
	b.d, b.e = tridiagonal(gram, r)
	b.p = make([]float64, r*n)
	// P' = Q'L'.
	product.Multiply(b.p, r, n, r, product.Columns(gram, r), product.Columns(l, n), product.All)
	return b
}

func transposed(a []float64, n int) []float64 {
	for i := range n {
		for j := range i {
			a[i*n+j], a[j*n+i] = a[j*n+i], a[i*n+j]
		}
	}
	return a
}

// Bytes is the memory that b takes.
func (b *Basis) Bytes() int64 {
	return int64(8 * (len(b.p) + len(b.d) + len(b.e) + mostKnown*b.n))
}

// factor is T + lambda I = B D B'.
type factor struct {
	lambda float64
	below  []float64 // of the diagonal of B
	d      []float64
}

func (b *Basis) factor(lambda float64) factor {
	f := factor{lambda: lambda, below: make([]float64, len(b.e)), d: make([]float64, b.rank)}
	for j := range f.d {
		f.d[j] = b.d[j] + lambda
		if j > 0 {
			f.below[j-1] = b.e[j-1] / f.d[j-1]
			f.d[j] -= f.below[j-1] * b.e[j-1]
		}
		// K is positive semidefinite, so that only rounding makes the pivot smaller than this.
		f.d[j] = max(f.d[j], lambda/2)
	}
	return f
}

// logDet is the log determinant of K + lambda I.
func (b *Basis) logDet(lambda float64) float64 {
	s := float64(b.n-b.rank) * math.Log(lambda)
	for _, d := range b.factor(lambda).d {
		s += math.Log(d)
	}
	return s
}

// diagonal is the diagonal of R, which must not be changed.
func (b *Basis) diagonal(lambda float64) []float64 {
	b.mu.Lock()
	at := slices.IndexFunc(b.known, func(k known) bool { return k.lambda == lambda })
	if at >= 0 {
		diag := b.known[at].diag
		b.mu.Unlock()
		return diag
	}
	b.mu.Unlock()
	diag := make([]float64, b.n)
	b.fillDiagonal(diag, b.factor(lambda))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known = slices.Insert(b.known, 0, known{lambda, diag})
	b.known = b.known[:min(len(b.known), mostKnown)]
	return diag
}

func (b *Basis) fillDiagonal(dst []float64, f factor) {
	w := make([]float64, b.n) // B^-1 P', a row at a time
	for i := range dst {
		dst[i] = 0
	}
	for j, d := range f.d {
		below := 0.0
		if j > 0 {
			below = f.below[j-1]
		}
		inv, p := 1/d, b.p[j*b.n:(j+1)*b.n]
		for i, v := range p {
			v -= below * w[i]
			w[i] = v
			dst[i] += v * v * inv
		}
	}
	bound := b.bound()
	for i, v := range dst {
		if b.low {
			// Never 0: R is positive definite, and its smallest eigenvalue is this at least.
			dst[i] = max(1-v, f.lambda/(f.lambda+bound))
		} else {
			dst[i] = f.lambda * v
		}
	}
}

// Diagonal is that of R, which must not be changed.
func (b *Basis) Diagonal(lambda float64) []float64 { return b.diagonal(lambda) }

// bound is at least the largest eigenvalue of K: its trace.
func (b *Basis) bound() float64 {
	s := 0.0
	for _, d := range b.d {
		s += d
	}
	return s
}
