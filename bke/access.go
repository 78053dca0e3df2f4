package bke

import (
	"fmt"
	"slices"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Level returns v = mean_l Var k(X, z_l) over the rows of the data, with divisor n-1. At this tau2
// the noise level matches the central limit theorem. The pseudolikelihood is maximal over tau2 near
// it. Level ignores Eta and Tau2 and costs a pass over the rows.
func (e *Evaluator) Level(p Params) float64 {
	mod := e.model
	return e.sums(p, false).spread / float64(mod.m) / float64(mod.n-1)
}

// Coordinates copies points into the coordinates of the model, row by row, Rank numbers for each.
// These are the columns as given, unless the data were projected onto a plane. Then the points must
// lie on that plane. Errors refer to the points by name.
func (m *Model) Coordinates(name string, points mat.Matrix) ([]float64, error) {
	data, _, dim, err := rows.Finite(name, points)
	if err != nil {
		return nil, fmt.Errorf("bke: %w", err)
	}
	if dim != m.width {
		return nil, fmt.Errorf("bke: %s has %s, want %d as in the model's data", name,
			rows.Count(dim, "column"), m.width)
	}
	if m.plane == nil {
		return data, nil
	}
	for i := 0; i < len(data); i += dim {
		if d := m.plane.Distance(data[i : i+dim]); !(d <= onPlane*m.extent) {
			return nil, fmt.Errorf("bke: row %d of %s is %.3g away from the plane of rank %d that "+
				"the model's data span, want it on the plane", i/dim+1, name, d, m.dim)
		}
	}
	return m.plane.Project(data), nil
}

// onPlane is the largest distance of a row from the plane of the data, in units of their largest
// range. It is far below any lengthscale and far above rounding.
const onPlane = 1e-6

// Complete checks hyperparameters and returns a copy with the fixed ones filled in. These need not
// be given.
func (m *Model) Complete(p Params) (Params, error) {
	if len(p.Theta) != m.thetas() {
		return p, fmt.Errorf("bke: theta has %s, want %d", rows.Count(len(p.Theta), "element"),
			m.thetas())
	}
	given := p
	p, ok := m.resolve(p)
	if !ok {
		return p, fmt.Errorf("bke: hyperparameters are theta = %v, tau2 = %v, eta = %v, "+
			"want positive, finite numbers", given.Theta, given.Tau2, given.Eta)
	}
	p.Theta = slices.Clone(p.Theta)
	return p, nil
}
