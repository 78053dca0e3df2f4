package bke

import (
	"fmt"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Scaling holds the standard deviations that Standardize divided the columns by, to report results
// in the units of the data. A kernel with one lengthscale needs standardized columns if their units
// differ. NewModel does not change the units.
type Scaling struct {
	SD []float64 // of each column; 1 for a constant column, which is left as it is
}

// Standardize returns x with each column divided by its standard deviation (divisor n-1), and the
// Scaling to apply to pseudo-inputs and other points in the units of x. Columns are not centred,
// since a kernel of distances does not depend on the mean. Pass the rows of all samples together,
// without regard to sample labels. Of a column with heavy tails it is the standard deviation of the column
// with its tails drawn in: see DrawIn.
func Standardize(x mat.Matrix) (*mat.Dense, *Scaling, error) {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return nil, nil, fmt.Errorf("bke: %w", err)
	}
	if n < 2 {
		return nil, nil, fmt.Errorf("bke: x has 1 row, want at least 2 for a standard deviation")
	}
	s := &Scaling{SD: rows.SDs(data, dim)}
	if in, columns, err := DrawIn(x); err != nil {
		return nil, nil, err
	} else if columns != nil {
		drawn, _, _, _ := rows.Finite("x", in)
		s.SD = rows.SDs(drawn, dim)
	}
	for j := range dim {
		if lo, hi := rows.Range(data, dim, j); rows.IsConstant(lo, hi, dim) {
			s.SD[j] = 1
		}
	}
	out, err := s.Apply(x)
	return out, s, err
}

// Apply returns a with each column divided by its SD.
func (s *Scaling) Apply(a mat.Matrix) (*mat.Dense, error) {
	n, dim := a.Dims()
	if dim != len(s.SD) {
		return nil, fmt.Errorf("bke: %s to be standardized, want %d", rows.Count(dim, "column"),
			len(s.SD))
	}
	out := mat.DenseCopyOf(a)
	for i := range n {
		row := out.RawRowView(i)
		for j, sd := range s.SD {
			row[j] /= sd
		}
	}
	return out, nil
}

// Theta returns the lengthscale of each column in the units of the data. Its argument has the
// lengthscales of the standardized columns: one for all, or one for each.
func (s *Scaling) Theta(theta []float64) []float64 {
	if len(theta) != 1 && len(theta) != len(s.SD) {
		panic("bke: Scaling.Theta: length of theta is neither 1 nor the number of columns")
	}
	out := make([]float64, len(s.SD))
	for j, sd := range s.SD {
		out[j] = sd * theta[min(j, len(theta)-1)]
	}
	return out
}
