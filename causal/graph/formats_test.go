package graph_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"bayeskernel/causal/graph"
	"bayeskernel/causal/internal/known"
)

func nasty(t testing.TB) *graph.Graph {
	return make3(t, "a b c d\"e \\ <&>", graph.Directed("b", "a"), graph.Undirected("c", "b"),
		graph.Conflicting("d\"e", "c"), graph.Directed("\\", "<&>"))
}

func TestFormats(t *testing.T) {
	g := nasty(t)
	label := graph.Attribute{Name: "label", Of: func(e graph.Edge) string {
		if e.From == "b" && e.To == "a" {
			return "0.5"
		}
		return ""
	}}
	for name, c := range map[string]struct {
		write func(io.Writer) error
		want  string
	}{
		"csv": {func(w io.Writer) error { return g.WriteCSV(w, label) }, `from,to,type,label
\,<&>,directed,
b,a,directed,0.5
b,c,undirected,
c,"d""e",conflict,
`},
		"dot": {func(w io.Writer) error { return g.WriteDOT(w, label) }, `digraph {
  "<&>";
  "\\";
  "a";
  "b";
  "c";
  "d\"e";
  "\\" -> "<&>";
  "b" -> "a" [label="0.5"];
  "b" -> "c" [dir=none];
  "c" -> "d\"e" [dir=both];
}
`},
		"dagitty": {g.WriteDagitty, `pdag{
"<&>"
"\\"
"a"
"b"
"c"
"d\"e"
"\\" -> "<&>"
"b" -> "a"
"b" -- "c"
"c" <-> "d\"e"
}
`},
		"matrix": {g.WriteMatrix, `# the entry in row i and column j is the mark at j of the edge of i and j: ` +
			`0 no edge, 1 tail, 2 arrow, 3 circle; i -> j is 2 in row i column j and 1 in row j column i
,<&>,\,a,b,c,"d""e"
<&>,0,1,0,0,0,0
\,2,0,0,0,0,0
a,0,0,0,1,0,0
b,0,0,2,0,1,0
c,0,0,0,1,0,2
"d""e",0,0,0,0,2,0
`},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%s", name, err, b.String())
		}
		if err := c.write(broken{}); err == nil {
			t.Errorf("%s: no error of the writer", name)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

// What is written as GraphML is XML with the right edges.
func TestGraphML(t *testing.T) {
	var b bytes.Buffer
	g := nasty(t)
	if err := g.WriteGraphML(&b); err != nil {
		t.Fatal(err)
	}
	var f struct {
		Graph struct {
			Node []struct {
				ID   string `xml:"id,attr"`
				Data string `xml:"data"`
			} `xml:"node"`
			Edge []struct {
				Source   string `xml:"source,attr"`
				Target   string `xml:"target,attr"`
				Directed bool   `xml:"directed,attr"`
				Type     string `xml:"data"`
			} `xml:"edge"`
		} `xml:"graph"`
	}
	if err := xml.Unmarshal(b.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	name := map[string]string{}
	for _, n := range f.Graph.Node {
		name[n.ID] = n.Data
	}
	for k, e := range g.Edges() {
		if got := f.Graph.Edge[k]; name[got.Source] != e.From || name[got.Target] != e.To ||
			got.Type != e.Type() || got.Directed != (e.Type() == "directed") {
			t.Errorf("%+v, want %v", got, e)
		}
	}
}

func TestJSON(t *testing.T) {
	graphs := []*graph.Graph{nasty(t), make3(t, ""), make3(t, "a")}
	for _, c := range known.Networks(t) {
		graphs = append(graphs, c.Want)
	}
	for _, g := range graphs {
		var b bytes.Buffer
		if err := g.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		h, err := graph.ReadJSON(&b)
		if err != nil || !h.Equal(g) {
			t.Errorf("%v: %v, %v", g, h, err)
		}
	}
	g, err := graph.ReadJSON(strings.NewReader(`{"edges": [{"from": "b", "to": "a", "frequency": null}],
		"tests": 3}`))
	if err != nil || g.String() != "b -> a" {
		t.Errorf("%v, %v", g, err)
	}
	for text, want := range map[string]string{
		``:   "not a graph in JSON",
		`{}`: `neither "nodes" nor "edges"`,
		`{"nodes": ["a"], "edges": [{"from": "a", "to": "b"}]}`:                           `node "b"`,
		`{"nodes": ["a", "b"], "edges": [{"from": "a", "to": "b", "mark_to": "square"}]}`: `"square"`,
		`{"nodes": ["a", "b"], "edges": [{"from": "a", "to": "b", "mark_to": "arrow"}]}`:  "marks none",
		`[1]`: "not a graph in JSON",
	} {
		if _, err := graph.ReadJSON(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// Whatever is read can be written and read again, and every format can be written.
func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(`{"nodes": ["a", "b"], "edges": [{"from": "b", "to": "a", "mark_from": "tail",
		"mark_to": "arrow"}]}`))
	f.Add([]byte(`{"edges": [{"from": "b", "to": "a"}, {"from": "c", "to": "a"}]}`))
	f.Add([]byte(`{"nodes": null, "edges": []}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := graph.ReadJSON(bytes.NewReader(b))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := g.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		if h, err := graph.ReadJSON(&out); err != nil || !h.Equal(g) {
			t.Fatalf("%v, %v, want %v", h, err, g)
		}
		out.Reset()
		if err := g.WriteCSV(&out); err != nil {
			t.Fatal(err)
		}
		if _, err := csv.NewReader(&out).ReadAll(); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Extend(); err == nil && g.Cycle() != nil {
			t.Fatalf("%v has a cycle and a member", g)
		}
	})
}
