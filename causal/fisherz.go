package causal

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// FisherZ tests partial correlations: with r that of x and y given s in n complete rows, the
// statistic is sqrt(n - |s| - 3) atanh(r), and p that of a standard normal, two-sided. The test is
// right for normal data. It sees no dependence that is not linear.
type FisherZ struct {
	data  *Data
	whole []float64 // correlations of all rows, where no value is missing
}

// exactly is the share of the variance of a column below which the rest of it is rounding.
const exactly = 1e-12

// NewFisherZ returns the test of a table. It is an error if a column is an exact linear function of
// others.
func NewFisherZ(d *Data) (*FisherZ, error) {
	f := &FisherZ{data: d}
	p := len(d.names)
	all := make([]int, p)
	for j := range all {
		all[j] = j
	}
	slices.SortFunc(all, func(a, b int) int { return strings.Compare(d.names[a], d.names[b]) })
	if err := f.checkPairs(all); err != nil {
		return nil, err
	}
	rows := d.complete(all)
	n := d.Rows()
	if rows != nil {
		n = len(rows)
	}
	if n > p+1 { // else every column is a linear function of others
		if r, err := f.correlations(all, rows); err == nil {
			if err := f.checkLinear(all, r); err != nil {
				return nil, err
			}
		}
	}
	if !slices.Contains(d.missing, true) {
		for j := range all {
			all[j] = j
		}
		f.whole, _ = f.correlations(all, nil) // no column is constant
	}
	return f, nil
}

// checkPairs looks for columns that are linear functions of one other.
func (f *FisherZ) checkPairs(all []int) error {
	for k, j := range all {
		for _, i := range all[:k] {
			rows := f.data.complete([]int{i, j})
			if rows != nil && len(rows) < 3 || rows == nil && f.data.Rows() < 3 {
				continue
			}
			r, err := f.correlations([]int{i, j}, rows)
			if err != nil || (1-r[1])*(1+r[1]) > exactly {
				continue
			}
			how := "are linear functions of each other"
			if slices.Equal(f.data.columns[i], f.data.columns[j]) {
				how = "are equal"
			}
			return fmt.Errorf("causal: columns %s and %s %s, want only one of them", f.data.names[i],
				f.data.names[j], how)
		}
	}
	return nil
}

// checkLinear looks for a column that is a linear function of columns before it, by the Cholesky
// factor of the correlations.
func (f *FisherZ) checkLinear(all []int, r []float64) error {
	p := len(all)
	l := slices.Clone(r)
	for k := range p {
		if left := factorRow(l, p, k); left > exactly {
			continue
		}
		// The coefficients solve L' b = the row of this column.
		b := slices.Clone(l[k*p : k*p+k])
		var of []int
		for i := k - 1; i >= 0; i-- {
			for j := i + 1; j < k; j++ {
				b[i] -= l[j*p+i] * b[j]
			}
			b[i] /= l[i*p+i]
			if math.Abs(b[i]) > 1e-5 {
				of = append(of, all[i])
			}
		}
		slices.Reverse(of)
		return fmt.Errorf("causal: column %s is a linear function of %s, want columns that are not: "+
			"leave one out", f.data.names[all[k]], namesOf(f.data.names, of))
	}
	return nil
}

// factorRow makes row k of the Cholesky factor in place, and returns the variance that is left.
func factorRow(l []float64, p, k int) float64 {
	row := l[k*p : k*p+k+1]
	left := row[k]
	for i := range k {
		above := l[i*p : i*p+i+1]
		v := row[i]
		for j := range i {
			v -= row[j] * above[j]
		}
		row[i] = v / above[i]
		left -= row[i] * row[i]
	}
	row[k] = math.Sqrt(max(left, 0))
	return left
}

// correlations of columns over rows, nil for all.
func (f *FisherZ) correlations(columns, rows []int) ([]float64, error) {
	p := len(columns)
	scaled := make([][]float64, p)
	for k, j := range columns {
		c := f.data.columns[j]
		v := make([]float64, 0, len(c))
		if rows == nil {
			v = append(v, c...)
		} else {
			for _, i := range rows {
				v = append(v, c[i])
			}
		}
		if scaled[k] = standardised(v); scaled[k] == nil {
			return nil, fmt.Errorf("causal: column %s is constant in the %s that are complete in %s, want "+
				"2 values", f.data.names[j], count(len(v), "row"), namesOf(f.data.names, columns))
		}
	}
	r := make([]float64, p*p)
	for a := range p {
		r[a*p+a] = 1
		for b := range a {
			s := 0.0
			for i, v := range scaled[a] {
				s += v * scaled[b][i]
			}
			r[a*p+b], r[b*p+a] = s, s
		}
	}
	return r, nil
}

// standardised makes the mean 0 and the sum of squares 1, in place; nil for a constant.
func standardised(v []float64) []float64 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	mean, rest := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for i := range v {
		rest += (v[i] - mean) / float64(len(v))
	}
	mean += rest
	scale := 0.0
	for i := range v {
		v[i] -= mean
		scale = max(scale, math.Abs(v[i]))
	}
	if !(scale > 1e-14*largest) {
		return nil
	}
	ss := 0.0
	for i := range v {
		v[i] /= scale
		ss += v[i] * v[i]
	}
	ss = math.Sqrt(ss)
	for i := range v {
		v[i] /= ss
	}
	return v
}

// Names are the columns.
func (f *FisherZ) Names() []string { return f.data.names }

// Independence is one test.
func (f *FisherZ) Independence(_ context.Context, x, y int, s []int) (Outcome, error) {
	columns := append(slices.Clone(s), x, y)
	k := len(columns)
	n, rows := f.data.Rows(), f.data.complete(columns)
	if rows != nil {
		n = len(rows)
	}
	df := n - len(s) - 3
	if df < 1 {
		return Outcome{}, fmt.Errorf("causal: the test of %s and %s%s has %s, want at least %d: limit "+
			"the depth", f.data.names[x], f.data.names[y], given(f.data.names, s), count(n, "row"),
			len(s)+4)
	}
	var r []float64
	if f.whole != nil {
		p := len(f.data.names)
		r = make([]float64, k*k)
		for a, i := range columns {
			for b, j := range columns {
				r[a*k+b] = f.whole[i*p+j]
			}
		}
	} else {
		var err error
		if r, err = f.correlations(columns, rows); err != nil {
			return Outcome{}, err
		}
	}
	for i := range k {
		if left := factorRow(r, k, i); left <= exactly {
			of := columns[:i]
			if i == k-1 && r[i*k+i-1]*r[i*k+i-1] > exactly {
				of = columns[:k-1]
			}
			return Outcome{}, fmt.Errorf("causal: in the %s of the test of %s and %s%s, column %s is a "+
				"linear function of %s, want columns that are not", count(n, "row"), f.data.names[x],
				f.data.names[y], given(f.data.names, s), f.data.names[columns[i]], namesOf(f.data.names, of))
		}
	}
	// With s and x first, the last row of the factor is the rest of y: along that of x, and beyond.
	along, beyond := r[k*k-2], r[k*k-1]
	z := math.Sqrt(float64(df)) * math.Asinh(along/beyond) // atanh(r) for tan of the angle
	return Outcome{Statistic: z, P: math.Erfc(math.Abs(z) / math.Sqrt2), Rows: n}, nil
}
