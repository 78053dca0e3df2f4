package causal

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"bayeskernel/causal/graph"
)

// opener makes Fisher z tests of rows of d, and counts them.
func opener(d *Data, opened *atomic.Int64) Opener {
	return func(rows []int, _ uint64) (Test, error) {
		opened.Add(1)
		half, err := d.Subset(rows)
		if err != nil {
			return nil, err
		}
		return NewFisherZ(half)
	}
}

// collision is a -> c <- b, and d apart.
func collision(t testing.TB, n int) *Data {
	a, b := normals(11, n), normals(12, n)
	return columns(t, a, b, sum(sum(normals(13, n), a, 1), b, 1), normals(14, n))
}

func TestStability(t *testing.T) {
	const n = 400
	d := collision(t, n)
	var opened atomic.Int64
	s := StabilityOptions{Replicates: 40, Levels: []float64{0.01, 0.05}, Seed: 7}
	got, err := Stability(context.Background(), n, opener(d, &opened), Options{}, s)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows != n/2 || got.Failed != 0 || len(got.Levels) != 2 || opened.Load() != 40 {
		t.Fatalf("%+v", got)
	}
	for _, l := range got.Levels {
		f := l.Of("c", "a")
		if f.Adjacent != 1 || f.Backward < 0.85 || f.Forward > 0.1 {
			t.Errorf("level %v: %+v", l.Alpha, f)
		}
		if back := l.Of("a", "c"); back.Forward != f.Backward {
			t.Errorf("%+v and %+v", f, back)
		}
		for _, f := range l.Pairs {
			if math.Abs(f.Forward+f.Backward+f.Undirected+f.Conflict-f.Adjacent) > 1e-12 || f.A > f.B {
				t.Errorf("%+v", f)
			}
		}
	}
	if a, b := got.Levels[0].Of("a", "d").Adjacent, got.Levels[1].Of("a", "d").Adjacent; a > b {
		t.Errorf("level 0.01 has more edges: %v, %v", a, b)
	}
	var csv bytes.Buffer
	if err := got.WriteCSV(&csv); err != nil || !strings.HasPrefix(csv.String(),
		"alpha,a,b,adjacent,a_to_b,b_to_a,undirected,conflict,partial\n0.01,a,c,1,") {
		t.Errorf("%v\n%s", err, csv.String())
	}
}

// The same whatever runs at once, and whether it was stopped.
func TestStabilityResume(t *testing.T) {
	d := collision(t, 100)
	var opened atomic.Int64
	s := StabilityOptions{Replicates: 30, Seed: 3}
	want, err := Stability(context.Background(), 100, opener(d, &opened), Options{Parallel: 1}, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Path, s.About = filepath.Join(t.TempDir(), "halves"), d.Fingerprint()
	ctx, cancel := context.WithCancel(context.Background())
	stop := Options{Parallel: 3, Progress: func(_ string, done, _ int) {
		if done == 10 {
			cancel()
		}
	}}
	if _, err := Stability(ctx, 100, opener(d, &opened), stop, s); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	opened.Store(0)
	got, err := Stability(context.Background(), 100, opener(d, &opened), Options{Parallel: 3}, s)
	if err != nil || !reflect.DeepEqual(got, want) || opened.Load() > 22 {
		t.Errorf("%+v, %v, want %+v; %d opened", got, err, want, opened.Load())
	}
	b, err := os.ReadFile(s.Path)
	if err != nil || bytes.Count(b, []byte("\n")) != 31 {
		t.Errorf("%v: %d lines", err, bytes.Count(b, []byte("\n")))
	}
	opened.Store(0)
	for _, n := range []int{35, 30} { // more replicates, and fewer again
		s.Replicates = n
		again, err := Stability(context.Background(), 100, opener(d, &opened), Options{}, s)
		if err != nil || again.Replicates != n || opened.Load() != 5 {
			t.Errorf("%+v, %v, %d opened", again, err, opened.Load())
		}
		got = again
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.Seed = 4
	if _, err := Stability(context.Background(), 100, opener(d, &opened), Options{}, s); err == nil ||
		!strings.Contains(err.Error(), "the file is of") {
		t.Errorf("error %v", err)
	}
}

// A half in which a column is constant is counted; if all are, it is an error.
func TestStabilityFailures(t *testing.T) {
	rare := make([]float64, 40)
	rare[5] = 1
	var opened atomic.Int64
	d := columns(t, normals(1, 40), normals(2, 40), rare)
	got, err := Stability(context.Background(), 40, opener(d, &opened), Options{},
		StabilityOptions{Replicates: 50})
	if err != nil || got.Failed < 8 || got.Failed > 42 ||
		!strings.Contains(got.Failure, "column c is constant") {
		t.Errorf("%+v, %v", got, err)
	}
	broken := func([]int, uint64) (Test, error) { return nil, errors.New("none") }
	if _, err := Stability(context.Background(), 40, broken, Options{}, StabilityOptions{}); err == nil ||
		!strings.Contains(err.Error(), "all 100 random halves failed, the first by: none") {
		t.Errorf("error %v", err)
	}
	if _, err := Stability(context.Background(), 3, broken, Options{}, StabilityOptions{}); err == nil {
		t.Error("3 rows")
	}
}

// The halves have no row twice.
func TestHalves(t *testing.T) {
	_, err := Stability(context.Background(), 21, func(rows []int, _ uint64) (Test, error) {
		for i, r := range rows {
			if i > 0 && r <= rows[i-1] || r < 0 || r >= 21 {
				t.Errorf("rows %v", rows)
			}
		}
		if len(rows) != 10 {
			t.Errorf("%d rows", len(rows))
		}
		return scripted{}, nil
	}, Options{}, StabilityOptions{Replicates: 20})
	if err != nil {
		t.Fatal(err)
	}
}

// An edge keeps the marks that most replicates have, whichever of its columns is named first.
func TestSure(t *testing.T) {
	l := LevelStability{Pairs: []Frequency{
		{A: "a", B: "b", Adjacent: 0.9, Forward: 0.6, Undirected: 0.3, HeadB: 0.6, TailA: 0.9, TailB: 0.3},
		{A: "a", B: "c", Adjacent: 0.4, Forward: 0.4, HeadB: 0.4, TailA: 0.4},
		{A: "b", B: "c", Adjacent: 1, Backward: 0.3, Conflict: 0.4, Partial: 0.3, HeadA: 0.9, HeadB: 0.4, TailB: 0.3},
		// Each mark of c -> d in .6 of the replicates, both in .45; each arrow of d <-> e in .6 or more, both in .4.
		{A: "c", B: "d", Adjacent: 1, Forward: 0.45, Partial: 0.55, TailA: 0.6, HeadB: 0.6},
		{A: "d", B: "e", Adjacent: 1, Conflict: 0.4, Partial: 0.6, HeadA: 0.7, HeadB: 0.6},
	}}
	for _, c := range []struct {
		from     string
		at, head graph.Mark
		to       string
		partial  bool
		want     string
		there    bool
	}{
		{"a", graph.Tail, graph.Arrow, "b", false, "a -> b", true},
		{"b", graph.Tail, graph.Arrow, "a", false, "b -- a", true},
		{"a", graph.Tail, graph.Arrow, "c", false, "a -- c", false},
		{"b", graph.Arrow, graph.Arrow, "c", false, "b -- c", true},
		{"a", graph.Tail, graph.Arrow, "b", true, "a -> b", true},
		{"b", graph.Tail, graph.Arrow, "a", true, "b o-o a", true},
		{"c", graph.Tail, graph.Arrow, "b", true, "c o-> b", true},
		{"b", graph.Arrow, graph.Arrow, "c", true, "b <-o c", true},
		{"c", graph.Tail, graph.Arrow, "d", true, "c o-> d", true},
		{"d", graph.Arrow, graph.Arrow, "e", true, "d <-o e", true},
		{"e", graph.Arrow, graph.Arrow, "d", true, "e o-> d", true},
	} {
		e := graph.Edge{From: c.from, To: c.to, MarkFrom: c.at, MarkTo: c.head}
		if got, there := l.Sure(e, c.partial); got.String() != c.want || there != c.there {
			t.Errorf("%v, partial %v: %v, %v, want %s, %v", e, c.partial, got, there, c.want, c.there)
		}
	}
}

// A direction is certain in nearly all replicates, or in all that have the edge, and never without most of them.
func TestCertain(t *testing.T) {
	l := LevelStability{Pairs: []Frequency{
		{A: "a", B: "b", Adjacent: 1, Forward: 0.96, Undirected: 0.04}, {A: "a", B: "c", Adjacent: 1, Forward: 0.95, Undirected: 0.05},
		{A: "a", B: "d", Adjacent: 0.6, Forward: 0.6}, {A: "b", B: "c", Adjacent: 0.4, Forward: 0.4}, {A: "b", B: "d", Adjacent: 1, Backward: 1},
		{A: "c", B: "d", Adjacent: 1, Conflict: 1},
	}}
	for e, want := range map[graph.Edge]bool{
		graph.Directed("a", "b"): true, graph.Directed("b", "a"): false, graph.Directed("a", "c"): false, graph.Directed("a", "d"): true,
		graph.Directed("b", "c"): false, graph.Directed("d", "b"): true, graph.Directed("b", "d"): false,
		{From: "c", To: "d", MarkFrom: graph.Arrow, MarkTo: graph.Arrow}: false, graph.Directed("d", "e"): false,
	} {
		if l.Certain(e) != want {
			t.Errorf("%v: want %v", e, want)
		}
	}
}

// Random halves take a collider only from columns that are well apart, all rows at once from any.
func TestStabilityApart(t *testing.T) {
	test := written{"0 2 []": 0.12, "0 2 [1]": 0.001}
	got, err := Stability(context.Background(), 10, func([]int, uint64) (Test, error) { return test, nil }, Options{},
		StabilityOptions{Replicates: 2})
	if want := (Frequency{A: "x", B: "y", Adjacent: 1, Undirected: 1, TailA: 1, TailB: 1}); err != nil ||
		got.Levels[0].Of("x", "y") != want {
		t.Errorf("%+v, %v", got.Levels[0].Of("x", "y"), err)
	}
	all, err := PC(context.Background(), test, Options{})
	if err != nil || all.Graph.String() != "x -> y, z -> y" {
		t.Errorf("%v, %v", all.Graph, err)
	}
}
