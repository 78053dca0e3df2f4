package diagnostics

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

const (
	rhatFloor  = 1.01 // Vehtari et al. 2021 recommend it for runs that are long enough
	falseAlarm = 0.01 // the share of sound runs in which some parameter exceeds RHatLimit
	fewestHalf = 10   // effective draws of each half that a sound run has at least
)

// RHatLimit returns the value above which [RHat] of one parameter deserves a warning, in a run
// with so many parameters: 1.01, or more where a sound run would often exceed that. A run is sound
// if all chains are stationary, have the same distribution, and have some twenty effective draws
// each. At most 1% of such runs exceed the limit for any of their parameters, and about 1% where
// the limit is above 1.01 and the parameters are independent.
//
// The package documentation has the derivation, and the size of a fault that the limit finds. The
// result is NaN where RHat is undefined, and for params < 1.
func RHatLimit(chains [][]float64, params int) float64 {
	s := load(chains)
	if s == nil || params < 1 {
		return math.NaN()
	}
	return s.rhatLimit(params)
}

func (s *sample) rhatLimit(params int) float64 {
	n := s.half()
	level := -math.Expm1(math.Log1p(-falseAlarm) / float64(params))
	both := []ratio{s.lags.ratio(s.bulkScores(), n)}
	if f := s.folded(); !constant(f, s.rounding) {
		both = append(both, s.lags.ratio(s.normalScores(f, s.foldedOrder(f)), n))
	}
	x := exceeded(both, level)
	return max(rhatFloor, math.Sqrt((x+float64(n-1))/float64(n)))
}

// ratio is the law of B/W in a sound run: tau times an F distribution.
type ratio struct {
	tau, between, within float64 // between and within are degrees of freedom
}

// ratio estimates the law of B/W for the chains of length n in a, from the autocovariances within
// chains alone: what chains disagree about must not enter its own limit.
func (l *lags) ratio(a []float64, n int) ratio {
	m := float64(len(a) / n)
	iid := ratio{1, m - 1, m * float64(n-1)}
	l.centre(a, n)
	rho := slices.Clone(l.transform())
	if !(rho[0] > 0) {
		return iid
	}
	first := rho[0]
	for t := range rho {
		rho[t] *= float64(n) / (first * float64(n-t)) // the divisor is the number of products
	}
	width := float64(1 + 2*initialPositive(rho, n))
	batches := float64(n) / width
	tau := autocorrelationTime(rho, n) * float64(n-1) / float64(n)
	tau /= max(1-1/batches, 0.6)
	if !(tau > 1) {
		return iid
	}
	return ratio{min(tau, float64(n)/fewestHalf), m - 1, m * max(batches-1, 2)}
}

// initialPositive is the last lag that autocorrelationTime adds up.
func initialPositive(rho []float64, n int) int {
	end := 0
	for end < n-5 && rho[end]+rho[end+1] > 0 {
		end += 2
	}
	return max(end-1, 0)
}

// survival is the probability that B/W exceeds x.
func (r ratio) survival(x float64) float64 {
	v := r.between * x / r.tau
	return mathext.RegIncBeta(r.within/2, r.between/2, r.within/(r.within+v))
}

// exceeded returns the x that one of several independent ratios exceeds with probability level.
func exceeded(list []ratio, level float64) float64 {
	any := func(x float64) float64 {
		none := 1.0
		for _, r := range list {
			none *= 1 - r.survival(x)
		}
		return 1 - none
	}
	lo, hi := 0.0, 1.0
	for any(hi) > level && hi < 1e12 {
		lo, hi = hi, 2*hi
	}
	for range 60 {
		if mid := (lo + hi) / 2; any(mid) > level {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
