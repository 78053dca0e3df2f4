package causal

import (
	"io"
	"math"
	"strings"

	"bayeskernel/causal/graph"
)

// Attributes are the results of the tests for each edge, for the formats of package graph. p_max is
// the largest p-value, and sepset the set that gave it, names separated by blanks. With a table of
// stability there are the frequencies adjacent, forward (along from and to), backward, undirected
// and conflict.
func (r *Result) Attributes(stability *LevelStability) []graph.Attribute {
	out := []graph.Attribute{
		{Name: "p_max", Of: func(e graph.Edge) string {
			if s, ok := r.Strength(e.From, e.To); ok && !math.IsNaN(s.P) {
				return number(s.P)
			}
			return ""
		}},
		{Name: "sepset", Of: func(e graph.Edge) string {
			s, _ := r.Strength(e.From, e.To)
			return strings.Join(s.S, " ")
		}},
	}
	if stability == nil {
		return out
	}
	for _, c := range []struct {
		name string
		of   func(Frequency) float64
	}{
		{"adjacent", func(f Frequency) float64 { return f.Adjacent }},
		{"forward", func(f Frequency) float64 { return f.Forward }},
		{"backward", func(f Frequency) float64 { return f.Backward }},
		{"undirected", func(f Frequency) float64 { return f.Undirected }},
		{"conflict", func(f Frequency) float64 { return f.Conflict }},
	} {
		out = append(out, graph.Attribute{Name: c.name, Of: func(e graph.Edge) string {
			return number(c.of(stability.Of(e.From, e.To)))
		}})
	}
	return out
}

// WriteCSV writes the edges with all that the tests say of them. Stability may be nil.
func (r *Result) WriteCSV(w io.Writer, stability *LevelStability) error {
	return r.Graph.WriteCSV(w, r.Attributes(stability)...)
}
