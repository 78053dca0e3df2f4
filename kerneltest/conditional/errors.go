package conditional

import (
	"context"
)

// withErrors reports whether the kernel statistic given z compares the errors with which regressions predict x and y
// with each other and with x and y, but not x with y. What is predicted is a function of z, so the errors are
// independent given z where x and y are. With several columns in z most of x may be what they predict, and features of
// x and of y then both have more of what their regressions miss than of what depends on the other; features of errors have
// little that z could predict, and what is missed in one of two factors alone does no harm.
func (c *Table) withErrors(z group) bool {
	return c.twoKernels() && c.o.Tuning == LeaveOneOut && !c.o.OneLengthscale && c.continuous(z) >= fewestApart
}

// productWithErrors is product with the errors of x and y.
func (c *Table) productWithErrors(ctx context.Context, m []float64, x, y, z group) (rx, ry Regression, err error) {
	var left [2]parts
	var of [2]Regression
	for k, g := range []group{x, y} {
		r, err := c.plainResidual(ctx, g, z, false)
		if err != nil {
			return rx, ry, err
		}
		count := len(r.left) / c.n
		errors := c.errorsOf(g, c.n, func(output, i int) float64 { return r.left[i*count+output] / r.diag[i] })
		if left[k], err = c.partsOf(ctx, errors, g, z); err != nil {
			return rx, ry, err
		}
		of[k] = r.Regression
	}
	return of[0], of[1], c.multiplyParts(m, left[0], left[1], z)
}

// conditionalOfSome is the test given several columns of many rows: its kernel statistic takes the errors of
// regressions on all rows in some of them.
func (c *Table) conditionalOfSome(ctx context.Context, r *Result, v *covariance, x, y, z group) error {
	t, err := c.fewer(r.KernelRows)
	if err != nil {
		return err
	}
	var left [2]parts
	var of [2]Regression
	for k, g := range []group{x, y} {
		s, err := c.sideOf(ctx, g, z)
		if err != nil {
			return err
		}
		if left[k], err = t.partsOf(ctx, s.some, g, z); err != nil {
			return err
		}
		of[k] = s.Regression
	}
	r.X, r.Y = of[0], of[1]
	m := make([]float64, t.n*t.n)
	if err := t.multiplyParts(m, left[0], left[1], z); err != nil {
		return err
	}
	return t.decide(r, m, v.of(t.n), x, y, z)
}

// errorsOf are those of a regression of the columns of g themselves in so many rows, each predicted from all other rows;
// nothing for categories, which have as many outputs as levels.
func (c *Table) errorsOf(g group, rows int, of func(output, i int) float64) [][]float64 {
	var out [][]float64
	output := 0
	for _, j := range g {
		if c.cols[j].discrete {
			output += c.cols[j].levels
			continue
		}
		errors := make([]float64, rows)
		for i := range errors {
			errors[i] = of(output, i)
		}
		out, output = append(out, errors), output+1
	}
	return out
}

// parts are what regression on z leaves of the features of a variable and of those of its errors.
type parts struct{ column, errors *regression }

// multiplyParts writes A_e B + A B_e + A_e B_e, times the kernel of z in that form, into m: in this order, which is the
// same sum to the bit with the variables exchanged.
func (c *Table) multiplyParts(m []float64, a, b parts, z group) error {
	part := make([]float64, len(m))
	for k, of := range [][2]*regression{{a.errors, b.column}, {a.column, b.errors}, {a.errors, b.errors}} {
		to := part
		if k == 0 {
			to = m
		}
		if err := c.multiply(to, of[0], of[1], z); err != nil {
			return err
		}
		if k > 0 {
			for i, v := range part {
				m[i] += v
			}
		}
	}
	return nil
}

// partsOf are those of g, of whose columns of numbers there are the errors. Both regressions have the lengthscales that
// are chosen for the columns.
func (c *Table) partsOf(ctx context.Context, errors [][]float64, g, z group) (parts, error) {
	return keep(&c.store, "errors "+g.key()+"|"+z.key(), func() (p parts, bytes int64, err error) {
		f, err := c.features(ctx, g, nil, z)
		if err != nil {
			return p, 0, err
		}
		if p.column, err = c.leftOf(ctx, f, g, z); err != nil {
			return p, 0, err
		}
		p.errors = p.column // of categories alone
		if len(errors) > 0 {
			if p.errors, err = c.leftOf(ctx, c.featuresOf(errors), g, z); err != nil {
				return p, 0, err
			}
		}
		return p, int64(8 * (len(p.column.left) + len(p.errors.left))), nil
	})
}

// leftOf is what is left of features of g, of size 1.
func (c *Table) leftOf(ctx context.Context, f *features, g, z group) (*regression, error) {
	r, left := &regression{n: c.n}, make([]float64, len(f.columns))
	if err := c.tuned(ctx, r, left, f, g, z); err != nil {
		return nil, err
	}
	unitSize(left)
	r.left = turned(left, c.n)
	return r, nil
}
