package compare

import (
	"context"
	"math"
	"slices"
	"sort"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

const (
	// mostLandmarks is the number of rows at which several columns are looked at.
	mostLandmarks = 100
	// mostValues is the number of distinct values that are points of a figure of their own.
	mostValues = 100
)

// points chooses the points of the statement about all points at once, and the axes of the figure.
func (d *data) points(ctx context.Context, w *Witness, k *kernel) (*mat.Dense, error) {
	m := k.post.Model
	if d.dim <= 2 && m.Rank() == d.dim {
		for a := range d.dim {
			w.Axes = append(w.Axes, rows.Axis(rows.SortedColumn(d.pooled, d.dim, a), d.o.Grid))
		}
	}
	if d.dim > 1 || w.Axes == nil {
		return d.landmarks(ctx, k)
	}
	length := w.lengths[0]
	if s := k.post.Scaling; s != nil {
		length *= s.SD[0]
	}
	w.Axes[0] = refine(w.Axes[0], rows.SortedColumn(d.pooled, 1, 0), length)
	return mat.NewDense(len(w.Axes[0]), 1, slices.Clone(w.Axes[0])), nil
}

// refine adds the values themselves where they are few, and their quantiles to a grid that is
// coarser than half a lengthscale and so may step over clusters.
func refine(grid, values []float64, length float64) []float64 {
	lo, hi, count := grid[0], grid[len(grid)-1], len(grid)
	distinct := slices.Compact(slices.Clone(values))
	switch {
	case len(distinct) <= mostValues:
		values = distinct
	case grid[1]-grid[0] <= length/2:
		return grid
	}
	most := min(len(values), count)
	for i := range most {
		v := values[i*(len(values)-1)/max(most-1, 1)]
		if v >= lo && v <= hi {
			grid = append(grid, v)
		}
	}
	slices.Sort(grid)
	return slices.Compact(grid)
}

// landmarks are some of the rows, spread like them: those nearest to the centres of clusters.
func (d *data) landmarks(ctx context.Context, k *kernel) (*mat.Dense, error) {
	x, err := scaled(k.post.Scaling, d.all())
	if err != nil {
		return nil, err
	}
	flat := x.RawMatrix().Data
	order := rows.Order(flat, d.dim) // so that the order of the rows makes no difference
	flat, given := rows.Pick(flat, d.dim, order), rows.Pick(d.pooled, d.dim, order)
	index := rows.Distinct(flat, d.dim)
	if len(index) > mostLandmarks {
		centres, err := rows.KMeans(ctx, flat, d.dim, mostLandmarks, d.o.Seed)
		if err != nil {
			return nil, err
		}
		index = nearest(flat, centres, d.dim)
	}
	return mat.NewDense(len(index), d.dim, rows.Pick(given, d.dim, index)), nil
}

// nearest returns the rows nearest to the centres, each once.
func nearest(x, centres []float64, dim int) []int {
	var out []int
	for c := 0; c < len(centres); c += dim {
		best, at := math.Inf(1), 0
		for i := 0; i < len(x); i += dim {
			sum := 0.0
			for a := range dim {
				v := x[i+a] - centres[c+a]
				sum += v * v
			}
			if sum < best {
				best, at = sum, i/dim
			}
		}
		out = append(out, at)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// among finds the points that have a row within a lengthscale. Landmarks are rows.
func (w *Witness) among(d *data, k *kernel) {
	points := w.Functions.Points
	n, dim := points.Dims()
	w.Among = make([]bool, n)
	if dim > 1 {
		for j := range w.Among {
			w.Among[j] = true
		}
		return
	}
	length := w.lengths[0]
	if s := k.post.Scaling; s != nil {
		length *= s.SD[0]
	}
	values := rows.SortedColumn(d.pooled, 1, 0)
	for j := range n {
		t := points.At(j, 0)
		i := sort.SearchFloat64s(values, t-length)
		w.Among[j] = i < len(values) && values[i] <= t+length
	}
}
