package figure

import (
	"math"
	"slices"
)

// rankCounts counts, for each chain, how many of its draws fall into each of bins equal parts of
// the ranks among all chains' draws (Vehtari et al. 2021, section 4.3). Ties have their mean rank.
func rankCounts(chains [][]float64, bins int) [][]float64 {
	type draw struct {
		value float64
		chain int
	}
	var all []draw
	for c, xs := range chains {
		for _, x := range xs {
			all = append(all, draw{x, c})
		}
	}
	slices.SortFunc(all, func(a, b draw) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return a.chain - b.chain
	})
	counts := make([][]float64, len(chains))
	for c := range counts {
		counts[c] = make([]float64, bins)
	}
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].value == all[i].value {
			j++
		}
		rank := (float64(i) + float64(j-1)) / 2 // from 0
		bin := min(int((rank+0.5)/float64(len(all))*float64(bins)), bins-1)
		for ; i < j; i++ {
			counts[all[i].chain][bin]++
		}
	}
	return counts
}

// rankBins is a number of bins with twenty draws of a chain expected in each, if there are enough.
func rankBins(n int) int { return min(max(n/20, 4), 20) }

// hypergeometric returns the smallest and largest count that are not in either tail of probability
// at most p, for the number of marked among n drawn without replacement from total, of which
// marked are marked: the count of a chain's draws in one bin of ranks, were they independent.
func hypergeometric(total, marked, n int, p float64) (lo, hi float64) {
	from, to := max(0, n+marked-total), min(n, marked)
	logChoose := func(a, b int) float64 {
		x, _ := math.Lgamma(float64(a + 1))
		y, _ := math.Lgamma(float64(b + 1))
		z, _ := math.Lgamma(float64(a - b + 1))
		return x - y - z
	}
	mass := func(k int) float64 {
		return math.Exp(logChoose(marked, k) + logChoose(total-marked, n-k) - logChoose(total, n))
	}
	tail, k := 0.0, from
	for ; k < to; k++ {
		if tail += mass(k); tail > p {
			break
		}
	}
	low := k
	tail = 0
	for k = to; k > low; k-- {
		if tail += mass(k); tail > p {
			break
		}
	}
	return float64(low), float64(k)
}
