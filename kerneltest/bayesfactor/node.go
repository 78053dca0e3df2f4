package bayesfactor

import (
	"math"
	"slices"

	"bayeskernel/internal/lowrank"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
)

// node is the model at one lengthscale. Under H1 the whitened contrast v has covariance
// I + sigma A with A = FF', sigma proportional to s². An orthogonal Q makes Q'F'F Q = T
// tridiagonal, and z = Q'F'v; then
//
//	log BF = 1/2 [ sigma z' (I + sigma T)⁻¹ z - log det(I + sigma T) ],
//
// a recursion over the rank for every s: tridiagonal form costs a fraction of the eigenvectors and
// serves as well. Where F would be of nearly full rank it is left out (whole): T is then Q'AQ
// itself, z = Q'v, and the first term is v'v - z' (I + sigma T)⁻¹ z.
type node struct {
	rank      int
	diag, off []float64
	q         []float64 // reflectors, in the lower triangle of a rank x rank matrix
	tau       []float64
	whole     bool
}

// newNode takes over the symmetric matrix, given by its lower triangle.
func newNode(a []float64, rank int, whole bool) *node {
	n := &node{rank: rank, q: a, whole: whole, diag: make([]float64, rank),
		off: make([]float64, max(0, rank-1)), tau: make([]float64, max(0, rank-1))}
	if rank > 0 {
		var lapack gonum.Implementation
		work := make([]float64, 64*rank)
		lapack.Dsytrd(blas.Lower, rank, a, rank, n.diag, n.off, n.tau, work, len(work))
	}
	return n
}

// own is a copy that can rotate beside others.
func (n *node) own() *node {
	out := *n
	out.q = slices.Clone(n.q)
	return &out
}

// rotate replaces the rank x count matrix c by Q'c. LAPACK writes to the reflectors meanwhile, and restores them.
func (n *node) rotate(c []float64, count int) {
	if n.rank < 2 || count == 0 {
		return
	}
	var lapack gonum.Implementation
	work := make([]float64, 64*count)
	lapack.Dormqr(blas.Left, blas.Trans, n.rank-1, count, n.rank-1, n.q[n.rank:], n.rank, n.tau,
		c[count:], count, work, len(work))
}

// pivots computes the factor I + sigma T = L D L', with D in d and the elements of L below its
// diagonal in l, and returns the logarithm of its determinant.
func (n *node) pivots(sigma float64, d, l []float64) (logDet float64) {
	product := 1.0
	for i := range n.rank {
		d[i] = 1 + sigma*n.diag[i]
		if i > 0 {
			e := sigma * n.off[i-1]
			l[i] = e / d[i-1]
			d[i] -= e * l[i]
		}
		d[i] = max(d[i], math.SmallestNonzeroFloat64) // rounding; the matrix is at least I
		if product *= d[i]; product > 1e200 {
			logDet += math.Log(product)
			product = 1
		}
	}
	return logDet + math.Log(product)
}

// at writes log BF of each of count contrasts. The columns of a rank x count matrix are the rotated
// z. square holds their squared lengths, which are used if the node is whole.
func (n *node) at(sigma float64, dst, z, square []float64, w *workspace) {
	count := len(dst)
	w.grow(n.rank, count)
	logDet := n.pivots(sigma, w.d, w.l)
	clear(dst)
	y := w.y[:count]
	clear(y)
	for i := range n.rank {
		l, inv := w.l[i], 1/w.d[i]
		if i == 0 {
			l = 0
		}
		row := z[i*count : (i+1)*count]
		for b, v := range row {
			v -= l * y[b]
			y[b] = v
			dst[b] += v * v * inv
		}
	}
	for b, q := range dst {
		if n.whole {
			q = square[b] - q
		} else {
			q *= sigma
		}
		dst[b] = 0.5 * (q - logDet)
	}
}

// factor is L D L' = I + sigma T, as pivots computes it.
type factor struct{ d, l []float64 }

func (n *node) factor(sigma float64) factor {
	f := factor{make([]float64, n.rank), make([]float64, n.rank)}
	n.pivots(sigma, f.d, f.l)
	return f
}

// solve replaces z by (I + sigma T)⁻¹ z.
func (f factor) solve(z []float64) {
	for i := 1; i < len(z); i++ {
		z[i] -= f.l[i] * z[i-1]
	}
	for i := range z {
		z[i] /= f.d[i]
	}
	for i := len(z) - 2; i >= 0; i-- {
		z[i] -= f.l[i+1] * z[i+1]
	}
}

// workspace is what a recursion needs.
type workspace struct{ d, l, y []float64 }

func (w *workspace) grow(rank, count int) {
	if len(w.d) < rank {
		w.d, w.l = make([]float64, rank), make([]float64, rank)
	}
	if len(w.y) < count {
		w.y = make([]float64, count)
	}
}

// nodeOf makes the node of the features in columns of n elements.
func nodeOf(columns []float64, n int) *node {
	rank := len(columns) / n
	gram := make([]float64, rank*rank)
	lowrank.Gram(gram, columns, rank, n, n)
	return newNode(gram, rank, false)
}
