package statistic

import (
	"fmt"
	"math"

	"bayeskernel/internal/lowrank"
)

// Residuals returns, for each of some factors F, what is left of its features after kernel ridge
// regression on the given ones,
//
//	F - G (G'G + n ridge I)^-1 G'F,
//
// where the columns of G are the features of all given factors, centred, so that the kernel of the
// regression is the sum of theirs. The ridge is in units of the kernels. All factors are of the same
// n points.
func Residuals(of, given []*Factor, ridge float64) ([]*Factor, error) {
	if !(ridge > 0) || math.IsInf(ridge, 1) {
		return nil, fmt.Errorf("statistic: ridge is %v, want a positive number", ridge)
	}
	if len(of) == 0 {
		return nil, nil
	}
	n := of[0].n
	for _, f := range append(of[1:len(of):len(of)], given...) {
		if f.n != n {
			return nil, fmt.Errorf("statistic: factors are of %d and %d points, want as many of each",
				n, f.n)
		}
	}
	var g []float64 // features, one after another
	for _, f := range given {
		g = append(g, f.centred...)
	}
	r := len(g) / n
	gram := make([]float64, r*r)
	lowrank.Gram(gram, g, r, n, n)
	for k := range r {
		gram[k*r+k] += float64(n) * ridge
	}
	if !lowrank.Decompose(gram, r) {
		return nil, fmt.Errorf("statistic: ridge is %v, with which the given features cannot be told "+
			"apart: want a larger one", ridge)
	}
	out := make([]*Factor, len(of))
	for k, f := range of {
		out[k] = f.residual(g, gram, r)
	}
	return out, nil
}

// residual regresses on r features g; lower is the Cholesky factor of their products and the ridge.
func (f *Factor) residual(g, lower []float64, r int) *Factor {
	out := &Factor{n: f.n, rank: f.rank, centred: make([]float64, len(f.centred)),
		mean: make([]float64, f.rank), diagMean: f.diagMean, traceError: f.traceError}
	copy(out.centred, f.centred)
	coef := make([]float64, r)
	for k := range f.rank {
		column := out.centred[k*f.n : (k+1)*f.n]
		lowrank.Products(coef, column, g, f.n)
		lowrank.SolveLower(lower, r, coef, 1)
		for i := r - 1; i >= 0; i-- { // the transpose
			coef[i] /= lower[i*r+i]
			for j := range i {
				coef[j] -= lower[i*r+j] * coef[i]
			}
		}
		lowrank.Combine(column, -1, coef, g)
	}
	return out
}
