package shrinkage

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// PosteriorWeights returns the weights v = (R + tau2/n I)^-1 K 1/n of the posterior mean of the
// embedding (Flaxman et al., 2016, eq. 7), which is sum_j v_j r(., x_j): R is the Gram matrix of
// the prior covariance r. With r = k they are SpectralWeights at lambda = tau2/n. With the r of the
// paper, the convolution of k with itself, the posterior mean is in the span of the r(., x_j),
// which does not contain the empirical embedding.
func PosteriorWeights(r, gram *mat.SymDense, tau2 float64) ([]float64, error) {
	n := gram.SymmetricDim()
	if m := r.SymmetricDim(); m != n {
		return nil, fmt.Errorf("shrinkage: prior covariance has %d rows, want %d, as many as the "+
			"Gram matrix", m, n)
	}
	if !(tau2 > 0) || math.IsInf(tau2, 1) {
		return nil, fmt.Errorf("shrinkage: tau2 is %v, want a positive number", tau2)
	}
	ridged := mat.NewSymDense(n, nil)
	ridged.CopySym(r)
	target := make([]float64, n)
	for i := range n {
		ridged.SetSym(i, i, r.At(i, i)+tau2/float64(n))
		for j := range n {
			target[i] += gram.At(i, j) / float64(n)
		}
	}
	var c mat.Cholesky
	if !c.Factorize(ridged) {
		return nil, fmt.Errorf("shrinkage: tau2 is %v, with which rows cannot be told apart: want more",
			tau2)
	}
	v := mat.NewVecDense(n, nil)
	err := c.SolveVecTo(v, mat.NewVecDense(n, target))
	var condition mat.Condition
	if err != nil && !errors.As(err, &condition) || floats.HasNaN(v.RawVector().Data) {
		return nil, fmt.Errorf("shrinkage: %v at tau2 = %v", err, tau2)
	}
	return v.RawVector().Data, nil
}
