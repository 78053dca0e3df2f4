package causal

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/causal/graph"

	"gonum.org/v1/gonum/mat"
)

// linearTable draws rows of a linear model on a DAG, and returns the coefficients: b[i*p+j] of i in j.
func linearTable(r *rand.Rand, g *graph.Graph, n int) (*Data, []float64, error) {
	p := g.Len()
	b, m := make([]float64, p*p), mat.NewDense(n, p, nil)
	for i := range b {
		if g.Points(i/p, i%p) {
			b[i] = (0.4 + 0.8*r.Float64()) * float64(1-2*r.IntN(2))
		}
	}
	done := make([]bool, p)
	for range p {
		j := 0
		for j = range p {
			if !done[j] && !slices.ContainsFunc(g.Parents(j), func(i int) bool { return !done[i] }) {
				break
			}
		}
		done[j] = true
		for k := range n {
			v := r.NormFloat64()
			for _, i := range g.Parents(j) {
				v += b[i*p+j] * m.At(k, i)
			}
			m.Set(k, j, v)
		}
	}
	d, err := NewData(g.Names(), m)
	return d, b, err
}

// total is the sum over the directed paths from x to y of the products of coefficients.
func total(b []float64, p, x, y int) float64 {
	if x == y {
		return 1
	}
	s := 0.0
	for k := range p {
		if v := b[x*p+k]; v != 0 {
			s += v * total(b, p, k, y)
		}
	}
	return s
}

func randomDAG(r *rand.Rand, p int, share float64) *graph.Graph {
	g, err := graph.New(strings.Split("abcdefghijklmnopqrstuvwxyz"[:p], ""))
	if err != nil {
		panic(err)
	}
	order := r.Perm(p)
	for i := range p {
		for j := range i {
			if r.Float64() < share {
				g.Set(order[j], order[i], graph.Tail, graph.Arrow)
			}
		}
	}
	return g
}

// Given the class of the truth the intervals hold the true total effect: of some 1000 pairs with 95%
// intervals at least 93% do, those of the adjusted estimate 92% to 97.5%; zero effects are zero.
func TestEffects(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pairs, held, adjusted, right := 0, 0, 0, 0
	for range 60 {
		dag := randomDAG(r, 6, 0.4)
		class, err := dag.CPDAG()
		if err != nil {
			t.Fatal(err)
		}
		d, b, err := linearTable(r, dag, 200)
		if err != nil {
			t.Fatal(err)
		}
		for x := range 6 {
			for y := range 6 {
				if x == y {
					continue
				}
				e, err := EffectOf(d, class, class.Name(x), class.Name(y), nil)
				if err != nil {
					t.Fatal(err)
				}
				truth := total(b, 6, x, y)
				if e.None {
					if truth != 0 {
						t.Errorf("%v, effect of %s on %s is %v: %+v", class, e.X, e.Y, truth, e)
					}
					continue
				}
				pairs++
				if e.Low <= truth && truth <= e.High {
					held++
				}
				if a := e.Adjusted; a != nil {
					adjusted++
					if a.Low <= truth && truth <= a.High {
						right++
					}
				}
			}
		}
	}
	t.Logf("%d of %d intervals, %d of %d adjusted", held, pairs, right, adjusted)
	if share := float64(held) / float64(pairs); share < 0.93 {
		t.Errorf("%.3f of the intervals hold", share)
	}
	if share := float64(right) / float64(adjusted); share < 0.92 || share > 0.975 {
		t.Errorf("%.3f of the adjusted intervals hold", share)
	}
}

// The sets of parents are those of all DAGs of the class, by trying every direction of every edge; in two of three graphs
// some triples may be colliders or not.
func TestParentSets(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	more := 0
	for k := range 300 {
		dag := randomDAG(r, 5, 0.5)
		class, err := dag.CPDAG()
		if err != nil {
			t.Fatal(err)
		}
		free := map[[3]int]bool{}
		for t := range class.OpenTriples {
			if k%3 > 0 && r.IntN(2) == 0 {
				free[triple(t[0], t[1], t[2])] = true
			}
		}
		if len(members(class, free)) > len(members(class, nil)) {
			more++
		}
		want := map[int]map[string]bool{}
		for _, member := range members(class, free) {
			for x := range 5 {
				if want[x] == nil {
					want[x] = map[string]bool{}
				}
				names := ""
				for _, k := range member.Parents(x) {
					names += member.Name(k)
				}
				want[x][names] = true
			}
		}
		for x := range 5 {
			sets, why := parentSets(class, x, free)
			if why != "" || len(sets) != len(want[x]) {
				t.Errorf("%v: parents of %s %v, want %v, %s", class, class.Name(x), sets, want[x], why)
			}
			for _, s := range sets {
				if !want[x][strings.Join(s.names, "")] {
					t.Errorf("%v: parents of %s %v, want %v", class, class.Name(x), sets, want[x])
				}
			}
		}
	}
	if more < 20 {
		t.Errorf("in %d graphs the free triples allow for more DAGs", more)
	}
}

// Where x -> y is known and x - y - z undecided, z may affect y or y may affect z, and both are counted.
func TestEffectUndecided(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	d, _, err := linearTable(r, dag(t, "xyz", "xy", "zy"), 500)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.FromEdges([]string{"x", "y", "z"}, graph.Directed("x", "y"), graph.Undirected("y", "z"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		undecided []Triple
		want      int
	}{{nil, 1}, {[]Triple{{"x", "y", "z"}}, 2}} {
		e, err := EffectOf(d, g, "z", "y", nil, c.undecided...)
		if err != nil || len(e.Possible) != c.want || (e.Low == 0 && e.High == 0) != (c.want == 1) {
			t.Errorf("%v: %+v, %v", c.undecided, e, err)
		}
	}
}

// members are the DAGs with the arrows and the colliders of a graph, and others where they are free, by trying every
// direction.
func members(g *graph.Graph, free map[[3]int]bool) []*graph.Graph {
	var open [][2]int
	for i := range g.Len() {
		for j := range i {
			if g.Open(i, j) {
				open = append(open, [2]int{i, j})
			}
		}
	}
	var out []*graph.Graph
	for bits := range 1 << len(open) {
		h := g.Clone()
		for k, e := range open {
			if bits>>k&1 == 1 {
				h.Set(e[0], e[1], graph.Tail, graph.Arrow)
			} else {
				h.Set(e[1], e[0], graph.Tail, graph.Arrow)
			}
		}
		if h.Cycle() == nil && sameClass(g, h, func(a, b, c int) bool { return free[triple(a, b, c)] }) {
			out = append(out, h)
		}
	}
	return out
}

// A graph of no DAG, and categories, have no conclusion.
func TestNoConclusion(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	d, _, err := linearTable(r, dag(t, "abc", "ab", "bc"), 50)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.FromEdges([]string{"a", "b", "c"}, graph.Conflicting("a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		g        *graph.Graph
		discrete []bool
		want     string
	}{{g, nil, "No conclusion: the graph stands for no DAG."},
		{dag(t, "abc", "ab"), []bool{true, false, false}, "No conclusion: a holds categories."},
		{dag(t, "abc", "ba"), nil, "a has no effect on b in this graph."}} {
		if e, err := EffectOf(d, c.g, "a", "b", c.discrete); err != nil || e.Why != c.want {
			t.Errorf("%+v, %v, want %q", e, err, c.want)
		}
	}
}

// What the votes leave always stands for a DAG, on tables and on tests that answer at random: a member
// is found by trying every direction. Nothing depends on the order of the columns.
func TestOrderedExtends(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	forced, overruled := 0, 0
	for k := range 300 {
		test := &random{seed: uint64(k), share: 0.2 + 0.4*r.Float64()}
		got := learn(t, test, Options{})
		if len(members(got.Graph, nil)) == 0 {
			t.Errorf("%v stands for no DAG", got.Graph)
		}
		if other := learn(t, shuffled(test, r), Options{Parallel: 2}); !other.Graph.Equal(got.Graph) {
			t.Errorf("%v in another order %v", got.Graph, other.Graph)
		}
		forced, overruled = forced+len(got.Forced), overruled+len(got.Overruled)
		known := Knowledge{Required: []Arrow{{"b", "a"}}, Forbidden: []Arrow{{"c", "d"}, {"e", "b"}}}
		with := learn(t, test, Options{Knowledge: known})
		if len(members(with.Graph, nil)) == 0 || !with.Graph.Points(1, 0) || with.Graph.Points(2, 3) ||
			with.Graph.Points(4, 1) {
			t.Errorf("%v stands for no DAG with the knowledge", with.Graph)
		}
	}
	if forced == 0 || overruled == 0 {
		t.Errorf("%d forced, %d overruled: want some of each", forced, overruled)
	}
}

// In a chain x - y - z with open directions x affects z through y, or not at all: no regression on y stands between.
func TestEffectsOfChain(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	m := mat.NewDense(60, 3, nil)
	for i := range 60 {
		x := r.NormFloat64()
		y := x + r.NormFloat64()
		m.SetRow(i, []float64{x, y, -y + r.NormFloat64()})
	}
	d, err := NewData([]string{"x", "y", "z"}, m)
	if err != nil {
		t.Fatal(err)
	}
	g, err := dag(t, "xyz", "xy", "yz").CPDAG()
	if err != nil {
		t.Fatal(err)
	}
	e, err := EffectOf(d, g, "x", "z", nil)
	if err != nil || e.High != 0 || e.Low > -.5 || len(e.Possible) != 2 {
		t.Errorf("%+v, %v", e, err)
	}
	// That a column holds categories does not matter where there is no effect.
	if e, err = EffectOf(d, dag(t, "xyz", "xy", "yz"), "z", "x", []bool{true, false, false}); err != nil || !e.None {
		t.Errorf("%+v, %v", e, err)
	}
}
