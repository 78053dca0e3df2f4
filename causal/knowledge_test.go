package causal

import (
	"context"
	"strings"
	"testing"

	"bayeskernel/causal/graph"
)

func dag(t testing.TB, nodes string, edges ...string) *graph.Graph {
	t.Helper()
	var list []graph.Edge
	for _, e := range edges {
		list = append(list, graph.Directed(e[:1], e[1:]))
	}
	g, err := graph.FromEdges(strings.Split(nodes, ""), list...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func learn(t testing.TB, test Test, o Options) *Result {
	t.Helper()
	r, err := PC(context.Background(), test, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestContradictions(t *testing.T) {
	test := oracleOf(t, dag(t, "abcd"))
	arrows := func(text string) []Arrow {
		list, err := ParseArrows(text)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for want, k := range map[string]Knowledge{
		"causal: the tiers name a column q, want one of a, b, c, d": {
			Tiers: [][]string{{"a"}, {"q"}},
		},
		"causal: column a is in tiers 1 and 2":        {Tiers: [][]string{{"a"}, {"b", "a"}}},
		"causal: the forbidden edges name a column q": {Forbidden: arrows("a->q")},
		"causal: the required edges name a column q":  {Required: arrows("q->a")},
		"causal: the required edge a -> a has one":    {Required: arrows("a->a")},
		"causal: the edge a -> b is both required and forbidden": {
			Required:  arrows("a->b"),
			Forbidden: arrows("a--b"),
		},
		"causal: both b -> a and a -> b are required": {Required: arrows("b->a;a->b")},
		"causal: the required edges a -> b -> c -> a are a cycle": {
			Required: arrows("b->c; c->a; a->b"),
		},
		"causal: the required edge b -> a goes from tier 2 back to tier 1": {
			Required: arrows("b->a"),
			Tiers:    [][]string{{"a"}, {"b"}},
		},
		"causal: the required edge c -> a goes from tier 3 back to tier 1, want k": {
			Required: arrows("c->a"),
			Tiers:    [][]string{{"a"}, {"b"}, {"c"}},
		},
	} {
		_, err := PC(context.Background(), test, Options{Knowledge: k})
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for _, text := range []string{"a", "a->", "->", "a;b", "a->->b", "a->b->c"} {
		if _, err := ParseArrows(text); err == nil || !strings.HasPrefix(err.Error(), "causal: the arrow is") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ParseTiers("a,;b"); err == nil {
		t.Error("an empty name")
	}
	tiers, err := ParseTiers(" a , b;c")
	if err != nil || len(tiers) != 2 || tiers[0][1] != "b" {
		t.Errorf("%q, %v", tiers, err)
	}
}

// A chain a -> b -> c whose pair a, c is forbidden is no collider, and the pair is not tested.
func TestForbiddenPair(t *testing.T) {
	k := Knowledge{Forbidden: []Arrow{{"a", "c"}, {"c", "a"}}}
	for _, rule := range []Rule{SeparatingSets, Majority, Conservative} {
		log := NewLog()
		r := learn(t, oracleOf(t, dag(t, "abc", "ab", "bc")), Options{Knowledge: k, Log: log,
			Colliders: rule})
		if r.Graph.String() != "a -- b, b -- c" || len(r.Colliders) > 0 || len(r.Undecided) != 1 {
			t.Errorf("%v, %+v", r.Graph, r)
		}
		for _, test := range log.Records() {
			if test.X == "a" && test.Y == "c" {
				t.Errorf("tested %+v", test)
			}
		}
	}
}

// An edge forbidden one way points the other way, and what follows from it is found.
func TestForbiddenWay(t *testing.T) {
	test := oracleOf(t, dag(t, "abc", "ab", "bc"))
	r := learn(t, test, Options{Knowledge: Knowledge{Forbidden: []Arrow{{"b", "a"}}}})
	if r.Graph.String() != "a -> b, b -> c" {
		t.Errorf("%v", r.Graph)
	}
}

// Required edges are not tested, and stay where a test would remove them. As a and c are
// independent without b, they collide.
func TestRequired(t *testing.T) {
	log := NewLog()
	r := learn(t, oracleOf(t, dag(t, "abc", "bc")), Options{Log: log, Colliders: SeparatingSets,
		Knowledge: Knowledge{Required: []Arrow{{"a", "b"}}}})
	if r.Graph.String() != "a -> b, c -> b" {
		t.Errorf("%v", r.Graph)
	}
	for _, test := range log.Records() {
		if test.X == "a" && test.Y == "b" {
			t.Errorf("tested %+v", test)
		}
	}
	if s, ok := r.Strength("b", "a"); !ok || s.P == s.P {
		t.Errorf("%v, %v", s, ok)
	}
}

// No set holds a column of a tier later than both.
func TestTiersOfSets(t *testing.T) {
	log := NewLog()
	learn(t, oracleOf(t, dag(t, "abcd", "ac", "bc", "cd", "ad")), Options{Log: log, Colliders: Majority,
		Knowledge: Knowledge{Tiers: [][]string{{"a", "b"}, {"c"}, {"d"}}}})
	tier := map[string]int{"c": 1, "d": 2}
	for _, test := range log.Records() {
		for _, s := range test.S {
			if tier[s] > max(tier[test.X], tier[test.Y]) {
				t.Errorf("%+v", test)
			}
		}
	}
}

// scripted is a test whose independences are listed: "ab|c" for a and b given c.
type scripted map[string]bool

func (s scripted) Names() []string { return []string{"a", "b", "c", "d"} }

func (s scripted) Independence(_ context.Context, x, y int, given []int) (Outcome, error) {
	key := "abcd"[x:x+1] + "abcd"[y:y+1] + "|"
	for _, k := range given {
		key += "abcd"[k : k+1]
	}
	if s[key] {
		return Outcome{P: 0.5, Rows: 10 - len(given)}, nil
	}
	return Outcome{P: 0.01, Rows: 10 - len(given)}, nil
}

// Colliders at both ends of an edge make it a conflict; with knowledge one of them is overruled.
func TestConflict(t *testing.T) {
	test := scripted{"ac|": true, "bd|": true, "ad|": true} // a - b - c - d
	r := learn(t, test, Options{Colliders: SeparatingSets})
	if r.Graph.String() != "a -> b, b <-> c, d -> c" || len(r.Graph.Conflicts()) != 1 ||
		len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "1 edge: b <-> c") {
		t.Errorf("%v, %q", r.Graph, r.Notes)
	}
	if r.Tests != 6+4 || r.LeastRows != 9 {
		t.Errorf("%d tests, %d rows", r.Tests, r.LeastRows)
	}
	r = learn(t, test, Options{Colliders: SeparatingSets, Knowledge: Knowledge{Required: []Arrow{{"b", "c"}}}})
	if r.Graph.String() != "a -- b, b -> c, d -> c" || len(r.Overruled) != 1 ||
		r.Overruled[0].String() != "a -> b <- c" {
		t.Errorf("%v, %+v", r.Graph, r)
	}
}

func TestDepth(t *testing.T) {
	d := dag(t, "abcd", "ab", "ac", "bd", "cd") // a and d are apart given b, c
	for depth, want := range map[int]int{EmptySets: 0, 1: 1, 2: 2, 0: 2} {
		log := NewLog()
		learn(t, oracleOf(t, d), Options{Depth: depth, Log: log})
		most := 0
		for _, r := range log.Records() {
			most = max(most, len(r.S))
		}
		if most != want {
			t.Errorf("depth %d: sets of %d", depth, most)
		}
	}
}
