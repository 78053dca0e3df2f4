package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayeskernel/causal/graph"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/internal/long"
)

// weather has ozone as the effect of sun and wind, and illness as that of ozone.
func weather() map[string]string {
	r := rand.New(rand.NewPCG(2, 3))
	var b, holes, same, cats, mixed strings.Builder
	b.WriteString("wind,ozone,sun,ill\n")
	holes.WriteString("wind,ozone,sun,ill\n")
	same.WriteString("a,b,c,d\n")
	cats.WriteString("a,b,c\n")
	mixed.WriteString("site,level,yield\n")
	for i := range 200 {
		sun, wind := r.NormFloat64(), r.NormFloat64()
		ozone := sun - wind + 0.7*r.NormFloat64()
		ill := ozone + 0.7*r.NormFloat64()
		fmt.Fprintf(&b, "%.4f,%.4f,%.4f,%.4f\n", wind, ozone, sun, ill)
		if i%20 == 7 {
			fmt.Fprintf(&holes, ",%.4f,NA,%.4f\n", ozone, ill)
		} else {
			fmt.Fprintf(&holes, "%.4f,%.4f,%.4f,%.4f\n", wind, ozone, sun, ill)
		}
		fmt.Fprintf(&same, "%.4f,%.4f,%.4f,%.4f\n", wind, sun, wind, ill)
		x, y := r.IntN(2), r.IntN(3)
		z := x + y
		if r.IntN(5) == 0 {
			z = r.IntN(4)
		}
		fmt.Fprintf(&cats, "%d,%d,%d\n", x, y, z)
		fmt.Fprintf(&mixed, "%s,%d,%.4f\n", []string{"north", "south"}[x], y, float64(x+y%2)+0.5*sun)
	}
	names, wind := "who,age\n", "wind,ozone\n"
	for i := range 40 {
		names += fmt.Sprintf("name%d,%d\n", i, i*i%37)
		wind += fmt.Sprintf("%d,%d\n", i*i%23, i*i%37)
	}
	return map[string]string{"names.csv": names, "wind.csv": wind, "weather.csv": b.String(), "holes.csv": holes.String(),
		"same.csv": same.String(), "cats.csv": cats.String(), "mixed.csv": mixed.String(),
		"sum.csv":      "a,b,c,d\n1,2,3,4\n2,1,3,0\n5,1,6,1\n0,1,1,8\n3,7,10,1\n2,2,4,9\n8,1,9,3\n",
		"constant.csv": "a,b\n1,2\n2,2\n3,2\n5,2\n4,2\n6,2\n",
		"four.csv":     "a,b,c\n1,2,3.5\n2,4.1,5\n3,6,6\n4,8,9\n",
		"truth.json": `{"edges": [{"from": "sun", "to": "ozone"}, {"from": "wind", "to": "ozone"},
			{"from": "ozone", "to": "ill"}]}`,
		"other.json": `{"nodes": ["a", "b"], "edges": []}`, "bad.json": "{", "text.csv": "a,b\n1,x\n2,y\n3,z\n"}
}

// What is printed, and all files that are for other programs.
func TestCausal(t *testing.T) {
	onGoldenMachine(t)
	inFolder(t, weather())
	got := call(t, "", "causal", "-test", "fisherz", "-stability", "25", "-adjust", "ozone->ill", "-truth",
		"truth.json", "-colliders", "majority", "weather.csv")
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("exit %d: %s", got.code, got.stderr)
	}
	golden(t, "causal.stdout", got.stdout)
	const dir = "bkesample-out/causal/"
	for _, name := range []string{"summary.json", "graph.json", "graph.dot", "graph.dagitty", "edges.csv"} {
		b, err := os.ReadFile(dir + name)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "causal_"+name, string(b))
	}
	for _, name := range []string{"graph.svg", "graph.png", "graph.graphml", "adjacency.csv", "tests.csv",
		"stability.csv", "report.html"} {
		if info, err := os.Stat(dir + name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	page, err := os.ReadFile(dir + "report.html")
	if err != nil || !strings.Contains(string(page), "Assumed: nothing unseen affects two columns") {
		t.Errorf("report.html does not tell of hidden causes, %v", err)
	}
}

// printed is what -format json prints.
type printed struct {
	Nodes []string
	Edges []struct {
		From, To  string
		MarkFrom  string `json:"mark_from"`
		MarkTo    string `json:"mark_to"`
		Frequency *float64
	}
	Algorithm string
	Conflicts []map[string]string
	Tests     int
}

// All orders of the columns, five here and twenty where long tests run, print the same graph: the published one of
// these data, with its conflicts.
func TestCausalOrders(t *testing.T) {
	path, err := filepath.Abs("../../causal/testdata/linear10/data.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t, nil)
	r := rand.New(rand.NewPCG(8, 9))
	names := make([]string, 20)
	for i := range names {
		names[i] = fmt.Sprint("X", i+1)
	}
	first := ""
	orders := 5
	if long.Enabled() {
		orders = 20
	}
	for range orders {
		got := call(t, "", "causal", "-force", "-test", "fisherz", "-colliders", "sets", "-stability", "0",
			"-format", "json", "-columns",
			strings.Join(names, ","), path)
		if got.code != 0 || got.stderr != "" || first != "" && got.stdout != first {
			t.Fatalf("exit %d, %s\n%s", got.code, got.stderr, got.stdout)
		}
		first = got.stdout
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}
	var p printed
	d := json.NewDecoder(strings.NewReader(first))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Fatal(err)
	}
	if len(p.Nodes) != 20 || len(p.Edges) != 27 || len(p.Conflicts) != 7 || p.Tests != 4677 {
		t.Errorf("%d nodes, %d edges, %d conflicts, %d tests", len(p.Nodes), len(p.Edges),
			len(p.Conflicts), p.Tests)
	}
	undirected, both := 0, 0
	for _, e := range p.Edges {
		switch e.MarkFrom + " " + e.MarkTo {
		case "tail tail":
			undirected++
		case "arrow arrow":
			both++
			if !slices.ContainsFunc(p.Conflicts, func(c map[string]string) bool {
				return len(c) == 2 && c["from"] == e.From && c["to"] == e.To
			}) {
				t.Errorf("%+v is not in conflicts", e)
			}
		case "tail arrow":
			continue
		default:
			t.Errorf("%+v", e)
		}
		if e.From >= e.To || e.Frequency != nil {
			t.Errorf("%+v", e)
		}
	}
	if undirected != 1 || both != 7 {
		t.Errorf("%d undirected, %d conflicts", undirected, both)
	}
}

// graphOf is the graph that a call prints, with its other keys.
func graphOf(t *testing.T, args ...string) (string, printed) {
	t.Helper()
	got := call(t, "", append([]string{"causal", "-force", "-format", "json"}, args...)...)
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("%v: exit %d: %s", args, got.code, got.stderr)
	}
	g, err := graph.ReadJSON(strings.NewReader(got.stdout))
	if err != nil {
		t.Fatal(err)
	}
	var p printed
	if err := json.Unmarshal([]byte(got.stdout), &p); err != nil {
		t.Fatal(err)
	}
	return g.String(), p
}

func TestCausalKnowledge(t *testing.T) {
	inFolder(t, weather())
	for flags, want := range map[string]string{
		"": "ozone -> ill, sun -> ozone, wind -> ozone",
		// Sun and wind are the only pair that is apart; sun -> ill <- wind is excluded.
		"-depth 0 -require ill->sun": "ill -> ozone, ill -> sun, ill -- wind, sun -> ozone, wind -> ozone",
		"-tiers ill,ozone;sun;wind":  "ill -- ozone, ozone -> sun, ozone -> wind",
		// Ozone and ill are apart by knowledge alone, so that nothing follows for ozone - sun - ill.
		"-forbid ozone--ill;wind->ozone -depth 0": "ozone -- sun, ozone -> wind, sun -> ill, wind -> ill",
		"-time ozone -time-as tier":               "ozone -> ill, ozone -> sun, ozone -> wind",
	} {
		got, _ := graphOf(t, append(strings.Fields(flags), "-test", "fisherz", "weather.csv")...)
		if got != want {
			t.Errorf("%s: %s, want %s", flags, got, want)
		}
	}
}

// Missing values are left out test by test, and categories are counted.
func TestCausalTables(t *testing.T) {
	inFolder(t, weather())
	got, _ := graphOf(t, "-test", "fisherz", "-na", "test", "holes.csv")
	if got != "ozone -> ill, sun -> ozone, wind -> ozone" {
		t.Errorf("%s", got)
	}
	b, err := os.ReadFile("bkesample-out/causal/summary.json")
	if err != nil || !strings.Contains(string(b), `"least_rows": 190`) {
		t.Errorf("%v", err)
	}
	got, p := graphOf(t, "-test", "g2", "-stability", "10", "cats.csv")
	if got != "a -> c, b -> c" || p.Edges[0].Frequency == nil || *p.Edges[0].Frequency < 0.5 {
		t.Errorf("%s, %+v", got, p)
	}
}

// Columns of text are categories, and so are those of numbers that are named; it is said of each.
func TestCausalCategories(t *testing.T) {
	inFolder(t, weather())
	notes := func() string {
		b, err := os.ReadFile("bkesample-out/causal/summary.json")
		if err != nil {
			t.Fatal(err)
		}
		var v struct{ Notes []string }
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		return strings.Join(v.Notes, " ")
	}
	got, _ := graphOf(t, "-categories", "level", "mixed.csv")
	if got != "level -> yield, site -> yield" {
		t.Errorf("%s", got)
	}
	if n := notes(); n != "Used as categories: site (north, south) and level (0, 1, 2)." {
		t.Errorf("%s", n)
	}
	if got, _ := graphOf(t, "-test", "g2", "-columns", "site,level", "mixed.csv"); got != "" {
		t.Errorf("%s", got)
	}
	if n := notes(); n != "Used as categories: site (north, south). level has the values 0, 1, 2: used as amounts; "+
		"if they are names, add -categories level." {
		t.Errorf("%s", n)
	}
}

// Several levels have frequencies apart; the graph is that of the first, whose frequency stays where
// it was.
func TestCausalLevels(t *testing.T) {
	inFolder(t, weather())
	one, p := graphOf(t, "-test", "fisherz", "-stability", "20", "weather.csv")
	got := call(t, "", "causal", "-force", "-test", "fisherz", "-stability", "20", "-alpha",
		".05,1e-6,.3", "-format", "json", "weather.csv")
	type level struct {
		Alpha, Adjacent, Undirected, Conflict float64
		FromTo                                float64 `json:"from_to"`
		ToFrom                                float64 `json:"to_from"`
	}
	var v struct {
		Edges []struct {
			Frequency float64
			Others    []level `json:"other_levels"`
		}
	}
	g, err := graph.ReadJSON(strings.NewReader(got.stdout))
	if err != nil || got.code != 0 || g.String() != one {
		t.Fatalf("exit %d: %s, %v", got.code, got.stderr, err)
	}
	if err := json.Unmarshal([]byte(got.stdout), &v); err != nil {
		t.Fatal(err)
	}
	for i, e := range v.Edges {
		if e.Frequency != *p.Edges[i].Frequency || len(e.Others) != 2 || e.Others[0].Alpha != 1e-6 ||
			e.Others[1].Alpha != .3 || e.Others[0].Adjacent > e.Frequency {
			t.Errorf("%+v", e)
		}
		for _, l := range e.Others {
			if sum := l.FromTo + l.ToFrom + l.Undirected + l.Conflict; math.Abs(sum-l.Adjacent) > 1e-12 {
				t.Errorf("%+v", l)
			}
		}
	}
	text := call(t, "", "causal", "-force", "-test", "fisherz", "-stability", "20", "-alpha", ".05,1e-6",
		"weather.csv")
	page, err := os.ReadFile("bkesample-out/causal/report.html")
	for _, s := range []string{text.stdout, string(page)} {
		if err != nil || !strings.Contains(s, "The same at other levels of the tests than 0.05") ||
			!strings.Contains(s, "1e-06") {
			t.Errorf("no other level: %v", err)
		}
	}
}

// Where half of the rows are too few for the tests, the graph of all rows is told without them; who asks
// for them gets an error.
func TestCausalFewHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{14, 20} {
		rows := "t,x,y,z\n"
		for i := range n {
			x := r.NormFloat64()
			rows += fmt.Sprintf("%c,%.3f,%.3f,%.3f\n", "ab"[i%2], x, x+r.NormFloat64()/9, x+r.NormFloat64()/9)
		}
		inFolder(t, map[string]string{"few.csv": rows})
		got := call(t, "", "causal", "-quiet", "few.csv")
		b, err := os.ReadFile("bkesample-out/causal/summary.json")
		if got.code != 0 || err != nil || strings.Contains(string(b), "in most of") ||
			!strings.Contains(string(b), "How sure the edges are is not known: ") {
			t.Errorf("%d rows: exit %d, %s, %v\n%s", n, got.code, got.stderr, err, b)
		}
	}
}

// A run with a log makes no test twice, and prints the same.
func TestCausalLog(t *testing.T) {
	inFolder(t, weather())
	args := []string{"-test", "fisherz", "-log", "tests.jsonl", "-stability", "5", "weather.csv"}
	first, _ := graphOf(t, args...)
	before := contents(t, ".")
	second, _ := graphOf(t, args...)
	after := contents(t, ".")
	if first != second || before["tests.jsonl"] == "" || after["tests.jsonl"] != before["tests.jsonl"] ||
		after["tests.jsonl.halves"] != before["tests.jsonl.halves"] {
		t.Errorf("%s, %s", first, second)
	}
	got := call(t, "", "causal", "-force", "-test", "fisherz", "-log", "tests.jsonl", "-na", "drop",
		"holes.csv")
	if got.code != 1 || !strings.Contains(got.stderr, "tests.jsonl: the file is of") {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
}

// An interrupt leaves no folder.
func TestCausalInterrupted(t *testing.T) {
	inFolder(t, weather())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stderr bytes.Buffer
	code := program().Run(ctx, strings.Fields("causal -test fisherz -force weather.csv"), strings.NewReader(""), io.Discard,
		&stderr)
	if code != cli.ExitInterrupted || stderr.String() != "bkesample: interrupted, no file was written\n" {
		t.Errorf("exit %d: %s", code, stderr.String())
	}
	if _, err := os.Stat("bkesample-out"); err == nil {
		t.Error("a folder is left")
	}
}

// What is wrong is told in one line that names the columns.
func TestCausalWrong(t *testing.T) {
	var all strings.Builder
	for _, u := range []struct {
		args string
		code int
	}{
		{"", 2}, {"weather.csv weather.csv", 2}, {"none.csv", 1}, {"constant.csv", 1}, {"same.csv", 1},
		{"sum.csv", 1}, {"four.csv", 1}, {"text.csv", 1}, {"-na error holes.csv", 1},
		{"-tiers sun;rain weather.csv", 1}, {"-tiers sun;sun weather.csv", 1}, {"-tiers ; weather.csv", 2},
		{"-forbid sun weather.csv", 2}, {"-require rain->sun weather.csv", 1},
		{"-require ill->sun -tiers sun;ill weather.csv", 1},
		{"-require ill->sun -forbid ill->sun weather.csv", 1},
		{"-require ill->sun;sun->wind;wind->ill weather.csv", 1},
		{"-time clock weather.csv", 1}, {"-require ill->sun -time sun -time-as tier weather.csv", 1},
		{"-test kci names.csv", 1}, {"-test kci -categories sun weather.csv", 1},
		{"-test g2 -categories rain weather.csv", 1}, {"mixed.csv", 1},
		{"-test kci -time yield mixed.csv", 1}, {"-alpha .05,.01 -stability 0 weather.csv", 2},
		{"-alpha .05,.050 -stability 3 weather.csv", 2}, {"-alpha , weather.csv", 2},
		{"-choose learned weather.csv", 2}, {"-test kci -inputs 5 weather.csv", 2},
		{"-alpha 2 weather.csv", 2}, {"-depth -2 weather.csv", 2}, {"-stability -2 weather.csv", 2}, {"-stability 1000000000 weather.csv", 2},
		{"-categories sun weather.csv", 2}, {"-adjust sun weather.csv", 2},
		{"-adjust sun->rain weather.csv", 1}, {"-truth none.json weather.csv", 1},
		{"-truth bad.json weather.csv", 1}, {"-truth other.json weather.csv", 1},
		{"-hidden -lingam weather.csv", 2}, {"-hidden -colliders sets weather.csv", 2},
		{"-hidden -effects all weather.csv", 2}, {"-lingam -tiers sun;ill weather.csv", 2},
		{"-effects sun weather.csv", 2}, {"-effects sun->rain weather.csv", 1}, {"-lingam mixed.csv", 1},
		{"-time-as smooth weather.csv", 2}, {"-lingam -test g2 weather.csv", 2},
		{"-test g2 weather.csv", 1}, {"-test chi2 weather.csv", 2}, {"-columns sun weather.csv", 1},
	} {
		inFolder(t, weather())
		args := append([]string{"causal"}, strings.Fields(u.args)...)
		if !strings.Contains(u.args, "-test") {
			args = slices.Insert(args, 1, "-test", "fisherz")
		}
		got := call(t, "", args...)
		line, rest, _ := strings.Cut(got.stderr, "\n")
		if got.code != u.code || rest != "" || got.stdout != "" || !strings.HasPrefix(line, "bkesample: ") {
			t.Errorf("%s: exit %d, want %d: %s%s", u.args, got.code, u.code, got.stderr, got.stdout)
		}
		fmt.Fprintf(&all, "bkesample %s\n  exit %d: %s\n", strings.Join(args, " "), got.code,
			strings.TrimPrefix(line, "bkesample: "))
		if _, err := os.Stat("bkesample-out/causal/summary.json"); err == nil {
			t.Errorf("%s leaves results", u.args)
		}
	}
	golden(t, "wrong_causal.txt", all.String())
}
