package density

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// The inverses of the incomplete gamma and beta functions in gonum v0.17 lose the lower tail when
// the shape is small: the first gives 0 for shape 0.1 at p = 0.01, and panics for shape 0.5 at
// p = 1e-300. The functions themselves are right to 1e-11 there, so they are inverted here.

// gammaInv returns the point with probability p below it and q = 1-p above it under gamma(a, 1).
// The smaller of the two decides, so that neither tail is lost.
func gammaInv(a, p, q float64) float64 {
	switch {
	case !(p >= 0 && q >= 0): // includes NaN
		return math.NaN()
	case q == 0:
		return math.Inf(1)
	case p <= q:
		return bisect(math.MaxFloat64, func(x float64) bool { return mathext.GammaIncReg(a, x) < p })
	default:
		return bisect(math.MaxFloat64, func(x float64) bool { return mathext.GammaIncRegComp(a, x) > q })
	}
}

// betaInv returns the point with probability p below it under beta(a, b).
func betaInv(a, b, p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 1:
		return 1
	}
	x := bisect(1, func(x float64) bool { return mathext.RegIncBeta(a, b, x) < p })
	// With f the density at x, rounding in p moves x by eps/f, and rounding in 1-x by eps.
	at, g := Params{a, b}, Grad{}
	if p > 0.5 && (BetaLaw{}).Kernel(x, &at, &g)+(BetaLaw{}).Norm(&at, nil) < 0 {
		return bisect(1, func(x float64) bool { return mathext.RegIncBeta(b, a, 1-x) > 1-p })
	}
	return x
}

// studentInv returns the p-quantile of the standard t distribution. With q = min(p, 1-p) and
// y >= 0 the magnitude of the quantile (Abramowitz and Stegun 26.7.1 with 26.5.2)
//
//	2 q     = I_x(nu/2, 1/2),     x   = nu/(nu+y^2), and
//	1 - 2 q = I_{1-x}(1/2, nu/2), 1-x = y^2/(nu+y^2).
//
// The first keeps its precision in the tails and the second at the centre.
func studentInv(nu, p float64) float64 {
	q := min(p, 1-p)
	x := betaInv(nu/2, 0.5, 2*q)
	y := math.Sqrt(1-x) / math.Sqrt(x)
	if x > 0.5 {
		w := betaInv(0.5, nu/2, 2*math.Abs(p-0.5))
		y = math.Sqrt(w / (1 - w))
	}
	return math.Copysign(y*math.Sqrt(nu), p-0.5)
}

// bisect returns the largest x in [0, hi) for which below holds, where below holds up to some
// point and not beyond. The order of positive floats is that of their bit patterns, so that 63
// halvings end at neighbouring floats, wherever the point is.
func bisect(hi float64, below func(x float64) bool) float64 {
	lo, up := uint64(0), math.Float64bits(hi)
	for up-lo > 1 {
		if mid := lo + (up-lo)/2; below(math.Float64frombits(mid)) {
			lo = mid
		} else {
			up = mid
		}
	}
	return math.Float64frombits(lo)
}
