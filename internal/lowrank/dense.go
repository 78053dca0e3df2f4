package lowrank

import (
	"bayeskernel/internal/product"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Gram writes the inner products of count rows of n elements into the lower triangle of dst, which
// is count x count. Row i begins at a[i*stride]. It goes row by row: Gonum's product of a matrix
// and a vector is half as fast again as its Syrk.
func Gram(dst, a []float64, count, n, stride int) {
	for i := range count {
		Products(dst[i*count:i*count+i+1], a[i*stride:i*stride+n], a, stride)
	}
}

// Products writes the inner product of u with row i into element i of dst. Row i begins at
// a[i*stride] and is as long as u.
func Products(dst, u, a []float64, stride int) {
	if len(dst) == 0 {
		return
	}
	m := blas64.General{Rows: len(dst), Cols: len(u), Stride: stride, Data: a}
	blas64.Gemv(blas.NoTrans, 1, m, vector(u), 0, vector(dst))
}

// Combine adds to dst scale times the rows of a, each as long as dst, each times its coefficient.
func Combine(dst []float64, scale float64, coef, a []float64) {
	if len(dst) == 0 || len(coef) == 0 {
		return
	}
	m := blas64.General{Rows: len(coef), Cols: len(dst), Stride: len(dst), Data: a}
	blas64.Gemv(blas.Trans, scale, m, vector(coef), 1, vector(dst))
}

// Decompose replaces the lower triangle of the symmetric n x n matrix a by its Cholesky factor, and
// reports whether the matrix is positive definite. What is above the diagonal is left alone.
func Decompose(a []float64, n int) bool {
	if n == 0 {
		return true
	}
	_, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Uplo: blas.Lower, Data: a})
	return ok
}

// SolveLower replaces the n rows of g elements in b by those of inverse(l) b, where l is the lower
// triangle of an n x n matrix. Of many long rows it takes solveBlock at a time, of which those before are taken away by a
// product of matrices.
func SolveLower(l []float64, n int, b []float64, g int) {
	if n <= solveBlock || g < 8*solveBlock {
		solveLower(l, n, b, g)
		return
	}
	var work product.Work
	small := make([]float64, solveBlock*solveBlock)
	for from := 0; from < n; from += solveBlock {
		rows := min(solveBlock, n-from)
		work.Subtract(b[from*g:], g, rows, g, from, product.View{Data: l[from*n:], Row: n, Next: 1},
			product.Columns(b[:from*g], g), product.All)
		for i := range rows {
			copy(small[i*rows:(i+1)*rows], l[(from+i)*n+from:])
		}
		solveLower(small, rows, b[from*g:(from+rows)*g], g)
	}
}

const solveBlock = 32

func solveLower(l []float64, n int, b []float64, g int) {
	for j := range n {
		row := b[j*g : (j+1)*g]
		Combine(row, -1, l[j*n:j*n+j], b)
		scale := 1 / l[j*n+j]
		for i := range row {
			row[i] *= scale
		}
	}
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
