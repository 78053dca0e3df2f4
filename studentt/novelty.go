package studentt

import (
	"context"
	"fmt"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Novelty writes the negative log density of each point into dst. The larger it is, the less the
// point is like the rows. Only differences between points are meaningful.
func (m *Model) Novelty(ctx context.Context, dst []float64, points mat.Matrix) error {
	if err := m.LogDensities(ctx, dst, points); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = -dst[i]
	}
	return nil
}

// RelativeNovelty writes, for each point, how much more novel it is relative to base than to other:
// log q(x | other) - log q(x | base). It is large for points typical of other but not of base.
func RelativeNovelty(ctx context.Context, dst []float64, base, other *Model, points mat.Matrix) error {
	if err := base.LogDensities(ctx, dst, points); err != nil {
		return err
	}
	more := make([]float64, len(dst))
	if err := other.LogDensities(ctx, more, points); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = more[i] - dst[i]
	}
	return nil
}

// Reconstruct fills in missing columns of a row: it picks the candidate with the highest density given
// the other columns. To reconstruct labels, give candidate codes, such as one column for each class.
// It returns the index of the best candidate, and the log density of each.
func (m *Model) Reconstruct(x []float64, columns []int, candidates mat.Matrix) (best int,
	logs []float64, err error) {
	data, n, width, err := rows.Finite("candidates", candidates)
	if err != nil {
		return 0, nil, fmt.Errorf("studentt: %w", err)
	}
	if len(x) != m.dim || width != len(columns) || n == 0 {
		return 0, nil, fmt.Errorf("studentt: row has %d columns and there are %d candidates of %d, want "+
			"%d and at least 1 of %d", len(x), n, width, m.dim, len(columns))
	}
	at := append([]float64(nil), x...)
	e := m.Evaluator()
	logs = make([]float64, n)
	for i := range n {
		for j, c := range columns {
			if c < 0 || c >= m.dim {
				return 0, nil, fmt.Errorf("studentt: missing column is %d, want 0 to %d", c, m.dim-1)
			}
			at[c] = data[i*width+j]
		}
		logs[i] = e.LogDensity(at, nil)
		if logs[i] > logs[best] {
			best = i
		}
	}
	return best, logs, nil
}
