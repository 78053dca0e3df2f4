package bke

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// DrawIn returns x with the tails of heavy-tailed columns drawn in, and the numbers of these columns; x itself
// where there are none. A column has heavy tails if its standard deviation is above three times that of the normal
// distribution with the same quartiles. Beyond three of the latter from the median, the distance
// from there on is replaced by its logarithm. The order of values stays, and most of them do not change.
//
// The standard deviation of such a column says nothing of where most rows are, and far pseudo-inputs draw a
// learned lengthscale towards the distances of the farthest rows: of 200 rows of a Cauchy distribution
// theta is 8 to 100, where the median distance is 2. Of the rows drawn in it is about 0.8. DrawIn looks at the
// rows without their order.
func DrawIn(x mat.Matrix) (out mat.Matrix, columns []int, err error) {
	data, n, dim, err := rows.Finite("x", x)
	if err != nil {
		return nil, nil, fmt.Errorf("bke: %w", err)
	}
	column := make([]float64, n)
	sds := rows.SDs(data, dim)
	for j := range dim {
		for i := range n {
			column[i] = data[i*dim+j]
		}
		slices.Sort(column)
		median, scale := rows.Quantile(column, 1, 2), rows.RobustSD(column)
		if !(scale > 0) || !(sds[j] > heavyTails*scale) || len(slices.Compact(slices.Clone(column))) < 3 {
			continue
		}
		columns = append(columns, j)
		for i := range n {
			v := &data[i*dim+j]
			if u := (*v - median) / scale; math.Abs(u) > rows.Bulk { // others keep their last digits
				*v = median + scale*rows.DrawnIn(u)
			}
		}
	}
	if columns == nil {
		return x, nil, nil
	}
	return mat.NewDense(n, dim, data), columns, nil
}
