package bke

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// dataset is data that passed every check, in the coordinates in which the model is evaluated:
// those given, or those of the plane that x and z span together.
type dataset struct {
	n, m, dim int       // dim is the numerical rank of x and z together, centred
	x, z      []float64 // flat, row by row
	plane     *plane    // nil unless rows were projected
	pooledSD  float64   // of x, in these coordinates
}

// newDataset copies and checks the rows x and the pseudo-inputs z. Data that lie on a plane of
// fewer dimensions than they have columns, on which log gamma is -Inf, are projected onto it; with
// a lengthscale for each column there is no such remedy, and they are refused. Errors count rows
// and columns from 1.
func newDataset(x, z mat.Matrix, ard bool) (*dataset, error) {
	xs, n, dim, err := finiteRows("x", x)
	if err != nil {
		return nil, err
	}
	zs, m, zdim, err := finiteRows("z", z)
	if err != nil {
		return nil, err
	}
	if zdim != dim {
		return nil, fmt.Errorf("bke: z has %s, want %d as in x", count(zdim, "column"), dim)
	}
	if n < 2 {
		return nil, fmt.Errorf("bke: x has %s, want at least 2", count(n, "row"))
	}
	if countDistinct(xs, dim) == 1 {
		return nil, fmt.Errorf("bke: all %d rows of x are equal, want at least 2 distinct rows", n)
	}
	if err := checkRanges(xs, zs, dim); err != nil {
		return nil, err
	}
	d := &dataset{n: n, m: m, dim: dim, x: xs, z: zs}
	if d.plane, err = planeOf(xs, zs, dim); err != nil {
		return nil, err
	}
	if d.plane != nil {
		if ard {
			return nil, fmt.Errorf("bke: %s, want independent columns with ARD, or one lengthscale",
				d.plane.finding())
		}
		d.x, d.z, d.dim = d.plane.project(xs), d.plane.project(zs), d.plane.dim
	}
	if err := d.checkInputs(); err != nil {
		return nil, err
	}
	d.pooledSD = pooledSD(columnSDs(d.x, d.dim))
	return d, nil
}

// The ranges that a column of the data may have. The fourth powers of distances, of which OmegaLimit
// is made, and the squares and reciprocals of lengthscales a thousand times larger or smaller are
// then in the range of float64.
const (
	smallestRange = 1e-70
	largestRange  = 1e70
)

// checkRanges refuses columns, other than constant ones, in units that are far too large or too
// small: squares of distances would overflow or underflow.
func checkRanges(x, z []float64, dim int) error {
	rows := slices.Concat(x, z)
	for j := range dim {
		lo, hi := columnRange(rows, dim, j)
		if isConstant(lo, hi, dim) || hi-lo >= smallestRange && hi-lo <= largestRange {
			continue
		}
		return fmt.Errorf("bke: column %d of x and z goes from %.4g to %.4g, want a range from %g "+
			"to %g: choose other units", j+1, lo, hi, smallestRange, largestRange)
	}
	return nil
}

// checkInputs refuses pseudo-inputs that leave log gamma at -Inf, and those whose kernel values do
// not vary over the rows: they leave the pseudolikelihood without an upper bound.
func (d *dataset) checkInputs() error {
	if k := countDistinct(d.z, d.dim); k <= d.dim {
		return fmt.Errorf("bke: z has %s, want at least %d for data of rank %d",
			count(k, "distinct row"), d.dim+1, d.dim)
	}
	if i := d.uncovered(); i >= 0 {
		return fmt.Errorf("bke: z and row %d of x span fewer than %d dimensions: "+
			"log gamma is -Inf there, want pseudo-inputs that span the data", i+1, d.dim)
	}
	if d.equidistant() {
		return fmt.Errorf("bke: every row of x has the same distances to all rows of z: " +
			"no kernel value varies over the rows, want other pseudo-inputs")
	}
	return nil
}

// uncovered returns the first row of x for which the vectors from z do not span all dimensions, or
// -1. They do for every row if z itself spans them; if z falls short by one, for the rows off its
// hull.
func (d *dataset) uncovered() int {
	hull := hullOf(d.z, d.dim)
	switch len(hull.normals) {
	case 0:
		return -1
	case 1:
		for i := range d.n {
			if hull.contains(d.x[i*d.dim : (i+1)*d.dim]) {
				return i
			}
		}
		return -1
	}
	return 0
}

// equidistant reports whether, for each pseudo-input, all rows of x are at one distance from it, to
// rounding. Then no column of K varies, and tau2 -> 0 is a pole of the pseudolikelihood.
func (d *dataset) equidistant() bool {
	for l := range d.m {
		lo, hi := math.Inf(1), 0.0
		for i := range d.n {
			r := distance(d.x[i*d.dim:(i+1)*d.dim], d.z[l*d.dim:(l+1)*d.dim])
			lo, hi = min(lo, r), max(hi, r)
		}
		if hi-lo > rounding*hi {
			return false
		}
	}
	return true
}

// finiteRows copies a, row by row, and names the first element that is not a finite number.
func finiteRows(name string, a mat.Matrix) (rows []float64, n, dim int, err error) {
	if a == nil {
		return nil, 0, 0, fmt.Errorf("bke: %s is nil, want a matrix", name)
	}
	n, dim = a.Dims()
	if n == 0 || dim == 0 {
		return nil, 0, 0, fmt.Errorf("bke: %s has %s and %s, want at least one of each",
			name, count(n, "row"), count(dim, "column"))
	}
	rows = make([]float64, 0, n*dim)
	for i := range n {
		for j := range dim {
			v := a.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, 0, 0, fmt.Errorf("bke: %s is %v in row %d, column %d "+
					"(counted from 1), want a finite number", name, v, i+1, j+1)
			}
			rows = append(rows, v)
		}
	}
	return rows, n, dim, nil
}

// count writes a number of things: 1 row, 2 rows.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// countDistinct returns the number of distinct rows.
func countDistinct(rows []float64, dim int) int { return len(distinct(rows, dim)) }

// distinct returns the index of the first of each set of equal rows, in increasing order.
func distinct(rows []float64, dim int) []int {
	order := slices.CompactFunc(sortOrder(rows, dim), func(i, j int) bool {
		return slices.Equal(rows[i*dim:(i+1)*dim], rows[j*dim:(j+1)*dim])
	})
	slices.Sort(order)
	return order
}

// sortOrder returns the indices of the rows in lexicographic order, those of equal rows increasing.
func sortOrder(rows []float64, dim int) []int {
	order := make([]int, len(rows)/dim)
	for i := range order {
		order[i] = i
	}
	row := func(i int) []float64 { return rows[i*dim : (i+1)*dim] }
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(slices.Compare(row(i), row(j)), cmp.Compare(i, j))
	})
	return order
}

// distance is the Euclidean distance, without overflow on the way.
func distance(a, b []float64) float64 {
	s := 0.0
	for j, v := range a {
		s = math.Hypot(s, v-b[j])
	}
	return s
}
