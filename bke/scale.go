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
// without regard to sample labels.
func Standardize(x mat.Matrix) (*mat.Dense, *Scaling, error) { return standardize(x, x) }

// StandardizeBulk is Standardize with the standard deviations that columns have once heavy tails are
// drawn in: see DrawIn. Those of a Cauchy sample say where its farthest row is, not where the others are.
func StandardizeBulk(x mat.Matrix) (*mat.Dense, *Scaling, error) {
	in, _, err := DrawIn(x)
	if err != nil {
		return nil, nil, err
	}
	return standardize(x, in)
}

// standardize divides the columns of x by the standard deviations of those of like.
func standardize(x, like mat.Matrix) (*mat.Dense, *Scaling, error) {
	data, n, dim, err := rows.Finite("x", like)
	if err != nil {
		return nil, nil, fmt.Errorf("bke: %w", err)
	}
	if n < 2 {
		return nil, nil, fmt.Errorf("bke: x has 1 row, want at least 2 for a standard deviation")
	}
	s := &Scaling{SD: rows.SDs(data, dim)}
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
