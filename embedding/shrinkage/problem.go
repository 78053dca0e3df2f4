package shrinkage

import (
	"context"
	"errors"
	"fmt"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Problem is what all estimators of a mean embedding need to know of a Gram matrix K of n rows: its
// eigenvalues d and eigenvectors u. It does not change and may be shared by goroutines.
type Problem struct {
	n, rank int
	// Of the eigenvalues that are not zero, in decreasing order.
	d []float64
	u []float64 // u[i*rank+k] is element i of eigenvector k
	o []float64 // u_k'1
	// What the eigenvectors of eigenvalue 0 hold of the unit vector i, and of 1; nil if none are.
	rest, null []float64

	sums []float64 // K1
	diag []float64
	rho  float64 // 1'K1/n², the squared norm of the empirical embedding
	vr   float64 // tr K/n
}

// New decomposes a Gram matrix. It reads the upper triangle. It takes O(n³). When ctx ends, New
// returns an error after the eigenvalues, which are one call of gonum.
func New(ctx context.Context, gram *mat.SymDense) (*Problem, error) {
	n := gram.SymmetricDim()
	if n < 2 {
		return nil, fmt.Errorf("shrinkage: Gram matrix has %s, want at least 2", rows.Count(n, "row"))
	}
	for i := range n {
		for j := i; j < n; j++ {
			if v := gram.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("shrinkage: element %d, %d of the Gram matrix is %v, want a "+
					"finite number", i+1, j+1, v)
			}
		}
	}
	e, err := eigen(ctx, gram)
	if err != nil {
		return nil, err
	}
	values := e.Values(nil)
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	top := max(values[n-1], -values[0])
	if values[0] < -1e-9*top {
		return nil, fmt.Errorf("shrinkage: smallest eigenvalue of the Gram matrix is %.3g and the "+
			"largest %.3g, want none below 0", values[0], values[n-1])
	}
	p := &Problem{n: n, diag: make([]float64, n), sums: make([]float64, n)}
	for i := range n {
		p.diag[i] = gram.At(i, i)
		for j := range n {
			p.sums[i] += gram.At(i, j)
		}
	}
	p.keep(values, func(i, k int) float64 { return vectors.At(i, k) }, 4*float64(n)*0x1p-52*top)
	return p, nil
}

// NewRows decomposes the Gram matrix of the rows of x to within tol of its largest diagonal
// element; 0 means 1e-14, which keeps all digits. Smooth kernels have Gram matrices of low rank r:
// time is then O(n r² + r³) and memory O(n r). Where r exceeds a third of n it is New. With a
// larger tol, scores and weights are exact for another kernel, which is below the given one and
// within tol of it.
func NewRows(ctx context.Context, k kernels.Kernel, x mat.Matrix, tol float64) (*Problem, error) {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return nil, fmt.Errorf("shrinkage: %w", err)
	}
	if n < 2 {
		return nil, fmt.Errorf("shrinkage: x has %s, want at least 2", rows.Count(n, "row"))
	}
	if k == nil {
		return nil, errors.New("shrinkage: kernel is nil, want a kernel")
	}
	if err := k.Check(dim); err != nil {
		return nil, fmt.Errorf("shrinkage: %w", err)
	}
	if !(tol >= 0 && tol < 1) {
		return nil, fmt.Errorf("shrinkage: tolerance is %v, want a number from 0 to 1", tol)
	}
	diag := make([]float64, n)
	top := 0.0
	for i := range diag {
		xi := data[i*dim : (i+1)*dim]
		diag[i] = k.At(xi, xi)
		top = max(top, diag[i])
	}
	limit := n/3 + 1
	factor := lowrank.Cholesky{Limit: limit}
	err = factor.FactorContext(ctx, diag, max(tol, 1e-14)*top, func(dst []float64, i int) {
		kernels.Fill(dst, k, fused.Best(), data, data[i*dim:(i+1)*dim], dim)
	})
	if err != nil {
		return nil, fmt.Errorf("shrinkage: stopped: %w", err)
	}
	rank := len(factor.Pivots)
	if rank == limit || rank == 0 {
		gram := mat.NewSymDense(n, nil)
		kernels.Fill(gram.RawSymmetric().Data, k, fused.Best(), data, data, dim)
		return New(ctx, gram)
	}
	return newFactor(ctx, n, rank, factor.Columns())
}

// newFactor decomposes K = LL', where column k of L is at l[k*n:(k+1)*n]. With L'L = V G V' the
// eigenvectors of K are L V G^(-1/2).
func newFactor(ctx context.Context, n, rank int, l []float64) (*Problem, error) {
	columns := blas64.General{Rows: rank, Cols: n, Stride: n, Data: l}
	inner := mat.NewSymDense(rank, nil)
	blas64.Syrk(blas.NoTrans, 1, columns, 0, inner.RawSymmetric())
	e, err := eigen(ctx, inner)
	if err != nil {
		return nil, err
	}
	values := e.Values(nil)
	var v mat.Dense
	e.VectorsTo(&v)
	u := mat.NewDense(n, rank, nil)
	u.Mul(mat.NewDense(rank, n, l).T(), &v)
	p := &Problem{n: n, diag: make([]float64, n), sums: make([]float64, n)}
	ones := make([]float64, rank)
	for k := range rank {
		ones[k] = floats.Sum(l[k*n : (k+1)*n])
		floats.AddScaled(p.sums, ones[k], l[k*n:(k+1)*n])
		for i, v := range l[k*n : (k+1)*n] {
			p.diag[i] += v * v
		}
	}
	cut := 4 * float64(n) * 0x1p-52 * values[rank-1]
	p.keep(values, func(i, k int) float64 { return u.At(i, k) / math.Sqrt(values[k]) }, cut)
	return p, nil
}

// eigen decomposes a matrix, unless ctx has ended before or meanwhile.
func eigen(ctx context.Context, of *mat.SymDense) (*mat.EigenSym, error) {
	var e mat.EigenSym
	if ctx.Err() == nil && !e.Factorize(of, true) {
		return nil, errors.New("shrinkage: eigenvalues of the Gram matrix were not found")
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("shrinkage: stopped: %w", context.Cause(ctx))
	}
	return &e, nil
}

// keep takes the eigenvalues above cut, given in increasing order, and their vectors, and sums up
// the rest.
func (p *Problem) keep(values []float64, vector func(i, k int) float64, cut float64) {
	n := p.n
	for k := len(values) - 1; k >= 0 && values[k] > cut; k-- {
		p.d = append(p.d, values[k])
	}
	p.rank = len(p.d)
	p.u = make([]float64, n*p.rank)
	p.o = make([]float64, p.rank)
	for i := range n {
		for k := range p.rank {
			v := vector(i, len(values)-1-k)
			p.u[i*p.rank+k] = v
			p.o[k] += v
		}
	}
	if p.rank < n {
		p.rest, p.null = make([]float64, n), make([]float64, n)
		for i := range n {
			row := p.u[i*p.rank : (i+1)*p.rank]
			p.rest[i] = max(0, 1-floats.Dot(row, row))
			p.null[i] = 1 - floats.Dot(row, p.o)
		}
	}
	p.rho = floats.Sum(p.sums) / float64(n) / float64(n)
	p.vr = floats.Sum(p.diag) / float64(n)
}

// Eigenvalues returns those of the Gram matrix that are not zero to within rounding, the largest
// first.
func (p *Problem) Eigenvalues() []float64 { return append([]float64(nil), p.d...) }

// combine writes the vector with coefficients c_k of the eigenvectors into dst.
func (p *Problem) combine(dst, c []float64) {
	for i := range dst {
		dst[i] = floats.Dot(p.u[i*p.rank:(i+1)*p.rank], c)
	}
}
