package energy

import (
	"context"
	"math"
	"slices"

	"bayeskernel/internal/workers"
)

// order says which pairs are closer than which others.
type order struct {
	closer [][]bool // closer[p][q]: pair p is closer than pair q
}

// newOrder compares all pairs of samples, given how their squared distances spread over resamples.
func newOrder(ctx context.Context, o Options, d *Distances, spread [][]float64) (*order, error) {
	n := len(spread)
	u := make([]float64, n)
	for a := range len(d.Rows) {
		for b := range a {
			u[place(a, b)] = d.Squared.At(a, b)
		}
	}
	out := &order{closer: make([][]bool, n)}
	sd := make([][]float64, n)
	largest := make([][]float64, n) // of each resample
	for _, err := range workers.Run(ctx, n, o.Parallel, func(p int) error {
		o.Progress("order", p, n)
		out.closer[p], sd[p], largest[p] = make([]bool, n), make([]float64, p), make([]float64, o.Resamples)
		for q := range p {
			mean, square := 0.0, 0.0
			for t, v := range spread[p] {
				mean += v - spread[q][t]
			}
			mean /= float64(o.Resamples)
			for t, v := range spread[p] {
				dev := v - spread[q][t] - mean
				square += dev * dev
			}
			s := math.Sqrt(square / float64(o.Resamples-1))
			if sd[p][q] = s; !(s > 0) {
				continue
			}
			for t, v := range spread[p] {
				largest[p][t] = max(largest[p][t], math.Abs(v-spread[q][t]-mean)/s)
			}
		}
		return nil
	}) {
		if err != nil {
			return nil, err
		}
	}
	top := slices.Clone(largest[0])
	for _, l := range largest {
		for t, v := range l {
			top[t] = max(top[t], v)
		}
	}
	limit := quantile(top, d.Level)
	for p := range n {
		for q := range p {
			if gap := u[p] - u[q]; math.Abs(gap) > limit*sd[p][q] {
				out.closer[p][q], out.closer[q][p] = gap < 0, gap > 0
			}
		}
	}
	return out, nil
}

// Judged reports whether pairs were compared with each other: they are for at most 40 samples.
func (d *Distances) Judged() bool { return d.order != nil }

// Closer reports whether samples i and j are closer to each other than samples k and l, for sure.
func (d *Distances) Closer(i, j, k, l int) bool {
	if d.order == nil || i == j || k == l {
		return false
	}
	return d.order.closer[place(max(i, j), min(i, j))][place(max(k, l), min(k, l))]
}

// Pair is a pair of samples.
type Pair struct {
	A, B         int // A < B
	Distance     float64
	Lower, Upper float64
	First, Last  int // of its possible places among all pairs, the closest being 1
	Squared      float64
}

// Pairs returns all pairs, the closest first. A pair's place is at least 1 plus the number of pairs that
// are closer for sure, and at most the number of pairs less those that are farther for sure.
func (d *Distances) Pairs() []Pair {
	k := len(d.Rows)
	n := k * (k - 1) / 2
	out := make([]Pair, 0, n)
	for a := range k {
		for b := range a {
			p := Pair{A: b, B: a, Squared: d.Squared.At(a, b), Distance: d.At(a, b), Lower: d.Lower.At(a, b),
				Upper: d.Upper.At(a, b), First: 1, Last: n}
			if d.order != nil {
				for q, farther := range d.order.closer[place(a, b)] {
					if farther {
						p.Last--
					} else if d.order.closer[q][place(a, b)] {
						p.First++
					}
				}
			}
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(p, q Pair) int {
		switch {
		case p.Squared < q.Squared:
			return -1
		case p.Squared > q.Squared:
			return 1
		}
		return 0
	})
	return out
}
