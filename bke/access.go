package bke

import (
	"fmt"
	"slices"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Nu returns the measure in the prior covariance of the mean embedding.
func (m *Model) Nu() Nu { return m.opts.Nu }

// Level returns v = mean_l Var k(X, z_l) over the rows of the data, with divisor n-1: the tau2 at
// which the level of the noise is that of the central limit theorem. The maximum of the
// pseudolikelihood over tau2 is near it. Eta and Tau2 do not count.
func (m *Model) Level(p Params) float64 {
	inv := make([]float64, m.dim)
	for a := range inv {
		inv[a] = 1 / p.theta(a)
	}
	k := make([]float64, min(m.n, levelBlock))
	total := 0.0
	for l := range m.m {
		total += m.spread(m.z[l*m.dim:(l+1)*m.dim], inv, k)
	}
	return total / float64(m.m) / float64(m.n-1)
}

// levelBlock is how many rows Level has in hand at a time.
const levelBlock = 1024

// spread returns sum_i (k_i - kbar)² for the kernel values k_i of the rows at one point. Squares
// are taken of k less its mean over a few rows, so that no digit is lost where all are near 1.
func (m *Model) spread(z, inv, k []float64) float64 {
	few := min(m.n, 16, len(k))
	for i := range few {
		m.kernelAt(k[i:i+1], z, inv, i*(m.n/few))
	}
	shift := 0.0
	for _, v := range k[:few] {
		shift += v / float64(few)
	}
	sum, square := 0.0, 0.0
	for first := 0; first < m.n; first += len(k) {
		part := k[:min(len(k), m.n-first)]
		m.kernelAt(part, z, inv, first)
		for _, v := range part {
			v -= shift
			sum += v
			square += v * v
		}
	}
	return max(square-sum*sum/float64(m.n), 0)
}

// kernelAt writes k(x_i, z) for the rows from first on.
func (m *Model) kernelAt(dst, z, inv []float64, first int) {
	for i := range dst {
		row, s := m.x[(first+i)*m.dim:], 0.0
		for a, v := range z {
			d := (row[a] - v) * inv[a]
			s += d * d
		}
		dst[i] = s
	}
	m.path.ExpNeg(dst, dst, 0.5)
}

// Coordinates copies points into the coordinates in which the model is evaluated, row by row: Rank
// numbers for each. They are the columns as given, unless the data were projected onto a plane;
// then the points have to be on that plane. Errors call the points by the name.
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

// onPlane is how far from the plane of the data a row may be, in units of their largest range: far
// below any lengthscale, and far above rounding.
const onPlane = 1e-6

// Complete checks hyperparameters and returns a copy in which those that the model fixes are filled
// in: they need not be given.
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
