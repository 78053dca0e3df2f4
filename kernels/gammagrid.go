package kernels

import "math"

// gammaGrid discretises a Gamma distribution of shape and rate a on an even grid of logarithms; the
// weights are the density of the logarithm times the step, normalised. By Poisson's formula the
// error of such a sum is near |Gamma(a + 2pi i/step)|/Gamma(a), 4e-12 at most with these steps; the
// tails that are cut off have masses near 1e-12.
func gammaGrid(a float64) (weights, logs []float64) {
	step := 0.3 * min(1, math.Sqrt(2.5/a))
	lo, hi := gammaReach(a)
	total := 0.0
	for n := range int((hi-lo)/step) + 2 {
		v := lo + float64(n)*step
		w := math.Exp(a * (v - math.Expm1(v))) // 1 at its peak, v = 0
		weights, logs = append(weights, w), append(logs, v)
		total += w
	}
	for i := range weights {
		weights[i] /= total
	}
	return weights, logs
}

// gammaReach returns the ends of the grid. At small a they are where a falls to e^-28 and e^-32 of
// the density's factors e^(av) and exp(-a e^v); from a = 2.5 on where the density is e^-28 of its
// peak.
func gammaReach(a float64) (lo, hi float64) {
	if a <= 2.5 {
		return -28 / a, math.Log(32 / a)
	}
	fall := func(v float64) float64 { return a * (math.Expm1(v) - v) }
	search := func(in, out float64) float64 {
		for range 60 {
			if mid := (in + out) / 2; fall(mid) < 28 {
				in = mid
			} else {
				out = mid
			}
		}
		return in
	}
	return search(0, -20), search(0, 5)
}
