package priors

import (
	"fmt"
	"math"

	"bayeskernel/internal/density"
)

// PositiveOrdered maps R^k onto 0 < v[1] < ... < v[k] by
//
//	v_j = v_{j-1} + exp(x_j),  v_0 = 0.
//
// The Jacobian is lower triangular with diagonal exp(x_j): log |det J| = x_1 + ... + x_k. Each x_j
// enters every later value with the same slope, so that with S_j = gv_j + ... + gv_k
//
//	gx_j = S_j exp(x_j) + 1.
type PositiveOrdered struct{}

// Free returns k.
func (PositiveOrdered) Free(k int) int { return k }

// Bounds returns 0 and +Inf.
func (PositiveOrdered) Bounds() (lo, hi float64) { return 0, math.Inf(1) }

// Constrain implements Transform.
func (PositiveOrdered) Constrain(v, x []float64) float64 {
	logJ, last := 0.0, 0.0
	for j, u := range x {
		last += math.Exp(u)
		v[j] = last
		logJ += u
	}
	return logJ
}

// PullBack implements Transform.
func (PositiveOrdered) PullBack(gx, x, _, gv []float64) {
	sum := 0.0
	for j := len(x) - 1; j >= 0; j-- {
		sum += gv[j]
		gx[j] = sum*math.Exp(x[j]) + 1
	}
}

// Unconstrain implements Transform.
func (PositiveOrdered) Unconstrain(x, v []float64) error {
	last := 0.0
	for j, w := range v {
		if !(w > last) {
			return fmt.Errorf("priors: value %d is %v, want it above %v", j+1, w, last)
		}
		x[j] = density.LogOf(w - last)
		last = w
	}
	return nil
}
