package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/causal/graph"
	"bayeskernel/causal/internal/known"
)

func make3(t testing.TB, nodes string, edges ...graph.Edge) *graph.Graph {
	t.Helper()
	g, err := graph.FromEdges(strings.Fields(nodes), edges...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestCPDAG(t *testing.T) {
	for _, c := range append(known.Networks(t), known.Random(t)...) {
		got, err := c.DAG.CPDAG()
		if err != nil || !got.Equal(c.Want) {
			t.Errorf("%s: %v, %v, want %v", c.Name, got, err, c.Want)
			continue
		}
		member, err := got.Extend()
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if again, err := member.CPDAG(); err != nil || !again.Equal(got) {
			t.Errorf("%s: the member %v has another CPDAG", c.Name, member)
		}
	}
}

// moral answers by the other criterion: x and y are not connected in the moral graph of the
// ancestors without s (Lauritzen et al. 1990).
func moral(g *graph.Graph, x, y int, s []int) bool {
	p := g.Len()
	keep := make([]bool, p)
	var up func(i int)
	up = func(i int) {
		if !keep[i] {
			keep[i] = true
			for _, j := range g.Parents(i) {
				up(j)
			}
		}
	}
	for _, i := range append([]int{x, y}, s...) {
		up(i)
	}
	link := make([][]bool, p)
	for i := range link {
		link[i] = make([]bool, p)
	}
	for i := range p {
		if !keep[i] {
			continue
		}
		family := append(g.Parents(i), i)
		for _, a := range family {
			for _, b := range family {
				link[a][b] = true
			}
		}
	}
	seen := make([]bool, p)
	var walk func(i int) bool
	walk = func(i int) bool {
		if i == y {
			return true
		}
		seen[i] = true
		for j := range p {
			if link[i][j] && !seen[j] && !slices.Contains(s, j) && walk(j) {
				return true
			}
		}
		return false
	}
	return !walk(x)
}

func TestSeparation(t *testing.T) {
	for _, c := range known.Random(t) {
		separated, err := c.DAG.Separation()
		if err != nil {
			t.Fatal(err)
		}
		p := c.DAG.Len()
		for x := range p {
			for y := range x {
				for set := range 1 << p {
					s := members(set)
					if set&(1<<x|1<<y) == 0 && separated(x, y, s) != moral(c.DAG, x, y, s) {
						t.Fatalf("%s: %d and %d given %v", c.Name, x, y, s)
					}
				}
			}
		}
	}
}

func members(set int) []int {
	var s []int
	for i := range 62 {
		if set>>i&1 == 1 {
			s = append(s, i)
		}
	}
	return s
}

func TestCycle(t *testing.T) {
	g := make3(t, "d c b a", graph.Directed("a", "b"), graph.Directed("b", "c"), graph.Undirected("c", "d"))
	if c := g.Cycle(); c != nil {
		t.Errorf("cycle %v", c)
	}
	if err := g.Add(graph.Directed("c", "a")); err != nil {
		t.Fatal(err)
	}
	if c := strings.Join(g.Cycle(), " "); c != "a b c" {
		t.Errorf("cycle %q", c)
	}
	if _, err := g.Extend(); err == nil || !strings.Contains(err.Error(), "a -> b -> c -> a") {
		t.Errorf("error %v", err)
	}
	// a square of undirected edges has a collider in every DAG
	g = make3(t, "a b c d", graph.Undirected("a", "b"), graph.Undirected("b", "c"),
		graph.Undirected("c", "d"), graph.Undirected("d", "a"))
	if _, err := g.Extend(); err == nil || !strings.Contains(err.Error(), "no DAG") {
		t.Errorf("error %v", err)
	}
	g = make3(t, "a b", graph.Conflicting("a", "b"))
	if _, err := g.Extend(); err == nil || !strings.Contains(err.Error(), "a <-> b") {
		t.Errorf("error %v", err)
	}
	if _, err := g.CPDAG(); err == nil {
		t.Error("a conflict is no DAG")
	}
}

// What one sweep directs both ways is a conflict, and an undecided triple directs nothing.
func TestMeek(t *testing.T) {
	edges := []graph.Edge{graph.Directed("a", "b"), graph.Undirected("b", "c"), graph.Directed("d", "c")}
	g := make3(t, "a b c d", edges...)
	g.Meek(nil)
	if g.String() != "a -> b, b <-> c, d -> c" {
		t.Errorf("%v", g)
	}
	g = make3(t, "a b c d", edges...)
	g.Meek(func(x, y, z int) bool { return y == 1 })
	if g.String() != "a -> b, c -> b, d -> c" {
		t.Errorf("%v", g)
	}
}

func TestErrors(t *testing.T) {
	ab := []string{"a", "b"}
	for want, f := range map[string]struct {
		names []string
		edges []graph.Edge
	}{
		`graph: two nodes are called "a"`:        {names: []string{"a", "b", "a"}},
		"graph: the name of a node is empty":     {names: []string{""}},
		`graph: the edge a -> c has a node "c"`:  {ab, []graph.Edge{graph.Directed("a", "c")}},
		"graph: the edge a -> a has one node":    {ab, []graph.Edge{graph.Directed("a", "a")}},
		"graph: the edge of a and b has marks n": {ab, []graph.Edge{{From: "a", To: "b"}}},
		"graph: b and a have two edges": {ab, []graph.Edge{graph.Directed("a", "b"),
			graph.Directed("b", "a")}},
	} {
		if _, err := graph.FromEdges(f.names, f.edges...); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestCompare(t *testing.T) {
	want := make3(t, "a b c d e", graph.Directed("a", "b"), graph.Directed("c", "b"),
		graph.Undirected("c", "d"), graph.Directed("d", "e"))
	got := make3(t, "a b c d e", graph.Directed("a", "b"), graph.Directed("b", "c"),
		graph.Conflicting("c", "d"), graph.Directed("a", "e"))
	c, err := graph.Compare(got, want)
	if err != nil || c.SHD != 4 || c.Missing != 1 || c.Extra != 1 || c.Reversed != 2 ||
		c.AdjacencyPrecision != 0.75 || c.AdjacencyRecall != 0.75 || c.ArrowheadPrecision != 0.2 ||
		math.Abs(c.ArrowheadRecall-1.0/3) > 1e-15 {
		t.Errorf("%+v, %v", c, err)
	}
	if c, _ := graph.Compare(want, want); c.SHD != 0 || c.ArrowheadRecall != 1 {
		t.Errorf("%+v", c)
	}
	empty := make3(t, "a b")
	if c, _ := graph.Compare(empty, empty); c.SHD != 0 || !math.IsNaN(c.AdjacencyPrecision) {
		t.Errorf("%+v", c)
	}
	if _, err := graph.Compare(want, empty); err == nil {
		t.Error("other nodes")
	}
	if _, err := graph.Compare(empty, want); err == nil {
		t.Error("other nodes")
	}
}

// The order in which nodes and edges come changes nothing.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c := known.Networks(t)[5]
	nodes, edges := c.Want.Names(), c.Want.Edges()
	for range 5 {
		r.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		r.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
		g, err := graph.FromEdges(nodes, edges...)
		if err != nil {
			t.Fatal(err)
		}
		if !g.Equal(c.Want) {
			t.Fatalf("nodes in the order %v make another graph", nodes)
		}
	}
}
