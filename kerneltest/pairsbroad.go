package kerneltest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/permute"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/floats"
)

// Rule Broad tests independence with five statistics under the same permutations. View Rows has nine pairs of kernels
// (pairRungs), each shrunk to Kc (Kc + ρ I)⁻¹, which see fine dependence and that of several columns. Curves has four of
// these pairs, of the narrowest and the widest kernels, which see straight lines, bends, and curves that one variable is of
// the other. Smooth has kernels of 1, 4 and 16 times the learned lengthscales as they are; Distances is distance covariance,
// and ScoreDistances that of the normal scores.

const (
	// widePairs is the number of pairs beyond which kernels of up to two columns are approximated by few features, and
	// widestPairs that of several columns; beyond manyPairs Smooth is left out.
	widePairs, widestPairs, manyPairs = 400, 1000, 2000
)

// shrunkRung is a kernel of 2^exponent times the learned lengthscale, shrunk with this ridge.
type shrunkRung struct{ exponent, ridge float64 }

// pairRungs are those of a variable. The narrowest has a small ridge, without which little is left of what is fine; in
// three columns and more, where rows are further apart, it is wider, and of many columns the ridge smaller still.
func pairRungs(dim int) []shrunkRung {
	narrow := shrunkRung{0, 0.1}
	if dim > 2 {
		narrow.exponent = 1
	}
	if dim > 7 {
		narrow.ridge = 0.01
	}
	return []shrunkRung{narrow, {2, 1}, {4, 1}}
}

// times is the kernel with its lengthscales times a factor.
func times(k kernels.Kernel, factor float64) kernels.Kernel {
	s, ok := kernels.AsStationary(k)
	if !ok {
		return k
	}
	theta := slices.Clone(s.Theta)
	floats.Scale(factor, theta)
	return kernels.Stationary{Radial: s.Radial, Theta: theta}
}

// pairWeights are the prior weights of the views of a test of independence. Rows have most: they see what the others
// see, but for smooth dependence, which Curves sees better, heavy tails, and what several views see a little of,
// whose p-values count together (views.together).
func pairWeights() map[View]float64 {
	return map[View]float64{Rows: 16, Smooth: 2.5, Distances: 3, ScoreDistances: 0.5, Curves: 6}
}

// widen makes the sides of rule Broad.
func (v *Variable) widen() {
	v.Kernel.Rule = Broad
	v.wide = map[View][]*side{}
	few := 0
	switch {
	case v.n <= widePairs || v.n <= widestPairs && v.dim > 2:
	case v.n <= manyPairs:
		few = 40
	case v.n <= 20000 && v.dim > 2:
		few = 24
	case v.n <= 20000:
		few = 16
	default:
		few = 12
	}
	add := func(view View, k kernels.Kernel, data []float64, ridge float64) {
		v.wide[view] = append(v.wide[view], &side{tiles: newTiles(k, data, v.dim), of: v, ridge: ridge, limit: few})
	}
	for _, r := range pairRungs(v.dim) {
		add(Rows, times(v.Kernel.Kernels[0], math.Exp2(r.exponent)), v.rows, r.ridge)
	}
	if v.n <= manyPairs {
		v.wide[Smooth] = v.sides
	}
	add(Distances, kernels.Distance{Centre: centreOf(v.rows, v.dim)}, v.rows, 0)
	add(ScoreDistances, kernels.Distance{Centre: make([]float64, v.dim)}, rows.NormalScores(v.rows, v.dim), 0)
}

// tryRank is the rank up to which shrunk kernels go by factors, where there are probeRows rows or more.
const tryRank = 60

// lowFew makes a factor of at most so many features as the side has; or where that is left open, one of a shrunk
// kernel if its rank is low.
func (s *side) lowFew(ctx context.Context, progress func(done, total int)) (*statistic.Factor, error) {
	n, limit, tolerance := s.tiles.n, s.limit, factorTolerance
	if limit == 0 {
		if limit = tryRank; n <= probeRows {
			s.probed = true
			return nil, nil
		}
	}
	if s.ridge > 0 {
		tolerance = shrunkTolerance
	}
	f, err := s.tiles.sortedFactor(ctx, tolerance, limit, progress)
	if err != nil {
		return nil, err
	}
	s.probed = true
	if s.limit == 0 && f.Rank() == limit {
		return nil, nil
	}
	if s.ridge > 0 {
		if f, err = f.Shrink(s.ridge); err != nil {
			return nil, fmt.Errorf("kerneltest: %w", err)
		}
	}
	s.low, s.packed, s.ofLow = f, permute.NewFactor(f.Columns(), n), f.Margin()
	return f, nil
}

// widePart is one view of a test of independence under way: the statistics of some pairs of kernels of a test, which
// several views may have in common.
type widePart struct {
	view  View
	of    *independence
	pairs []int
}

// wideParts are the views of rule Broad, nil where a variable has another rule.
func wideParts(x, y *Variable, o Options) []widePart {
	if x.wide == nil || y.wide == nil || o.Combine != Largest || !o.permutes() {
		return nil
	}
	var out []widePart
	for _, view := range []View{Rows, Smooth, Distances, ScoreDistances} {
		if x.wide[view] == nil {
			continue
		}
		t := &independence{n: x.n, o: o, x: x.wide[view], y: y.wide[view]}
		t.o.Unbiased = true // where there is one pair, as where there are several
		if o.Blocks != nil {
			t.x, t.y = within(t.x, o.Blocks), within(t.y, o.Blocks)
		}
		part := widePart{view: view, of: t}
		for k := range t.pairs() {
			part.pairs = append(part.pairs, k)
		}
		out = append(out, part)
	}
	rows := out[0].of
	curves := widePart{view: Curves, of: rows}
	for _, i := range []int{0, len(rows.x) - 1} {
		for _, j := range []int{0, len(rows.y) - 1} {
			curves.pairs = append(curves.pairs, i*len(rows.y)+j)
		}
	}
	return append(out, curves)
}

// broad is the test with all views.
func (t *independence) broad(ctx context.Context) (*Result, error) {
	var of []View
	type place struct{ part, pair int }
	var places []place
	for i, p := range t.parts {
		p.of.d = t.d
		for _, s := range append(append([]*side{}, p.of.x...), p.of.y...) {
			if _, err := s.lowRank(ctx, t.o.step("factor")); err != nil {
				return nil, err
			}
		}
		for _, k := range p.pairs {
			of, places = append(of, p.view), append(places, place{i, k})
		}
	}
	vs := newViews(of, pairWeights())
	distinct := len(t.parts) - 1 // Curves are pairs of Rows
	members := func(ctx context.Context, first, count, all int) (*table, error) {
		out, drawn := &table{}, map[*independence]*table{}
		for _, p := range t.parts {
			of := drawn[p.of]
			if of == nil {
				p.of.o.Progress = t.o.part(len(drawn), distinct)
				var err error
				if of, err = p.of.draw(ctx, first, count, all); err != nil {
					return nil, err
				}
				drawn[p.of] = of
			}
			for _, k := range p.pairs {
				out.values = append(out.values, of.values[k])
				out.slack, out.norm = append(out.slack, of.slack[k]), append(out.norm, of.norm[k])
			}
		}
		return out, nil
	}
	draws := referenceDraws
	if t.n > manyPairs {
		draws /= 2
	}
	reference, err := members(ctx, mostPermutations+1, draws, draws)
	if err != nil {
		return nil, err
	}
	vs.fit(reference)
	for _, p := range t.parts {
		p.of.observed = nil
	}
	var unbiased []float64
	r, all, err := t.o.sequence(ctx, arrangements{most: max(64, pairsAtATime/t.n), kernels: len(places),
		draw: func(ctx context.Context, first, count, all int) (*table, error) {
			m, err := members(ctx, first, count, all)
			if err != nil {
				return nil, err
			}
			if first == 0 {
				for _, v := range m.values {
					unbiased = append(unbiased, v[0])
				}
			}
			return vs.seen(m, first == 0), nil
		}}, vs.together)
	if err != nil {
		return nil, err
	}
	vs.finish(r, all, func(k int) Candidate {
		at := places[k]
		p := t.parts[at.part].of
		return Candidate{Kernel: p.x[at.pair/len(p.y)].tiles.k, KernelY: p.y[at.pair%len(p.y)].tiles.k}
	})
	// HSIC is that of the strongest of the kernels as they are, where they were used.
	shown := 0
	for g, v := range vs {
		if v.view == Rows && shown == 0 || v.view == Smooth {
			shown = g
		}
	}
	at := places[vs[shown].strongest]
	s, err := t.parts[at.part].of.best(ctx, at.pair)
	if err != nil {
		return nil, err
	}
	r.describeHSIC(s)
	if t.o.Blocks != nil {
		r.Unbiased = unbiased[vs[shown].strongest]
	}
	t.noteAlike(r, s)
	return r, nil
}

// part makes of the progress of one of several parts that of all.
func (o Options) part(i, parts int) func(step string, done, total int) {
	if o.Progress == nil {
		return nil
	}
	return func(step string, done, total int) { o.Progress(step, i*total+done, parts*total) }
}
