package bke

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// wellConditioned bounds sum_a G_aa (G^-1)_aa for rows whose matrix G = sum_l k_l² v_l v_l' is
// factored as it stands. An error dG of relative size e changes log det G by tr(G^-1 dG), at most e
// times this sum. No choice of units changes it, and it is D at best.
const wellConditioned = 1000

// direct is logDet by the Cholesky factorisation G = CC', which costs a fraction of an elimination.
// It reports false, and leaves the vectors in a state of which no use can be made, where G is not
// well conditioned or its elements are too small or large for a product of D of them.
func (g *gramian) direct() (logDet float64, ok bool) {
	d, ratio, prod := g.d, 0.0, 1.0
	for i, c := range g.cols {
		c = c[:len(g.k)]
		for l, k := range g.k {
			c[l] *= k
		}
		row := g.gram[i*d : i*d+i+1]
		for j := range i {
			s := floats.Dot(c, g.cols[j])
			for k, v := range g.gram[j*d : j*d+j] {
				s -= row[k] * v
			}
			row[j] = s / g.gram[j*d+j]
		}
		size := floats.Dot(c, c)
		if !(size > g.least && size < 1/g.least) {
			return 0, false
		}
		s := size
		for _, v := range row[:i] {
			s -= v * v
		}
		pivot := math.Sqrt(s)
		row[i], g.diag[i] = pivot, size
		prod *= pivot
		// Row i of C^-1; the sum only grows.
		inv := g.inv[i*d : i*d+i+1]
		inv[i] = 1 / pivot
		ratio += size * inv[i] * inv[i]
		for a := range i {
			s := 0.0
			for j := a; j < i; j++ {
				s -= row[j] * g.inv[j*d+a]
			}
			inv[a] = s * inv[i]
			ratio += g.diag[a] * inv[a] * inv[a]
		}
		if !(ratio <= wellConditioned) {
			return 0, false
		}
	}
	return math.Log(prod), true
}

// leastSize is how small the squared length of a column may be in direct: the product of D pivots,
// each of which may be a thousandth of it, must not underflow.
func leastSize(dim int) float64 {
	return math.Max(1e-200, wellConditioned*math.Pow(10, -560/float64(dim)))
}
