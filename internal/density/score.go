package density

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// NormalScore is the standard normal quantile of a probability, given the logs of the probability and of the rest. It
// is exact in both tails, as far as these are: it starts from the smaller of the two. Where that is 0 it is infinite.
func NormalScore(below, above float64) float64 {
	if above < below {
		return -lowerScore(above)
	}
	return lowerScore(below)
}

// lowerScore is the quantile of a probability of at most about one half, with log l.
func lowerScore(l float64) float64 {
	if l > -600 || math.IsNaN(l) {
		return mathext.NormalQuantile(math.Exp(l))
	}
	if math.IsInf(l, -1) {
		return l
	}
	// Newton's method for the log of the probability, whose derivative is about -z: nearly a parabola.
	z := math.Sqrt(-2 * l)
	for range 8 {
		at, slope := normalAbove(z)
		z -= (at - l) / slope
	}
	return -z
}
