package tests

import (
	"slices"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// planeGrid is the number of points along each side of a picture of two columns.
const planeGrid = 40

// PlaneGrid covers data of two columns; nil if a column is constant.
func PlaneGrid(all *mat.Dense) (*mat.Dense, [][]float64) {
	var axes [][]float64
	for a := range 2 {
		values := mat.Col(nil, a, all)
		slices.Sort(values)
		axes = append(axes, rows.Axis(values, planeGrid))
		if axes[a][0] == axes[a][planeGrid-1] {
			return nil, nil
		}
	}
	points := mat.NewDense(planeGrid*planeGrid, 2, nil)
	for i := range planeGrid * planeGrid {
		points.SetRow(i, []float64{axes[0][i/planeGrid], axes[1][i%planeGrid]})
	}
	return points, axes
}
