package graph_test

import (
	"slices"
	"strings"
	"testing"

	"bayeskernel/causal/graph"
	"bayeskernel/causal/internal/known"
)

// class lists all DAGs that a maximally directed graph stands for: one edge is directed both ways,
// and Meek's rules keep what is left free of new colliders and cycles.
func class(g *graph.Graph) []*graph.Graph {
	for i := range g.Len() {
		for j := range i {
			if g.Open(i, j) {
				var out []*graph.Graph
				for _, e := range [][2]int{{i, j}, {j, i}} {
					h := g.Clone()
					h.Set(e[0], e[1], graph.Tail, graph.Arrow)
					h.Meek(nil)
					out = append(out, class(h)...)
				}
				return out
			}
		}
	}
	return []*graph.Graph{g}
}

// member is what one DAG says about a pair: the nodes that no adjustment set may hold, and the DAG
// without the first edges of causal paths.
type member struct {
	forbidden []bool
	separated func(x, y int, s []int) bool
}

func newMember(t *testing.T, d *graph.Graph, x, y int) member {
	p := d.Len()
	leads := make([][]bool, p) // by directed paths
	for i := range leads {
		leads[i] = make([]bool, p)
		var walk func(j int)
		walk = func(j int) {
			if !leads[i][j] {
				leads[i][j] = true
				for k := range p {
					if d.Points(j, k) {
						walk(k)
					}
				}
			}
		}
		walk(i)
	}
	m := member{forbidden: make([]bool, p)}
	rest := d.Clone()
	for w := range p {
		if w == x || !leads[x][w] || !leads[w][y] {
			continue
		}
		for v := range p {
			m.forbidden[v] = m.forbidden[v] || leads[w][v]
		}
		if d.Points(x, w) {
			rest.Set(x, w, graph.None, graph.None)
		}
	}
	var err error
	if m.separated, err = rest.Separation(); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m member) valid(x, y int, s []int) bool {
	return !slices.ContainsFunc(s, func(i int) bool { return m.forbidden[i] }) && m.separated(x, y, s)
}

// A set is valid in a graph if it is in every DAG that the graph stands for: all pairs, all sets.
func TestAdjustByEnumeration(t *testing.T) {
	none, some := 0, 0
	for _, c := range append(known.Random(t), known.WithKnowledge(t)...) {
		g, p := c.Want, c.Want.Len()
		dags := class(g)
		for x := range p {
			for y := range p {
				if x == y {
					continue
				}
				var all []member
				for _, d := range dags {
					all = append(all, newMember(t, d, x, y))
				}
				valid := func(s []int) bool {
					return !slices.ContainsFunc(all, func(m member) bool { return !m.valid(x, y, s) })
				}
				exists := false
				for set := range 1 << p {
					if set&(1<<x|1<<y) == 0 && valid(members(set)) {
						exists = true
						break
					}
				}
				a, err := g.Adjust(g.Name(x), g.Name(y))
				if err != nil || a.Exists != exists {
					t.Fatalf("%s %v: %+v, %v, want %v", c.Name, g, a, err, exists)
				}
				if !exists {
					none++
					continue
				}
				some++
				checkSets(t, g, a, valid)
			}
		}
	}
	t.Logf("%d pairs with a set, %d without", some, none)
}

func checkSets(t *testing.T, g *graph.Graph, a *graph.Adjustment, valid func([]int) bool) {
	t.Helper()
	nodes := func(names []string) []int {
		var out []int
		for _, n := range names {
			out = append(out, g.Index(n))
		}
		return out
	}
	if a.Optimal != nil && !valid(nodes(a.Optimal)) || !valid(nodes(a.Canonical)) ||
		!valid(nodes(a.Minimal)) {
		t.Fatalf("%v: %+v is not valid", g, a)
	}
	for i := range a.Minimal {
		if valid(nodes(slices.Delete(slices.Clone(a.Minimal), i, i+1))) {
			t.Fatalf("%v: %+v is not minimal", g, a)
		}
	}
}

func TestAdjustWords(t *testing.T) {
	g := make3(t, "x y z w", graph.Undirected("x", "z"), graph.Undirected("z", "y"))
	for want, pair := range map[string][2]string{
		"The effect of x on y is not identified: the edge x -- z": {"x", "y"},
		"x has no effect on w": {"x", "w"},
	} {
		if a, err := g.Adjust(pair[0], pair[1]); err != nil || !strings.HasPrefix(a.Why, want) {
			t.Errorf("%+v, %v, want %q", a, err, want)
		}
	}
	g = make3(t, "x y", graph.Conflicting("x", "y"))
	a, err := g.Adjust("x", "y")
	if err != nil || a.Exists || !strings.Contains(a.Why, "stands for no DAG: the edge x <-> y") {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := g.Adjust("x", "q"); err == nil {
		t.Error("unknown name")
	}
	if _, err := g.Adjust("x", "x"); err == nil {
		t.Error("one node")
	}
	confounded := make3(t, "x y z m", graph.Directed("z", "x"), graph.Directed("z", "y"),
		graph.Directed("x", "m"), graph.Directed("m", "y"))
	a, err = confounded.Adjust("x", "y")
	if err != nil || strings.Join(a.Minimal, " ") != "z" || strings.Join(a.Optimal, " ") != "z" {
		t.Errorf("%+v, %v", a, err)
	}
}
