package causal

import (
	"strings"
	"testing"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"

	"gonum.org/v1/gonum/mat"
)

// A p-value is never rounded to or over its level.
func TestPValue(t *testing.T) {
	for _, c := range []struct {
		p    float64
		want string
	}{{0.0496, "0.0496"}, {0.04996, "0.04996"}, {0.0503, "0.0503"}, {0.05, "0.05"}, {0.012345, "0.012"},
		{0.7, "0.7"}, {1e-30, "1e-30"}, {0, "0"}} {
		if got := pValue(c.p, 0.05); got != c.want {
			t.Errorf("%v: %s, want %s", c.p, got, c.want)
		}
	}
}

// Long work is told before it begins, and the number of random halves falls with what one costs.
func TestForecast(t *testing.T) {
	f := &flags{test: "kci", stability: -1, depth: -1, colliders: "ordered", alpha: 0.05}
	if a, b := f.halves(500, 200), f.halves(500, 800); a <= b || b < leastHalves || a > defaultHalves {
		t.Errorf("%d and %d random halves", a, b)
	}
	m := mat.NewDense(900, 6, nil)
	for i := range 900 {
		for j := range 6 {
			m.Set(i, j, float64((i*(j+3)*7919+j*i*i*31)%1009))
		}
	}
	d, err := causal.NewData([]string{"a", "b", "c", "d", "e", "f"}, m)
	if err != nil {
		t.Fatal(err)
	}
	if s := f.forecast(d); !strings.HasPrefix(s, "this takes about ") || !strings.Contains(s, "random halves") {
		t.Errorf("%q", s)
	}
	if f.test = "fisherz"; f.forecast(d) != "" {
		t.Error("a forecast of no time")
	}
}

// A headline names the surest arrows first.
func TestSurestFirst(t *testing.T) {
	a, b := graph.Directed("a", "b"), graph.Directed("d", "c")
	g := &learned{stable: &causal.Stable{Levels: []causal.LevelStability{{Pairs: []causal.Frequency{
		{A: "a", B: "b", Adjacent: 1, Forward: 0.6, Backward: 0.4}, {A: "c", B: "d", Adjacent: 1, Backward: 0.9, Undirected: 0.1}}}}}}
	if got := g.surestFirst([]graph.Edge{a, b}); got[0] != b || got[1] != a {
		t.Errorf("%v", got)
	}
}
