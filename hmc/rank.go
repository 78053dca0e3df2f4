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
	score        float64       // of that metric
	tried        []draws.Trial // the least score of each rank
	fit          *fisherFit    // to the first pairs, nil if there was no need of it
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

// choose fits metrics to the first two thirds of the window and compares them on the last third. It
// returns the rank to use and how often to re-estimate the diagonal. Rank 0 is a diagonal metric, if
// that is allowed. Up to autoDense dimensions, and for a full matrix that was asked for, the least
// Fisher divergence wins, and all directions if there are plenty of pairs. Else the cheapest metric
// wins. If draws are few and the current metric is correlated and does better, it keeps the current
// metric.
func (w *pairs) choose(n int, old Metric) (c choice) {
	if w.kind == DiagMetric {
		return c
	}
	full := w.full()
	if full && n >= plenty*w.D {
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
	trial := w.newTrial(n, held, old)
	var least float64
	if full {
		least = trial.leastDivergence(&c)
	} else {
		least = trial.cheapest(&c)
		c.fit = &fisherFit{directions: trial.f.directions} // not its copies of the pairs
	}
	if 2*n < 3*w.D && old.correlated() {
		v := divergence(old, trial.hx, trial.hg)
		c.try(keptMetric, 0, trial.mean*v)
		c.keep = v < least
		least = min(v, least)
	}
	c.score = trial.mean * least
	return c
}

// full reports whether all directions may be kept, as if they cost nothing.
func (w *pairs) full() bool { return w.D <= autoDense || w.kind == DenseMetric }

// most returns how many directions to look for when a metric of the given rank is fitted.
func (w *pairs) most(rank int) int {
	if w.full() && w.kind != DiagMetric {
		return w.D
	}
	return rank
}

// trial compares metrics fitted to the first pairs of a window on the last ones.
type trial struct {
	*pairs
	x, g, hx, hg [][]float64
	old          Metric
	mean         float64 // turns a sum over held-out pairs and dimensions into a mean
	f            *fisherFit
	most         int // the number of directions to look for
}

func (w *pairs) newTrial(n, held int, old Metric) *trial {
	t := &trial{pairs: w, old: old, mean: 1 / float64(held*w.D), most: w.D}
	t.x, t.g = w.rows(0, n-held)
	t.hx, t.hg = w.rows(n-held, n)
	return t
}

// fit fits anew, with the diagonal metric as it is.
func (t *trial) fit() {
	if t.f == nil {
		t.f = &fisherFit{scale: fisherScale(t.x, t.g, t.old)}
		t.f.load(t.x, t.g)
		t.f.hold(t.hx, t.hg)
	}
	t.f.fit(t.most)
}

// leastDivergence chooses the rank and the number of rounds with the least Fisher divergence, which
// it returns.
func (t *trial) leastDivergence(c *choice) float64 {
	t.fit()
	least := math.Inf(1)
	if t.diagonal {
		least = t.f.totalX + t.f.totalG
		c.try("", 0, t.mean*least)
	}
	for round := 0; ; round++ {
		better := false
		last, rises := math.Inf(1), 0
		for _, k := range ranks(len(t.x), t.D) {
			v := t.f.divergence(k)
			c.try("", k, t.mean*v)
			if v < least {
				c.rank, c.rounds, least, better = k, round, v, true
			}
			if rises++; v <= last {
				rises = 0
			}
			if last = v; rises == enoughRises {
				break
			}
		}
		if !better || round == mostRounds {
			return least
		}
		t.f.rescale(c.rank)
		t.fit()
	}
}

// cheapest chooses the rank and the number of rounds with the least promised cost of an effective
// draw, and returns their Fisher divergence. A larger rank must promise to be cheaper by more than
// the noise of the promise. Several directions of the same length must all be found before a promise
// improves, so the search goes on while the divergence falls.
func (t *trial) cheapest(c *choice) float64 {
	t.most = min(firstDirections, t.D)
	t.fit()
	all := ranks(len(t.x)/pairsPerDirection+1, t.D)
	least := math.Inf(1)
	best := math.Inf(1)
	consider := func(k, round int) (v float64) {
		v = t.f.totalX + t.f.totalG
		if k > 0 {
			v = t.f.divergence(k)
		}
		c.try("", k, t.mean*v)
		gain, noise := t.f.promise(k)
		score := gain + math.Log(t.cost(k))
		switch {
		case math.IsInf(best, 1):
		case k > c.rank:
			if !(score < best-noise) {
				return v
			}
		case !(score < best-sameScore):
			return v
		}
		c.rank, c.rounds, best, least = k, round, score, v
		return v
	}
	if t.diagonal {
		consider(0, 0)
	}
	for round := 0; ; round++ {
		before := best
		last, rises := math.Inf(1), 0
		near := c.rank
		for _, k := range all {
			if round > 0 && (k < near/2 || k > 2*near) {
				continue
			}
			if math.Log(t.cost(k)) > best || c.rank > 0 && k > 8*c.rank {
				break // no metric promises less than 1
			}
			for 2*k > t.most && t.most < min(len(t.x)-1, t.D) && 4*t.f.stand >= 3*t.most {
				t.most = min(2*t.most, t.D)
				t.fit()
			}
			if t.diagonal && t.f.last == 0 {
				break
			}
			end := k >= t.f.last // the rest are noise
			if end {
				k = max(1, t.f.last)
			}
			v := consider(k, round)
			if rises++; v <= last {
				rises = 0
			}
			if last = v; rises == enoughRises || end {
				break
			}
		}
		if k := all[len(all)-1]; round == 0 && c.rank < k && t.mean*least > poor {
			t.most = t.D
			t.fit()
			consider(k, round)
		}
		if best == before || c.rank == 0 || round == mostRounds {
			return least
		}
		t.f.rescale(c.rank)
		t.most = min(max(2*c.rank, firstDirections), t.D)
		t.fit()
	}
}

// cost returns the cost of a leapfrog step with a metric of the given rank and its gradient, in
// multiplications.
func (w *pairs) cost(rank int) float64 {
	return w.gradient + float64(w.D)*(stepCost+float64(rank))
}

// promise returns the log of the gradients per effective draw that the metric of the given rank
// promises, up to a constant, and the standard error of that log. A trajectory must cross the
// longest direction in steps that suit the shortest one, so the number of its steps is the root of
// the largest mean square of a draw, times that of a gradient, in the units of the metric.
// Held-out pairs estimate them along the directions found and, on average, over all others.
func (f *fisherFit) promise(rank int) (log, noise float64) {
	k, _ := f.px.Dims()
	if rank > k {
		return math.Inf(1), 0
	}
	d := len(f.scale)
	n := float64(f.held())
	hx, hg := f.hx, f.hg
	x, g := peak{n: n}, peak{n: n}
	restX, restG := f.totalX, f.totalG
	for j := range k {
		a, b := hx.RawRowView(j), hg.RawRowView(j)
		restX -= dot(a, a)
		restG -= dot(b, b)
		if j >= rank {
			x.row(a)
			g.row(b)
		}
	}
	if d > k {
		x.mean = max(x.mean, restX/(n*float64(d-k)))
		g.mean = max(g.mean, restG/(n*float64(d-k)))
	}
	if rank > 0 {
		a, b, ok := f.whitened(rank)
		if !ok {
			return math.Inf(1), 0
		}
		for j := range rank {
			x.row(b.RawRowView(j))
			g.row(a.RawRowView(j))
		}
	}
	return (math.Log(x.mean) + math.Log(g.mean)) / 2, math.Sqrt(x.noise+g.noise) / 2
}

// peak keeps the largest mean square of several rows, with the square of its relative standard
// error.
type peak struct{ n, mean, noise float64 }

func (p *peak) row(v []float64) {
	sum, squares := 0.0, 0.0
	for _, e := range v {
		sum += e * e
		squares += e * e * e * e
	}
	if mean := sum / p.n; mean > p.mean {
		p.mean, p.noise = mean, max(0, squares/(sum*sum)-1/p.n)
	}
}
