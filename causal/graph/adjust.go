package graph

import (
	"fmt"
	"slices"
)

// Adjustment says which columns to adjust for to estimate the effect of X on Y, the total one. Each
// list is valid by itself in every DAG that the graph stands for.
type Adjustment struct {
	X, Y   string
	Exists bool
	Why    string // where there is none, or where X has no effect on Y

	Minimal   []string // no name can be left out
	Canonical []string // all that may matter: possible ancestors that are not possible consequences
	// Optimal gives the least asymptotic variance in linear models (Henckel, Perković and Maathuis
	// 2022): the parents of the nodes on the way from X to Y. Nil where X has no effect on Y.
	Optimal []string
}

// Adjust finds sets by the generalised adjustment criterion (Perković et al. 2018): they hold no
// node on a possibly causal path or after one, and block all other paths. For DAGs without hidden
// variables this is the back-door criterion and a little more. Where the graph does not identify
// the effect by adjustment, Why says so.
func (g *Graph) Adjust(x, y string) (*Adjustment, error) {
	i, j := g.Index(x), g.Index(y)
	switch {
	case i < 0 || j < 0:
		return nil, fmt.Errorf("graph: the pair %s, %s has a name that no node has, want two of the "+
			"%d nodes", x, y, len(g.names))
	case i == j:
		return nil, fmt.Errorf("graph: the pair is %s twice, want two nodes", x)
	}
	a := &Adjustment{X: x, Y: y}
	member, err := g.Extend()
	if err != nil {
		a.Why = "The graph stands for no DAG: " + err.Error()[len("graph: "):] + "."
		return a, nil
	}
	q := g.effect(i, j)
	switch {
	case q.ambiguous >= 0:
		a.Why = fmt.Sprintf("The effect of %s on %s is not identified: the edge %s -- %s may begin a "+
			"causal path.", x, y, x, g.names[q.ambiguous])
		return a, nil
	case len(q.causal) == 0:
		a.Why = fmt.Sprintf("%s has no effect on %s in this graph.", x, y)
		if g.Adjacent(i, j) {
			return a, nil
		}
	}
	blocked := q.blocks(member)
	all := q.canonical()
	if !blocked(all) {
		a.Why = fmt.Sprintf("No set of columns blocks the paths of %s and %s that are not causal.", x, y)
		return a, nil
	}
	a.Exists, a.Canonical = true, g.namesOf(all)
	minimal := slices.Clone(all)
	for _, k := range all {
		less := slices.DeleteFunc(slices.Clone(minimal), func(l int) bool { return l == k })
		if blocked(less) {
			minimal = less
		}
	}
	a.Minimal = g.namesOf(minimal)
	if len(q.causal) > 0 {
		a.Optimal = g.namesOf(q.optimal())
	}
	return a, nil
}

// effect is what the graph says about the paths from x to y.
type effect struct {
	g         *Graph
	x, y      int
	ambiguous int   // the other end of an undirected edge that may begin a causal path, or -1
	causal    []int // the nodes on possibly causal paths but x
	forbidden []bool
}

func (g *Graph) effect(x, y int) *effect {
	q := &effect{g: g, x: x, y: y, ambiguous: -1, forbidden: make([]bool, len(g.names))}
	intoX := make([]bool, len(g.names)) // no path from x with one of these is causal
	intoX[x] = true
	for w := range g.names {
		intoX[w] = intoX[w] || g.Points(w, x)
	}
	for w := range g.names {
		if g.Open(x, w) && g.possibly(w, false, intoX)[y] {
			q.ambiguous = w
			return q
		}
	}
	after := g.possibly(x, false, nil)
	before := g.possibly(y, true, intoX)
	for w := range g.names {
		if w == x || !after[w] || !before[w] {
			continue
		}
		q.causal = append(q.causal, w)
		for v, yes := range g.possibly(w, false, nil) {
			q.forbidden[v] = q.forbidden[v] || yes
		}
	}
	return q
}

// possibly marks the nodes that possibly causal paths from start lead to, start itself among them,
// or with back those that such paths to start come from. Paths suffice on which a node and the next
// but one are never adjacent. No path enters a node of without.
func (g *Graph) possibly(start int, back bool, without []bool) []bool {
	p := len(g.names)
	out, seen := make([]bool, p), make([]bool, (p+1)*p)
	type step struct{ before, at int }
	stack := []step{{-1, start}}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if k := (s.before+1)*p + s.at; seen[k] {
			continue
		} else {
			seen[k] = true
		}
		out[s.at] = true
		for w := range p {
			along := g.Points(s.at, w)
			if back {
				along = g.Points(w, s.at)
			}
			if without != nil && without[w] || w == s.before || !along && !g.Open(s.at, w) ||
				s.before >= 0 && g.Adjacent(s.before, w) {
				continue
			}
			stack = append(stack, step{s.at, w})
		}
	}
	return out
}

// canonical is the set that is valid if any is: the possible ancestors of x and y that are not
// forbidden.
func (q *effect) canonical() []int {
	ofX, ofY := q.g.possibly(q.x, true, nil), q.g.possibly(q.y, true, nil)
	out := []int{}
	for w := range q.g.names {
		if w != q.x && w != q.y && !q.forbidden[w] && (ofX[w] || ofY[w]) {
			out = append(out, w)
		}
	}
	return out
}

// optimal is the set of parents of causal nodes that are not forbidden.
func (q *effect) optimal() []int {
	out := []int{}
	for w := range q.g.names {
		if w == q.x || q.forbidden[w] {
			continue
		}
		if slices.ContainsFunc(q.causal, func(c int) bool { return q.g.Points(w, c) }) {
			out = append(out, w)
		}
	}
	return out
}

// blocks returns a function that reports whether a set blocks the paths that are not causal. Such a
// set separates x and y in a member without the first edges of the causal paths from x.
func (q *effect) blocks(member *Graph) func([]int) bool {
	rest := member.Clone()
	for _, c := range q.causal {
		if rest.Points(q.x, c) {
			rest.Set(q.x, c, None, None)
		}
	}
	separated, err := rest.Separation()
	if err != nil {
		panic(err) // a subgraph of a DAG
	}
	return func(s []int) bool { return separated(q.x, q.y, s) }
}
