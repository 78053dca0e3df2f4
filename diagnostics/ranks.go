package diagnostics

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// sort finds the order of the draws. Everything made of ranks and quantiles follows from it.
func (s *sample) sort() {
	if s.order != nil {
		return
	}
	type item struct {
		v float64
		i int
	}
	items := make([]item, len(s.x))
	for i, v := range s.x {
		items[i] = item{v, i}
	}
	slices.SortFunc(items, func(p, q item) int {
		if p.v < q.v {
			return -1
		}
		if p.v > q.v {
			return 1
		}
		return 0
	})
	s.order = make([]int, len(items))
	s.sorted = make([]float64, len(items))
	for k, it := range items {
		s.order[k], s.sorted[k] = it.i, it.v
	}
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
	z := make([]float64, len(v))
	size := float64(len(order)) + 0.25
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && v[order[hi]] == v[order[lo]] {
			hi++
		}
		rank := float64(lo+hi+1) / 2 // mean of the ranks lo+1 ... hi
		score := mathext.NormalQuantile((rank - 0.375) / size)
		for _, i := range order[lo:hi] {
			z[i] = score
		}
		lo = hi
	}
	return s.split(z)
}
