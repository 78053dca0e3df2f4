package density

import "math"

// stirling is what Stirling's series adds to log Gamma, with its derivative:
//
//	log Gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + s(x).
//
// Its terms are B_{2k}/(2k (2k-1) x^{2k-1}); from x = 10 on the first one left out is below 1e-15.
func stirling(x float64) (s, ds float64) {
	w := 1 / (x * x)
	s = (1.0/12 - w*(1.0/360-w*(1.0/1260-w*(1.0/1680-w*(1.0/1188-w*(691.0/360360-w/156)))))) / x
	ds = -w * (1.0/12 - w*(1.0/120-w*(1.0/252-w*(1.0/240-w*(1.0/132-w*(691.0/32760-w/12))))))
	return s, ds
}

// fromStirling is where the series is exact to rounding.
const fromStirling = 10

// gammaRatio returns log Gamma(x+d) - log Gamma(x) and the difference of their digammas, for d > 0.
// The two would cancel for large x, where the difference of Stirling's series does not.
func gammaRatio(x, d float64) (l, psi float64) {
	if x < fromStirling {
		up, dup := Lgamma(x + d)
		down, ddown := Lgamma(x)
		return up - down, dup - ddown
	}
	s, ds := stirling(x)
	t, dt := stirling(x + d)
	r := math.Log1p(d / x)
	return (x+d-0.5)*r + d*math.Log(x) - d + t - s, r + 0.5*d/(x*(x+d)) + dt - ds
}

// log1pLess is log(1+u) - u without cancellation. With r = u/(2+u), log(1+u) is 2 atanh r, and
// 2r - u is -u r.
func log1pLess(u float64) float64 {
	if u < -0.5 || u > 1 {
		return math.Log1p(u) - u
	}
	r := u / (2 + u)
	w, sum := r*r, 0.0
	for k := 33.0; k >= 3; k -= 2 {
		sum = sum*w + 1/k
	}
	return 2*r*w*sum - u*r
}

// Log1mExp is log(1 - exp(l)) for l <= 0.
func Log1mExp(l float64) float64 {
	if l > -math.Ln2 {
		return math.Log(-math.Expm1(l))
	}
	return math.Log1p(-math.Exp(l))
}
