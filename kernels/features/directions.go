package features

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// Directions returns the eigenvectors of the Gram matrix of some rows whose eigenvalue is above a share
// least of the largest, a column for each, and the eigenvalues, increasing. Kernel values at these
// rows, times the eigenvectors and over the roots of the eigenvalues, are features whose dot products
// are the kernel's, where these rows say what they are.
func Directions(gram *mat.SymDense, least float64) (vectors mat.Matrix, values []float64, err error) {
	var e mat.EigenSym
	if !e.Factorize(gram, true) {
		return nil, nil, errors.New("features: the kernel matrix cannot be decomposed")
	}
	var all mat.Dense
	e.VectorsTo(&all)
	values = e.Values(nil)
	m, first := len(values), 0
	for values[first] <= least*values[m-1] {
		first++
	}
	return all.Slice(0, m, first, m), values[first:], nil
}
