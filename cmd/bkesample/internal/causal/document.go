package causal

import (
	"encoding/csv"
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
	"bayeskernel/internal/shown"
)

// document reports the result.
func (g *learned) document() *report.Document {
	verdict, basis := append([]string{g.finding()}, g.sure()...), g.basis()
	drawn := g.graphRecord()
	edges, others, absent, whitening := g.edgeTable(), g.otherLevels(), g.absent(), g.whitening()
	effects := g.effectTable()
	d := &report.Document{Page: g.data.Page(verdict[0]), Record: g.record(verdict), Printable: drawn,
		Files: append([]report.File{report.JSON(graphFile, "the graph", drawn)}, g.files()...),
		Printed: []report.Block{report.Paragraphs(verdict[:1]), edges, others, absent, effects, whitening,
			report.Paragraphs(slices.Concat(verdict[1:], basis, g.data.Notes))}}
	if len(g.data.Columns) <= figure.MaxNodes {
		d.Figures = []page.Figure{{Draw: g.network(), File: "graph", What: "the picture",
			Caption: g.caption()}}
	}
	d.Sure = page.Section{Text: verdict[1:], Tables: report.Tables(edges, others, absent, effects)}
	d.Rests = page.Section{Text: basis, Tables: report.Tables(whitening), Notes: g.data.Notes}
	d.Alerts = append(d.Alerts, g.flags.assumes())
	if t := g.otherTable(); len(t.Rows) > 0 {
		d.More = append(d.More, page.Section{Heading: "Where the test of residuals decides otherwise",
			Tables: report.Tables(t)})
	}
	d.Settings = g.flags.settings()
	return d
}

// caption says what the picture shows.
func (g *learned) caption() string {
	s := "The links found in all rows. Two columns are linked if they still go together among rows that are alike in other " +
		"columns, whichever columns these are. An arrow shows which way the effect runs"
	if g.stable != nil {
		s += ", if most random halves of the rows agree; a thicker line was found in more of these halves"
	}
	if g.flags.hidden {
		return s + ". At a circle the rows leave open whether there is an arrow."
	}
	return s + ". Where there is no arrow, the rows cannot tell which affects which."
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
	inputs := ""
	if f.inputs > 0 {
		inputs = strconv.Itoa(f.inputs)
	}
	levels := strings.Trim(strings.ReplaceAll(fmt.Sprint(f.levels), " ", ", "), "[]")
	_, name := f.algorithm()
	test, colliders := f.test, f.colliders
	if f.lingam {
		test, colliders, depth = "", "", ""
	}
	all := []page.Setting{{Name: "algorithm", Value: name}, {Name: "test", Value: test}, {Name: "level", Value: levels},
		{Name: "lengthscales", Value: f.choose}, {Name: "pseudo-inputs", Value: inputs}, {Name: "categories", Value: strings.Join(f.named, ", ")},
		{Name: "depth", Value: depth}, {Name: "colliders", Value: colliders},
		{Name: "tiers", Value: f.tiers}, {Name: "forbidden", Value: f.forbid},
		{Name: "required", Value: f.require}, {Name: "time", Value: f.time},
		{Name: "time used as", Value: timeAs},
		{Name: "random halves", Value: strconv.Itoa(f.stability)},
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
	if len(g.effects) > 0 {
		list = append(list, report.File{Name: "effects.csv", What: "total effects", Fill: g.writeEffects})
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
	f := figure.Network{Title: fmt.Sprintf("%s, n = %d", g.data.Source, n), Nodes: g.Graph.Names(),
		Partial: g.flags.hidden}
	for _, e := range g.Graph.Edges() {
		e, _ = g.sureOf(e)
		edge := figure.NetworkEdge{From: g.Graph.Index(e.From), To: g.Graph.Index(e.To),
			ArrowFrom: e.MarkFrom == graph.Arrow, ArrowTo: e.MarkTo == graph.Arrow,
			CircleFrom: e.MarkFrom == graph.Circle, CircleTo: e.MarkTo == graph.Circle, Frequency: math.NaN()}
		if s != nil {
			edge.Frequency = s.Of(e.From, e.To).Adjacent
		}
		f.Edges = append(f.Edges, edge)
	}
	return f
}

// writeEffects writes the effects that were asked for.
func (g *learned) writeEffects(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"x", "y", "low", "high", "adjusted", "se", "adjusted_low", "adjusted_high",
		"adjusted_for", "why"}) // Flush keeps the error
	number := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, e := range g.effects {
		row := []string{shown.Cell(e.X), shown.Cell(e.Y), number(e.Low), number(e.High), "", "", "", "", "", shown.Cell(e.Why)}
		if a := e.Adjusted; a != nil {
			copy(row[4:], []string{number(a.Effect), number(a.SE), number(a.Low), number(a.High),
				shown.Cell(strings.Join(a.Given, " "))})
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}
