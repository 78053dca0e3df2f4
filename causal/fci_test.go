package causal

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/causal/graph"
)

// partly is the test by d-separation in a DAG of which some columns are hidden, and some select rows.
type partly struct {
	dag       *graph.Graph
	separated func(x, y int, s []int) bool
	seen      []int // the columns that are observed
	selected  []int
}

func (p *partly) Names() []string {
	var out []string
	for _, i := range p.seen {
		out = append(out, p.dag.Name(i))
	}
	return out
}

func (p *partly) Independence(_ context.Context, x, y int, s []int) (Outcome, error) {
	given := slices.Clone(p.selected)
	for _, k := range s {
		given = append(given, p.seen[k])
	}
	if p.separated(p.seen[x], p.seen[y], given) {
		return Outcome{P: 1}, nil
	}
	return Outcome{}, nil
}

// partlyOf draws a DAG with some hidden and some selecting columns.
func partlyOf(t *testing.T, r *rand.Rand, seen, hidden, selected int, share float64) *partly {
	t.Helper()
	dag := randomDAG(r, seen+hidden+selected, share)
	separated, err := dag.Separation()
	if err != nil {
		t.Fatal(err)
	}
	order := r.Perm(dag.Len())
	p := &partly{dag: dag, separated: separated, seen: slices.Clone(order[:seen]),
		selected: slices.Clone(order[seen : seen+selected])}
	slices.Sort(p.seen)
	return p
}

// mixed is a graph of arrows, double arrows and undirected edges, whose m-separation is by trying all
// paths.
type mixed struct{ *graph.Graph }

func (m mixed) ancestors(of []int) []bool {
	out := make([]bool, m.Len())
	for _, i := range of {
		out[i] = true
	}
	for more := true; more; {
		more = false
		for i := range m.Len() {
			for j := range m.Len() {
				if out[j] && !out[i] && m.Points(i, j) {
					out[i], more = true, true
				}
			}
		}
	}
	return out
}

func (m mixed) connected(x, y int, s []int) bool {
	up := m.ancestors(s)
	path := []int{x}
	var walk func() bool
	walk = func() bool {
		at := path[len(path)-1]
		if at == y {
			return true
		}
		for k := range m.Len() {
			if !m.Adjacent(at, k) || slices.Contains(path, k) {
				continue
			}
			if len(path) > 1 {
				before := path[len(path)-2]
				if m.Mark(before, at) == graph.Arrow && m.Mark(k, at) == graph.Arrow {
					if !up[at] {
						continue
					}
				} else if slices.Contains(s, at) {
					continue
				}
			}
			path = append(path, k)
			if walk() {
				return true
			}
			path = path[:len(path)-1]
		}
		return false
	}
	return walk()
}

// ancestral reports whether the graph is ancestral.
func (m mixed) ancestral() bool {
	p := m.Len()
	for j := range p {
		up := m.ancestors([]int{j})
		for i := range p {
			if i == j || !m.Adjacent(i, j) {
				continue
			}
			if up[i] && m.Mark(j, i) == graph.Arrow { // an ancestor with an arrow at its end
				return false
			}
			if !m.Open(i, j) {
				continue
			}
			for k := range p {
				if m.Adjacent(k, i) && m.Mark(k, i) == graph.Arrow {
					return false
				}
			}
		}
	}
	return true
}

// agreed tries all ancestral graphs with the adjacencies and separations of the oracle, and returns
// what all of them have in common.
func agreed(t *testing.T, o *partly) *graph.Graph {
	t.Helper()
	names := o.Names()
	p := len(names)
	type question struct {
		x, y int
		s    []int
		sep  bool
	}
	var all []question
	out, err := graph.New(names)
	if err != nil {
		t.Fatal(err)
	}
	var edges [][2]int
	for x := range p {
		for y := range x {
			apart := false
			for set := range 1 << p {
				if set>>x&1 == 1 || set>>y&1 == 1 {
					continue
				}
				var s []int
				for k := range p {
					if set>>k&1 == 1 {
						s = append(s, k)
					}
				}
				v, _ := o.Independence(t.Context(), x, y, s)
				all = append(all, question{x, y, s, v.P == 1})
				apart = apart || v.P == 1
			}
			if !apart {
				edges = append(edges, [2]int{x, y})
			}
		}
	}
	first := true
	marks := [4][2]graph.Mark{{graph.Tail, graph.Arrow}, {graph.Arrow, graph.Tail}, {graph.Arrow, graph.Arrow},
		{graph.Tail, graph.Tail}}
	for code := range 1 << (2 * len(edges)) {
		m := mixed{out.Clone()}
		for k, e := range edges {
			v := marks[code>>(2*k)&3]
			m.Set(e[0], e[1], v[0], v[1])
		}
		if !m.ancestral() || slices.ContainsFunc(all, func(q question) bool {
			return m.connected(q.x, q.y, q.s) == q.sep
		}) {
			continue
		}
		if first {
			first = false
			for _, e := range edges {
				out.Set(e[0], e[1], m.Mark(e[1], e[0]), m.Mark(e[0], e[1]))
			}
			continue
		}
		for _, e := range edges {
			for _, d := range [][2]int{e, {e[1], e[0]}} {
				if out.Mark(d[0], d[1]) != m.Mark(d[0], d[1]) {
					out.Set(d[0], d[1], out.Mark(d[1], d[0]), graph.Circle)
				}
			}
		}
	}
	if first && len(edges) > 0 {
		t.Fatalf("no graph for %v", names)
	}
	return out
}

// The marks of FCI are those that all maximal ancestral graphs with the same independences share, by
// trying all of them, with hidden columns and with selection.
func TestFCIExhaustive(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	count, wide := 0, 0
	for k := range 600 {
		seen := 4
		if k%3 == 0 {
			seen = 5
		}
		o := partlyOf(t, r, seen, 1+r.IntN(2), r.IntN(2), 0.25+0.3*r.Float64())
		got, err := FCI(t.Context(), o, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Graph.Edges()) > 7 {
			wide++
			continue
		}
		count++
		if want := agreed(t, o); !got.Graph.Equal(want) {
			t.Errorf("%d: %v\nwant %v, of %v seen %v selected %v", k, got.Graph, want, o.dag, o.Names(), o.selected)
		}
	}
	t.Logf("%d graphs, %d left out for their edges", count, wide)
	if count < 500 {
		t.Errorf("%d graphs, want 500", count)
	}
}

// Without hidden columns, and with ten of them and any order, arrows are right and tails are causes.
func TestFCISound(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 60 {
		o := partlyOf(t, r, 8, 3, 0, 0.2)
		got, err := FCI(t.Context(), o, Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := FCI(t.Context(), shuffled(o, r), Options{Parallel: 2})
		if err != nil || !again.Graph.Equal(got.Graph) {
			t.Errorf("%v in another order %v, %v", got.Graph, again.Graph, err)
		}
		g := got.Graph
		for i := range g.Len() {
			for j := range g.Len() {
				if i == j || !g.Adjacent(i, j) {
					continue
				}
				cause := o.dag.Reaches(o.dag.Index(g.Name(j)), o.dag.Index(g.Name(i)))
				if m := g.Mark(i, j); m == graph.Arrow && cause || m == graph.Tail && !cause {
					t.Errorf("%v: mark at %s of %s and %s; %v", g, g.Name(j), g.Name(i), g.Name(j), o.dag)
				}
			}
		}
	}
}

// Marks rest on triples that the tests plainly decide, unless another rule for colliders was asked for.
func TestDecisive(t *testing.T) {
	plain, weak, close := [3]int{0, 1, 2}, [3]int{0, 1, 3}, [3]int{0, 2, 3}
	for _, rule := range []Rule{InOrder, Majority} {
		votes := map[[3]int]ballot{plain: {verdict: collider, largest: [2]float64{0.6, 0.0002}},
			weak: {verdict: collider, largest: [2]float64{0.1, 0.00003}}, close: {verdict: passes, largest: [2]float64{0.2, 0.6}}}
		f := &fci{run: &run{o: Options{Colliders: rule}}}
		f.decisive(votes)
		open := map[[3]int]bool{weak: rule == InOrder, close: rule == InOrder}
		for k, v := range votes {
			if (v.verdict == undecided) != open[k] {
				t.Errorf("rule %v, triple %v: verdict %v", rule, k, v.verdict)
			}
		}
	}
}
