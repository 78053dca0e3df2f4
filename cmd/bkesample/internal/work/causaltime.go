package work

import (
	"math"
	"slices"

	"bayeskernel/cmd/bkesample/internal/input"

	"gonum.org/v1/gonum/mat"
)

// Whitened is what was taken out of a column that follows the time.
type Whitened struct {
	Column        string
	Lengthscale   float64   // of the Gaussian process, in units of the time
	Removed       float64   // share of the variance
	Before, After float64   // autocorrelation of neighbours in time
	Others        []float64 // lengthscales of the other maxima of the likelihood, the highest first
}

// without is the data without a column.
func without(d *input.Dataset, column string) *input.Dataset {
	at := slices.Index(d.Columns, column)
	n, dim := d.P.Dims()
	out := *d
	out.Columns = slices.Delete(slices.Clone(d.Columns), at, at+1)
	if d.Categories != nil {
		out.Categories = slices.Delete(slices.Clone(d.Categories), at, at+1)
	}
	out.P = mat.NewDense(n, dim-1, nil)
	for j := range dim {
		switch {
		case j < at:
			out.P.SetCol(j, mat.Col(nil, j, d.P))
		case j > at:
			out.P.SetCol(j-1, mat.Col(nil, j, d.P))
		}
	}
	return &out
}

// autocorrelation is that of values that follow each other in time.
func autocorrelation(time, values []float64) float64 {
	order := make([]int, len(time))
	mean := 0.0
	for i, v := range values {
		order[i] = i
		mean += v / float64(len(values))
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case time[i] < time[j]:
			return -1
		case time[i] > time[j]:
			return 1
		}
		return 0
	})
	products, squares := 0.0, 0.0
	for k, i := range order {
		d := values[i] - mean
		squares += d * d
		if k > 0 {
			products += d * (values[order[k-1]] - mean)
		}
	}
	if squares == 0 {
		return math.NaN()
	}
	return products / squares
}
