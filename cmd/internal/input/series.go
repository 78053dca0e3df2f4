package input

import (
	"fmt"
	"math"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/internal/rows"

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
		for _, sample := range []*mat.Dense{d.P, d.Q} {
			if n, _ := sample.Dims(); n < fewest || n > most {
				return nil
			}
			weakest = min(weakest, followed(mat.Col(nil, k, sample)))
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
	turns := 0
	for i := 2; i < len(x); i++ {
		if (x[i]-x[i-1])*(x[i-1]-x[i-2]) < 0 {
			turns++
		}
	}
	if 5*turns < len(x) {
		return 0
	}
	return rows.Lagged(x)
}
