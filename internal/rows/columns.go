package rows

import (
	"math"
	"slices"
)

// SDs returns the standard deviation of each column (divisor n-1), without overflow on the
// way.
func SDs(rows []float64, dim int) []float64 {
	n := len(rows) / dim
	sds := make([]float64, dim)
	for j := range sds {
		// In units of a power of two near the largest element, so that squares are in range.
		big := 0.0
		for i := range n {
			big = max(big, math.Abs(rows[i*dim+j]))
		}
		_, e := math.Frexp(big)
		half, rest := math.Ldexp(1, -e/2), math.Ldexp(1, e/2-e) // 2^-e itself may be out of range
		mean := 0.0
		for i := range n {
			mean += (rows[i*dim+j]*half*rest - mean) / float64(i+1)
		}
		ss := 0.0
		for i := range n {
			v := rows[i*dim+j]*half*rest - mean
			ss += v * v
		}
		sds[j] = math.Ldexp(math.Sqrt(ss/float64(max(n-1, 1))), e)
	}
	return sds
}

// PooledSD is the root of the mean of the variances.
func PooledSD(sds []float64) float64 {
	s := 0.0
	for _, sd := range sds {
		s = math.Hypot(s, sd)
	}
	return s / math.Sqrt(float64(len(sds)))
}

// Range returns the smallest and the largest element of column j.
func Range(rows []float64, dim, j int) (lo, hi float64) {
	lo, hi = rows[j], rows[j]
	for i := j; i < len(rows); i += dim {
		if v := rows[i]; v < lo {
			lo = v
		} else if v > hi {
			hi = v
		}
	}
	return lo, hi
}

// Diameter is the length of the diagonal of the box that the rows fill: no two of them are further apart.
func Diameter(rows []float64, dim int) float64 {
	d := 0.0
	for j := range dim {
		lo, hi := Range(rows, dim, j)
		d = math.Hypot(d, hi-lo)
	}
	return d
}

// Divide divides each column by its number, in place.
func Divide(rows, by []float64) {
	for a, v := range by {
		if v == 1 {
			continue
		}
		for i := a; i < len(rows); i += len(by) {
			rows[i] /= v
		}
	}
}

// SortedColumn returns the elements of column j in increasing order.
func SortedColumn(rows []float64, dim, j int) []float64 {
	col := make([]float64, 0, len(rows)/dim)
	for i := j; i < len(rows); i += dim {
		col = append(col, rows[i])
	}
	slices.Sort(col)
	return col
}

// Quantile returns the quantile of level num/den of sorted data, the linear interpolation between
// the neighbours of (n-1)num/den (type 7 of Hyndman and Fan, 1996; the default of R and NumPy).
// Integers keep the interpolation exact: a quantile that is a datum is that datum.
func Quantile(sorted []float64, num, den int) float64 {
	return QuantileAt(len(sorted), func(i int) float64 { return sorted[i] }, num, den)
}

// QuantileAt is Quantile of n values, where at(i) is the value in place i of the sorted values.
func QuantileAt(n int, at func(i int) float64, num, den int) float64 {
	h := (n - 1) * num
	i, t := h/den, float64(h%den)/float64(den)
	if t == 0 {
		return at(i)
	}
	lo, hi := at(i), at(i+1)
	if d := hi - lo; !math.IsInf(d, 1) {
		return lo + t*d
	}
	return (1-t)*lo + t*hi
}

// RobustSD returns the standard deviation of the normal distribution that has the interquartile
// range of sorted data, IQR/1.349. Where that is zero, because half the data or more are tied, a
// wider central interval is used, 90% and then 98% of the data. Ties alone are not heavy tails. If
// that is zero as well, so is the result.
func RobustSD(sorted []float64) float64 {
	for _, c := range []struct {
		lo    int // per cent
		width float64
	}{{25, 1.3489795003921634}, {5, 3.2897072539029444}, {1, 4.652695748081682}} {
		hi := Quantile(sorted, 100-c.lo, 100) / c.width
		if w := hi - Quantile(sorted, c.lo, 100)/c.width; w > 0 {
			return w
		}
	}
	return 0
}

// TailRatio returns the largest ratio of a column's standard deviation to its robust one, and the
// column. Beyond 3 the tails are heavy: a few outlying rows decide the lengthscale. A column of one or
// two values, such as the indicator of a category, has no tails.
func TailRatio(rows []float64, dim int) (ratio float64, column int) {
	for j, sd := range SDs(rows, dim) {
		sorted := SortedColumn(rows, dim, j)
		if len(slices.Compact(slices.Clone(sorted))) < 3 {
			continue
		}
		if r := sd / RobustSD(sorted); r > ratio {
			ratio, column = r, j
		}
	}
	return ratio, column
}
