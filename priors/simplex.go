package priors

import (
	"fmt"
	"math"

	"bayeskernel/internal/density"
)

// Simplex maps R^(K-1) onto the vectors of K positive numbers with sum 1, by breaking pieces off a
// stick of length 1 (as Stan does, Stan Reference Manual, Transforms of constrained variables).
// For k = 1, ..., K-1, with s_1 = 1,
//
//	a_k = x_k - log(K-k),  z_k = 1/(1+exp(-a_k)),
//	v_k = s_k z_k,         s_{k+1} = s_k (1-z_k),
//
// and v_K = s_K. The shift by log(K-k) sends x = 0 to the centre, all values being 1/K.
//
// v_1, ..., v_{K-1} depend on the x up to their own: J is lower triangular with diagonal
// s_k z_k (1-z_k). Since log s_k is the sum of log(1-z_j) over j < k, the term log(1-z_k) comes up
// once for k itself and once for each of the K-1-k later ones. With softplus(a) = log(1+exp(a)),
// log z = a - softplus(a) and log(1-z) = -softplus(a),
//
//	log |det J| = sum_k log z_k + (K-k) log(1-z_k) = sum_k a_k - (K-k+1) softplus(a_k),
//
// whose derivative in x_k is 1 - (K-k+1) z_k.
//
// For the gradient, dz_k/da_k = z_k (1-z_k) gives dv_k/dx_k = v_k (1-z_k), and every later v_j has
// the one factor 1-z_k, so that dv_j/dx_k = -z_k v_j. With R_k = sum of gv_j v_j over j > k,
//
//	gx_k = gv_k v_k (1-z_k) - z_k R_k + 1 - (K-k+1) z_k.
//
// In the inverse, z_k/(1-z_k) = v_k/(v_{k+1} + ... + v_K).
type Simplex struct{}

// Free returns k-1.
func (Simplex) Free(k int) int { return k - 1 }

// Bounds returns 0 and 1.
func (Simplex) Bounds() (lo, hi float64) { return 0, 1 }

// Constrain implements Transform.
func (Simplex) Constrain(v, x []float64) float64 {
	logJ, stick := 0.0, 1.0
	for i, u := range x {
		left := float64(len(x) - i) // K-k
		z, rest := broken(u, left)
		v[i] = stick * z
		stick *= rest
		// From the side where exp does not overflow; for x > 0, softplus(a) = a + log1p(exp(-a)).
		if u > 0 {
			logJ += left*(math.Log(left)-u) - (left+1)*math.Log1p(left*math.Exp(-u))
		} else {
			logJ += u - math.Log(left) - (left+1)*math.Log1p(math.Exp(u)/left)
		}
	}
	v[len(x)] = stick
	return logJ
}

// PullBack implements Transform.
func (Simplex) PullBack(gx, x, v, gv []float64) {
	k := len(x)
	later := gv[k] * v[k]
	for i := k - 1; i >= 0; i-- {
		left := float64(k - i)
		z, rest := broken(x[i], left)
		gx[i] = gv[i]*v[i]*rest - z*later + 1 - (left+1)*z
		later += gv[i] * v[i]
	}
}

// broken returns z = 1/(1+left exp(-x)), which is the logistic function at x - log(left) without
// the rounding of that difference, and 1-z without cancellation.
func broken(x, left float64) (z, rest float64) {
	if x > 0 {
		t := left * math.Exp(-x)
		return 1 / (1 + t), t / (1 + t)
	}
	e := math.Exp(x)
	return e / (e + left), left / (e + left)
}

// Unconstrain implements Transform. The sum of v may differ from 1 by 1e-8.
func (Simplex) Unconstrain(x, v []float64) error {
	sum := 0.0
	for i, w := range v {
		if !(w > 0) {
			return fmt.Errorf("priors: value %d of a simplex is %v, want a positive number", i+1, w)
		}
		sum += w
	}
	if !(math.Abs(sum-1) <= 1e-8) {
		return fmt.Errorf("priors: the values of a simplex add up to %v, want 1", sum)
	}
	tail := v[len(x)]
	for i := len(x) - 1; i >= 0; i-- {
		x[i] = density.LogOf(v[i]) - density.LogOf(tail) + math.Log(float64(len(x)-i))
		tail += v[i]
	}
	return nil
}
