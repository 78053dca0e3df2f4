package causal

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/causal/graph"

	"gonum.org/v1/gonum/mat"
)

// published is what testdata/linear10/expected.json has of the published results.
type published struct {
	Skeleton  [][2]string
	Colliders [][3]string
	Conflicts [][2]string `json:"conflicting_edges"`
	Settings  []struct {
		Name  string
		Graph struct{ Directed, Undirected, Bidirected [][2]string }
	}
	SeparatingSets []struct {
		Pair [2]string
		Sets []struct {
			Set []string
			P   float64
		}
	} `json:"separating_sets"`
	TripleVotes []struct {
		Triple                 [3]string
		Separating             int
		With                   int `json:"with_middle"`
		Majority, Conservative string
	} `json:"triple_votes"`
	FisherZ []struct {
		X, Y string
		S    []string
		P    float64
	} `json:"fisher_z_samples"`
}

func readLinear10(t testing.TB) (names []string, rows *mat.Dense, want published) {
	t.Helper()
	b, err := os.ReadFile("testdata/linear10/expected.json")
	if err == nil {
		err = json.Unmarshal(b, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("testdata/linear10/data.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	names = lines[0]
	rows = mat.NewDense(len(lines)-1, len(names), nil)
	for i, line := range lines[1:] {
		for j, v := range line {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil {
				t.Fatal(err)
			}
			rows.Set(i, j, x)
		}
	}
	return names, rows, want
}

func fisherOf(t testing.TB, names []string, rows mat.Matrix) *FisherZ {
	t.Helper()
	d, err := NewData(names, rows)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFisherZ(d)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFisherZReference(t *testing.T) {
	names, rows, want := readLinear10(t)
	f := fisherOf(t, names, rows)
	if len(want.FisherZ) != 40 {
		t.Fatalf("%d p-values", len(want.FisherZ))
	}
	at := func(name string) int { return slices.Index(names, name) }
	worst := 0.0
	for _, c := range want.FisherZ {
		var s []int
		for _, name := range c.S {
			s = append(s, at(name))
		}
		got, err := f.Independence(context.Background(), at(c.X), at(c.Y), s)
		if err != nil || math.Abs(got.P-c.P) > 1e-9*max(c.P, 1e-3) || got.Rows != 10000 {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
		worst = max(worst, math.Abs(got.P-c.P))
	}
	t.Logf("largest difference %.1g", worst)
}

func TestLinear10(t *testing.T) {
	names, rows, want := readLinear10(t)
	log := NewLog()
	got, err := PC(context.Background(), fisherOf(t, names, rows), Options{Log: log, Colliders: SeparatingSets})
	if err != nil {
		t.Fatal(err)
	}
	var edges []graph.Edge
	for _, s := range want.Settings {
		if s.Name != "0_1" {
			continue
		}
		for _, e := range s.Graph.Directed {
			edges = append(edges, graph.Directed(e[0], e[1]))
		}
		for _, e := range s.Graph.Undirected {
			edges = append(edges, graph.Undirected(e[0], e[1]))
		}
		for _, e := range s.Graph.Bidirected {
			edges = append(edges, graph.Conflicting(e[0], e[1]))
		}
	}
	standard, err := graph.FromEdges(names, edges...)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Graph.Equal(standard) {
		t.Errorf("%v\nwant %v", got.Graph, standard)
	}
	for _, e := range want.Skeleton {
		if !got.Graph.Adjacent(got.Graph.Index(e[0]), got.Graph.Index(e[1])) {
			t.Errorf("no edge of %v", e)
		}
	}
	if n := len(got.Graph.Edges()); n != len(want.Skeleton) || n != 27 {
		t.Errorf("%d edges", n)
	}
	if got.Tests != 4677 || len(log.Records()) != 4677 || got.LeastRows != 10000 {
		t.Errorf("%d tests, %d in the log, %d rows", got.Tests, len(log.Records()), got.LeastRows)
	}
	if len(got.Graph.Conflicts()) != len(want.Conflicts) || len(got.Colliders) != len(want.Colliders) {
		t.Errorf("conflicts %v, colliders %v", got.Graph.Conflicts(), got.Colliders)
	}
	checkSeparations(t, got, want)
	if testing.Verbose() {
		t.Logf("notes %q", got.Notes)
	}
}

func checkSeparations(t *testing.T, got *Result, want published) {
	t.Helper()
	key := func(names []string) string {
		names = slices.Clone(names)
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	found := map[string]float64{}
	for _, s := range got.Separations {
		for _, set := range s.Sets {
			found[key([]string{s.X, s.Y})+" | "+key(set.S)] = set.P
		}
	}
	count := 0
	for _, s := range want.SeparatingSets {
		for _, set := range s.Sets {
			count++
			p, ok := found[key(s.Pair[:])+" | "+key(set.Set)]
			if !ok || math.Abs(p-set.P) > 1e-9 {
				t.Errorf("%v given %v: %v, want %v", s.Pair, set.Set, p, set.P)
			}
		}
	}
	if count != len(found) || count == 0 {
		t.Errorf("%d separating sets, want %d", len(found), count)
	}
}

func TestLinear10Votes(t *testing.T) {
	names, rows, want := readLinear10(t)
	f := fisherOf(t, names, rows)
	words := map[verdict]string{collider: "collider", passes: "non-collider"}
	for _, rule := range []Rule{Majority, Conservative} {
		r, err := newRun(f, Options{Colliders: rule})
		if err == nil {
			err = r.skeleton(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		verdicts, err := r.verdicts(context.Background())
		if err != nil || len(verdicts) != len(want.TripleVotes) {
			t.Fatalf("%d verdicts, %v", len(verdicts), err)
		}
		for _, v := range want.TripleVotes {
			x, y, z := r.g.Index(v.Triple[0]), r.g.Index(v.Triple[1]), r.g.Index(v.Triple[2])
			expect := v.Majority
			if rule == Conservative {
				expect = v.Conservative
			}
			got := words[verdicts[triple(x, y, z)].verdict]
			if got == "" {
				got = "ambiguous"
			}
			if expect == "none" {
				expect = "ambiguous"
			}
			if got != expect {
				t.Errorf("rule %d, %v: %s, want %s", rule, v.Triple, got, expect)
			}
		}
		if r.result.Tests != len(r.o.Log.Records()) {
			t.Errorf("%d tests, %d in the log", r.result.Tests, len(r.o.Log.Records()))
		}
	}
}

// Twenty orders of the columns, and any number of tests at once, give one result: the graph, the
// log and all else.
func TestLinear10Orders(t *testing.T) {
	names, rows, _ := readLinear10(t)
	r := rand.New(rand.NewPCG(3, 4))
	n, p := rows.Dims()
	path := filepath.Join(t.TempDir(), "log")
	var first *Result
	var firstLog []byte
	for k := range 20 {
		order := r.Perm(p)
		moved, to := mat.NewDense(n, p, nil), make([]string, p)
		for j, from := range order {
			to[j] = names[from]
			moved.SetCol(j, mat.Col(nil, from, rows))
		}
		f := fisherOf(t, to, moved)
		log, err := OpenLog(fmt.Sprint(path, k), f.data.Fingerprint())
		if err != nil {
			t.Fatal(err)
		}
		got, err := PC(context.Background(), f, Options{Parallel: 1 + k%3, Log: log})
		if err == nil {
			err = log.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(fmt.Sprint(path, k))
		if err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			first, firstLog = got, b
		} else if !reflect.DeepEqual(got, first) || !slices.Equal(b, firstLog) {
			t.Fatalf("order %d gives another result: %v", k, got.Graph)
		}
	}
}
