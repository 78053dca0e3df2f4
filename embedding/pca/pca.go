package pca

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

// Options are the weights and the number of components. Weights of nil are 1/n each; they may be
// negative, and need have no sum of 1: those of package shrinkage are meant.
type Options struct {
	Components int       // 0 means all of positive variance
	Centre     []float64 // of the rows in the mean that is taken from each feature vector
	Weights    []float64 // of the rows in the covariance operator
}

// PCA is a kernel principal component analysis. It does not change.
type PCA struct {
	// Variances are the eigenvalues of the covariance operator, the largest first.
	Variances []float64

	kernel kernels.Kernel
	x      []float64
	n, dim int
	centre []float64
	sums   []float64 // K times centre
	square float64   // centre' K centre
	coef   []float64 // of component c at c*n
}

// New analyses the rows of x. With centre m and phi~_i = k(., x_i) - sum_j m_j k(., x_j), the
// components are eigenvectors of sum_i w_i phi~_i (x) phi~_i. It takes O(n r² + r³) for a centred
// Gram matrix of numerical rank r. When ctx ends, so does New, at the next column of the factor, or
// after the eigenvalues, which are one call of gonum.
func New(ctx context.Context, k kernels.Kernel, x mat.Matrix, o Options) (*PCA, error) {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	if n < 2 {
		return nil, fmt.Errorf("pca: x has %s, want at least 2", rows.Count(n, "row"))
	}
	if k == nil {
		return nil, errors.New("pca: kernel is nil, want a kernel")
	}
	if err := k.Check(dim); err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	if o.Components < 0 {
		return nil, fmt.Errorf("pca: number of components is %d, want 0 or more", o.Components)
	}
	p := &PCA{kernel: k, x: data, n: n, dim: dim}
	if p.centre, err = weights("centre", o.Centre, n); err != nil {
		return nil, err
	}
	w, err := weights("weights", o.Weights, n)
	if err != nil {
		return nil, err
	}
	l, rank, err := p.factor(ctx)
	if err != nil {
		return nil, fmt.Errorf("pca: stopped: %w", err)
	}
	if err := p.decompose(l, rank, w, o.Components); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("pca: stopped: %w", context.Cause(ctx))
	}
	return p, nil
}

func weights(name string, given []float64, n int) ([]float64, error) {
	w := make([]float64, n)
	if given == nil {
		for i := range w {
			w[i] = 1 / float64(n)
		}
		return w, nil
	}
	if len(given) != n {
		return nil, fmt.Errorf("pca: %s has %s, want %d, one for each row", name,
			rows.Count(len(given), "element"), n)
	}
	for i, v := range given {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("pca: element %d of %s is %v, want a finite number", i+1, name, v)
		}
	}
	copy(w, given)
	return w, nil
}

// factor returns L with LL' the centred Gram matrix, column by column: the pivoted Cholesky factor
// of K, and then of each column its mean under the centre taken away.
func (p *PCA) factor(ctx context.Context) (l []float64, rank int, err error) {
	diag := make([]float64, p.n)
	top := 0.0
	for i := range diag {
		xi := p.row(i)
		diag[i] = p.kernel.At(xi, xi)
		top = max(top, diag[i])
	}
	var c lowrank.Cholesky
	err = c.FactorContext(ctx, diag, 1e-14*top, func(dst []float64, i int) {
		kernels.Fill(dst, p.kernel, fused.Best(), p.x, p.row(i), p.dim)
	})
	if err != nil {
		return nil, 0, err
	}
	l, rank = c.Columns(), len(c.Pivots)
	p.sums = make([]float64, p.n)
	for k := range rank {
		column := l[k*p.n : (k+1)*p.n]
		mean := floats.Dot(column, p.centre)
		floats.AddScaled(p.sums, mean, column)
		floats.AddConst(-mean, column)
	}
	p.square = floats.Dot(p.sums, p.centre)
	return l, rank, nil
}

func (p *PCA) row(i int) []float64 { return p.x[i*p.dim : (i+1)*p.dim] }

// decompose finds the eigenvectors v of L'BL, B the diagonal matrix of the weights, with eigenvalue
// g. The component with coefficients B L v/g of the phi~_i has norm 1, whatever the signs in B.
func (p *PCA) decompose(l []float64, rank int, w []float64, count int) error {
	if rank == 0 {
		return nil
	}
	weighted := make([]float64, len(l))
	for k := range rank {
		floats.MulTo(weighted[k*p.n:(k+1)*p.n], l[k*p.n:(k+1)*p.n], w)
	}
	columns := blas64.General{Rows: rank, Cols: p.n, Stride: p.n, Data: l}
	other := blas64.General{Rows: rank, Cols: p.n, Stride: p.n, Data: weighted}
	inner := mat.NewDense(rank, rank, nil)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, columns, other, 0, inner.RawMatrix())
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(rank, inner.RawMatrix().Data), true) {
		return errors.New("pca: eigenvalues of the covariance operator were not found")
	}
	values := e.Values(nil)
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	cut := 4 * float64(p.n) * 0x1p-52 * max(values[rank-1], -values[0])
	for k := rank - 1; k >= 0 && values[k] > cut && (count == 0 || len(p.Variances) < count); k-- {
		p.Variances = append(p.Variances, values[k])
		coef := make([]float64, p.n)
		for j := range rank {
			floats.AddScaled(coef, vectors.At(j, k)/values[k], weighted[j*p.n:(j+1)*p.n])
		}
		p.coef = append(p.coef, coef...)
	}
	return nil
}

// Components is their number.
func (p *PCA) Components() int { return len(p.Variances) }

// Coefficients writes those of component c into dst: the component is sum_i dst_i (k(., x_i) -
// centre).
func (p *PCA) Coefficients(dst []float64, c int) { copy(dst, p.coef[c*p.n:(c+1)*p.n]) }

// Project returns the components of the feature vectors of points, centred: a row for each point. A
// point takes O(n) for each component.
func (p *PCA) Project(points mat.Matrix) (*mat.Dense, error) {
	scores, _, err := p.project(points)
	return scores, err
}

// Errors returns what the components leave of the feature vector of each point, |phi~ - P phi~|², P
// the projection onto their span: the error of reconstruction. Phi~ is centred as the rows are, so
// that errors of different centres are not of the same vectors.
func (p *PCA) Errors(points mat.Matrix) ([]float64, error) {
	scores, squares, err := p.project(points)
	if err != nil {
		return nil, err
	}
	if scores == nil {
		return squares, nil
	}
	for i := range squares {
		s := scores.RawRowView(i)
		squares[i] = max(0, squares[i]-floats.Dot(s, s))
	}
	return squares, nil
}

// project returns scores, nil where there are no components, and |phi~|².
func (p *PCA) project(points mat.Matrix) (scores *mat.Dense, squares []float64, err error) {
	data, count, dim, err := rows.Finite("points", points)
	if err != nil {
		return nil, nil, fmt.Errorf("pca: %w", err)
	}
	if dim != p.dim {
		return nil, nil, fmt.Errorf("pca: points have %s, want %d", rows.Count(dim, "column"), p.dim)
	}
	if c := p.Components(); c > 0 && count > 0 {
		scores = mat.NewDense(count, c, nil)
	}
	squares = make([]float64, count)
	k := make([]float64, p.n)
	for i := range count {
		z := data[i*dim : (i+1)*dim]
		squares[i] = p.centred(k, z)
		if scores != nil {
			p.score(scores.RawRowView(i), k)
		}
	}
	return scores, squares, nil
}

// centred writes the inner products of phi~(z) with the phi~_i into k, and returns |phi~(z)|².
func (p *PCA) centred(k, z []float64) float64 {
	kernels.Fill(k, p.kernel, fused.Best(), z, p.x, p.dim)
	mean := floats.Dot(k, p.centre)
	for i := range k {
		k[i] -= p.sums[i] + mean - p.square
	}
	return p.kernel.At(z, z) - 2*mean + p.square
}

// score writes the components of a point, given its inner products with the rows.
func (p *PCA) score(dst, k []float64) {
	for c := range dst {
		dst[c] = floats.Dot(p.coef[c*p.n:(c+1)*p.n], k)
	}
}
