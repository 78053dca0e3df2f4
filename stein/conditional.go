package stein

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Conditional returns k(x, x') k_p(y, y') of all pairs, k being the matrix of a kernel of the covariates and u the
// scores of y given x, from which a test of p(y | x) is made.
func (k *Kernel) Conditional(x mat.Symmetric, y, u mat.Matrix) (*mat.SymDense, error) {
	out, err := k.Matrix(y, u)
	if err != nil {
		return nil, err
	}
	n := out.SymmetricDim()
	if x.SymmetricDim() != n {
		return nil, fmt.Errorf("stein: the matrix of covariates is of %d rows; there are %d of y", x.SymmetricDim(), n)
	}
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, out.At(i, j)*x.At(i, j))
		}
	}
	return out, nil
}
