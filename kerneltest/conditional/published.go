package conditional

import (
	"math"
	"slices"
)

// publishedWidth is the lengthscale of all kernels of a test given so many columns, as published
// programs have it.
func publishedWidth(n, given int) float64 {
	at := 0
	if n >= 200 {
		at = 1
	}
	if n >= 1200 {
		at = 2
	}
	if given == 0 {
		return [3]float64{0.8, 0.5, 0.3}[at]
	}
	return [3]float64{1.2, 0.7, 0.4}[at] * math.Sqrt(float64(given))
}

// publishedMedian is sqrt2 times the median of the distances between rows that are not 0, over all
// pairs in both orders. Without conditioning columns it is that of the rows before they are
// standardised, although it is used after: so the programs have it.
func (c *Table) publishedMedian(g, beside, z group) float64 {
	var squares []float64
	for i := range c.n {
		for j := range i {
			q := 0.0
			for _, k := range g {
				v := c.cols[k].z
				if len(z) == 0 {
					v = c.cols[k].raw
				}
				q += (v[i] - v[j]) * (v[i] - v[j])
			}
			for _, k := range beside {
				d := (c.cols[k].z[i] - c.cols[k].z[j]) / 2
				q += d * d
			}
			if q > 0 {
				squares = append(squares, math.Sqrt(q))
			}
		}
	}
	if len(squares) == 0 {
		return 1
	}
	slices.Sort(squares)
	m := len(squares)
	return math.Sqrt2 * (squares[(m-1)/2] + squares[m/2]) / 2
}
