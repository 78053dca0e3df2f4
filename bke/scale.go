package bke

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Scaling is the step of dividing each column by its standard deviation, kept so that results can
// be reported in the units of the data. A kernel with one lengthscale needs it where columns are in
// different units; NewModel itself works in the units that it is given.
type Scaling struct {
	SD []float64 // of each column; 1 for a constant column, which is left as it is
}

// Standardise returns x with each column divided by its standard deviation (divisor n-1), and the
// step itself, to be applied to pseudo-inputs and to whatever else is in the units of x. Columns
// are not centred: no kernel of distances would notice. Learn the step from all rows together,
// blind to which sample they came from.
func Standardise(x mat.Matrix) (*mat.Dense, *Scaling, error) {
	rows, n, dim, err := finiteRows("x", x)
	if err != nil {
		return nil, nil, err
	}
	if n < 2 {
		return nil, nil, fmt.Errorf("bke: x has 1 row, want at least 2 for a standard deviation")
	}
	s := &Scaling{SD: columnSDs(rows, dim)}
	for j := range dim {
		if lo, hi := columnRange(rows, dim, j); isConstant(lo, hi, dim) {
			s.SD[j] = 1
		}
	}
	out, err := s.Apply(x)
	return out, s, err
}

// Apply returns a with each column divided by its SD.
func (s *Scaling) Apply(a mat.Matrix) (*mat.Dense, error) {
	n, dim := a.Dims()
	if dim != len(s.SD) {
		return nil, fmt.Errorf("bke: %s to be standardised, want %d", count(dim, "column"),
			len(s.SD))
	}
	out := mat.DenseCopyOf(a)
	for i := range n {
		row := out.RawRowView(i)
		for j, sd := range s.SD {
			row[j] /= sd
		}
	}
	return out, nil
}

// Theta returns the lengthscale of each column in the units of the data, given those of the
// standardised columns: one for all, or one for each.
func (s *Scaling) Theta(theta []float64) []float64 {
	if len(theta) != 1 && len(theta) != len(s.SD) {
		panic("bke: Scaling.Theta: length of theta is neither 1 nor the number of columns")
	}
	out := make([]float64, len(s.SD))
	for j, sd := range s.SD {
		out[j] = sd * theta[min(j, len(theta)-1)]
	}
	return out
}

// LogPseudolikelihood returns the log pseudolikelihood of n rows in the units of the data, given
// that of the standardised rows: the latter less n times the sum of log SD. The density of a row is
// per unit of volume, whatever the weight of the Gaussian part, and with nu Unit the rest of the
// model does not see the units. (Lebesgue measure, and a Gaussian with one eta for all columns, are
// meant in standardised units.) The rank of the data must be their number of columns.
func (s *Scaling) LogPseudolikelihood(standardised float64, n int) float64 {
	sum := 0.0
	for _, sd := range s.SD {
		sum += math.Log(sd)
	}
	return standardised - float64(n)*sum
}

// columnSDs returns the standard deviation of each column (divisor n-1), without overflow on the
// way.
func columnSDs(rows []float64, dim int) []float64 {
	n := len(rows) / dim
	sds := make([]float64, dim)
	for j := range sds {
		// In units of a power of two near the largest element, so that squares are in range.
		big := 0.0
		for i := range n {
			big = max(big, math.Abs(rows[i*dim+j]))
		}
		_, e := math.Frexp(big)
		mean := 0.0
		for i := range n {
			mean += (math.Ldexp(rows[i*dim+j], -e) - mean) / float64(i+1)
		}
		ss := 0.0
		for i := range n {
			v := math.Ldexp(rows[i*dim+j], -e) - mean
			ss += v * v
		}
		sds[j] = math.Ldexp(math.Sqrt(ss/float64(max(n-1, 1))), e)
	}
	return sds
}

// pooledSD is the root of the mean of the variances.
func pooledSD(sds []float64) float64 {
	s := 0.0
	for _, sd := range sds {
		s = math.Hypot(s, sd)
	}
	return s / math.Sqrt(float64(len(sds)))
}

func columnRange(rows []float64, dim, j int) (lo, hi float64) {
	lo, hi = rows[j], rows[j]
	for i := j; i < len(rows); i += dim {
		lo, hi = min(lo, rows[i]), max(hi, rows[i])
	}
	return lo, hi
}

// sortedColumn returns the elements of column j in increasing order.
func sortedColumn(rows []float64, dim, j int) []float64 {
	col := make([]float64, 0, len(rows)/dim)
	for i := j; i < len(rows); i += dim {
		col = append(col, rows[i])
	}
	slices.Sort(col)
	return col
}

// quantile returns the quantile of level num/den of sorted data, the linear interpolation between
// the neighbours of (n-1)num/den (type 7 of Hyndman and Fan, 1996; the default of R and NumPy).
// Integers keep the interpolation exact: a quantile that is a datum is that datum.
func quantile(sorted []float64, num, den int) float64 {
	h := (len(sorted) - 1) * num
	i, t := h/den, float64(h%den)/float64(den)
	if t == 0 {
		return sorted[i]
	}
	if d := sorted[i+1] - sorted[i]; !math.IsInf(d, 1) {
		return sorted[i] + t*d
	}
	return (1-t)*sorted[i] + t*sorted[i+1]
}

// robustSD returns the standard deviation of the normal distribution that has the interquartile
// range of sorted data, IQR/1.349. Where that is zero, half the data or more being tied, a wider
// central interval is used, 90% and then 98% of the data: ties alone are not heavy tails. If that
// is zero as well, so is the result.
func robustSD(sorted []float64) float64 {
	for _, c := range []struct {
		lo    int // per cent
		width float64
	}{{25, 1.3489795003921634}, {5, 3.2897072539029444}, {1, 4.652695748081682}} {
		hi := quantile(sorted, 100-c.lo, 100) / c.width
		if w := hi - quantile(sorted, c.lo, 100)/c.width; w > 0 {
			return w
		}
	}
	return 0
}

// tailRatio returns the largest ratio of a column's standard deviation to its robust one, and the
// column. Beyond 3 the tails are heavy: a few outlying rows decide the lengthscale.
func tailRatio(rows []float64, dim int) (ratio float64, column int) {
	for j, sd := range columnSDs(rows, dim) {
		if sd == 0 {
			continue
		}
		if r := sd / robustSD(sortedColumn(rows, dim, j)); r > ratio {
			ratio, column = r, j
		}
	}
	return ratio, column
}
