package shrinkage

import (
	"fmt"

	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// Covariance returns the Gram matrix of the tensors of two variables, centred: the product, element
// by element, of the centred Gram matrices. An estimate from it has the weights of a
// cross-covariance operator, sum_i w_i (k(., x_i) - mean) (x) (l(., y_i) - mean): S-COSE by
// ShrinkScalar, F-COSE by ShrinkSpectral (Muandet et al., 2014). A second matrix of nil means the
// first, for the covariance of one variable.
func Covariance(gramX, gramY *mat.SymDense) (*mat.SymDense, error) {
	x, err := centred("x", gramX)
	if err != nil {
		return nil, err
	}
	y := x
	if gramY != nil {
		if y, err = centred("y", gramY); err != nil {
			return nil, err
		}
	}
	n := x.SymmetricDim()
	if m := y.SymmetricDim(); m != n {
		return nil, fmt.Errorf("shrinkage: Gram matrix of y has %d rows, want %d, as many as that "+
			"of x", m, n)
	}
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, x.At(i, j)*y.At(i, j))
		}
	}
	return out, nil
}

// centred returns H K H.
func centred(name string, gram *mat.SymDense) (*mat.SymDense, error) {
	n := gram.SymmetricDim()
	own := mat.NewSymDense(n, nil)
	own.CopySym(gram)
	c, err := statistic.NewCentred("Gram matrix of "+name, own)
	if err != nil {
		return nil, fmt.Errorf("shrinkage: %w", err)
	}
	c.Replace()
	return own, nil
}
