package hmc

import (
	"slices"

	"bayeskernel/draws"
)

// pairs keeps the latest draws of this window and the one before, with their gradients, to estimate
// a correlated Fisher metric. It holds at most Most rows.
type pairs struct {
	D, Most int
	N       int       // pairs added since the last reset
	New     int       // how many of them belong to the current window
	X, G    []float64 // rows; row N%Most is the oldest once there are Most
	from    int       // the first pair used for the latest metric
	score   float64   // of that metric on pairs held out, as in draws.Trial; 0 if none were

	kind     kind    // of the metric
	diagonal bool    // a diagonal metric is allowed
	gradient float64 // the cost of an evaluation of the target
	near     float64 // drop directions with eigenvalues this close to 1
}

// newPairs returns room for the pairs of a window.
func newPairs(k kind, p plan, near float64) *pairs {
	return &pairs{D: p.Dim, Most: mostPairs(p.Dim), kind: k, diagonal: p.Diagonal,
		gradient: p.Cost, near: near}
}

// mostPairs is how many pairs are kept in d dimensions.
func mostPairs(d int) int {
	return max(fewestPairs, min(manyPairs, max(pairNumbers/d, min(usualPairs, mostPairNumbers/d))))
}

func (w *pairs) reset() { w.N, w.New, w.X, w.G = 0, 0, w.X[:0], w.G[:0] }

// next opens the next window. It keeps the pairs of this window unless they are few or plenty. In
// few dimensions they are plenty, and the next window needs no draws from where the chain used to
// be.
func (w *pairs) next() {
	if w.New < lasting || w.New >= plenty*w.D {
		w.reset()
		return
	}
	n := min(w.N, w.Most)
	x, g := w.rows(n-min(n, w.New), n)
	w.N, w.New, w.X, w.G = len(x), 0, slices.Concat(x...), slices.Concat(g...)
}

func (w *pairs) add(x, grad []float64) {
	if w.N < w.Most {
		w.X = append(w.X, x...)
		w.G = append(w.G, grad...)
	} else {
		at := w.N % w.Most * w.D
		copy(w.X[at:], x)
		copy(w.G[at:], grad)
	}
	w.N++
	w.New++
}

// rows returns the pairs from lo to hi in the order of time.
func (w *pairs) rows(lo, hi int) (x, g [][]float64) {
	first := 0
	if w.N > w.Most {
		first = w.N % w.Most
	}
	for i := lo; i < hi; i++ {
		k := (first + i) % min(w.N, w.Most) * w.D
		x = append(x, w.X[k:k+w.D])
		g = append(g, w.G[k:k+w.D])
	}
	return x, g
}

// metric estimates a metric with correlations from the window, given the current one, and records
// in said how it was chosen.
func (w *pairs) metric(old Metric, said *draws.Window) (Metric, error) {
	n := min(w.N, w.Most)
	w.from, w.score, said.Kind = 0, 0, keptMetric
	if n < 2 {
		return old, nil
	}
	c := w.choose(n, old)
	for i, t := range c.tried {
		if c.tried[i].Kind == "" {
			c.tried[i].Kind = w.kindOf(t.Rank)
		}
	}
	said.Draws, said.Tried, w.score = n, c.tried, c.score
	if c.keep {
		return old, nil
	}
	if w.kind != DiagMetric {
		if err := w.settle(n, old); err != nil {
			return nil, err
		}
	}
	x, g := w.rows(w.from, n)
	m, err := newFisherFit(x, g, old, w.most(c.rank), c.rank, c.rounds, c.fit).metric(c.rank, w.near)
	if err != nil {
		return nil, err
	}
	said.Draws, said.Rank = n-w.from, len(m.eigen)
	said.Kind = w.kindOf(said.Rank)
	if said.Rank == 0 && w.diagonal && w.D > autoDense {
		return DiagMetric.from(m)
	}
	return as(w.kind, m)
}

// keptMetric is the kind that runs record when the current metric is kept.
const keptMetric = "old"

// kindOf returns the name of the kind of a metric of the given rank.
func (w *pairs) kindOf(rank int) string {
	if rank == 0 {
		return DiagMetric.String()
	}
	return w.kind.String()
}

// nearOf returns near for a kind of metric.
func nearOf(k kind) float64 {
	if k == LowRankMetric {
		return nearOne
	}
	return 0
}

// turn opens the next window of a shared warm-up of so many chains in one place. It keeps the pairs
// of this window unless all chains together have plenty, or the metric is final.
func (w *pairs) turn(final bool, chains int) {
	if final || w.New < sharedKept || w.New*chains >= plenty*w.D {
		w.reset()
		return
	}
	n := min(w.N, w.Most)
	x, g := w.rows(n-min(n, w.New), n)
	w.N, w.New, w.X, w.G = len(x), 0, slices.Concat(x...), slices.Concat(g...)
}

// poolOf returns the pairs of chains together, in the order of time.
func poolOf(chains []*chain) *pairs {
	first := chains[0].state.Warmup.learn.(*pairs)
	p := &pairs{D: first.D, Most: first.Most, kind: first.kind, diagonal: first.diagonal,
		gradient: first.gradient, near: first.near}
	rows := make([][2][][]float64, len(chains))
	most := 0
	for i, c := range chains {
		w := c.state.Warmup.learn.(*pairs)
		n := min(w.N, w.Most)
		rows[i][0], rows[i][1] = w.rows(0, n)
		most = max(most, n)
		p.New += w.New
	}
	total := p.New
	p.X = make([]float64, 0, min(p.Most, len(chains)*most)*p.D)
	p.G = make([]float64, 0, cap(p.X))
	for t := range most {
		for i := range rows {
			if k := len(rows[i][0]) - most + t; k >= 0 {
				p.add(rows[i][0][k], rows[i][1][k])
			}
		}
	}
	p.New = total
	return p
}
