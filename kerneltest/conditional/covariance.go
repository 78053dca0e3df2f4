package conditional

import (
	"context"
	"math"

	"bayeskernel/internal/lowrank"
	"bayeskernel/kerneltest/statistic"
)

// combined reports whether p-values are combined with those of the generalised covariance measure.
func (c *Table) combined() bool {
	return c.twoKernels() && !c.o.KernelOnly && c.o.Tuning == LeaveOneOut
}

// covariance is the generalised covariance measure of Shah and Peters (2020): the products of the
// errors with which x and y are predicted from z, each row from all others, have mean 0 if x and y are
// independent given z.
type covariance struct {
	products []float64 // divided by the root of the sum of their squares
	p        float64
}

// covarianceOf is nil for variables of more than one column, or of categories with more than two
// levels, and where the products do not vary.
func (c *Table) covarianceOf(ctx context.Context, x, y, z group) (*covariance, error) {
	var errs [2][]float64
	for k, g := range []group{x, y} {
		if len(g) != 1 || c.cols[g[0]].discrete && c.cols[g[0]].levels > 2 {
			return nil, nil
		}
		if c.many(z) || c.kernelRows(z) < c.n {
			s, err := c.sideOf(ctx, g, z)
			if err != nil {
				return nil, err
			}
			errs[k] = s.errors
			continue
		}
		r, err := c.plainResidual(ctx, g, z, false)
		if err != nil {
			return nil, err
		}
		count := len(r.left) / c.n
		errs[k] = make([]float64, c.n)
		for i := range errs[k] {
			errs[k][i] = r.left[i*count] / r.diag[i]
		}
	}
	return newCovariance(errs[0], errs[1]), nil
}

func newCovariance(x, y []float64) *covariance {
	v, n := &covariance{products: make([]float64, len(x))}, float64(len(x))
	mean, square := 0.0, 0.0
	for i, e := range x {
		e *= y[i]
		v.products[i] = e
		mean += e / n
		square += e * e / n
	}
	t := math.Sqrt(n) * mean / math.Sqrt(square-mean*mean)
	if v.p = math.Erfc(math.Abs(t) / math.Sqrt2); math.IsNaN(v.p) {
		return nil
	}
	size := math.Sqrt(square * n)
	for i := range v.products {
		v.products[i] /= size
	}
	return v
}

// of is the measure for a table of n of its rows, at equal distances.
func (v *covariance) of(n int) *covariance {
	if v == nil || n == len(v.products) {
		return v
	}
	some := &covariance{products: make([]float64, n), p: v.p}
	for i := range some.products {
		some.products[i] = v.products[i*len(v.products)/n]
	}
	return some
}

// kernelWeight is that of the kernel statistic beside the covariance measure. It has the larger part
// since it sees what the other is blind to, and most of what the other sees: examples/discovery/README.md
// has the powers.
const kernelWeight = 0.7

// combine sets the p-value of the form, and of it and the measure together. The moments are a'Ma,
// a'M²a and a'M³a for the products a.
func (r *Result) combine(q *statistic.QuadraticForm, v *covariance, moments [3]float64) error {
	k := q.Cumulants()
	r.Mean, r.Variance, r.Third = k[0], k[1], k[2]
	tail, err := q.Tail(r.Null, r.Statistic)
	if err != nil {
		return err
	}
	r.P, r.KernelP = tail.P, tail.P
	if v != nil {
		r.CovarianceP = v.p
		r.P = q.WithNormal(moments, tail.P, v.p, kernelWeight)
	}
	return nil
}

// momentsOf has a'Ma, a'M²a and a'M³a.
func momentsOf(m, a []float64) [3]float64 {
	n := len(a)
	once, twice := make([]float64, n), make([]float64, n)
	lowrank.Products(once, a, m, n)
	lowrank.Products(twice, once, m, n)
	return [3]float64{dot(a, once), dot(once, once), dot(once, twice)}
}

// momentsOfFeatures are those where M = W W', from W'W and W'a.
func momentsOfFeatures(gram, with []float64) [3]float64 {
	size := len(with)
	once := make([]float64, size)
	lowrank.Products(once, with, gram, size)
	return [3]float64{dot(with, with), dot(with, once), dot(once, once)}
}

func dot(u, v []float64) float64 {
	s := 0.0
	for i, e := range u {
		s += e * v[i]
	}
	return s
}

// doubtful reports whether n rows are few for regressions on so many columns of numbers.
func doubtful(n, columns int) bool { return columns > 4 && n < rowsPerColumn*(columns-1) }

// rowsPerColumn is the number of rows that regressions need for every column of Z beyond the first.
const rowsPerColumn = 30
