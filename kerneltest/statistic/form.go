package statistic

import (
	"fmt"

	"bayeskernel/internal/product"

	"gonum.org/v1/gonum/mat"
)

// QuadraticForm is the distribution of z'M z, where M is a positive semidefinite matrix and the
// elements of z are independent standard normal: a sum of chi-squares weighted with the eigenvalues
// of M.
type QuadraticForm struct {
	n      int
	m      []float64  // row by row
	powers [3]float64 // traces of M, M² and M³
	cubed  bool
}

// NewQuadraticForm reads a symmetric matrix of n rows, row by row, both triangles of it. It is not
// copied and must not change.
func NewQuadraticForm(m []float64, n int) *QuadraticForm {
	q := &QuadraticForm{n: n, m: m}
	for i := range n {
		q.powers[0] += m[i*n+i]
	}
	for _, v := range m {
		q.powers[1] += v * v
	}
	return q
}

// Cumulants returns the first three: tr M, 2 tr M² and 8 tr M³. The third takes n³/2
// multiplications.
func (q *QuadraticForm) Cumulants() [3]float64 {
	if !q.cubed {
		q.cubed = true
		square := make([]float64, min(strip, q.n)*q.n) // rows of M²
		m := product.Columns(q.m, q.n)                 // it is symmetric
		for from := 0; from < q.n; from += strip {
			to := min(from+strip, q.n)
			rows := product.Columns(q.m[from:], q.n)
			product.Multiply(square, to-from, to, q.n, rows, m, product.All)
			for i := from; i < to; i++ {
				row, s := q.m[i*q.n:i*q.n+i+1], 0.0
				of := square[(i-from)*to : (i-from)*to+i+1]
				for j, v := range of[:i] {
					s += row[j] * v
				}
				q.powers[2] += 2*s + row[i]*of[i]
			}
		}
	}
	return [3]float64{q.powers[0], 2 * q.powers[1], 8 * q.powers[2]}
}

// strip is how many rows of M² are computed at a time.
const strip = 160

// Tail returns the probability of a value above x by one of Spectral, Pearson and GammaKCI, the
// gamma of the same mean and variance. It is 1 where M is 0.
func (q *QuadraticForm) Tail(null Null, x float64) (Tail, error) {
	if !(q.powers[0] > 0) {
		return Tail{Null: null, Statistic: x, P: 1}, nil
	}
	switch null {
	case Spectral:
		weights, err := q.weights()
		if err != nil {
			return Tail{}, err
		}
		return weightedSpectral(x, weights)
	case Pearson:
		return pearsonTail(x, q.Cumulants())
	case GammaKCI:
		return gammaTail(GammaKCI, x, q.powers[0], 2*q.powers[1])
	}
	return Tail{}, fmt.Errorf("statistic: null of a quadratic form is %v, want spectral, pearson or "+
		"gamma-kci", null)
}

// weights are the eigenvalues of M but for those that rounding cannot tell from 0.
func (q *QuadraticForm) weights() ([]float64, error) {
	var eigen mat.EigenSym
	// In units of the trace: near the ends of the range of float64, Dsterf of Gonum 0.17 panics.
	scaled := make([]float64, len(q.m))
	for i, v := range q.m {
		scaled[i] = v / q.powers[0]
	}
	if !eigen.Factorize(mat.NewSymDense(q.n, scaled), false) {
		return nil, fmt.Errorf("statistic: no eigenvalues of a matrix of %d rows", q.n)
	}
	values := eigen.Values(nil)
	kept := values[:0]
	for _, v := range values {
		if v > negligible {
			kept = append(kept, v*q.powers[0])
		}
	}
	return kept, nil
}
