package conditional

import (
	"context"
	"math"
)

// combined reports whether p-values are combined with those of the generalised covariance measure.
func (c *Table) combined() bool {
	return c.twoKernels() && !c.o.KernelOnly && c.o.Tuning == LeaveOneOut
}

// covariance is the p-value of the generalised covariance measure of Shah and Peters (2020): the
// products of the errors with which x and y are predicted from z, each row from all others, have mean
// 0 if x and y are independent given z. It is NaN for variables of more than one column, or of
// categories with more than two levels.
func (c *Table) covariance(ctx context.Context, x, y, z group) (float64, error) {
	var errs [2][]float64
	for k, g := range []group{x, y} {
		if len(g) != 1 || c.cols[g[0]].discrete && c.cols[g[0]].levels > 2 {
			return math.NaN(), nil
		}
		if c.many(z) || c.kernelRows(z) < c.n {
			s, err := c.sideOf(ctx, g, z)
			if err != nil {
				return 0, err
			}
			errs[k] = s.errors
			continue
		}
		r, err := c.plainResidual(ctx, g, z)
		if err != nil {
			return 0, err
		}
		count := len(r.left) / c.n
		errs[k] = make([]float64, c.n)
		for i := range errs[k] {
			errs[k][i] = r.left[i*count] / r.diag[i]
		}
	}
	mean, square := 0.0, 0.0
	for i, v := range errs[0] {
		v *= errs[1][i]
		mean += v / float64(c.n)
		square += v * v / float64(c.n)
	}
	t := math.Sqrt(float64(c.n)) * mean / math.Sqrt(square-mean*mean)
	return math.Erfc(math.Abs(t) / math.Sqrt2), nil
}

// cauchy combines two p-values of dependent tests (Liu and Xie, 2020): under the null hypothesis the
// tail of the mean of tan((1/2 - p) pi) is nearly that of a Cauchy distribution, whatever the
// dependence. A p-value near 1 would outweigh one near 0, so that each counts as at most 0.95.
func cauchy(p, q float64) float64 {
	const most = 0.95
	sum := 0.0
	for _, v := range []float64{p, q} {
		v = min(max(v, 1e-15), most)
		sum += math.Tan((0.5-v)*math.Pi) / 2
	}
	if sum > 1e8 {
		return 1 / (math.Pi * sum)
	}
	return 0.5 - math.Atan(sum)/math.Pi
}

// doubtful reports whether n rows are few for regressions on so many columns of numbers.
func doubtful(n, columns int) bool { return columns > 4 && n < rowsPerColumn*(columns-1) }

// rowsPerColumn is the number of rows that regressions need for every column of Z beyond the first.
const rowsPerColumn = 30
