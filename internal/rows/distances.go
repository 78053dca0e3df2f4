package rows

import (
	"math"
	"slices"

	"bayeskernel/internal/workers"
)

// AllEqual reports whether all rows are the same.
func AllEqual(x []float64, dim int) bool {
	for i := dim; i < len(x); i += dim {
		if !slices.Equal(x[i:i+dim], x[:dim]) {
			return false
		}
	}
	return true
}

// Equidistant reports whether, for each row of z, all rows of x are at one distance from it, to
// rounding.
func Equidistant(x, z []float64, dim int) bool {
	for l := 0; l < len(z); l += dim {
		lo, hi := math.Inf(1), 0.0
		for i := 0; i < len(x); i += dim {
			r := Distance(x[i:i+dim], z[l:l+dim])
			lo, hi = min(lo, r), max(hi, r)
		}
		if hi-lo > rounding*hi {
			return false
		}
	}
	return true
}

// InUnits returns rows with each column divided by its theta. There is one theta for all columns or
// one for each.
func InUnits(x []float64, dim int, theta []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v / theta[min(i%dim, len(theta)-1)]
	}
	return out
}

// NearestOther returns, for each row of x, the distance to the k-th nearest of the rows of z that
// differ from it, in units of theta; +Inf if there are fewer. Once stop is closed it leaves out
// the rows that remain.
func NearestOther(x, z []float64, dim, k int, theta []float64, stop <-chan struct{}) []float64 {
	near := NearestSquares(x, z, dim, k, theta, stop)
	out := make([]float64, 0, len(near)/k)
	for i := k - 1; i < len(near); i += k {
		out = append(out, math.Sqrt(near[i]))
	}
	return out
}

// NearestSquares returns the k smallest squared distances of each row, increasing, likewise.
func NearestSquares(x, z []float64, dim, k int, theta []float64, stop <-chan struct{}) []float64 {
	x, z = InUnits(x, dim, theta), InUnits(z, dim, theta)
	out := make([]float64, 0, len(x)/dim*k)
	if k == 1 {
		for i := 0; i < len(x) && !workers.Closed(stop); i += dim {
			out = append(out, nearestSquare(x[i:i+dim], z))
		}
		return out
	}
	near := make([]float64, 0, k+1)
	for i := 0; i < len(x) && !workers.Closed(stop); i += dim {
		near = near[:0]
		for l := 0; l < len(z); l += dim {
			r := 0.0
			for a, v := range z[l : l+dim] {
				d := x[i+a] - v
				r += d * d
			}
			if r == 0 || len(near) == k && r >= near[k-1] {
				continue
			}
			at, _ := slices.BinarySearch(near, r)
			near = slices.Insert(near, at, r)
			near = near[:min(len(near), k)]
		}
		out = append(out, near...)
		for range k - len(near) {
			out = append(out, math.Inf(1))
		}
	}
	return out
}

// nearestSquare returns the smallest squared distance that is not 0.
func nearestSquare(x, z []float64) float64 {
	least := math.Inf(1)
	for l := 0; l < len(z); l += len(x) {
		r := 0.0
		for a, v := range z[l:][:len(x)] {
			d := x[a] - v
			r += d * d
		}
		if r < least && r != 0 {
			least = r
		}
	}
	return least
}
