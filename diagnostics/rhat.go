package diagnostics

import (
	"math"
	"slices"
)

// RHat returns the rank-normalised split R-hat of Vehtari et al. (2021): the larger of two. R-hat
// of the normal scores of the draws detects chains in different places. R-hat of the normal scores
// of their distances from the median detects chains of different spread. Where those distances are
// all equal (draws of two values, equally frequent) there is no spread to compare, and the first is
// returned.
//
// Values near 1 are good; RHatLimit says how near. The result is +Inf where every half of every
// chain is constant but not all of them are equal: chains that do not move at all.
func RHat(chains [][]float64) float64 {
	s := load(chains)
	if s == nil {
		return math.NaN()
	}
	return s.rhat(s.bulkScores())
}

// rhat takes the normal scores of the draws, which are also those that ESSBulk needs.
func (s *sample) rhat(bulkScores []float64) float64 {
	bulk := rhat(bulkScores, s.half())
	folded := s.rhatFolded()
	if math.IsNaN(folded) {
		return bulk
	}
	return max(bulk, folded)
}

// rhatFolded compares the distances from the median; NaN if they are all equal.
func (s *sample) rhatFolded() float64 {
	f := s.folded()
	if constant(f, s.rounding) {
		return math.NaN()
	}
	return rhat(s.normalScores(f, s.foldedOrder(f)), s.half())
}

// rhat is the potential scale reduction of Gelman and Rubin (1992) in the form without a correction
// for the degrees of freedom. It is sqrt((B/W + n - 1)/n), where B is n times the variance of the
// means of the chains and W the mean of their variances. a holds chains of length n.
func rhat(a []float64, n int) float64 {
	var means []float64
	within := 0.0
	for c := range slices.Chunk(a, n) {
		m, v := meanVar(c)
		means = append(means, m)
		within += v
	}
	within /= float64(len(means))
	return math.Sqrt((float64(n)*variance(means)/within + float64(n-1)) / float64(n))
}

// RHatNested returns the nested R-hat of Margossian et al. (2024), for many short chains. Chain j
// belongs to superchain[j]; superchains are sets of at least one chain, all of the same size, whose
// chains started from one point. It compares the superchains' means with the variation inside
// them, which is made of the variance within chains and the variance between the chains of a
// superchain. Neither splitting nor ranks are involved.
//
// It is NaN for fewer than two superchains, for superchains of different sizes, and where
// superchain and chains differ in length. It is +Inf where nothing varies inside superchains that
// differ.
func RHatNested(chains [][]float64, superchain []int) float64 {
	s := load(chains)
	if s == nil || len(superchain) != len(chains) {
		return math.NaN()
	}
	means := make(map[int][]float64)
	vars := make(map[int][]float64)
	c := s.centred()
	var ids []int // in order of appearance, so that sums have a fixed order
	for j, id := range superchain {
		m, v := meanVar(c[j*s.draws : (j+1)*s.draws])
		if means[id] == nil {
			ids = append(ids, id)
		}
		means[id] = append(means[id], m)
		vars[id] = append(vars[id], v)
	}
	if len(ids) < 2 {
		return math.NaN()
	}
	super := make([]float64, len(ids)) // means of the superchains
	within := 0.0
	for k, id := range ids {
		if len(means[id]) != len(means[ids[0]]) {
			return math.NaN()
		}
		super[k] = mean(means[id])
		within += mean(vars[id])
		if len(means[id]) > 1 {
			within += variance(means[id])
		}
	}
	within /= float64(len(ids))
	return math.Sqrt(1 + variance(super)/within)
}
