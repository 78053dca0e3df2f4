package ica

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// nonlinearity is the derivative of a contrast, with its own derivative.
type nonlinearity func(y float64) (g, dg float64)

// The three contrasts of Hyvärinen (1999): log cosh for most sources, a Gaussian for long tails, and
// kurtosis for short ones.
var contrasts = []nonlinearity{
	func(y float64) (float64, float64) { t := math.Tanh(y); return t, 1 - t*t },
	func(y float64) (float64, float64) { e := math.Exp(-y * y / 2); return y * e, (1 - y*y) * e },
	func(y float64) (float64, float64) { return y * y * y, 3 * y * y },
}

const (
	fixedPointSteps = 200
	fixedPointEnd   = 1e-4
)

// fixedPoint is the symmetric fixed point from q: each row w becomes E z g(w'z) - E g'(w'z) w, and all of
// them then the nearest orthogonal matrix. It may not converge; the sweeps that follow do not need it.
func fixedPoint(ctx context.Context, z []float64, m int, q *mat.Dense, g nonlinearity) (*mat.Dense, error) {
	n := len(z) / m
	rows := mat.NewDense(n, m, z)
	var y mat.Dense
	for range fixedPointSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		y.Mul(rows, q.T())
		slope := make([]float64, m)
		for t := range n {
			for i, v := range y.RawRowView(t) {
				u, d := g(v)
				y.Set(t, i, u)
				slope[i] += d / float64(n)
			}
		}
		next := mat.NewDense(m, m, nil)
		next.Mul(y.T(), rows)
		next.Scale(1/float64(n), next)
		for i := range m {
			for j := range m {
				next.Set(i, j, next.At(i, j)-slope[i]*q.At(i, j))
			}
		}
		var svd mat.SVD
		if !svd.Factorize(next, mat.SVDThin) {
			return q, nil
		}
		var u, v mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		next.Mul(&u, v.T())
		off := 0.0
		for i := range m {
			off = math.Max(off, 1-math.Abs(mat.Dot(next.RowView(i), q.RowView(i))))
		}
		q = next
		if off < fixedPointEnd {
			break
		}
	}
	return q, nil
}
