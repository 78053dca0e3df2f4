package ridge

import (
	"bayeskernel/internal/product"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

const (
	// panel is how many columns are reduced before the rest of the matrix is updated at once.
	panel = 32
	// small is the number of rows up to which LAPACK's reduction is as fast.
	small = 96
)

// tridiagonal replaces the symmetric matrix a, given by its lower triangle, by Q, and returns T
// with a = Q T Q'.
//
// It is LAPACK's reduction by panels (Dongarra, Sorensen and Hammarling, 1989), with the products of what is left of the
// matrix and a vector from both of its triangles: twice the operations, of rows that stand one after another. The cost is
// 8/3 n³ operations, half of them in products of matrices.
func tridiagonal(a []float64, n int) (d, e []float64) {
	if n == 0 {
		return nil, nil
	}
	d, e = make([]float64, n), make([]float64, max(n-1, 0))
	tau, work := make([]float64, max(n-1, 1)), make([]float64, 64*n)
	var of lapack.Implementation
	first := reduce(a, n, d, e, tau) // the columns before it are done
	if m := n - first; m > 0 {
		of.Dsytrd(blas.Lower, m, a[first*n+first:], n, d[first:], e[first:], tau[first:], work, len(work))
	}
	of.Dorgtr(blas.Lower, n, a, n, tau, work, len(work))
	return d, e
}

// reduce takes columns of a into d, e and tau, with the vectors of the reflections below the diagonal, until few are left,
// and returns how many it took.
func reduce(a []float64, n int, d, e, tau []float64) int {
	if n <= small {
		return 0
	}
	for i := range n {
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
	}
	var of lapack.Implementation
	var work product.Work
	// Rows of both, V and W: v and w of the panel's columns, and the other way round.
	vw, wv := make([]float64, n*2*panel), make([]float64, n*2*panel)
	column, out, onto := make([]float64, n), make([]float64, n), make([]float64, 2*panel)
	vector := func(of []float64) blas64.Vector { return blas64.Vector{N: len(of), Inc: 1, Data: of} }
	first := 0
	for ; n-first > small; first += panel {
		m := n - first
		clear(vw[:m*2*panel])
		clear(wv[:m*2*panel])
		rows := func(of []float64, from int) blas64.General {
			return blas64.General{Rows: m - from, Cols: 2 * panel, Stride: 2 * panel, Data: of[from*2*panel:]}
		}
		for k := range panel {
			j := first + k
			// Column j, from the diagonal on, after the reflections of this panel.
			c := column[:m-k]
			copy(c, a[j*n+j:(j+1)*n])
			blas64.Gemv(blas.NoTrans, -1, rows(vw, k), vector(wv[k*2*panel:(k+1)*2*panel]), 1, vector(c))
			d[j] = c[0]
			v := c[1:]
			e[j], tau[j] = of.Dlarfg(len(v), v[0], v[1:], 1)
			v[0] = 1
			for i, value := range v {
				a[(j+1+i)*n+j] = value
				vw[(k+1+i)*2*panel+k], wv[(k+1+i)*2*panel+panel+k] = value, value
			}
			// w = tau (A v - V W'v - W V'v), without half of its part along v.
			w := out[:len(v)]
			blas64.Gemv(blas.NoTrans, 1, blas64.General{Rows: len(v), Cols: len(v), Stride: n, Data: a[(j+1)*n+j+1:]}, vector(v), 0, vector(w))
			blas64.Gemv(blas.Trans, 1, rows(wv, k+1), vector(v), 0, vector(onto))
			onto[panel+k] = 0 // v'v: this step has no w yet
			blas64.Gemv(blas.NoTrans, -1, rows(vw, k+1), vector(onto), 1, vector(w))
			blas64.Scal(tau[j], vector(w))
			blas64.Axpy(-tau[j]/2*blas64.Dot(vector(w), vector(v)), vector(v), vector(w))
			for i, value := range w {
				vw[(k+1+i)*2*panel+panel+k], wv[(k+1+i)*2*panel+k] = value, value
			}
		}
		rest := m - panel
		work.Subtract(a[(first+panel)*n+first+panel:], n, rest, rest, 2*panel, product.Rows(vw[panel*2*panel:], 2*panel),
			product.Rows(wv[panel*2*panel:], 2*panel), product.All)
	}
	return first
}
