package hmc

import (
	"math"
	"slices"

	"bayeskernel/draws"
)

// ranks returns the numbers of directions to try with n pairs in d dimensions.
func ranks(n, d int) []int {
	var all []int
	for k := 1; k <= min(n-1, d); k *= 2 {
		all = append(all, k)
	}
	if k := min(n-1, d); k > 1 && all[len(all)-1] != k {
		all = append(all, k)
	}
	return all
}

// choice is the result of choose: the rank of the metric to fit and how often to re-estimate its
// diagonal, or keep to keep the current metric.
type choice struct {
	rank, rounds int
	keep         bool
	tried        []draws.Trial // the least score of each rank
}

// try records a score. Only the lowest score of each kind and rank counts.
func (c *choice) try(kind string, rank int, score float64) {
	i := slices.IndexFunc(c.tried, func(t draws.Trial) bool { return t.Kind == kind && t.Rank == rank })
	switch {
	case math.IsInf(score, 0) || math.IsNaN(score):
	case i < 0:
		c.tried = append(c.tried, draws.Trial{Kind: kind, Rank: rank, Score: score})
	default:
		c.tried[i].Score = min(c.tried[i].Score, score)
	}
}

// choose fits metrics to the first two thirds of the window. It returns the rank, and the number of
// times to re-estimate the diagonal, with the least Fisher divergence on the last third. Rank 0 is
// a diagonal metric, if that is allowed. With plenty of pairs it keeps all directions. If draws are
// few and the current metric is correlated and does better, it keeps the current metric.
func (w *pairs) choose(n int, old Metric) (c choice) {
	if n >= plenty*w.D {
		c.rank = w.D
		return c
	}
	held := n / 3
	if held < 3 {
		if !w.diagonal {
			c.rank = min(n-1, w.D)
		}
		c.keep = 2*n < 3*w.D && old.correlated()
		return c
	}
	x, g := w.rows(0, n-held)
	hx, hg := w.rows(n-held, n)
	mean := 1 / float64(held*w.D)
	f := newFisherFit(x, g, old, 0, 0)
	f.hold(hx, hg)
	least := math.Inf(1)
	if w.diagonal {
		least = f.total
		c.try("", 0, mean*least)
	}
	for t := 0; ; t++ {
		better := false
		last, rises := math.Inf(1), 0
		for _, k := range ranks(n-held, w.D) {
			v := f.divergence(k)
			c.try("", k, mean*v)
			if v < least {
				c.rank, c.rounds, least, better = k, t, v, true
			}
			if rises++; v <= last {
				rises = 0
			}
			if last = v; rises == enoughRises {
				break
			}
		}
		if !better || t == mostRounds {
			break
		}
		f.rescale(c.rank)
		f.fit(x, g)
		f.hold(hx, hg)
	}
	if 2*n < 3*w.D && old.correlated() {
		v := divergence(old, hx, hg)
		c.try(keptMetric, 0, mean*v)
		c.keep = v < least
	}
	return c
}

// enoughRises is how many times in a row a larger rank must predict worse before choose stops
// trying. Larger ranks cost the most, and fit noise.
const enoughRises = 3

// plenty is the number of pairs per dimension that is enough to keep all directions without a
// trial.
const plenty = 10

// mostRounds is the largest number of times that the diagonal is re-estimated.
const mostRounds = 3
