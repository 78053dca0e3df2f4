package kerneltest

import "math"

// largestOf is the largest of the statistics in units of norm, their standard deviations under the
// null hypothesis, the same for all permutations. A kernel of no variance counts as 0.
func largestOf(t *table) ([]float64, float64) {
	out := make([]float64, len(t.values[0]))
	size := 0.0
	for b := range out {
		out[b] = math.Inf(-1)
	}
	for k, values := range t.values {
		if t.norm[k] > 0 {
			size = max(size, t.slack[k]/t.norm[k])
		}
		for b, v := range values {
			if t.norm[k] > 0 {
				out[b] = max(out[b], v/t.norm[k])
			} else {
				out[b] = max(out[b], 0)
			}
		}
	}
	return out, size
}

// nullDeviation is the root of statistic.MMD.NullVariance, from the sums of the Gram matrix off its diagonal.
func nullDeviation(m, n int, squares float64, rowSums []float64) float64 {
	var sum, sumSquares float64
	for _, r := range rowSums {
		sum += r
		sumSquares += r * r
	}
	a, b, all := float64(m), float64(n), float64(m+n)
	centred := squares - 2*sumSquares/(all-2) + sum*sum/((all-1)*(all-2))
	if !(centred > negligible*squares) { // it is rounding
		return 0
	}
	scale := 2 * (1/(a*(a-1)) + 1/(b*(b-1)) + 2/(a*b))
	return math.Sqrt(scale * centred / (all * (all - 3)))
}
