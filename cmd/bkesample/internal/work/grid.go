package work

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// axis spreads count points over the range of the values, but not far into tails that hold less
// than a hundredth of them.
func axis(values []float64, count int) []float64 {
	slices.Sort(values)
	n := len(values)
	lo, hi := values[0], values[n-1]
	a, b := values[n/100], values[n-1-n/100]
	lo, hi = max(lo, a-0.75*(b-a)), min(hi, b+0.75*(b-a))
	if !(lo < hi) {
		lo, hi = values[0], values[n-1]
	}
	out := make([]float64, count)
	for i := range out {
		t := float64(i) / float64(count-1)
		out[i] = (1-t)*lo + t*hi
	}
	return out
}

// PictureGrid covers the data of one or two columns; nil if one of them is constant.
func PictureGrid(all *mat.Dense) (*mat.Dense, [][]float64) {
	_, dim := all.Dims()
	if dim == 1 {
		a := axis(mat.Col(nil, 0, all), lineGrid)
		return mat.NewDense(lineGrid, 1, a), [][]float64{a}
	}
	axes := [][]float64{axis(mat.Col(nil, 0, all), planeGrid), axis(mat.Col(nil, 1, all), planeGrid)}
	if axes[0][0] == axes[0][planeGrid-1] || axes[1][0] == axes[1][planeGrid-1] {
		return nil, nil
	}
	points := mat.NewDense(planeGrid*planeGrid, 2, nil)
	for i := range planeGrid * planeGrid {
		points.SetRow(i, []float64{axes[0][i/planeGrid], axes[1][i%planeGrid]})
	}
	return points, axes
}
