package causal

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/causal/graph"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// document reports the result.
func (g *learned) document() *report.Document {
	verdict, basis := append([]string{g.finding()}, g.sure()...), g.basis()
	drawn := g.graphRecord()
	edges, others, absent, whitening := g.edgeTable(), g.otherLevels(), g.absent(), g.whitening()
	d := &report.Document{Page: g.data.Page(verdict[0]), Record: g.record(verdict), Printable: drawn,
		Files: append([]report.File{report.JSON(graphFile, "the graph", drawn)}, g.files()...),
		Printed: []report.Block{edges, others, absent, whitening,
			report.Paragraphs(slices.Concat(verdict, basis, g.data.Notes))}}
	if len(g.data.Columns) <= figure.MaxNodes {
		d.Figures = []page.Figure{{Draw: g.network(), File: "graph", What: "the picture",
			Caption: hidden}}
	}
	d.Sure = page.Section{Text: verdict, Tables: report.Tables(edges, others, absent)}
	d.Rests = page.Section{Text: basis, Tables: report.Tables(whitening), Notes: g.data.Notes}
	d.Settings = g.flags.settings()
	return d
}

// settings are the settings that were given or have a default.
func (f *flags) settings() []page.Setting {
	depth, timeAs := strconv.Itoa(f.depth), f.timeAs
	if f.depth < 0 {
		depth = "no limit"
	}
	if f.time == "" {
		timeAs = ""
	}
	levels := strings.Trim(strings.ReplaceAll(fmt.Sprint(f.levels), " ", ", "), "[]")
	all := []page.Setting{{Name: "test", Value: f.test}, {Name: "level", Value: levels},
		{Name: "lengthscales", Value: f.choose}, {Name: "categories", Value: strings.Join(f.named, ", ")},
		{Name: "depth", Value: depth}, {Name: "colliders", Value: f.colliders},
		{Name: "tiers", Value: f.tiers}, {Name: "forbidden", Value: f.forbid},
		{Name: "required", Value: f.require}, {Name: "time", Value: f.time},
		{Name: "time used as", Value: timeAs},
		{Name: "half-samples", Value: strconv.Itoa(f.stability)},
		{Name: "seed", Value: strconv.FormatUint(f.seed, 10)}}
	return slices.DeleteFunc(all, func(s page.Setting) bool { return s.Value == "" })
}

// files are the graph in other programs' formats, and the tests.
func (g *learned) files() []report.File {
	s := g.frequencies()
	attributes := g.Attributes(s)
	width := graph.Attribute{Name: "penwidth", Of: func(e graph.Edge) string {
		if s == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", 0.5+2.9*s.Of(e.From, e.To).Adjacent)
	}}
	list := []report.File{
		{Name: "graph.dot", What: "the graph for Graphviz",
			Fill: func(w io.Writer) error { return g.Graph.WriteDOT(w, width) }},
		{Name: "graph.graphml", What: "the graph for igraph, networkx, Cytoscape",
			Fill: func(w io.Writer) error { return g.Graph.WriteGraphML(w, attributes...) }},
		{Name: "graph.dagitty", What: "the graph for dagitty", Fill: g.Graph.WriteDagitty},
		{Name: "adjacency.csv", What: "the graph as a matrix", Fill: g.Graph.WriteMatrix},
		{Name: "edges.csv", What: "the edges",
			Fill: func(w io.Writer) error { return g.WriteCSV(w, s) }},
		{Name: "tests.csv", What: "every test", Fill: g.log.WriteCSV},
	}
	if s != nil {
		list = append(list, report.File{Name: "stability.csv", What: "frequencies of all pairs",
			Fill: g.stable.WriteCSV})
	}
	return list
}

// network is the picture of the graph.
func (g *learned) network() figure.Network {
	s := g.frequencies()
	n, _ := g.data.P.Dims()
	f := figure.Network{Title: fmt.Sprintf("%s, n = %d", g.data.Source, n), Nodes: g.Graph.Names()}
	for _, e := range g.Graph.Edges() {
		edge := figure.NetworkEdge{From: g.Graph.Index(e.From), To: g.Graph.Index(e.To),
			ArrowFrom: e.MarkFrom == graph.Arrow, ArrowTo: e.MarkTo == graph.Arrow, Frequency: math.NaN()}
		if s != nil {
			edge.Frequency = s.Of(e.From, e.To).Adjacent
		}
		f.Edges = append(f.Edges, edge)
	}
	return f
}
