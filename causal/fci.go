package causal

import (
	"context"
	"math"
	"slices"

	"bayeskernel/causal/graph"
)

// FCI learns a partial ancestral graph by the FCI algorithm (Spirtes, Glymour and Scheines; Zhang 2008),
// which assumes neither that there are no hidden common causes nor that rows were not selected. An
// edge says that no set of columns separates its ends, and its marks say at
//
//	an arrow   that this end causes neither the other nor whether a row is in the table
//	a tail     that it causes the other, or whether a row is in the table
//	a circle   nothing
//
// So a -> b is "a causes b", a <-> b "something unseen causes both", a o-> b "one of these". The
// tests, the votes on colliders and the knowledge are those of PC; InOrder takes or excludes a collider
// only where the p-values with and without its middle differ by a factor of 148, the larger at least
// 0.3. With SeparatingSets there are no votes, as in the original
// algorithm. An effect that knowledge forbids is taken to be none at all, through other columns neither.
func FCI(ctx context.Context, test Test, o Options) (*Result, error) {
	r, err := newRun(test, o)
	if err != nil {
		return nil, err
	}
	if err := r.skeleton(ctx); err != nil {
		return nil, err
	}
	votes, err := r.verdicts(ctx)
	if err != nil {
		return nil, err
	}
	f := &fci{run: r, g: r.g}
	f.decisive(votes)
	f.start(votes)
	if err := f.farther(ctx); err != nil {
		return nil, err
	}
	if votes, err = r.verdicts(ctx); err != nil {
		return nil, err
	}
	f.decisive(votes)
	f.start(votes)
	_, _ = f.rules(votes) // no tests, no errors
	f.finish(votes)
	return r.result, nil
}

// finish writes what the graph and the votes say into the result.
func (f *fci) finish(votes map[[3]int]ballot) {
	r := f.run
	r.g.Partial = true
	for t := range r.open {
		switch is := f.into(t[0], t[1]) && f.into(t[2], t[1]); {
		case is:
			r.result.Colliders = append(r.result.Colliders, r.triple(t))
		case votes[t].verdict == collider:
			r.result.Overruled = append(r.result.Overruled, r.triple(t))
		}
		if votes[t].verdict == undecided {
			r.result.Undecided = append(r.result.Undecided, r.triple(t))
		}
	}
	r.describe()
}

// fci directs edges. Marks only ever replace circles.
type fci struct {
	*run
	g *graph.Graph
	// path, if not nil, is asked about each path that a mark is to rest on. Where it removes an edge it says no.
	path func(path []int) (bool, error)
}

func (f *fci) at(i, j int) graph.Mark { return f.g.Mark(i, j) } // at j
func (f *fci) into(i, j int) bool     { return f.g.Mark(i, j) == graph.Arrow }
func (f *fci) circle(i, j int) bool   { return f.g.Mark(i, j) == graph.Circle }
func (f *fci) tail(i, j int) bool     { return f.g.Mark(i, j) == graph.Tail }

// set puts a mark at j of the edge of i and j, if there is a circle.
func (f *fci) set(i, j int, m graph.Mark) bool {
	if !f.circle(i, j) {
		return false
	}
	f.g.Set(i, j, f.at(j, i), m)
	return true
}

const (
	// farApart is the p-value that a pair of columns must reach with some set for marks to rest on its being apart: an
	// effect that is too weak for the test lets two columns seem apart, mostly at small p-values.
	farApart = 0.3
	// plainly is the ratio of p-values, here 148, from which sets with and without a column tell a collider.
	plainly = 5
)

// decisive leaves open the triples that the tests do not plainly decide. In a partial graph a mark that is wrong leads to
// others, and a circle claims nothing. What the original algorithm or other rules say is left as it is.
func (f *fci) decisive(votes map[[3]int]ballot) {
	if f.o.Colliders != InOrder {
		return
	}
	for t, v := range votes {
		if v.mute || max(v.largest[0], v.largest[1]) < farApart || math.Abs(v.ratio()) < plainly {
			v.verdict = undecided
			votes[t] = v
		}
	}
}

// start makes all marks circles, but for what is known, and places the colliders.
func (f *fci) start(votes map[[3]int]ballot) {
	p := len(f.names)
	for x := range p {
		for y := range x {
			if f.g.Adjacent(x, y) {
				f.g.Set(x, y, graph.Circle, graph.Circle)
			}
		}
	}
	for x := range p {
		for y := range p {
			switch {
			case x == y || !f.g.Adjacent(x, y):
			case f.run.rules.required[x*p+y]:
				f.g.Set(x, y, graph.Tail, graph.Arrow)
			case f.run.rules.forbidden[y*p+x]:
				f.set(x, y, graph.Arrow) // y is no cause of x
			}
		}
	}
	for _, t := range ordered(votes) {
		x, y, z := t[0], t[1], t[2]
		if !f.tail(x, y) && !f.tail(z, y) {
			f.set(x, y, graph.Arrow)
			f.set(z, y, graph.Arrow)
		}
	}
}

// farther asks the sets that may separate a pair although its neighbours do not: of columns that are
// reached along paths of which each column inside is a collider, or part of a triangle.
func (f *fci) farther(ctx context.Context) error {
	type pair struct {
		x, y int
		from [2][]int
	}
	var pairs []pair
	for x := range f.names {
		for y := x + 1; y < len(f.names); y++ {
			if f.g.Adjacent(x, y) && !f.run.rules.joined(x, y) {
				pairs = append(pairs, pair{x, y, [2][]int{f.possible(x, x, y), f.possible(y, x, y)}})
			}
		}
	}
	apart := map[[2]int][]separating{}
	for k, e := range pairs {
		asked := 0
		for size := 0; size <= min(f.deepest(), len(f.names)-2); size++ {
			total := choose(len(e.from[0]), size) + choose(len(e.from[1]), size)
			if asked += total; asked > mostVotes || total == 0 {
				break
			}
			var batch []query
			for _, from := range e.from {
				subsets(from, size, func(s []int) bool {
					batch = append(batch, query{e.x, e.y, slices.Clone(s)})
					return true
				})
			}
			found, err := f.separators(ctx, batch)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				apart[[2]int{e.x, e.y}] = found
				break
			}
		}
		if f.o.Progress != nil {
			f.o.Progress("testing given columns farther away", k+1, len(pairs))
		}
	}
	for _, e := range pairs {
		key := [2]int{e.x, e.y}
		if sets := apart[key]; len(sets) > 0 {
			f.sets[key] = sets
			f.separate(key, sets)
		}
	}
	return nil
}

// separators asks of a pair and returns the sets that separate it, each once.
func (f *fci) separators(ctx context.Context, batch []query) ([]separating, error) {
	outcomes, err := f.batch(ctx, batch, func(int) {})
	if err != nil {
		return nil, err
	}
	var out []separating
	for i, q := range batch {
		p := outcomes[i].P
		if p > f.o.Alpha && !slices.ContainsFunc(out, func(s separating) bool { return slices.Equal(s.s, q.s) }) {
			out = append(out, separating{q.s, p})
		}
		f.take(q, p)
	}
	return out, nil
}

// possible are the columns of the set Possible-D-SEP of start that may separate x and y.
func (f *fci) possible(start, x, y int) []int {
	p := len(f.names)
	in, seen := make([]bool, p), make([]bool, p*p)
	var stack [][2]int
	for _, k := range f.g.Neighbours(start) {
		stack = append(stack, [2]int{start, k})
	}
	for len(stack) > 0 {
		a, b := stack[len(stack)-1][0], stack[len(stack)-1][1]
		stack = stack[:len(stack)-1]
		if seen[a*p+b] {
			continue
		}
		seen[a*p+b], in[b] = true, true
		for _, c := range f.g.Neighbours(b) {
			if c != a && c != start && (f.g.Adjacent(a, c) || f.into(a, b) && f.into(c, b)) {
				stack = append(stack, [2]int{b, c})
			}
		}
	}
	var out []int
	for k, yes := range in {
		if yes && k != x && k != y && f.run.rules.mayHold(k, x, y) {
			out = append(out, k)
		}
	}
	return out
}

// holds reports whether most sets that separated two columns have b.
func (f *fci) holds(x, y, b int) bool {
	with, all := 0, 0
	for _, s := range f.sets[[2]int{min(x, y), max(x, y)}] {
		all++
		if slices.Contains(s.s, b) {
			with++
		}
	}
	return 2*with > all
}
