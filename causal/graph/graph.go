package graph

import (
	"fmt"
	"slices"
	"strings"
)

// Mark is what an edge has at one of its ends. A circle stands for one of the others, and is for
// partial graphs.
type Mark uint8

// The marks. None stands where there is no edge.
const (
	None Mark = iota
	Tail
	Arrow
	Circle
)

// String is the word for the mark.
func (m Mark) String() string {
	switch m {
	case Tail:
		return "tail"
	case Arrow:
		return "arrow"
	case Circle:
		return "circle"
	}
	return "none"
}

// Edge is an edge by the names of its ends.
type Edge struct {
	From, To         string
	MarkFrom, MarkTo Mark
}

// Directed is the edge from -> to.
func Directed(from, to string) Edge { return Edge{from, to, Tail, Arrow} }

// Undirected is the edge a - b.
func Undirected(a, b string) Edge { return Edge{a, b, Tail, Tail} }

// Conflicting is the edge a <-> b.
func Conflicting(a, b string) Edge { return Edge{a, b, Arrow, Arrow} }

// symbol is the edge as drawn between its names: ->, <-, --, <->, or with o for a circle.
func (e Edge) symbol() string {
	ends := map[Mark][2]string{Tail: {"-", "-"}, Arrow: {"<", ">"}, Circle: {"o", "o"}}
	from, to := ends[e.MarkFrom][0], ends[e.MarkTo][1]
	switch {
	case from == "-" && to == "-":
		return "--"
	case from == "-":
		return "-" + to
	case to == "-":
		return from + "-"
	}
	return from + "-" + to
}

// Type names the kind of the edge: directed, undirected or conflict, or partial if it has a circle.
func (e Edge) Type() string {
	switch {
	case e.MarkFrom == Circle || e.MarkTo == Circle:
		return "partial"
	case e.MarkFrom == Arrow && e.MarkTo == Arrow:
		return "conflict"
	case e.MarkFrom == Tail && e.MarkTo == Tail:
		return "undirected"
	}
	return "directed"
}

// String is the edge with its names.
func (e Edge) String() string { return e.From + " " + e.symbol() + " " + e.To }

// Graph is a graph with marks at both ends of its edges. The zero value has no nodes.
type Graph struct {
	// Partial says that this is a partial ancestral graph: two arrows stand for a hidden common cause,
	// and are no conflict. It is not part of the marks that Equal compares.
	Partial bool
	names   []string // sorted
	marks   []Mark   // marks[i*p+j] is the mark at j of the edge between i and j
}

// New returns a graph of these nodes without edges.
func New(names []string) (*Graph, error) {
	g := &Graph{names: slices.Clone(names)}
	slices.Sort(g.names)
	for i, name := range g.names {
		if name == "" {
			return nil, fmt.Errorf("graph: the name of a node is empty, want text")
		}
		if i > 0 && name == g.names[i-1] {
			return nil, fmt.Errorf("graph: two nodes are called %q, want a name for each", name)
		}
	}
	g.marks = make([]Mark, len(names)*len(names))
	return g, nil
}

// FromEdges returns a graph of these nodes and edges.
func FromEdges(names []string, edges ...Edge) (*Graph, error) {
	g, err := New(names)
	if err != nil {
		return nil, err
	}
	for _, e := range edges {
		if err := g.Add(e); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Add adds an edge between two nodes that have none.
func (g *Graph) Add(e Edge) error {
	i, j := g.Index(e.From), g.Index(e.To)
	switch {
	case i < 0 || j < 0:
		missing := e.From
		if i >= 0 {
			missing = e.To
		}
		return fmt.Errorf("graph: the edge %v has a node %q, want one of the %d nodes", e, missing,
			len(g.names))
	case i == j:
		return fmt.Errorf("graph: the edge %v has one node, want two", e)
	case g.Adjacent(i, j):
		return fmt.Errorf("graph: %s and %s have two edges, want one", e.From, e.To)
	case e.MarkFrom == None || e.MarkTo == None || e.MarkFrom > Circle || e.MarkTo > Circle:
		return fmt.Errorf("graph: the edge of %s and %s has marks %v and %v, want tail, arrow or circle",
			e.From, e.To, e.MarkFrom, e.MarkTo)
	}
	g.Set(i, j, e.MarkFrom, e.MarkTo)
	return nil
}

// Clone returns a copy.
func (g *Graph) Clone() *Graph {
	return &Graph{Partial: g.Partial, names: slices.Clone(g.names), marks: slices.Clone(g.marks)}
}

// Equal reports whether the graphs have the same nodes, edges and marks.
func (g *Graph) Equal(h *Graph) bool {
	return slices.Equal(g.names, h.names) && slices.Equal(g.marks, h.marks)
}

// Len is the number of nodes.
func (g *Graph) Len() int { return len(g.names) }

// Names returns the nodes in order. A node is meant by its place in this list elsewhere.
func (g *Graph) Names() []string { return slices.Clone(g.names) }

// Name is the name of node i.
func (g *Graph) Name(i int) string { return g.names[i] }

// Index is the place of the node of this name, -1 if there is none.
func (g *Graph) Index(name string) int {
	i, ok := slices.BinarySearch(g.names, name)
	if !ok {
		return -1
	}
	return i
}

// Set gives the edge of i and j these marks; None for both removes it.
func (g *Graph) Set(i, j int, atI, atJ Mark) {
	p := len(g.names)
	g.marks[j*p+i], g.marks[i*p+j] = atI, atJ
}

// Mark is the mark at j of the edge of i and j.
func (g *Graph) Mark(i, j int) Mark { return g.marks[i*len(g.names)+j] }

// Adjacent reports whether there is an edge of i and j.
func (g *Graph) Adjacent(i, j int) bool { return g.Mark(i, j) != None }

// Points reports whether the edge i -> j is there.
func (g *Graph) Points(i, j int) bool { return g.Mark(i, j) == Arrow && g.Mark(j, i) == Tail }

// Open reports whether the edge i - j is there, without arrows.
func (g *Graph) Open(i, j int) bool { return g.Mark(i, j) == Tail && g.Mark(j, i) == Tail }

// Conflict reports whether the edge i <-> j is there.
func (g *Graph) Conflict(i, j int) bool { return g.Mark(i, j) == Arrow && g.Mark(j, i) == Arrow }

// Neighbours lists all nodes that have an edge with i.
func (g *Graph) Neighbours(i int) []int {
	var out []int
	for j := range g.names {
		if g.Adjacent(i, j) {
			out = append(out, j)
		}
	}
	return out
}

// Parents lists the nodes j with j -> i.
func (g *Graph) Parents(i int) []int {
	var out []int
	for j := range g.names {
		if g.Points(j, i) {
			out = append(out, j)
		}
	}
	return out
}

// edge is the edge of i and j, one with a single arrow towards it, others in the order of the names.
func (g *Graph) edge(i, j int) Edge {
	along := func(i, j int) bool { return g.Mark(i, j) == Arrow && g.Mark(j, i) != Arrow }
	if along(j, i) || !along(i, j) && j < i {
		i, j = j, i
	}
	return Edge{g.names[i], g.names[j], g.Mark(j, i), g.Mark(i, j)}
}

// Edges lists the edges in the order of their ends. A directed edge runs along its arrow, any other
// in the order of the names.
func (g *Graph) Edges() []Edge {
	var out []Edge
	for i := range g.names {
		for j := range i {
			if g.Adjacent(i, j) {
				out = append(out, g.edge(i, j))
			}
		}
	}
	slices.SortFunc(out, func(a, b Edge) int {
		if c := strings.Compare(a.From, b.From); c != 0 {
			return c
		}
		return strings.Compare(a.To, b.To)
	})
	return out
}

// TypeOf is the type of an edge of g: that of the edge, but bidirected in the place of conflict where g
// is a partial graph.
func (g *Graph) TypeOf(e Edge) string {
	if t := e.Type(); t != "conflict" || !g.Partial {
		return t
	}
	return "bidirected"
}

// Conflicts lists the edges with two arrows.
func (g *Graph) Conflicts() []Edge {
	return slices.DeleteFunc(g.Edges(), func(e Edge) bool { return e.Type() != "conflict" })
}

// String lists the edges.
func (g *Graph) String() string {
	var out []string
	for _, e := range g.Edges() {
		out = append(out, e.String())
	}
	return strings.Join(out, ", ")
}
