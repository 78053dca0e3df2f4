package kerneltest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/rng"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// MaxRank is the rank up to which NewFactor goes where there are more rows.
const MaxRank = 1000

// Factor is a Gram matrix of n points as the inner products of n vectors of few elements, from the
// pivoted Cholesky factor, with the mean of the vectors apart: K_ij = (f_i+mean).(f_j+mean).
// Memory and the time of what is computed from it grow as n, not as n². It does not change once
// made.
type Factor struct {
	n, rank  int
	centred  []float64 // feature k of all points at [k*n : (k+1)*n], of mean 0
	mean     []float64 // of each feature
	diagMean float64   // of the diagonal of the Gram matrix
}

// NewFactor factors the Gram matrix of the rows of x without forming it, until no element of the
// diagonal is wrong by more than tol times the largest. It looks first at 2 MaxRank random rows;
// where the rank of these alone exceeds MaxRank, as for kernels that are narrow or rough, it gives
// up with an error.
func NewFactor(k kernels.Kernel, x mat.Matrix, tol float64) (*Factor, error) {
	return newFactor(context.Background(), k, x, tol, nil)
}

// newFactor is NewFactor until the context is done. Progress, if not nil, is told the rank so far.
func newFactor(ctx context.Context, k kernels.Kernel, x mat.Matrix, tol float64,
	progress func(done, total int)) (*Factor, error) {
	if !(tol >= 0 && tol < 1) {
		return nil, fmt.Errorf("kerneltest: tolerance is %v, want at least 0 and below 1", tol)
	}
	rows, n, dim, err := finiteRows("x", x)
	if err != nil {
		return nil, err
	}
	if err := checkKernel(k, dim); err != nil {
		return nil, err
	}
	diag := make([]float64, n)
	for i := range diag {
		xi := rows[i*dim : (i+1)*dim]
		diag[i] = k.At(xi, xi)
	}
	tol = max(tol, 1e-14)
	if n > 2*MaxRank {
		rank, err := sampleRank(ctx, k, rows, dim, tol)
		if err != nil {
			return nil, err
		}
		if rank > MaxRank {
			return nil, fmt.Errorf("kerneltest: Gram matrix of %d of %d rows has rank %d, want at "+
				"most %d: a smoother kernel, or another null", 2*MaxRank, n, rank, MaxRank)
		}
	}
	rank := 0
	f, err := factor(diag, tol, stoppable(ctx, func(dst []float64, i int) {
		xi := rows[i*dim : (i+1)*dim]
		for j := range dst {
			dst[j] = k.At(xi, rows[j*dim:(j+1)*dim])
		}
		if rank++; progress != nil {
			progress(min(rank, MaxRank), MaxRank)
		}
	}))
	if ctx.Err() != nil {
		return nil, fmt.Errorf("kerneltest: %w", context.Cause(ctx))
	}
	return f, err
}

// stoppable makes NaNs of the columns of a matrix once the context is done, which ends its
// factorization.
func stoppable(ctx context.Context, column func([]float64, int)) func([]float64, int) {
	return func(dst []float64, i int) {
		if ctx.Err() == nil {
			column(dst, i)
			return
		}
		for j := range dst {
			dst[j] = math.NaN()
		}
	}
}

// sampleRank returns the rank of the Gram matrix of 2 MaxRank random rows.
func sampleRank(ctx context.Context, k kernels.Kernel, rows []float64, dim int, tol float64) (int,
	error) {
	source, err := rng.New(rng.PCG, rng.Name{Purpose: "kerneltest rank"}, 0)
	if err != nil {
		return 0, err
	}
	const size = 2 * MaxRank
	at := rand.New(source).Perm(len(rows) / dim)[:size]
	row := func(i int) []float64 { return rows[at[i]*dim : (at[i]+1)*dim] }
	diag := make([]float64, size)
	for i := range diag {
		diag[i] = k.At(row(i), row(i))
	}
	var c lowrank.Cholesky
	c.Factor(diag, tol*largest(diag), stoppable(ctx, func(dst []float64, i int) {
		for j := range dst {
			dst[j] = k.At(row(i), row(j))
		}
	}))
	if ctx.Err() != nil {
		return 0, fmt.Errorf("kerneltest: %w", context.Cause(ctx))
	}
	return len(c.Pivots), nil
}

// FactorGram factors a Gram matrix. It fails if the matrix is not positive semidefinite.
func FactorGram(gram *mat.SymDense, tol float64) (*Factor, error) {
	c, err := center("gram", gram)
	if err != nil {
		return nil, err
	}
	return c.factor(tol)
}

func (c *centred) factor(tol float64) (*Factor, error) {
	raw := c.gram.RawSymmetric()
	diag := make([]float64, c.n)
	for i := range diag {
		diag[i] = raw.Data[i*raw.Stride+i]
	}
	f, err := factor(diag, max(tol, 1e-14), func(dst []float64, i int) {
		for j := range i {
			dst[j] = raw.Data[j*raw.Stride+i]
		}
		copy(dst[i:], raw.Data[i*raw.Stride+i:i*raw.Stride+c.n])
	})
	if err != nil {
		return nil, err
	}
	// An indefinite matrix has more of a norm than its factor.
	var norm float64
	for _, v := range f.covariance().Data {
		norm += v * v
	}
	scale := float64(c.n) * c.diagMean
	if want := c.norm2(); math.Abs(norm-want) > (1e-6+2*tol)*want+1e-12*scale*scale {
		return nil, fmt.Errorf("kerneltest: Gram matrix has a centred squared norm of %v and its "+
			"Cholesky factor %v, want a positive semidefinite matrix", want, norm)
	}
	return f, nil
}

func factor(diag []float64, tol float64, column func([]float64, int)) (*Factor, error) {
	n := len(diag)
	top, sum := largest(diag), 0.0
	for i, v := range diag {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("kerneltest: Gram matrix is %v at row and column %d, want at "+
				"least 0 and finite", v, i+1)
		}
		sum += v
	}
	var c lowrank.Cholesky
	c.Factor(diag, tol*top, column)
	f := &Factor{n: n, rank: len(c.Pivots), centred: c.Columns(), diagMean: sum / float64(n)}
	f.mean = make([]float64, f.rank)
	for k := range f.mean {
		f.mean[k] = removeMean(f.centred[k*n : (k+1)*n])
	}
	return f, nil
}

// Rank is the number of features.
func (f *Factor) Rank() int { return f.rank }

func removeMean(x []float64) float64 {
	n, mean := float64(len(x)), 0.0
	for range 2 { // the second time for what rounding left
		s := 0.0
		for _, v := range x {
			s += v
		}
		s /= n
		for i := range x {
			x[i] -= s
		}
		mean += s
	}
	return mean
}

func largest(x []float64) float64 {
	top := 0.0
	for _, v := range x {
		top = max(top, v)
	}
	return top
}

// covariance is the sum of f_i f_i', whose eigenvalues other than 0 are those of the centred Gram
// matrix.
func (f *Factor) covariance() blas64.General {
	c := blas64.General{Rows: f.rank, Cols: f.rank, Stride: f.rank,
		Data: make([]float64, f.rank*f.rank)}
	if f.rank == 0 {
		return c
	}
	a := blas64.General{Rows: f.rank, Cols: f.n, Stride: f.n, Data: f.centred}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, a, 0, c)
	return c
}

// diagonal returns the diagonal of the centred Gram matrix.
func (f *Factor) diagonal() []float64 {
	d := make([]float64, f.n)
	for k := range f.rank {
		for i, v := range f.centred[k*f.n : (k+1)*f.n] {
			d[i] += v * v
		}
	}
	return d
}

// Spectrum returns the eigenvalues of the centred Gram matrix divided by the number of points, less
// those that rounding cannot tell from 0.
func (f *Factor) Spectrum() ([]float64, error) {
	if f.rank == 0 {
		return nil, nil
	}
	c := f.covariance()
	// Near the ends of the range of float64, Dsterf of Gonum 0.17 panics.
	unit := 1 / (float64(f.n) * f.diagMean)
	for i := range c.Data {
		c.Data[i] *= unit
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(f.rank, c.Data), false) {
		return nil, fmt.Errorf("kerneltest: no eigenvalues of a matrix of %d rows", f.rank)
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

// traces returns the sums of the first three powers of the eigenvalues of the centred Gram matrix,
// each divided by the number of points.
func (f *Factor) traces() (s [3]float64) {
	if f.rank == 0 {
		return s
	}
	a, n := f.covariance(), float64(f.n)
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

func checkKernel(k kernels.Kernel, dim int) error {
	if k == nil {
		return fmt.Errorf("kerneltest: kernel is nil")
	}
	if err := k.Check(dim); err != nil {
		return fmt.Errorf("kerneltest: %w", err)
	}
	return nil
}

// finiteRows copies a, row by row, and names the first element that is not a finite number.
func finiteRows(name string, a mat.Matrix) (rows []float64, n, dim int, err error) {
	if a == nil {
		return nil, 0, 0, fmt.Errorf("kerneltest: %s is nil, want a matrix", name)
	}
	n, dim = a.Dims()
	if n == 0 || dim == 0 {
		return nil, 0, 0, fmt.Errorf("kerneltest: %s is %d x %d, want at least one row and column",
			name, n, dim)
	}
	rows = make([]float64, 0, n*dim)
	for i := range n {
		for j := range dim {
			v := a.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, 0, 0, fmt.Errorf("kerneltest: %s is %v in row %d, column %d (counted "+
					"from 1), want a finite number", name, v, i+1, j+1)
			}
			rows = append(rows, v)
		}
	}
	return rows, n, dim, nil
}
