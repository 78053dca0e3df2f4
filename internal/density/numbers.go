package density

import "math"

// LogOf is math.Log, which on amd64 is wrong below 2.2e-308: the log of 5e-324 comes out as -709
// in place of -744 (Go 1.26). Such numbers are scaled into the normal range first.
func LogOf(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p52) - 52*math.Ln2
	}
	return math.Log(x)
}

// power returns the log of x^e and its derivative, given the log of x >= 0: 0^0 is 1.
func power(e, logX, x float64) (log, dlog float64) {
	if e == 0 {
		return 0, 0
	}
	return e * logX, e / x
}

// log1pSquare is log(1 + t²) without overflow: beyond 1e8 the 1 is lost to rounding anyway.
func log1pSquare(t float64) float64 {
	if t = math.Abs(t); t > 1e8 {
		return 2 * math.Log(t)
	}
	return math.Log1p(t * t)
}

// gammaHalfStep is log Gamma(a+1/2) - log Gamma(a). The two would cancel for large a: for the t
// distribution with 1e8 degrees of freedom the difference has an error of 1e-8. There the
// asymptotic series is used (Tricomi and Erdelyi 1951); at a = 20 its next term is 2e-17.
func gammaHalfStep(a float64) float64 {
	if a < 20 {
		hi, _ := math.Lgamma(a + 0.5)
		lo, _ := math.Lgamma(a)
		return hi - lo
	}
	w := 1 / (a * a)
	return 0.5*math.Log(a) - (1.0/8-w*(1.0/192-w*(1.0/640-w*(17.0/14336-w*31.0/18432))))/a
}

// probability reports whether p lies in [0, 1].
func probability(p float64) bool { return p >= 0 && p <= 1 }
