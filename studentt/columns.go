package studentt

import (
	"fmt"
	"slices"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Column is the part of a column in the novelty of a row.
type Column struct {
	// Fall is by how much the novelty falls if this column alone takes the best of the candidate values
	// and the others stay; not below 0.
	Fall float64
	// Best is that value, or the row's own if no candidate lowers the novelty.
	Best float64
}

// Explain says which columns make a row novel. Column j of candidates has the values to try in column j of
// x, such as quantiles of the rows. Where a single column is out of line, or does not go with the
// others, its fall is large. Where several are out of line, none of the falls brings the row back, and
// they say which matter most. It takes O(N²) time for each candidate.
func (m *Model) Explain(x []float64, candidates mat.Matrix) ([]Column, error) {
	data, n, dim, err := rows.Finite("candidates", candidates)
	if err != nil {
		return nil, fmt.Errorf("studentt: %w", err)
	}
	if len(x) != m.dim || dim != m.dim {
		return nil, fmt.Errorf("studentt: row has %s and candidates %d, want %d", rows.Count(len(x), "column"),
			dim, m.dim)
	}
	e, at := m.Evaluator(), slices.Clone(x)
	own := e.LogDensity(at, nil)
	out := make([]Column, dim)
	for j := range out {
		out[j].Best = x[j]
		for i := range n {
			at[j] = data[i*dim+j]
			if fall := e.LogDensity(at, nil) - own; fall > out[j].Fall {
				out[j] = Column{fall, at[j]}
			}
		}
		at[j] = x[j]
	}
	return out, nil
}
