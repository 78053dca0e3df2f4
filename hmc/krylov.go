package hmc

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// strongest returns about the k strongest left singular directions of m, with the squares of their
// singular values. It searches the block Krylov space of m m' (Musco and Musco 2015) from a random
// block that is the same for every call. Directions that stand out converge at once. The rest need
// not converge: any orthonormal directions serve, since a metric is fitted within their span. If the
// columns of start are k directions or more of nearly the same matrix, one block beside them is enough.
func strongest(m *mat.Dense, k int, start *mat.Dense) []direction {
	d, n := m.Dims()
	b, powers := k/2+4, krylovPowers
	known := 0
	if start != nil {
		_, known = start.Dims()
	}
	if known >= k {
		b, powers = k+newDirections, 1
	} else {
		known = 0
	}
	r := rand.New(rand.NewPCG(1, uint64(d)))
	first := mat.NewDense(b, n, nil)
	if known > 0 {
		first.Slice(0, k, 0, n).(*mat.Dense).Mul(start.Slice(0, d, 0, k).T(), m)
		known = k
	}
	for i := known; i < b; i++ {
		row := first.RawRowView(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
	}
	var basis [][]float64 // orthonormal, each of d components
	var images []float64  // m' times each, n components
	var y mat.Dense
	y.Mul(m, first.T())
	for power := 1; ; power++ {
		from := len(basis)
		for j := range b {
			if u := mat.Col(nil, j, &y); orthogonal(u, basis) {
				basis = append(basis, u)
			}
		}
		block := basis[from:]
		if len(block) == 0 {
			break
		}
		q := mat.NewDense(len(block), d, nil)
		for j, u := range block {
			q.SetRow(j, u)
		}
		var t mat.Dense
		t.Mul(q, m)
		images = append(images, t.RawMatrix().Data...)
		if power == powers || len(basis)+b > min(d, n) {
			break
		}
		y.Reset()
		y.Mul(m, t.T())
		b = len(block)
	}
	if len(basis) == 0 {
		return nil
	}
	gram := mat.NewSymDense(len(basis), nil)
	gram.SymOuterK(1, mat.NewDense(len(basis), n, images))
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) {
		return nil
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	values := eig.Values(nil)
	var all []direction
	for j := len(values) - 1; j >= 0 && len(all) < k; j-- {
		if !(values[j] > leastVariance) {
			break
		}
		u := make([]float64, d)
		for i, e := range basis {
			floats.AddScaled(u, v.At(i, j), e)
		}
		all = append(all, direction{values[j], u})
	}
	return all
}

// orthogonal makes u a unit vector orthogonal to the basis. It returns false if u is in its span.
func orthogonal(u []float64, basis [][]float64) bool {
	before := math.Sqrt(floats.Dot(u, u))
	for range 2 { // twice, so that rounding leaves them orthogonal
		for _, b := range basis {
			floats.AddScaled(u, -floats.Dot(b, u), b)
		}
	}
	after := math.Sqrt(floats.Dot(u, u))
	if !(after > 1e-3*before) {
		return false
	}
	for i := range u {
		u[i] /= after
	}
	return true
}
