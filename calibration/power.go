package calibration

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// sees returns the smallest errors of a normal posterior that push the expected curve of the ranks
// out of the envelope. They are a shift in standard deviations, and the ratio of the standard
// deviation to the right one, below 1 and above. Such errors are found in at least three of four
// cases, because the curve can leave in several places. If no error is large enough, sees returns
// +Inf, 0 and +Inf.
//
// With F the normal distribution function, the expected share of ranks below F(x) is F(x + shift)
// for a shift, and F(c x) where the standard deviation is c times the right one.
func (e *Envelope) sees() (shift, narrow, wide float64) {
	leaves := func(curve func(x float64) float64) bool {
		for i := range e.K - 1 {
			z := float64(i+1) / float64(e.K)
			count := float64(e.N) * curve(distuv.UnitNormal.Quantile(z))
			if count < float64(e.Lower[i])-0.5 || count > float64(e.Upper[i])+0.5 {
				return true
			}
		}
		return false
	}
	// Each error is described by a number from 0 (none) up.
	smallest := func(curve func(error, x float64) float64) float64 {
		lo, hi := 0.0, 20.0
		at := func(error float64) bool {
			return leaves(func(x float64) float64 {
				return distuv.UnitNormal.CDF(curve(error, x))
			})
		}
		if !at(hi) {
			return math.Inf(1)
		}
		for range 40 {
			if mid := (lo + hi) / 2; at(mid) {
				hi = mid
			} else {
				lo = mid
			}
		}
		return hi
	}
	shift = smallest(func(e, x float64) float64 { return x + e })
	narrow = math.Exp(-smallest(func(e, x float64) float64 { return math.Exp(-e) * x }))
	wide = math.Exp(smallest(func(e, x float64) float64 { return math.Exp(e) * x }))
	return shift, narrow, wide
}

// power puts sees into words.
func (e *Envelope) power() string {
	s := fmt.Sprintf("%d simulations at alpha = %g ", e.N, e.Alpha)
	shift, narrow, wide := e.sees()
	if math.IsInf(shift, 1) {
		return s + "are too few to find anything"
	}
	return s + fmt.Sprintf("find, in at least three of four cases, a shift of %.2g posterior sd, "+
		"and an sd below %.2g or above %.2g of the right one; errors a third as large mostly pass",
		shift, narrow, wide)
}
