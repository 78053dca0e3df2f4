package graph

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"bayeskernel/internal/shown"
)

// Attribute is what a format says of each edge besides its marks, such as a frequency.
type Attribute struct {
	Name string
	Of   func(Edge) string // "" for nothing
}

// WriteCSV writes the list of edges: from, to, type (directed, undirected or conflict) and a column
// for each attribute.
func (g *Graph) WriteCSV(w io.Writer, attributes ...Attribute) error {
	out := csv.NewWriter(w)
	head := []string{"from", "to", "type"}
	for _, a := range attributes {
		head = append(head, a.Name)
	}
	_ = out.Write(head) // Flush keeps the error
	for _, e := range g.Edges() {
		row := []string{shown.Cell(e.From), shown.Cell(e.To), g.TypeOf(e)}
		for _, a := range attributes {
			v := a.Of(e)
			if _, err := strconv.ParseFloat(v, 64); err != nil { // no number: names
				v = shown.Cell(v)
			}
			row = append(row, v)
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// dotQuote quotes a name for DOT, where a backslash is kept but for one before a quote.
func dotQuote(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "").Replace(s)
	s = shown.Text(s)
	return `"` + s + `"`
}

// WriteDOT writes the graph for Graphviz: an undirected edge has dir=none, one with two
// arrows or a circle dir=both, and a circle the arrow odot.
// Attributes become those of the edges, such as penwidth.
func (g *Graph) WriteDOT(w io.Writer, attributes ...Attribute) error {
	var b strings.Builder
	b.WriteString("digraph {\n")
	for _, name := range g.names {
		fmt.Fprintf(&b, "  %s;\n", dotQuote(name))
	}
	for _, e := range g.Edges() {
		var list []string
		switch e.Type() {
		case "undirected":
			list = append(list, "dir=none")
		case "conflict":
			list = append(list, "dir=both")
		case "partial":
			shape := map[Mark]string{Tail: "none", Arrow: "normal", Circle: "odot"}
			list = append(list, "dir=both", "arrowtail="+shape[e.MarkFrom], "arrowhead="+shape[e.MarkTo])
		}
		for _, a := range attributes {
			if v := a.Of(e); v != "" {
				list = append(list, a.Name+"="+dotQuote(v))
			}
		}
		fmt.Fprintf(&b, "  %s -> %s", dotQuote(e.From), dotQuote(e.To))
		if len(list) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(list, ", "))
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteDagitty writes the graph in the syntax of dagitty: "pdag{ a -> b c -- d e <-> f }", or
// "dag{"
// where all edges are directed; a partial graph is a "pag{", with @ for circles.
func (g *Graph) WriteDagitty(w io.Writer) error {
	kind := "dag"
	for _, e := range g.Edges() {
		if e.Type() != "directed" {
			kind = "pdag"
		}
	}
	if g.Partial {
		kind = "pag"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s{\n", kind)
	for _, name := range g.names {
		b.WriteString(dotQuote(name) + "\n")
	}
	for _, e := range g.Edges() {
		fmt.Fprintf(&b, "%s %s %s\n", dotQuote(e.From), e.dagitty(), dotQuote(e.To))
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// dagitty writes an edge with @ for a circle.
func (e Edge) dagitty() string { return strings.ReplaceAll(e.symbol(), "o", "@") }

// WriteGraphML writes the graph as GraphML. That format knows directed and undirected edges only,
// so the key "type" of each edge tells a conflict from an undirected edge.
func (g *Graph) WriteGraphML(w io.Writer, attributes ...Attribute) error {
	all := append([]Attribute{{"type", g.TypeOf}, {"mark_from", func(e Edge) string { return e.MarkFrom.String() }},
		{"mark_to", func(e Edge) string { return e.MarkTo.String() }}}, attributes...)
	if !g.Partial {
		all = append(all[:1:1], attributes...)
	}
	var b strings.Builder
	b.WriteString(xml.Header)
	b.WriteString(`<graphml xmlns="http://graphml.graphdrawing.org/xmlns">` + "\n")
	b.WriteString(`  <key id="name" for="node" attr.name="name" attr.type="string"/>` + "\n")
	for k, a := range all {
		fmt.Fprintf(&b, `  <key id="e%d" for="edge" attr.name=%s attr.type="string"/>`+"\n", k,
			xmlQuote(a.Name))
	}
	b.WriteString(`  <graph edgedefault="directed">` + "\n")
	for i, name := range g.names {
		fmt.Fprintf(&b, "    <node id=\"n%d\"><data key=\"name\">%s</data></node>\n", i, xmlText(name))
	}
	for _, e := range g.Edges() {
		fmt.Fprintf(&b, `    <edge source="n%d" target="n%d" directed="%v">`, g.Index(e.From),
			g.Index(e.To), e.Type() == "directed")
		for k, a := range all {
			if v := a.Of(e); v != "" {
				fmt.Fprintf(&b, `<data key="e%d">%s</data>`, k, xmlText(v))
			}
		}
		b.WriteString("</edge>\n")
	}
	b.WriteString("  </graph>\n</graphml>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}

func xmlQuote(s string) string { return `"` + xmlText(s) + `"` }

// matrixCode is the first line of WriteMatrix.
const matrixCode = "# the entry in row i and column j is the mark at j of the edge of i and j: " +
	"0 no edge, 1 tail, 2 arrow, 3 circle; i -> j is 2 in row i column j and 1 in row j column i"

// WriteMatrix writes the adjacency matrix as CSV, after a line that states its code.
func (g *Graph) WriteMatrix(w io.Writer) error {
	if _, err := fmt.Fprintln(w, matrixCode); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	head := []string{""}
	for _, name := range g.names {
		head = append(head, shown.Cell(name))
	}
	_ = out.Write(head)
	for i := range g.names {
		row := []string{head[i+1]}
		for j := range g.names {
			row = append(row, strconv.Itoa(int(g.Mark(i, j))))
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}
