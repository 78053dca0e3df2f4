package bke

import (
	"context"
	"fmt"
	"slices"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// dataset is data that passed every check, in the coordinates of the model: as given, or on the
// plane that x and z span together.
type dataset struct {
	n, m, dim int         // dim is the numerical rank of x and z together, centred
	x, z      []float64   // flat, row by row
	plane     *rows.Plane // nil unless rows were projected
	given     []float64   // x before it was projected; nil unless it was
	pooledSD  float64     // of x, in these coordinates
}

// newDataset copies and checks the rows x and the pseudo-inputs z. Log gamma is -Inf for data on a
// plane of fewer dimensions than columns, so such data are projected onto the plane. With a
// lengthscale for each column that is not possible, and they are an error. Errors count rows and
// columns from 1.
func newDataset(ctx context.Context, x, z mat.Matrix, ard bool) (*dataset, error) {
	xs, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return nil, fmt.Errorf("bke: %w", err)
	}
	zs, m, zdim, err := rows.Finite("z", z)
	if err != nil {
		return nil, fmt.Errorf("bke: %w", err)
	}
	if zdim != dim {
		return nil, fmt.Errorf("bke: z has %s, want %d as in x", rows.Count(zdim, "column"), dim)
	}
	if n < 2 {
		return nil, fmt.Errorf("bke: x has %s, want at least 2", rows.Count(n, "row"))
	}
	if rows.AllEqual(xs, dim) {
		return nil, fmt.Errorf("bke: all %d rows of x are equal, want at least 2 distinct rows", n)
	}
	if err := stopped(ctx, "making the model"); err != nil {
		return nil, err
	}
	if err := checkRanges(xs, zs, dim); err != nil {
		return nil, err
	}
	d := &dataset{n: n, m: m, dim: dim, x: xs, z: zs}
	if p := rows.Span(slices.Concat(xs, zs), dim); p.Rank == 0 {
		return nil, fmt.Errorf("bke: all rows and pseudo-inputs are equal to within rounding, " +
			"want at least 2 distinct rows")
	} else if !p.Full() {
		if ard {
			return nil, fmt.Errorf("bke: rows and pseudo-inputs together have %s, want independent columns with ARD, "+
				"or one lengthscale", p.Finding())
		}
		d.plane, d.given = p, xs
		d.x, d.z, d.dim = p.Project(xs), p.Project(zs), p.Rank
	}
	if err := stopped(ctx, "making the model"); err != nil {
		return nil, err
	}
	if err := d.checkInputs(); err != nil {
		return nil, err
	}
	d.pooledSD = rows.PooledSD(rows.SDs(d.x, d.dim))
	return d, nil
}

// The smallest and largest range of a column of the data. They keep two things in the range of
// float64: the fourth powers of distances in OmegaLimit, and the squares and reciprocals of
// lengthscales a thousand times larger or smaller.
const (
	smallestRange = 1e-70
	largestRange  = 1e70
)

// checkRanges returns an error for a column, unless constant, in units so large or small that
// squared distances would overflow or underflow.
func checkRanges(x, z []float64, dim int) error {
	all := slices.Concat(x, z)
	for j := range dim {
		lo, hi := rows.Range(all, dim, j)
		if rows.IsConstant(lo, hi, dim) || hi-lo >= smallestRange && hi-lo <= largestRange {
			continue
		}
		return fmt.Errorf("bke: column %d of the rows and pseudo-inputs goes from %.4g to %.4g, want a range from %g "+
			"to %g: choose other units", j+1, lo, hi, smallestRange, largestRange)
	}
	return nil
}

// checkInputs returns an error for two kinds of pseudo-inputs: those with log gamma at -Inf, and
// those with kernel values constant over the rows, which leave the pseudolikelihood unbounded
// above.
func (d *dataset) checkInputs() error {
	if k := len(rows.Distinct(d.z, d.dim)); k <= d.dim {
		return fmt.Errorf("bke: z has %s, want at least %d for data of rank %d",
			rows.Count(k, "distinct row"), d.dim+1, d.dim)
	}
	if i := d.uncovered(); i >= 0 {
		return fmt.Errorf("bke: z and row %d of x span fewer than %d dimensions: "+
			"log gamma is -Inf there, want pseudo-inputs that span the data", i+1, d.dim)
	}
	if rows.Equidistant(d.x, d.z, d.dim) {
		return fmt.Errorf("bke: every row of x has the same distances to all rows of z: " +
			"no kernel value varies over the rows, want other pseudo-inputs")
	}
	return nil
}

// uncovered returns the first row of x for which the vectors from z do not span all dimensions, or
// -1. They do for every row if z itself spans them; if z falls short by one, for the rows off its
// plane.
func (d *dataset) uncovered() int {
	plane := rows.Span(d.z, d.dim)
	switch d.dim - plane.Rank {
	case 0:
		return -1
	case 1:
		for i := range d.n {
			if plane.Contains(d.x[i*d.dim : (i+1)*d.dim]) {
				return i
			}
		}
		return -1
	}
	return 0
}
