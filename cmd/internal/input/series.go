package input

import (
	"fmt"
	"math"

	"bayeskernel/cmd/internal/cli"

	"gonum.org/v1/gonum/mat"
)

// series says of two samples in which columns rows that follow each other are alike, as those of a time series are,
// without being in order. In both samples, so that of independent rows one column in a million is named.
func (d *Dataset) series() []string {
	const fewest, most, least = 40, 1_000_000, 0.5
	if d.P == nil || d.Q == nil || d.Blocks != nil {
		return nil
	}
	var alike []string
	for k, name := range d.Columns {
		if d.Categories != nil && d.Categories[k] != nil {
			continue
		}
		weakest := math.Inf(1)
		for _, rows := range []*mat.Dense{d.P, d.Q} {
			if n, _ := rows.Dims(); n < fewest || n > most {
				return nil
			}
			weakest = min(weakest, followed(mat.Col(nil, k, rows)))
		}
		if weakest > least {
			alike = append(alike, fmt.Sprintf("%s (correlation %.2f)", name, weakest))
		}
	}
	if alike == nil {
		return nil
	}
	return []string{fmt.Sprintf("Rows that follow each other are alike in %s. If the rows are in the order of time they depend on one "+
		"another, and p-values and intervals are too sure.", cli.AndList(alike))}
}

// followed is the correlation of values with those before them; 0 where they are mostly in order, up or down.
func followed(x []float64) float64 {
	n := float64(len(x))
	mean := 0.0
	for _, v := range x {
		mean += v / n
	}
	turns, product, square := 0.0, 0.0, 0.0
	for i, v := range x {
		square += (v - mean) * (v - mean)
		if i > 0 {
			product += (v - mean) * (x[i-1] - mean)
		}
		if i > 1 && (v-x[i-1])*(x[i-1]-x[i-2]) < 0 {
			turns++
		}
	}
	if square == 0 || turns < n/5 {
		return 0
	}
	return product / square
}
