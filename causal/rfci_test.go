package causal

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/causal/graph"
)

// Marks of RFCI are those of FCI, which has all that can be told, or circles, and its edges those of FCI and perhaps more;
// the order of the columns changes nothing.
func TestRFCISound(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	graphs, same, marks, circles, extra := 0, 0, 0, 0, 0
	for k := range 90 {
		o := partlyOf(t, r, 9, 4, k%3/2, 0.2+0.1*r.Float64())
		want, err := FCI(t.Context(), o, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := RFCI(t.Context(), o, Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := RFCI(t.Context(), shuffled(o, r), Options{Parallel: 2})
		if err != nil || !again.Graph.Equal(got.Graph) {
			t.Errorf("%v in another order %v, %v", got.Graph, again.Graph, err)
		}
		graphs++
		if got.Graph.Equal(want.Graph) {
			same++
		}
		for i := range got.Graph.Len() {
			for j := range got.Graph.Len() {
				if i == j {
					continue
				}
				m, all := got.Graph.Mark(i, j), want.Graph.Mark(i, j)
				switch {
				case m == graph.None && all != graph.None:
					t.Fatalf("%v lacks an edge of %v", got.Graph, want.Graph)
				case m != graph.None && all == graph.None:
					extra++
				case m == graph.Circle && all != graph.Circle:
					circles++
				case m != graph.None && m != graph.Circle:
					marks++
					if m != all {
						t.Errorf("%v, FCI has %v, of %v seen %v", got.Graph, want.Graph, o.dag, o.Names())
					}
				}
			}
		}
	}
	t.Logf("%d graphs, %d as FCI; %d marks, %d more are circles, %d ends of edges that FCI has not", graphs, same, marks, circles, extra)
	if same < graphs/2 || marks < 500 {
		t.Errorf("of %d graphs %d are as those of FCI, with %d marks", graphs, same, marks)
	}
}

// distant has two columns x and y that no set of neighbours of either separates, as farther ones are between them on both
// sides: {p, q, s, t} does. With a child of these and y the set is one of neighbours of the child.
func distant(t *testing.T, child bool) *partly {
	t.Helper()
	seen := []string{"p", "q", "s", "t", "u", "v", "w", "x", "y", "z"}
	arrows := []string{"h1 x", "h1 u", "h2 u", "h2 w", "h3 y", "h3 v", "h4 v", "h4 z", "u p", "p y", "w s", "s y", "v q", "q x", "z t", "t x"}
	if child {
		seen = append(seen, "k")
		arrows = append(arrows, "p k", "q k", "s k", "t k", "y k")
	}
	var edges []graph.Edge
	for _, a := range arrows {
		from, to, _ := strings.Cut(a, " ")
		edges = append(edges, graph.Directed(from, to))
	}
	dag, err := graph.FromEdges(append([]string{"h1", "h2", "h3", "h4"}, seen...), edges...)
	if err != nil {
		t.Fatal(err)
	}
	separated, err := dag.Separation()
	if err != nil {
		t.Fatal(err)
	}
	p := &partly{dag: dag, separated: separated}
	for _, name := range seen {
		p.seen = append(p.seen, dag.Index(name))
	}
	slices.Sort(p.seen)
	return p
}

// Without the child RFCI leaves the edge of x and y, between columns of which neither causes the other, and asks far fewer
// sets. With the child the set that separates x from it separates x and y: the edge goes, before it makes y an effect of its
// child.
func TestRFCIFar(t *testing.T) {
	for _, child := range []bool{false, true} {
		o := distant(t, child)
		want, err := FCI(t.Context(), o, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := RFCI(t.Context(), o, Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, y := want.Graph.Index("x"), want.Graph.Index("y")
		if want.Graph.Adjacent(x, y) {
			t.Errorf("FCI has x and y adjacent: %v", want.Graph)
		}
		if !child {
			want.Graph.Set(x, y, graph.Arrow, graph.Arrow)
		}
		if !got.Graph.Equal(want.Graph) || got.Tests > want.Tests/2 {
			t.Errorf("child %v: %v, want %v; %d tests, FCI has %d", child, got.Graph, want.Graph, got.Tests, want.Tests)
		}
	}
}

// A path with two neighbours that a subset of the set between its ends separates is no path: their edge goes.
func TestRFCIPath(t *testing.T) {
	r, err := newRun(distant(t, false), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.skeleton(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := &fci{run: r, g: r.g}
	at := func(names string) (out []int) {
		for _, name := range strings.Fields(names) {
			out = append(out, r.g.Index(name))
		}
		return out
	}
	ends, path, edge := at("w z"), at("w x y z"), at("x y")
	for _, c := range []struct {
		set  string
		want bool
	}{{"p q s", true}, {"p q s t u x", false}, {"p q s t", true}} { // the last without the edge
		f.sets[[2]int{ends[0], ends[1]}] = []separating{{s: at(c.set)}}
		all, err := f.joined(t.Context(), path)
		if err != nil || all != c.want || all == (c.set == "p q s t u x") || f.g.Adjacent(edge[0], edge[1]) != (c.set == "p q s") {
			t.Errorf("given %s: %v, %v; %v", c.set, all, err, f.g)
		}
	}
	if sets := f.sets[[2]int{edge[0], edge[1]}]; len(sets) != 2 || !slices.Equal(sets[0].s, at("p q s t")) || !slices.Equal(sets[1].s, at("q s t u")) {
		t.Errorf("x and y are separated by %v", sets)
	}
}
