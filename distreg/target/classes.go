package target

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// The nodes and weights of Gauss and Hermite, for expectations over a standard normal.
const nodes = 21

var hermite = func() (out [nodes]struct{ z, w float64 }) {
	x, w := make([]float64, nodes), make([]float64, nodes)
	quad.Hermite{}.FixedLocations(x, w, math.Inf(-1), math.Inf(1))
	for i := range out {
		out[i].z, out[i].w = math.Sqrt2*x[i], w[i]/math.Sqrt(math.Pi)
	}
	return out
}()

// logistic is E 1/(1+exp(-(a + sqrt(v) Z))) with its derivatives in a and v.
func logistic(a, v float64) (p, byA, byV float64) {
	root := math.Sqrt(max(v, 1e-20))
	for _, n := range hermite {
		s := 1 / (1 + math.Exp(-(a + root*n.z)))
		p += n.w * s
		d := n.w * s * (1 - s)
		byA += d
		byV += d * n.z
	}
	return p, byA, byV / (2 * root)
}

// logLogistic is the log probability of the label y, 0 or 1, with its derivatives.
func logLogistic(y, a, v float64) (l, byA, byV float64) {
	sign := 1.0
	if y == 0 {
		sign = -1
	}
	p, da, dv := logistic(sign*a, v)
	if p == 0 {
		return math.Inf(-1), 0, 0
	}
	return math.Log(p), sign * da / p, dv / p
}
