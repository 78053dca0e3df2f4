package density

import "math"

// Lgamma returns log Gamma and its derivative, digamma, at x > 0 to 1e-15 of the larger of 1 and
// the value. Below 10 the argument is moved up by 10: with t = x (x+9) the product of x to x+9 is
//
//	t (t+8) (t+14) (t+18) (t+20),
//
// and the sum of their inverses is the derivative of its log.
func Lgamma(x float64) (l, psi float64) {
	if !(x < fromStirling) {
		s, ds := stirling(x)
		lx := math.Log(x)
		return (x-0.5)*lx - x + logSqrt2Pi + s, lx - 0.5/x + ds
	}
	t := x * (x + 9)
	p, q := t, 1.0 // the product and its derivative in t
	q = q*(t+8) + p
	p *= t + 8
	q = q*(t+14) + p
	p *= t + 14
	q = q*(t+18) + p
	p *= t + 18
	q = q*(t+20) + p
	p *= t + 20
	z := x + 10
	s, ds := stirling(z)
	lz := math.Log(z)
	return (z-0.5)*lz - z + logSqrt2Pi + s - math.Log(p), lz - 0.5/z + ds - (2*x+9)*q/p
}
