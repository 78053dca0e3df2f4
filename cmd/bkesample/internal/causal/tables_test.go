package causal

import (
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/cmd/internal/input"

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

// Effects go by the directions that most random halves have, as the picture does: a collider that few have leaves both
// ways open, and a direction that no half contradicts stays.
func TestEffectsOfWhatIsTold(t *testing.T) {
	rows := mat.NewDense(60, 4, nil)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 60 {
		a, b := r.NormFloat64(), r.NormFloat64()
		c := a + b + r.NormFloat64()
		rows.SetRow(i, []float64{a, b, c, c + r.NormFloat64()})
	}
	table, err := causal.NewData([]string{"a", "b", "c", "d"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.New(table.Names())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range [][2]int{{0, 2}, {1, 2}, {2, 3}} {
		g.Set(e[0], e[1], graph.Tail, graph.Arrow)
	}
	for _, c := range []struct {
		share float64 // of the halves with the collider
		edges string
		both  bool // a may be an effect of c
	}{{0.8, "a -> c, b -> c, c -> d", false}, {0.3, "a -- c, b -- c, c -> d", true}} {
		of := func(a, b string) causal.Frequency {
			return causal.Frequency{A: a, B: b, Adjacent: 1, Forward: c.share, Undirected: 1 - c.share}
		}
		l := &learned{Result: &causal.Result{Graph: g}, flags: &flags{effects: "all"}, data: &input.Dataset{Columns: table.Names()},
			stable: &causal.Stable{Levels: []causal.LevelStability{{Pairs: []causal.Frequency{of("a", "c"), of("b", "c"),
				{A: "c", B: "d", Adjacent: 0.4, Forward: 0.4}}}}}}
		l.data.Categories = make([]*input.Category, 4)
		against := *l
		against.stable = &causal.Stable{Levels: []causal.LevelStability{{Pairs: []causal.Frequency{{A: "a", B: "c", Adjacent: 1, Backward: 1}}}}}
		if drawn, _ := against.told(); !drawn.Open(0, 2) {
			t.Errorf("all halves have c -> a, all rows a -> c: %v", drawn)
		}
		drawn, open := l.told()
		if drawn.String() != c.edges || len(open) > 0 != c.both {
			t.Errorf("share %v: %v, open %v", c.share, drawn, open)
		}
		if err := l.estimate(table); err != nil {
			t.Fatal(err)
		}
		for _, e := range l.effects {
			if e.X == "c" && e.Y == "a" && e.None == c.both || e.X == "a" && e.Y == "c" && (e.None || e.Why != "") ||
				e.X == "d" && !e.None {
				t.Errorf("share %v: %+v", c.share, e)
			}
		}
	}
}

// A headline names the directions that nearly all halves have, the next sentence those that most have.
func TestFinding(t *testing.T) {
	g, err := graph.FromEdges([]string{"a", "b", "c"}, graph.Directed("a", "c"), graph.Directed("b", "c"))
	if err != nil {
		t.Fatal(err)
	}
	const head = "Among 3 columns, 2 pairs are linked in most of 100 random halves of the rows; "
	for _, c := range []struct {
		a, b   causal.Frequency // the shares of a -> c and b -> c
		hidden bool
		want   string
		likely string
	}{
		{causal.Frequency{Adjacent: 1, Forward: 0.97, Undirected: 0.03}, causal.Frequency{Adjacent: 1, Forward: 0.95, Undirected: 0.05}, false,
			"1 direction is fairly sure (found in over 95% of them) unless something unseen affects both columns: a -> c (in 97% of the halves).",
			"Likely, but less sure, is b -> c (in 95% of the halves)."},
		{causal.Frequency{Adjacent: 0.8, Forward: 0.8}, causal.Frequency{Adjacent: 1, Forward: 0.99, Undirected: 0.01}, false,
			"2 directions are fairly sure (found in over 95% of those with the link) unless something unseen affects both columns: b -> c (in 99% of the halves) and a -> c (80%).", ""},
		{causal.Frequency{Adjacent: 0.7, Forward: 0.7}, causal.Frequency{Adjacent: 1, Forward: 0.99, Undirected: 0.01}, false,
			"1 direction is fairly sure (found in over 95% of them) unless something unseen affects both columns: b -> c (in 99% of the halves).",
			"Found more often than not, but far from sure, is a -> c (in 70% of the halves)."},
		{causal.Frequency{Adjacent: 1, Partial: 1, HeadB: 0.9}, causal.Frequency{Adjacent: 1, Partial: 1}, true,
			"of 1 of them the rows tell which column is not the cause.", ""},
		{causal.Frequency{Adjacent: 1, Forward: 0.8, Undirected: 0.2}, causal.Frequency{Adjacent: 0.9, Forward: 0.4, Undirected: 0.5}, false,
			"no direction is fairly sure (found in over 95% of them).",
			"Likely, but less sure, is a -> c (in 80% of the halves)."},
		{causal.Frequency{Adjacent: 1, Undirected: 1}, causal.Frequency{Adjacent: 1, Undirected: 1}, false,
			"the rows do not tell which way effects run.", ""},
		{causal.Frequency{Adjacent: 1, Forward: 0.8, Undirected: 0.2, HeadB: 0.8, TailA: 0.8}, causal.Frequency{Adjacent: 1, Partial: 1}, true,
			"1 has a direction: a -> c (in 80% of the halves).", ""},
	} {
		c.a.A, c.a.B, c.b.A, c.b.B = "a", "c", "b", "c"
		l := &learned{Result: &causal.Result{Graph: g}, flags: &flags{hidden: c.hidden}, data: &input.Dataset{Columns: g.Names()},
			stable: &causal.Stable{Replicates: 100, Levels: []causal.LevelStability{{Pairs: []causal.Frequency{c.a, c.b}}}}}
		if got := l.finding(); got != head+c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c, got, head+c.want)
		}
		if got := strings.Join(l.likely(), " "); got != c.likely {
			t.Errorf("%+v: %q, want %q", c, got, c.likely)
		}
	}
}

// Three halves of three are no ground for calling a direction sure.
func TestFewHalves(t *testing.T) {
	g, err := graph.FromEdges([]string{"a", "b"}, graph.Directed("a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	of := causal.Frequency{A: "a", B: "b", Adjacent: 1, Forward: 1}
	for halves, want := range map[int]string{3: "3 random halves are too few to say which directions are sure", 20: "1 direction is fairly sure"} {
		l := &learned{Result: &causal.Result{Graph: g}, flags: &flags{}, data: &input.Dataset{Columns: g.Names()},
			stable: &causal.Stable{Replicates: halves, Levels: []causal.LevelStability{{Pairs: []causal.Frequency{of}}}}}
		if got := l.finding(); !strings.Contains(got, want) {
			t.Errorf("%d halves: %s, want %q", halves, got, want)
		}
		if got := strings.Join(l.likely(), " "); (got == "Likely, but less sure, is a -> b (in 100% of the halves).") != (halves == 3) {
			t.Errorf("%d halves: %q", halves, got)
		}
	}
}
