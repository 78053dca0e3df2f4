package fused

import "math"

// ExpNeg sets dst[i] to exp(-c d[i]) with the Best kind, to a relative error of 2e-13 down to
// 1e-300 and of 1e-15 where c d is below 1. Smaller results may be 0. Neither c nor d may be
// negative, other than by rounding, or infinite. A NaN stays. dst must be as long as d, and may be
// d.
func ExpNeg(dst, d []float64, c float64) { Best().ExpNeg(dst, d, c) }

// ExpNeg does the same with the kind k, for results that are reproducible to the bit.
func (k Kind) ExpNeg(dst, d []float64, c float64) {
	if len(dst) != len(d) {
		panic("fused: lengths of dst and d differ")
	}
	if !Available(k) {
		panic("fused: kernel " + k.String() + " is not available on this machine")
	}
	if len(d) == 0 {
		return
	}
	c = min(c*math.Log2E, math.MaxFloat64)
	expNeg(k, dst, d, c, min(1021/c, math.MaxFloat64))
}

func expNegPortable(dst, d []float64, c, dmax float64) {
	dst = dst[:len(d)]
	for i, v := range d {
		if v > dmax {
			dst[i] = 0
			continue
		}
		s, w := exp2Neg(c*v, 0)
		dst[i] = s + w
	}
}
