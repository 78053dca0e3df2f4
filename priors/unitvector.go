package priors

import (
	"fmt"
	"math"
)

// UnitVector maps R^k onto the vectors of length 1, as v = x/|x|. There is one coordinate too many: the
// length, which has the density of that of a standard normal vector, -|x|²/2 being what stands for the
// log of the Jacobian (Stan Reference Manual). The gradient is (gv - v v'gv)/|x| - x.
type UnitVector struct{}

// Free returns k.
func (UnitVector) Free(k int) int { return k }

// Bounds returns -1 and 1.
func (UnitVector) Bounds() (lo, hi float64) { return -1, 1 }

// Constrain implements Transform. At 0 the values are NaN.
func (UnitVector) Constrain(v, x []float64) float64 {
	size := length(x)
	for i, u := range x {
		v[i] = u / size
	}
	return -size * size / 2
}

// length is the root of the sum of squares, without overflow.
func length(x []float64) float64 {
	top := 0.0
	for _, u := range x {
		top = max(top, math.Abs(u))
	}
	if top == 0 || math.IsInf(top, 1) {
		return top
	}
	sum := 0.0
	for _, u := range x {
		sum += (u / top) * (u / top)
	}
	return top * math.Sqrt(sum)
}

// PullBack implements Transform.
func (UnitVector) PullBack(gx, x, v, gv []float64) {
	size, along := length(x), 0.0
	for i, g := range gv {
		along += g * v[i]
	}
	for i, g := range gv {
		gx[i] = (g-v[i]*along)/size - x[i]
	}
}

// Unconstrain implements Transform: x is v. The sum of squares may differ from 1 by 1e-8.
func (UnitVector) Unconstrain(x, v []float64) error {
	sum := 0.0
	for _, w := range v {
		sum += w * w
	}
	if !(math.Abs(sum-1) <= 1e-8) {
		return fmt.Errorf("priors: the squares of a unit vector add up to %v, want 1", sum)
	}
	copy(x, v)
	return nil
}

// ZeroSum maps R^(k-1) onto the vectors of k values with sum 0, by columns that are orthogonal to each
// other and to (1, ..., 1): with n = 1, ..., k-1, column n has 1 in its first n places and -n in the
// next, over the root of n (n+1). Lengths are kept, and the Jacobian is 1 with respect to volume in
// the plane (Stan Reference Manual, sum-to-zero vectors).
type ZeroSum struct{}

// Free returns k-1.
func (ZeroSum) Free(k int) int { return k - 1 }

// Bounds returns infinities.
func (ZeroSum) Bounds() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Constrain implements Transform.
func (ZeroSum) Constrain(v, x []float64) float64 {
	later := 0.0
	for i := len(x) - 1; i >= 0; i-- {
		n := float64(i + 1)
		w := x[i] / math.Sqrt(n*(n+1))
		v[i+1] = later - n*w
		later += w
	}
	v[0] = later
	return 0
}

// PullBack implements Transform.
func (ZeroSum) PullBack(gx, _, _, gv []float64) {
	sum := 0.0
	for i := range gx {
		sum += gv[i]
		n := float64(i + 1)
		gx[i] = (sum - n*gv[i+1]) / math.Sqrt(n*(n+1))
	}
}

// Unconstrain implements Transform. The sum may differ from 0 by 1e-8 of the largest value.
func (t ZeroSum) Unconstrain(x, v []float64) error {
	sum, top := 0.0, 0.0
	for _, w := range v {
		sum += w
		top = max(top, math.Abs(w))
	}
	if !(math.Abs(sum) <= 1e-8*max(1, top)) {
		return fmt.Errorf("priors: values that add up to %v, want 0", sum)
	}
	t.PullBack(x, nil, nil, v)
	return nil
}
