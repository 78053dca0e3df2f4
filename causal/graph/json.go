package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// document is a graph in JSON. Other keys, such as frequencies, are passed over.
type document struct {
	Nodes []string   `json:"nodes"`
	Edges []jsonEdge `json:"edges"`
}

type jsonEdge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	MarkFrom Mark   `json:"mark_from"`
	MarkTo   Mark   `json:"mark_to"`
}

// MarshalText writes the word for the mark.
func (m Mark) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads tail, arrow or circle.
func (m *Mark) UnmarshalText(b []byte) error {
	switch string(b) {
	case "tail":
		*m = Tail
	case "arrow":
		*m = Arrow
	case "circle":
		*m = Circle
	default:
		return fmt.Errorf("graph: a mark is %q, want tail, arrow or circle", b)
	}
	return nil
}

// MarshalJSON writes {"nodes": [...], "edges": [{"from", "to", "mark_from", "mark_to"}]}.
func (g *Graph) MarshalJSON() ([]byte, error) {
	d := document{Nodes: g.Names(), Edges: []jsonEdge{}}
	if d.Nodes == nil {
		d.Nodes = []string{}
	}
	for _, e := range g.Edges() {
		d.Edges = append(d.Edges, jsonEdge(e))
	}
	return json.Marshal(d)
}

// UnmarshalJSON reads what MarshalJSON writes. An edge without marks is directed from its first
// end, and without "nodes" the nodes are the ends of the edges. Other keys are passed over.
func (g *Graph) UnmarshalJSON(b []byte) error {
	var d document
	if err := json.Unmarshal(b, &d); err != nil {
		return fmt.Errorf("graph: the file is not a graph in JSON: %w", err)
	}
	if d.Nodes == nil && d.Edges == nil {
		return errors.New(`graph: the file has neither "nodes" nor "edges", want {"nodes": [...], ` +
			`"edges": [{"from": "a", "to": "b", "mark_from": "tail", "mark_to": "arrow"}]}`)
	}
	if d.Nodes == nil {
		seen := map[string]bool{}
		for _, e := range d.Edges {
			for _, name := range []string{e.From, e.To} {
				if !seen[name] {
					seen[name] = true
					d.Nodes = append(d.Nodes, name)
				}
			}
		}
	}
	h, err := New(d.Nodes)
	if err != nil {
		return err
	}
	for _, e := range d.Edges {
		if e.MarkFrom == None && e.MarkTo == None {
			e.MarkFrom, e.MarkTo = Tail, Arrow
		}
		if err := h.Add(Edge(e)); err != nil {
			return err
		}
	}
	*g = *h
	return nil
}

// WriteJSON writes the graph with its marks, a line for each edge.
func (g *Graph) WriteJSON(w io.Writer) error {
	b, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// ReadJSON reads what WriteJSON wrote; see UnmarshalJSON.
func ReadJSON(r io.Reader) (*Graph, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("graph: reading: %w", err)
	}
	g := new(Graph)
	if err := g.UnmarshalJSON(b); err != nil {
		return nil, err
	}
	return g, nil
}
