package diagnostics

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// sort finds the order of the draws. Everything made of ranks and quantiles follows from it.
func (s *sample) sort() {
	if s.order == nil {
		s.order, s.sorted = sorted(s.x)
	}
}

// sorted returns the indices of x in ascending order of the values, and the values in that order.
// It sorts by digits of eight bits, the least significant first, which takes a time proportional
// to the length of x; equal values keep their order. The bits of a float64, with those of negative
// numbers inverted and the sign of others set, are ordered as the numbers are.
func sorted(x []float64) (order []int, values []float64) {
	type item struct {
		key uint64
		i   int
	}
	const digits = 8
	items, other := make([]item, len(x)), make([]item, len(x))
	var count [digits][256]int
	for i, v := range x {
		key := math.Float64bits(v + 0) // -0 and 0 are equal
		if key>>63 == 1 {
			key = ^key
		} else {
			key |= 1 << 63
		}
		items[i] = item{key, i}
		for d := range count {
			count[d][byte(key>>(8*d))]++
		}
	}
	for d := range count {
		if count[d][byte(items[0].key>>(8*d))] == len(items) {
			continue // all have the same digit
		}
		at := 0
		for digit, n := range count[d] {
			count[d][digit] = at
			at += n
		}
		for _, it := range items {
			to := &count[d][byte(it.key>>(8*d))]
			other[*to] = it
			*to++
		}
		items, other = other, items
	}
	order, values = make([]int, len(x)), make([]float64, len(x))
	for k, it := range items {
		order[k], values[k] = it.i, x[it.i]
	}
	return order, values
}

// folded returns the distances of the draws from the median of all of them.
func (s *sample) folded() []float64 {
	median := s.quantile(0.5)
	f := make([]float64, len(s.x))
	for i, v := range s.x {
		f[i] = math.Abs(v - median)
	}
	return f
}

// foldedOrder returns the indices of f, the distances from the median, in ascending order of the
// distances: the draws below the median taken downwards, merged with those above it.
func (s *sample) foldedOrder(f []float64) []int {
	s.sort()
	above, _ := slices.BinarySearch(s.sorted, s.quantile(0.5))
	below := above - 1
	order := make([]int, 0, len(f))
	for len(order) < len(f) {
		if above == len(f) || (below >= 0 && f[s.order[below]] <= f[s.order[above]]) {
			order = append(order, s.order[below])
			below--
		} else {
			order = append(order, s.order[above])
			above++
		}
	}
	return order
}

// bulkScores returns the normal scores of the draws, in split layout.
func (s *sample) bulkScores() []float64 {
	s.sort()
	return s.normalScores(s.x, s.order)
}

// normalScores replaces values by their ranks, ties by the average of theirs, and ranks by the
// quantiles of the normal distribution at (rank - 3/8)/(S + 1/4), Blom's approximation of the
// expected order statistics. The values are laid out like s.x and order sorts them. The result is
// split: a middle draw that splitting leaves out has no rank.
func (s *sample) normalScores(v []float64, order []int) []float64 {
	if s.draws%2 == 1 {
		kept := make([]int, 0, len(order))
		for _, i := range order {
			if i%s.draws != s.half() {
				kept = append(kept, i)
			}
		}
		order = kept
	}
	if s.scores == nil {
		s.scores = make([]float64, len(order))
		for k := range s.scores {
			s.scores[k] = blom(float64(k+1), len(order))
		}
	}
	z := make([]float64, len(v))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && v[order[hi]] == v[order[lo]] {
			hi++
		}
		score := s.scores[lo]
		if hi > lo+1 {
			score = blom(float64(lo+hi+1)/2, len(order)) // mean of the ranks lo+1 ... hi
		}
		for _, i := range order[lo:hi] {
			z[i] = score
		}
		lo = hi
	}
	return s.split(z)
}

// blom is the normal score of a rank among size values.
func blom(rank float64, size int) float64 {
	return mathext.NormalQuantile((rank - 0.375) / (float64(size) + 0.25))
}
