package priors

import (
	"fmt"
	"math"
)

// Covariance maps R^(n(n+1)/2) onto the covariance matrices of n rows, the n² values being those of
// V = L L' by rows. The coordinates are the lower triangle of L row by row, with the logs of its
// diagonal (Stan Reference Manual, Transforms of constrained variables).
//
// Row i of the lower triangle of V depends on the rows of L up to its own, and value ij through
// L_ij L_jj: in that order the Jacobian is triangular with diagonal L_jj, and 2 L_ii where i = j.
// Rows and columns counted from 1, column j has n-j values below the diagonal, and dL_jj/dx = L_jj:
//
//	log |det J| = n log 2 + sum over j of (n-j+2) log L_jj.
//
// All n² values count in the gradient. With S = gv + gv', that in L_ij is the sum of S_ik L_kj over k.
type Covariance struct{}

// packed is the place of row i, column j of a lower triangle that is stored by rows, from 0.
func packed(i, j int) int { return i*(i+1)/2 + j }

// Free returns n(n+1)/2 for k = n².
func (Covariance) Free(k int) int { n := matrixRows(k); return n * (n + 1) / 2 }

// Bounds returns infinities.
func (Covariance) Bounds() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Constrain implements Transform.
func (Covariance) Constrain(v, x []float64) float64 {
	n := matrixRows(len(v))
	logJ := float64(n) * math.Ln2
	for i := range n { // L itself first, into the lower triangle
		copy(v[i*n:i*n+i], x[packed(i, 0):])
		u := x[packed(i, i)]
		v[i*n+i] = math.Exp(u)
		logJ += float64(n-i+1) * u
	}
	for i := n - 1; i >= 0; i-- { // from the last row on, which no other needs
		for j := i; j >= 0; j-- {
			sum := 0.0
			for k, w := range v[j*n : j*n+j+1] {
				sum += w * v[i*n+k]
			}
			v[i*n+j] = sum
		}
	}
	mirror(v, n)
	return logJ
}

// mirror copies the lower triangle to the upper one.
func mirror(v []float64, n int) {
	for i := range n {
		for j := range i {
			v[j*n+i] = v[i*n+j]
		}
	}
}

// PullBack implements Transform.
func (Covariance) PullBack(gx, x, _, gv []float64) {
	n := matrixRows(len(gv))
	clear(gx)
	for k := range n {
		for j := range k + 1 {
			l := x[packed(k, j)]
			if j == k {
				l = math.Exp(l)
			}
			for i := j; i < n; i++ {
				gx[packed(i, j)] += (gv[i*n+k] + gv[k*n+i]) * l
			}
		}
	}
	for i := range n {
		d := packed(i, i)
		gx[d] = gx[d]*math.Exp(x[d]) + float64(n-i+1)
	}
}

// Unconstrain implements Transform.
func (Covariance) Unconstrain(x, v []float64) error {
	n := matrixRows(len(v))
	if err := symmetric(v, n, "covariance"); err != nil {
		return err
	}
	for i := range n {
		row := x[packed(i, 0) : packed(i, 0)+i+1]
		for j := range i + 1 {
			sum := v[i*n+j]
			for k := range j {
				sum -= row[k] * x[packed(j, k)]
			}
			if j < i {
				row[j] = sum / x[packed(j, j)]
				continue
			}
			if !(sum > 0) || math.IsInf(sum, 1) {
				return fmt.Errorf("priors: a covariance matrix is not positive definite: row %d", i+1)
			}
			row[i] = math.Sqrt(sum)
		}
	}
	for i := range n {
		x[packed(i, i)] = math.Log(x[packed(i, i)])
	}
	return nil
}

// symmetric wants v_ij = v_ji to 1e-8 of the larger diagonal.
func symmetric(v []float64, n int, kind string) error {
	for i := range n {
		for j := range i {
			size := max(math.Abs(v[i*n+i]), math.Abs(v[j*n+j]))
			if !(math.Abs(v[i*n+j]-v[j*n+i]) <= 1e-8*size) {
				return fmt.Errorf("priors: a %s matrix has %v in row %d of column %d and %v across, want it "+
					"symmetric", kind, v[i*n+j], i+1, j+1, v[j*n+i])
			}
		}
	}
	return nil
}

// MostCorrelations is the largest number of rows of a Correlation.
const MostCorrelations = 128

// Correlation maps R^(n(n-1)/2) onto the correlation matrices of n rows, the n² values being those
// of R = L L' by rows. L is made of partial correlations t_ij = tanh(x_ij), as that of CorrCholesky;
// the coordinates are those of the first column, of the second, and so on (Lewandowski, Kurowicka and
// Joe 2009; Stan Reference Manual).
//
// To the Jacobian of CorrCholesky, whose log is the sum of (i+1-j) log s_ij, comes that of L to R. It
// is triangular with L_jj for each i > j, and log L_jj is the sum of log s_jk over k < j. Together
//
//	log |det J| = sum over i > j of (n+1-j) log s_ij.
//
// The gradient g in L is that of Covariance. A row of L is w_j t_j in place j, with w_1 = 1 and
// w_{j+1} = w_j s_j, and w_i in its last. With q_i = g_i and q_j = g_j t_j + s_j q_{j+1}, the sum of
// g_m L_m over m >= j is w_j q_j, and
//
//	gx_j = w_j s_j (g_j s_j - t_j q_{j+1}) - (n+1-j) t_j.
type Correlation struct{}

// column is the place of row i, column j < i among the coordinates of n rows.
func column(n, i, j int) int { return j*n - j*(j+1)/2 + i - j - 1 }

// partial returns t = tanh(x) and s = 1/cosh(x).
func partial(x float64) (t, s float64) {
	e := math.Exp(-math.Abs(x))
	d := 1 / (1 + e*e)
	return math.Copysign((1-e*e)*d, x), 2 * e * d
}

// Free returns n(n-1)/2 for k = n².
func (Correlation) Free(k int) int { n := matrixRows(k); return n * (n - 1) / 2 }

// Bounds returns -1 and 1.
func (Correlation) Bounds() (lo, hi float64) { return -1, 1 }

// Constrain implements Transform.
func (Correlation) Constrain(v, x []float64) float64 {
	n, logJ := matrixRows(len(v)), 0.0
	for i := range n {
		w := 1.0
		for j := range i {
			u := x[column(n, i, j)]
			t, s := partial(u)
			v[i*n+j] = t * w
			w *= s
			size := math.Abs(u)
			logJ += float64(n-j) * (math.Ln2 - size - math.Log1p(math.Exp(-2*size)))
		}
		v[i*n+i] = w
	}
	for i := n - 1; i >= 0; i-- {
		for j := i - 1; j >= 0; j-- {
			sum := 0.0
			for k, w := range v[j*n : j*n+j+1] {
				sum += w * v[i*n+k]
			}
			v[i*n+j] = sum
		}
	}
	for i := range n {
		v[i*n+i] = 1
	}
	mirror(v, n)
	return logJ
}

// PullBack implements Transform.
func (Correlation) PullBack(gx, x, _, gv []float64) {
	n := matrixRows(len(gv))
	var ends [MostCorrelations]float64 // the gradient in the diagonal of L
	clear(gx)
	for k := range n {
		w := 1.0
		for j := range k + 1 {
			l := w
			if j < k {
				t, s := partial(x[column(n, k, j)])
				l = w * t
				w *= s
				ends[j] += (gv[j*n+k] + gv[k*n+j]) * l
			}
			for i := j + 1; i < n; i++ {
				if i != k { // the diagonal of R is 1
					gx[column(n, i, j)] += (gv[i*n+k] + gv[k*n+i]) * l
				}
			}
		}
	}
	for i := range n {
		q := ends[i]
		for j := i - 1; j >= 0; j-- {
			c := column(n, i, j)
			t, s := partial(x[c])
			g := gx[c]
			gx[c] = s * (g*s - t*q)
			q = g*t + s*q
		}
		w := 1.0
		for j := range i {
			c := column(n, i, j)
			t, s := partial(x[c])
			gx[c] = gx[c]*w - float64(n-j)*t
			w *= s
		}
	}
}

// Unconstrain implements Transform.
func (Correlation) Unconstrain(x, v []float64) error {
	n := matrixRows(len(v))
	if err := symmetric(v, n, "correlation"); err != nil {
		return err
	}
	for i := range n {
		if !(math.Abs(v[i*n+i]-1) <= 1e-8) {
			return fmt.Errorf("priors: the diagonal of a correlation matrix has %v in row %d, want 1",
				v[i*n+i], i+1)
		}
	}
	// L below its diagonal in the places of x; the diagonal is the root of what is left.
	diagonal := make([]float64, n)
	for i := range n {
		left := 1.0
		for j := range i {
			sum := v[i*n+j]
			for k := range j {
				sum -= x[column(n, i, k)] * x[column(n, j, k)]
			}
			sum /= diagonal[j]
			x[column(n, i, j)] = sum
			left -= sum * sum
		}
		if !(left > 0) {
			return fmt.Errorf("priors: a correlation matrix is not positive definite: row %d", i+1)
		}
		diagonal[i] = math.Sqrt(left)
	}
	for i := range n {
		rest := diagonal[i]
		for j := i - 1; j >= 0; j-- {
			c := column(n, i, j)
			l := x[c]
			x[c] = math.Asinh(l / rest)
			rest = math.Hypot(rest, l)
		}
	}
	return nil
}
