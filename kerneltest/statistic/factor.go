package statistic

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// MaxRank is the largest rank of a factor of more than 2 MaxRank rows.
const MaxRank = 1000

// Factor is a Gram matrix of n points as the inner products of n vectors of few elements, from the
// pivoted Cholesky factor, with the mean of the vectors apart: K_ij = (f_i+mean).(f_j+mean).
// Memory and the time of what is computed from it grow as n, not as n². It does not change once
// made, but by Columns.
type Factor struct {
	n, rank    int
	centred    []float64 // feature k of all points at [k*n : (k+1)*n], of mean 0
	mean       []float64 // of each feature
	diagMean   float64   // of the diagonal of the Gram matrix
	traceError float64
}

// NewFactor factors the Gram matrix of the rows of x without forming it, until no element of the
// diagonal is wrong by more than tol times the largest. With more than 2 MaxRank rows it stops at
// rank MaxRank, as for kernels that are narrow or rough: TraceError says what is then left out.
func NewFactor(k kernels.Kernel, x mat.Matrix, tol float64) (*Factor, error) {
	if !(tol >= 0 && tol < 1) {
		return nil, fmt.Errorf("statistic: tolerance is %v, want at least 0 and below 1", tol)
	}
	data, n, dim, err := finiteRows("x", x)
	if err != nil {
		return nil, err
	}
	if err := checkKernel(k, dim); err != nil {
		return nil, err
	}
	row := func(i int) []float64 { return data[i*dim : (i+1)*dim] }
	diag := make([]float64, n)
	for i := range diag {
		diag[i] = k.At(row(i), row(i))
	}
	path := fused.Best()
	return FactorColumns(context.Background(), diag, tol, RankLimit(n), func(dst []float64, i int) {
		kernels.Fill(dst, k, path, row(i), data, dim)
	})
}

// RankLimit is the largest rank of a factor of n rows where memory and time do not count: MaxRank
// if n is above 2 MaxRank, and n otherwise.
func RankLimit(n int) int {
	if n <= 2*MaxRank {
		return n
	}
	return MaxRank
}

// FactorGram factors a Gram matrix. It fails if the matrix is not positive semidefinite.
func FactorGram(gram *mat.SymDense, tol float64) (*Factor, error) {
	c, err := NewCentred("gram", gram)
	if err != nil {
		return nil, err
	}
	return c.factor(tol)
}

func (c *Centred) factor(tol float64) (*Factor, error) {
	raw := c.gram.RawSymmetric()
	diag := make([]float64, c.n)
	for i := range diag {
		diag[i] = raw.Data[i*raw.Stride+i]
	}
	f, err := FactorColumns(context.Background(), diag, tol, c.n, func(dst []float64, i int) {
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
	for _, v := range f.Covariance().Data {
		norm += v * v
	}
	scale := float64(c.n) * c.diagMean
	if want := c.norm2(); math.Abs(norm-want) > (1e-6+2*tol)*want+1e-12*scale*scale {
		return nil, fmt.Errorf("statistic: Gram matrix has a centred squared norm of %v and its "+
			"Cholesky factor %v, want a positive semidefinite matrix", want, norm)
	}
	return f, nil
}

// FactorColumns factors a Gram matrix given by its diagonal and by column, which writes column i.
// It ends when no element of the diagonal is wrong by more than tol times the largest, or the rank
// is at its limit; tol counts as at least 1e-14. It asks for one column after another, as many as
// the rank. The end of ctx is an error.
func FactorColumns(ctx context.Context, diag []float64, tol float64, limit int,
	column func(dst []float64, i int)) (*Factor, error) {
	n := len(diag)
	top, sum := largest(diag), 0.0
	for i, v := range diag {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("statistic: Gram matrix is %v at row and column %d, want at "+
				"least 0 and finite", v, i+1)
		}
		sum += v
	}
	c := lowrank.Cholesky{Limit: limit}
	if err := c.FactorContext(ctx, diag, max(tol, 1e-14)*top, column); err != nil {
		return nil, err
	}
	f := &Factor{n: n, rank: len(c.Pivots), centred: c.Columns(), diagMean: sum / float64(n)}
	if f.rank == limit && limit < n {
		f.traceError = c.TraceError(diag)
	}
	f.mean = make([]float64, f.rank)
	for k := range f.mean {
		f.mean[k] = removeMean(f.centred[k*n : (k+1)*n])
	}
	return f, nil
}

// Shrink returns the factor of Kc (Kc + ridge I)⁻¹ for the centred matrix Kc of f: with the centred
// features C of f, its features are C (C'C + ridge I)^(-1/2), of mean 0. Eigenvalues far above the
// ridge become 1, those far below small.
func (f *Factor) Shrink(ridge float64) (*Factor, error) {
	copied := *f
	copied.centred = slices.Clone(f.centred)
	if err := copied.ShrinkInPlace(ridge); err != nil {
		return nil, err
	}
	return &copied, nil
}

// ShrinkInPlace makes f what Shrink returns.
func (f *Factor) ShrinkInPlace(ridge float64) error {
	if !(ridge > 0) || math.IsInf(ridge, 1) {
		return fmt.Errorf("statistic: ridge is %v, want a positive number", ridge)
	}
	a := f.Covariance().Data
	for i := range f.rank {
		a[i*f.rank+i] += ridge
	}
	if !lowrank.Decompose(a, f.rank) {
		return fmt.Errorf("statistic: covariance of the features is not positive definite with a "+
			"ridge of %v, want a larger one", ridge)
	}
	lowrank.SolveLower(a, f.rank, f.centred, f.n)
	f.mean, f.diagMean = make([]float64, f.rank), 0
	for _, v := range f.centred {
		f.diagMean += v * v / float64(f.n)
	}
	return nil
}

// Rows is the number of points.
func (f *Factor) Rows() int { return f.n }

// Rank is the number of features.
func (f *Factor) Rank() int { return f.rank }

// TraceError is the share of the trace of the Gram matrix that the factor leaves out because its
// rank was limited, 0 where it was not.
func (f *Factor) TraceError() float64 { return f.traceError }

// Columns returns the centred features themselves, feature k of all n points at [k*n : (k+1)*n].
// Who changes them changes the factor: they are for code that made it and shares it with nobody.
func (f *Factor) Columns() []float64 { return f.centred }

// Mean returns what was taken from each feature to centre it. It must not be changed.
func (f *Factor) Mean() []float64 { return f.mean }

// DiagMean is the mean of the diagonal of the Gram matrix, which is not centred.
func (f *Factor) DiagMean() float64 { return f.diagMean }

// Features returns a copy of the centred features, a row for each point: their inner products are
// the elements of the centred Gram matrix. It is nil for a factor of rank 0.
func (f *Factor) Features() *mat.Dense {
	if f.rank == 0 {
		return nil
	}
	return mat.DenseCopyOf(mat.NewDense(f.rank, f.n, f.centred).T())
}

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

func checkKernel(k kernels.Kernel, dim int) error {
	if k == nil {
		return fmt.Errorf("statistic: kernel is nil, want one")
	}
	if err := k.Check(dim); err != nil {
		return fmt.Errorf("statistic: %w", err)
	}
	return nil
}

// finiteRows copies a, row by row, and names the first element that is not a finite number.
func finiteRows(name string, a mat.Matrix) (data []float64, n, dim int, err error) {
	if data, n, dim, err = rows.Finite(name, a); err != nil {
		return nil, 0, 0, fmt.Errorf("statistic: %w", err)
	}
	return data, n, dim, nil
}
