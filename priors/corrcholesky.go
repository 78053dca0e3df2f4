package priors

import (
	"fmt"
	"math"
)

// CorrCholesky maps R^(n(n-1)/2) onto the Cholesky factors L of correlation matrices of n rows: lower
// triangular with positive diagonal and rows of length 1. The n² values are those of L by rows, with
// zeros above the diagonal (Stan Reference Manual, Transforms of constrained variables; Lewandowski,
// Kurowicka and Joe, Generating random correlation matrices based on vines and extended onion
// method, Journal of Multivariate Analysis 100 (2009), 1989-2001).
//
// Row i, counted from 1, has i-1 coordinates x_1, x_2, ..., the partial correlations being
// t_j = tanh(x_j). With w_1 = 1,
//
//	L_ij = t_j w_j,  w_{j+1} = w_j s_j,  s_j = 1/cosh(x_j) = sqrt(1 - t_j²),  L_ii = w_i.
//
// L_ij depends on the coordinates up to its own: J, of the values below the diagonal, is lower
// triangular with diagonal w_j s_j². In its log, log s_j comes up twice for j itself and once for
// each of the i-1-j later ones:
//
//	log |det J| = sum over i and j < i of (i+1-j) log s_j,  log s = log 2 - |x| - log(1+exp(-2|x|)).
//
// Since ds_j/dx_j = -t_j s_j, every later value of the row has dL_im/dx_j = -t_j L_im. With R_j the
// sum of gv_im L_im over m > j,
//
//	gx_j = gv_ij w_j s_j² - t_j R_j - (i+1-j) t_j.
//
// In the inverse sinh(x_j) = t_j/s_j = L_ij / sqrt(sum of L_im² over m > j).
type CorrCholesky struct{}

// matrixRows is the number of rows of a square matrix of k values.
func matrixRows(k int) int { return int(math.Sqrt(float64(k)) + 0.5) }

// Free returns n(n-1)/2 for k = n².
func (CorrCholesky) Free(k int) int { n := matrixRows(k); return n * (n - 1) / 2 }

// Bounds returns -1 and 1.
func (CorrCholesky) Bounds() (lo, hi float64) { return -1, 1 }

// Constrain implements Transform.
func (CorrCholesky) Constrain(v, x []float64) float64 {
	n, logJ := matrixRows(len(v)), 0.0
	for i := range n {
		row := v[i*n : (i+1)*n]
		w := 1.0
		for j, u := range x[:i] {
			row[j] = math.Tanh(u) * w
			size := math.Abs(u)
			e := math.Exp(-size)
			w *= 2 * e / (1 + e*e)
			logJ += float64(i+1-j) * (math.Ln2 - size - math.Log1p(e*e))
		}
		row[i] = w
		clear(row[i+1:])
		x = x[i:]
	}
	return logJ
}

// PullBack implements Transform.
func (CorrCholesky) PullBack(gx, x, v, gv []float64) {
	n := matrixRows(len(v))
	for i := range n {
		row, g := v[i*n:(i+1)*n], gv[i*n:(i+1)*n]
		later, square := g[i]*row[i], row[i]*row[i]
		for j := i - 1; j >= 0; j-- {
			t := math.Tanh(x[j])
			e := math.Exp(-math.Abs(x[j]))
			s := 2 * e / (1 + e*e)
			square += row[j] * row[j] // w_j², the squares of the rest of the row
			gx[j] = g[j]*math.Sqrt(square)*s*s - t*later - float64(i+1-j)*t
			later += g[j] * row[j]
		}
		x, gx = x[i:], gx[i:]
	}
}

// Unconstrain implements Transform. The squares of a row may add up to 1 less or more 1e-8.
func (CorrCholesky) Unconstrain(x, v []float64) error {
	n := matrixRows(len(v))
	for i := range n {
		row, sum := v[i*n:(i+1)*n], 0.0
		for j, w := range row {
			if j > i && w != 0 {
				return fmt.Errorf("priors: value %d of row %d of a Cholesky factor is %v, want 0", j+1, i+1,
					w)
			}
			sum += w * w
		}
		if !(row[i] > 0) {
			return fmt.Errorf("priors: the diagonal of row %d of a Cholesky factor is %v, want a positive "+
				"number", i+1, row[i])
		}
		if !(math.Abs(sum-1) <= 1e-8) {
			return fmt.Errorf("priors: the squares of row %d of a Cholesky factor add up to %v, want 1", i+1,
				sum)
		}
		rest := row[i]
		for j := i - 1; j >= 0; j-- {
			x[j] = math.Asinh(row[j] / rest)
			rest = math.Hypot(rest, row[j])
		}
		x = x[i:]
	}
	return nil
}
