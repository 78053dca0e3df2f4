package causal

import (
	"context"
	"slices"
)

// RFCI learns a partial ancestral graph by the RFCI algorithm (Colombo, Maathuis, Kalisch and Richardson 2012), for many
// columns. It asks no sets beyond the neighbours, of which FCI asks more than can be counted where a graph is dense. Instead
// it asks, before a mark rests on a set that separates two columns, whether the columns between them depend on each other
// given that set, and removes the edge of two that do not. Marks mean what those of FCI do, and are as sound, but some stay
// circles that FCI decides, and an edge may be left of a pair that only farther columns separate.
func RFCI(ctx context.Context, test Test, o Options) (*Result, error) {
	r, err := newRun(test, o)
	if err != nil {
		return nil, err
	}
	if err := r.skeleton(ctx); err != nil {
		return nil, err
	}
	f := &fci{run: r, g: r.g}
	f.path = func(path []int) (bool, error) { return f.joined(ctx, path) }
	for {
		if err := f.near(ctx); err != nil {
			return nil, err
		}
		votes, err := r.verdicts(ctx)
		if err != nil {
			return nil, err
		}
		f.verified(votes)
		f.decisive(votes)
		f.start(votes)
		if broken, err := f.rules(votes); err != nil {
			return nil, err
		} else if !broken {
			f.finish(votes)
			return r.result, nil
		}
	}
}

// near removes edges x - y of triples x - y - z where a set that separates x and z separates x and y too, without y, until
// there is none.
func (f *fci) near(ctx context.Context) error {
	for done := map[[4]int]bool{}; ; {
		var ask [][2]int
		var within [][]int
		for t := range f.run.open {
			sets := f.sets[[2]int{t[0], t[2]}]
			for k, s := range sets {
				for _, x := range []int{t[0], t[2]} {
					if key := [4]int{x, t[1], t[0] + t[2] - x, k}; !done[key] {
						done[key] = true
						ask = append(ask, [2]int{min(x, t[1]), max(x, t[1])})
						within = append(within, without(s.s, x, t[1]))
					}
				}
			}
		}
		more := false
		for i, pair := range ask {
			removed, err := f.apart(ctx, pair, within[i], false)
			if err != nil {
				return err
			}
			more = more || removed
		}
		if !more {
			return nil
		}
	}
}

// verified leaves open the triples of which the votes say other than the sets that near has asked about: where an edge
// too many is left, others may separate with and without the middle.
func (f *fci) verified(votes map[[3]int]ballot) {
	for t, v := range votes {
		for _, s := range f.sets[[2]int{t[0], t[2]}] {
			if slices.Contains(s.s, t[1]) == (v.verdict == collider) {
				v.verdict = undecided
			}
		}
		votes[t] = v
	}
}

// joined asks of a path whose ends are separated by sets whether each column on it and the next depend on each other given
// any subset of these, and removes the edges of those that do not.
func (f *fci) joined(ctx context.Context, path []int) (bool, error) {
	ends := [2]int{min(path[0], path[len(path)-1]), max(path[0], path[len(path)-1])}
	all := true
	for i, x := range path[1:] {
		pair := [2]int{min(x, path[i]), max(x, path[i])}
		for _, s := range f.sets[ends] {
			removed, err := f.apart(ctx, pair, without(s.s, x, path[i]), true)
			if err != nil {
				return false, err
			}
			all = all && !removed
		}
	}
	return all, nil
}

// apart removes the edge of a pair that the set separates, or with subset that a subset of it does, and reports whether it
// did. The smallest subsets that separate are kept.
func (f *fci) apart(ctx context.Context, pair [2]int, s []int, subset bool) (bool, error) {
	x, y := pair[0], pair[1]
	if !f.g.Adjacent(x, y) || f.run.rules.joined(x, y) || slices.ContainsFunc(s, func(k int) bool { return !f.run.rules.mayHold(k, x, y) }) {
		return false, nil
	}
	separate := func(size int) ([]separating, error) {
		var batch []query
		subsets(s, size, func(s []int) bool {
			batch = append(batch, query{x, y, slices.Clone(s)})
			return len(batch) < mostVotes
		})
		return f.separators(ctx, batch)
	}
	if !subset {
		if found, err := separate(len(s)); err != nil || len(found) == 0 {
			return false, err
		}
	}
	for size := 0; size <= len(s); size++ {
		found, err := separate(size)
		if err != nil {
			return false, err
		}
		if len(found) > 0 {
			f.sets[pair] = found
			f.separate(pair, found)
			return true, nil
		}
	}
	return false, nil
}

// without is s without x and y.
func without(s []int, x, y int) []int {
	return slices.DeleteFunc(slices.Clone(s), func(k int) bool { return k == x || k == y })
}
