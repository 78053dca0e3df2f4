package priors

import (
	"fmt"
	"math"

	"bayeskernel/internal/density"
)

// Ordered maps R^k onto the increasing vectors v_1 < v_2 < ... < v_k by
//
//	v_1 = x_1,  v_j = v_{j-1} + exp(x_j) for j > 1.
//
// The Jacobian is lower triangular with diagonal 1, exp(x_2), ..., exp(x_k), hence
//
//	log |det J| = x_2 + ... + x_k.
//
// Each x_j enters every later value with the same slope, so that with S_j = gv_j + ... + gv_k
//
//	gx_1 = S_1,  gx_j = S_j exp(x_j) + 1 for j > 1.
type Ordered struct{}

// Free returns k.
func (Ordered) Free(k int) int { return k }

// Bounds returns the real line.
func (Ordered) Bounds() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Constrain implements Transform.
func (Ordered) Constrain(v, x []float64) float64 {
	logJ := 0.0
	for j, u := range x {
		if j == 0 {
			v[0] = u
			continue
		}
		v[j] = v[j-1] + math.Exp(u)
		logJ += u
	}
	return logJ
}

// PullBack implements Transform.
func (Ordered) PullBack(gx, x, v, gv []float64) {
	sum := 0.0
	for j := len(x) - 1; j > 0; j-- {
		sum += gv[j]
		gx[j] = sum*math.Exp(x[j]) + 1
	}
	gx[0] = sum + gv[0]
}

// Unconstrain implements Transform.
func (Ordered) Unconstrain(x, v []float64) error {
	for j, w := range v {
		switch {
		case !finite(w):
			return fmt.Errorf("priors: value %d is %v, want a finite number", j+1, w)
		case j == 0:
			x[0] = w
		case !(w > v[j-1]):
			return fmt.Errorf("priors: value %d is %v, want it above value %d, which is %v",
				j+1, w, j, v[j-1])
		default:
			x[j] = density.LogOf(w - v[j-1])
		}
	}
	return nil
}
