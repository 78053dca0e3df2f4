package show

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"bayeskernel/causal/graph"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// causalFiles says what lies beside the page of a graph.
var causalFiles = map[string]string{"summary.json": "all numbers", "graph.json": "the graph",
	"graph.svg": "the picture", "graph.png": "the picture", "graph.dot": "the graph for Graphviz",
	"graph.graphml": "the graph for igraph, networkx, Cytoscape", "graph.dagitty": "the graph for dagitty",
	"edges.csv": "the edges", "adjacency.csv": "the graph as a matrix", "tests.csv": "every test",
	"stability.csv": "frequencies of all pairs"}

// Causal is the pictures and files of a graph, and its page.
func Causal(r *tell.CausalReport, beside []folder.File) ([]folder.File, error) {
	p := newPage(r.Finding(), r.Data, r.Again)
	list := append(beside, graphFiles(r)...)
	if len(r.Data.Columns) <= figure.MaxNodes {
		net := network(r)
		f, err := net.Draw()
		if err != nil {
			return nil, err
		}
		list = append(list, folder.File{Name: "graph.svg", Fill: f.WriteSVG},
			folder.File{Name: "graph.png", Fill: f.WritePNG})
		p.Figures = []page.Figure{{Draw: net, Caption: tell.Hidden}}
	}
	p.Sure.Text = append([]string{r.Finding()}, r.Sure()...)
	if t := r.Edges(); len(t.Rows) > 0 {
		edges := table(t)
		edges.Words = []int{len(t.Head) - 1}
		p.Sure.Tables = []page.Table{edges}
	}
	for _, t := range []tell.Table{r.OtherLevels(), r.Absent()} {
		if len(t.Rows) > 0 {
			p.Sure.Tables = append(p.Sure.Tables, table(t))
		}
	}
	p.Rests = page.Section{Text: r.Basis(), Notes: r.Data.Notes}
	if t := r.Whitening(); len(t.Rows) > 0 {
		p.Rests.Tables = []page.Table{table(t)}
	}
	f := r.Flags
	depth := strconv.Itoa(f.Depth)
	if f.Depth < 0 {
		depth = "no limit"
	}
	levels := strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Levels), " ", ", "), "[]")
	p.Settings = []page.Setting{{Name: "test", Value: f.Test}, {Name: "level", Value: levels},
		{Name: "lengthscales", Value: f.Choose}, {Name: "categories", Value: f.Categories},
		{Name: "depth", Value: depth}, {Name: "colliders", Value: f.Colliders},
		{Name: "tiers", Value: f.Tiers}, {Name: "forbidden", Value: f.Forbid},
		{Name: "required", Value: f.Require}, {Name: "time", Value: f.Time},
		{Name: "time used as", Value: f.TimeAs},
		{Name: "half-samples", Value: strconv.Itoa(f.Stability)},
		{Name: "seed", Value: strconv.FormatUint(f.Seed, 10)}}
	kept := p.Settings[:0]
	for _, s := range p.Settings {
		if s.Value != "" && (s.Name != "time used as" || f.Time != "") {
			kept = append(kept, s)
		}
	}
	p.Settings = kept
	return files(p, list, causalFiles), nil
}

// graphFiles are the graph in the formats of other programs.
func graphFiles(r *tell.CausalReport) []folder.File {
	g, s := r.Result.Graph, r.Stability()
	attributes := r.Result.Attributes(s)
	width := graph.Attribute{Name: "penwidth", Of: func(e graph.Edge) string {
		if s == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", 0.5+2.9*s.Of(e.From, e.To).Adjacent)
	}}
	list := []folder.File{
		{Name: "graph.dot", Fill: func(w io.Writer) error { return g.WriteDOT(w, width) }},
		{Name: "graph.graphml", Fill: func(w io.Writer) error { return g.WriteGraphML(w, attributes...) }},
		{Name: "graph.dagitty", Fill: g.WriteDagitty},
		{Name: "adjacency.csv", Fill: g.WriteMatrix},
		{Name: "edges.csv", Fill: func(w io.Writer) error { return r.Result.WriteCSV(w, s) }},
		{Name: "tests.csv", Fill: r.Log.WriteCSV},
	}
	if s != nil {
		list = append(list, folder.File{Name: "stability.csv", Fill: r.Stable.WriteCSV})
	}
	return list
}

// network is the picture of the graph.
func network(r *tell.CausalReport) figure.Network {
	g, s := r.Result.Graph, r.Stability()
	n, _ := r.Data.P.Dims()
	f := figure.Network{Title: fmt.Sprintf("%s, n = %d", r.Data.Source, n), Nodes: g.Names()}
	for _, e := range g.Edges() {
		edge := figure.NetworkEdge{From: g.Index(e.From), To: g.Index(e.To),
			ArrowFrom: e.MarkFrom == graph.Arrow, ArrowTo: e.MarkTo == graph.Arrow, Frequency: math.NaN()}
		if s != nil {
			edge.Frequency = s.Of(e.From, e.To).Adjacent
		}
		f.Edges = append(f.Edges, edge)
	}
	return f
}
