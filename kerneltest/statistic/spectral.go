package statistic

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Covariance is the sum of f_i f_i', whose eigenvalues other than 0 are those of the centred Gram
// matrix.
func (f *Factor) Covariance() blas64.General {
	c := blas64.General{Rows: f.rank, Cols: f.rank, Stride: f.rank,
		Data: make([]float64, f.rank*f.rank)}
	if f.rank == 0 {
		return c
	}
	a := blas64.General{Rows: f.rank, Cols: f.n, Stride: f.n, Data: f.centred}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, a, 0, c)
	return c
}

// Diagonal returns the diagonal of the centred Gram matrix.
func (f *Factor) Diagonal() []float64 {
	d := make([]float64, f.n)
	for k := range f.rank {
		for i, v := range f.centred[k*f.n : (k+1)*f.n] {
			d[i] += v * v
		}
	}
	return d
}

// spectrum returns the eigenvalues of the centred Gram matrix divided by the number of points, less
// those that rounding cannot tell from 0.
func (f *Factor) spectrum() ([]float64, error) {
	if f.rank == 0 {
		return nil, nil
	}
	c := f.Covariance()
	// Near the ends of the range of float64, Dsterf of Gonum 0.17 panics.
	unit := 1 / (float64(f.n) * f.diagMean)
	for i := range c.Data {
		c.Data[i] *= unit
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(f.rank, c.Data), false) {
		return nil, fmt.Errorf("statistic: no eigenvalues of a matrix of %d rows", f.rank)
	}
	values := eigen.Values(nil)
	kept := values[:0]
	for _, v := range values {
		if v > negligible {
			kept = append(kept, v*f.diagMean)
		}
	}
	return kept, nil
}

// negligible is what an eigenvalue, or the sum of all, must exceed in units of the mean diagonal of
// the Gram matrix. Below it they are rounding.
const negligible = 1e-14

// Traces returns the sums of the first three powers of the eigenvalues of the centred Gram matrix,
// each divided by the number of points.
func (f *Factor) Traces() (s [3]float64) {
	if f.rank == 0 {
		return s
	}
	a, n := f.Covariance(), float64(f.n)
	square := blas64.General{Rows: a.Rows, Cols: a.Cols, Stride: a.Cols,
		Data: make([]float64, a.Rows*a.Cols)}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, a, 0, square)
	for i := range a.Rows {
		s[0] += a.Data[i*a.Stride+i]
		s[1] += square.Data[i*square.Stride+i]
		s[2] += blas64.Dot(blas64.Vector{N: a.Cols, Inc: 1, Data: a.Data[i*a.Stride:]},
			blas64.Vector{N: a.Cols, Inc: 1, Data: square.Data[i*square.Stride:]})
	}
	return [3]float64{s[0] / n, s[1] / (n * n), s[2] / (n * n * n)}
}
