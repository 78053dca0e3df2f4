package rows

import (
	"cmp"
	"math"
	"slices"
)

// NormalScores replaces each column by the quantiles of the normal distribution at its ranks, ties
// sharing the mean of theirs.
func NormalScores(data []float64, dim int) []float64 {
	n := len(data) / dim
	out := make([]float64, len(data))
	order := make([]int, n)
	for a := range dim {
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(data[i*dim+a], data[j*dim+a]) })
		for from := 0; from < n; {
			to := from + 1
			for to < n && data[order[to]*dim+a] == data[order[from]*dim+a] {
				to++
			}
			level := float64(from+to) / 2 / float64(n) // (mean rank - 1/2)/n
			score := math.Sqrt2 * math.Erfinv(2*level-1)
			for _, i := range order[from:to] {
				out[i*dim+a] = score
			}
			from = to
		}
	}
	return out
}

// Bulk is the distance from the median, in robust standard deviations, up to which DrawnIn leaves a value as it is.
const Bulk = 3

// DrawnIn is a value of a long tail, in robust standard deviations from the median: what is beyond Bulk is
// replaced by its logarithm, which keeps the order.
func DrawnIn(u float64) float64 {
	if a := math.Abs(u); a > Bulk {
		return math.Copysign(Bulk+math.Log(a-Bulk+1), u)
	}
	return u
}
