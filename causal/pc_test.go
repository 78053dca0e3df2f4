package causal

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/causal/graph"
	"bayeskernel/causal/internal/known"
	"bayeskernel/internal/long"
	"bayeskernel/kerneltest/conditional"
)

// renamed is a test whose columns come in another order.
type renamed struct {
	Test
	names []string
	to    []int
}

func shuffled(t Test, r *rand.Rand) Test {
	names := t.Names()
	out := renamed{Test: t, to: r.Perm(len(names))}
	for _, j := range out.to {
		out.names = append(out.names, names[j])
	}
	return out
}

func (r renamed) Names() []string { return r.names }

func (r renamed) Independence(ctx context.Context, x, y int, s []int) (Outcome, error) {
	t := make([]int, len(s))
	for k, j := range s {
		t[k] = r.to[j]
	}
	return r.Test.Independence(ctx, r.to[x], r.to[y], t)
}

func oracleOf(t testing.TB, g *graph.Graph) Test {
	t.Helper()
	o, err := Oracle(g)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// With d-separation for a test PC finds the CPDAG, by each rule for colliders.
func TestOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range append(known.Networks(t), known.Random(t)...) {
		if c.Queries > 1e5 && !long.Enabled() {
			continue
		}
		test := shuffled(oracleOf(t, c.DAG), r)
		rules := []Rule{SeparatingSets, InOrder, Majority, Conservative}
		if c.Queries > 1000 {
			rules = rules[:2] // the votes keep a log
		}
		if c.Queries > 1e5 || c.Queries > 1000 && !long.Enabled() {
			rules = rules[:1]
		}
		for _, rule := range rules {
			got, err := PC(context.Background(), test, Options{Colliders: rule})
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			if !got.Graph.Equal(c.Want) {
				t.Errorf("%s, rule %d: %v, want %v", c.Name, rule, got.Graph, c.Want)
			}
			if got.Tests < c.Queries/2 || len(got.Notes) > 0 || got.LeastRows != 0 {
				t.Errorf("%s: %d tests, notes %q", c.Name, got.Tests, got.Notes)
			}
			if c.Queries > 1e5 {
				t.Logf("%s: %d tests", c.Name, got.Tests)
			}
		}
	}
}

func knowledgeOf(c known.Case) Knowledge {
	k := Knowledge{Tiers: c.Tiers}
	for _, e := range c.Required {
		k.Required = append(k.Required, Arrow{e[0], e[1]})
	}
	return k
}

// Knowledge gives what all members of the class that satisfy it agree on.
func TestOracleWithKnowledge(t *testing.T) {
	for _, c := range known.WithKnowledge(t) {
		got, err := PC(context.Background(), oracleOf(t, c.DAG), Options{Knowledge: knowledgeOf(c)})
		if err != nil || !got.Graph.Equal(c.Want) {
			t.Errorf("%s: %v, %v, want %v", c.Name, got.Graph, err, c.Want)
		}
	}
}

// random is a test of six columns that answers by a hash of the question.
type random struct {
	seed  uint64
	share float64 // of tests that find no dependence
}

func (r *random) Names() []string { return []string{"a", "b", "c", "d", "e", "f"} }

func (r *random) Independence(_ context.Context, x, y int, s []int) (Outcome, error) {
	set := uint64(0)
	for _, k := range s {
		set |= 1 << k
	}
	g := rand.New(rand.NewPCG(r.seed, uint64(min(x, y))<<16|uint64(max(x, y))<<8|set))
	if g.Float64() < r.share {
		return Outcome{P: 0.05 + 0.95*g.Float64()}, nil
	}
	return Outcome{P: 0.05 * g.Float64()}, nil
}

// written answers with p-values that are written down, those of other questions 0.
type written map[string]float64

func (written) Names() []string { return []string{"x", "y", "z"} }

func (s written) Independence(_ context.Context, x, y int, given []int) (Outcome, error) {
	return Outcome{P: s[fmt.Sprint(x, y, given)]}, nil
}

// A triple is a collider, or none, only where the p-values tell so plainly.
func TestPlainTriples(t *testing.T) {
	for _, c := range []struct {
		without, with float64
		careful       bool
		want          string
	}{
		{0.6, 0.001, false, "x -> y, z -> y"},
		{0.12, 0.001, false, "x -> y, z -> y"},
		{0.12, 0.001, true, "x -- y, y -- z"}, // perhaps x and z are not apart
		{0.6, 0.001, true, "x -> y, z -> y"},
		{0.001, 0.6, true, "x -- y, y -- z"},
		{0.04, 0.3, false, "x -- y, y -- z"},
		{0.5, 0.06, false, "x -- y, y -- z"}, // a tie of the votes
	} {
		test := written{"0 2 []": c.without, "0 2 [1]": c.with}
		got, err := PC(context.Background(), test, Options{careful: c.careful})
		if err != nil || got.Graph.String() != c.want {
			t.Errorf("%+v: %v, %v", c, got.Graph, err)
		}
		// Known: x -> y. It goes on to z where the rows say plainly that y is no collider.
		got, err = PC(context.Background(), test, Options{careful: c.careful, Knowledge: Knowledge{Required: []Arrow{{"x", "y"}}}})
		want := c.want
		switch {
		case c.without < 0.01:
			want = "x -> y, y -> z"
		case c.want == "x -- y, y -- z":
			want = "x -> y, y -- z"
		}
		if err != nil || got.Graph.String() != want {
			t.Errorf("%+v, with x -> y known: %v, %v, want %s", c, got.Graph, err, want)
		}
	}
}

// four answers like written, for four columns.
type four struct{ written }

func (four) Names() []string { return []string{"w", "x", "y", "z"} }

// Most sets without y speak for a collider at y, but the largest p-value is given y, or rows could not tell: it stays open.
func TestUnclearColliders(t *testing.T) {
	for name, p := range map[string]written{
		"collider":        {"1 3 []": 0.5, "1 3 [0]": 0.5, "1 3 [0 2]": 0.1},
		"larger with y":   {"1 3 []": 0.5, "1 3 [0]": 0.5, "1 3 [0 2]": 0.6},
		"nothing is told": {"1 3 []": 0.5, "1 3 [0]": 0.5, "1 3 [2]": math.NaN(), "1 3 [0 2]": math.NaN()},
	} {
		// w and y are neighbours of x and z, which are apart: edges w - x, x - y, y - z, w - z.
		got, err := PC(context.Background(), four{p}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		at := Triple{"x", "y", "z"}
		if clear := slices.Contains(got.Undecided, at); clear == (name == "collider") {
			t.Errorf("%s: %v, undecided %v", name, got.Graph, got.Undecided)
		}
	}
}

// Kernel tests decide by mean p-values, others by votes.
func TestKernelsDecideByMeans(t *testing.T) {
	d := collision(t, 60)
	kernel, err := NewKernel(d, conditional.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fisher, err := NewFisherZ(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		test Test
		want bool
	}{{kernel, true}, {fisher, false}} {
		if r, err := newRun(c.test, Options{}); err != nil || r.means != c.want {
			t.Errorf("%T: %v, %v, want %v", c.test, r.means, err, c.want)
		}
	}
}

// The mean of the p-values without the middle column and that with it decide, not how many are above the level.
func TestMeansOfPValues(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		without, with []float64
		want          verdict
	}{
		{[]float64{0.5, 0.7}, []float64{0.2, 0.2}, collider}, // (0.6 + 0.05) / (0.2 + 0.05)
		{[]float64{0.5, 0.5}, []float64{0.3, 0.2}, undecided},
		{[]float64{0.19, 0.19}, []float64{0, 0}, undecided}, // perhaps an edge that was missed
		{[]float64{0.21, 0}, []float64{0, 0}, collider},
		{[]float64{0.04, 0.06}, []float64{0.6, 0.5}, passes}, // 0.6 / 0.1
		{[]float64{0.1, 0.1}, []float64{0.5, 0.5}, undecided},
		{[]float64{0.9, nan}, []float64{nan, 0.1}, collider},
		{[]float64{0.9}, []float64{nan}, undecided}, // nothing is told of sets with it
		{nil, nil, undecided},
	} {
		var s sides
		for k, ps := range [][]float64{c.without, c.with} {
			for _, p := range ps {
				s.add(k == 1, Outcome{P: p}, 0.05)
			}
		}
		r, at := run{means: true}, [3]int{0, 1, 2}
		for _, vote := range []verdict{undecided, collider, passes} {
			votes := map[[3]int]ballot{at: {vote, s.lead(), s.largest, s.tilt(0.05), s.mute()}}
			if r.doubt(votes); votes[at].verdict != c.want {
				t.Errorf("%v without, %v with, votes for %v: %v, want %v", c.without, c.with, vote, votes[at].verdict, c.want)
			}
		}
	}
}

// The note on chains names those that may lack an arrow because the tests were undecided.
func TestLeftOpen(t *testing.T) {
	at := Triple{"x", "y", "z"}
	for _, c := range []struct {
		edges   []graph.Edge
		partial bool
		apart   bool
		want    int
	}{
		{[]graph.Edge{graph.Directed("x", "y"), graph.Undirected("y", "z")}, false, false, 1},
		{[]graph.Edge{graph.Undirected("x", "y"), graph.Undirected("y", "z")}, false, false, 1},
		{[]graph.Edge{graph.Undirected("x", "y"), graph.Undirected("y", "z")}, false, true, 0},
		{[]graph.Edge{graph.Directed("y", "x"), graph.Undirected("y", "z")}, false, false, 0},
		{[]graph.Edge{graph.Directed("x", "y"), graph.Directed("z", "y")}, false, false, 0},
		{[]graph.Edge{graph.Directed("y", "x"), graph.Undirected("y", "z")}, true, false, 1},
	} {
		g, err := graph.FromEdges([]string{"x", "y", "z"}, c.edges...)
		if err != nil {
			t.Fatal(err)
		}
		g.Partial = c.partial
		o := Options{}
		if c.apart {
			o.Knowledge.Forbidden = []Arrow{{"x", "z"}, {"z", "x"}}
		}
		r, err := newRun(written{}, o)
		if err != nil {
			t.Fatal(err)
		}
		r.g, r.result.Undecided = g, []Triple{at}
		if got := r.leftOpen(); len(got) != c.want {
			t.Errorf("%v, %+v: %v", g, c, got)
		}
	}
}
