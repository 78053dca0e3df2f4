package main

import (
	"strings"
	"testing"

	"bayeskernel/causal/graph"
)

// Slices of the parts: what they have to say does not change with one machine's last digits.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
	}{
		{"-part lingam -only laplace -sets 2", "| laplace | 2 | 2 |"},
		{"-part lingam -only normal -sets 3", "| normal | 3 | 0 |"},
		{"-part effects -sets 3", "the true effect in 3 of 3 graphs"},
		{"-part hidden -sets 4", "| 0 |\n| PC, oracle |"},
		{"-only alarm -sets 1", "| alarm, n = 1000 | 1 |"},
	} {
		var out, errs strings.Builder
		if code := run(t.Context(), strings.Fields(c.args), &out, &errs); code != 0 || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: code %d, %q, %q", c.args, code, out.String(), errs.String())
		}
	}
}

// The network has 46 arrows without a cycle.
func TestAlarm(t *testing.T) {
	if g := alarm(); g.Len() != 37 || len(g.Edges()) != 46 || g.Cycle() != nil {
		t.Error(g)
	}
}

// The effect along a -> b -> c and a -> c.
func TestTotal(t *testing.T) {
	g, err := graph.FromEdges([]string{"a", "b", "c"}, graph.Directed("a", "b"), graph.Directed("b", "c"),
		graph.Directed("a", "c"))
	if err != nil {
		t.Fatal(err)
	}
	if got := total(g, []float64{0, 2, 5, 0, 0, 3, 0, 0, 0}, 0); got[1] != 2 || got[2] != 11 {
		t.Error(got)
	}
}

// Where no direction can be told, headlines name one in at most a tenth of data sets: six and more of 20 would be a false alarm in one
// of ninety runs. Where some can be told they do name them.
func TestHeadlines(t *testing.T) {
	for _, l := range laws() {
		sets := map[string]int{"random of 5, n = 500": 20, "random of 8, n = 2000": 5}[l.name]
		claims, right := 0, 0
		for set := range sets {
			got, err := l.measure(t.Context(), 302, set)
			if err != nil {
				t.Fatal(err)
			}
			if got.Named > got.Most {
				t.Errorf("%s: more arrows in the headline than in most halves: %+v", l.name, got)
			}
			if got.Named > 0 {
				claims++
			}
			right += got.NamedRight
		}
		if l.told && sets > 0 && right == 0 || !l.told && claims > 5 {
			t.Errorf("%s: %d of %d headlines with an arrow, %d arrows right", l.name, claims, sets, right)
		}
	}
}
