package conditional

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/internal/rows"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// Table makes tests of conditional independence between columns of one table. It keeps what
// they have in common: the matrix decompositions of each set Z of conditioning columns, and the
// regressions of each X on each Z. Which of these are kept makes no difference to any result. It
// may be used by several goroutines at once; a test itself runs on one.
type Table struct {
	names []string
	n     int
	o     Options
	cols  []tableColumn
	store store
}

// tableColumn is one column of the table.
type tableColumn struct {
	z        []float64 // standardised: mean 0 and standard deviation 1, or all 0; far tails are drawn in
	plain    []float64 // standardised with its tails as they are
	raw      []float64
	discrete bool
	constant bool
	code     []int32 // of discrete columns: the rank of the value among those that occur
	levels   int
}

// MaxRows is the largest number of rows of a test of conditional independence. Above FeatureRows
// kernel matrices are replaced by features.
const MaxRows = widestTable

// NewTable prepares the columns of a table, which messages call by their names.
func NewTable(names []string, table mat.Matrix, o Options) (*Table, error) {
	data, n, dim, err := rows.Finite("the table", table)
	if err != nil {
		return nil, fmt.Errorf("conditional: %w", err)
	}
	if len(names) != dim {
		return nil, fmt.Errorf("conditional: there are %d names, want one for each of %d columns",
			len(names), dim)
	}
	if o, err = o.complete(dim); err != nil {
		return nil, err
	}
	if n > MaxRows {
		return nil, fmt.Errorf("conditional: the table has %d rows, want at most %d for tests of "+
			"conditional independence", n, MaxRows)
	}
	if n > exactRows && (o.Published != nil || o.Kernel != nil || o.Tuning != LeaveOneOut ||
		o.Form != WithKernel && o.Form != WithoutKernel || o.Null == statistic.Permutation) {
		return nil, fmt.Errorf("conditional: the table has %d rows, want at most %d for tests with these "+
			"options, which take whole kernel matrices", n, exactRows)
	}
	c := &Table{names: slices.Clone(names), n: n, o: o, cols: make([]tableColumn, dim)}
	c.store.limit = o.Memory
	for j := range c.cols {
		raw := make([]float64, n)
		for i := range raw {
			raw[i] = data[i*dim+j]
		}
		c.cols[j] = c.column(raw, o.Discrete != nil && o.Discrete[j])
	}
	return c, nil
}

// heavy is the number of robust standard deviations above which the standard deviation of a column says that its
// tails are long.
const heavy = 2

// column is a column of the table. Independence given other columns does not depend on the units of a column, nor on
// any scale that keeps the order of its values. In the units of a long tail most rows have kernel values of 1, and
// the few in the tail are all that a statistic sees, whose law no approximation by moments then has. So it is with
// a column most of whose values are equal, which takes the normal quantiles of its ranks.
func (c *Table) column(raw []float64, discrete bool) tableColumn {
	out := newColumn(raw, discrete)
	out.plain = out.z
	if discrete || out.constant || c.o.Published != nil {
		return out
	}
	sorted := slices.Sorted(slices.Values(out.z))
	median, scale := rows.Quantile(sorted, 1, 2), rows.RobustSD(sorted)
	if rows.Quantile(sorted, 1, 4) == rows.Quantile(sorted, 3, 4) {
		out.z = newColumn(rows.NormalScores(out.z, 1), false).z
		return out
	}
	if !(scale > 0 && heavy*scale < 1) {
		return out
	}
	tame := make([]float64, len(raw))
	for i, v := range out.z {
		tame[i] = rows.DrawnIn((v - median) / scale)
	}
	out.z = newColumn(tame, false).z
	return out
}

func newColumn(raw []float64, discrete bool) tableColumn {
	c := tableColumn{raw: raw, z: make([]float64, len(raw)), discrete: discrete}
	lo, hi := slices.Min(raw), slices.Max(raw)
	c.constant = lo == hi
	if discrete {
		values := slices.Clone(raw)
		slices.Sort(values)
		values = slices.Compact(values)
		c.levels = len(values)
		c.code = make([]int32, len(raw))
		for i, v := range raw {
			at, _ := slices.BinarySearch(values, v)
			c.code[i] = int32(at)
		}
	}
	if c.constant {
		return c
	}
	// In units of the range no sum overflows.
	unit, mean, square := max(math.Abs(lo), math.Abs(hi)), 0.0, 0.0
	for i, v := range raw {
		c.z[i] = v / unit
		mean += c.z[i] / float64(len(raw))
	}
	for i := range c.z {
		c.z[i] -= mean
		square += c.z[i] * c.z[i]
	}
	sd := math.Sqrt(square / float64(len(raw)-1))
	for i := range c.z {
		c.z[i] /= sd
	}
	return c
}

// group is a set of columns in the order of their names. So the order of the columns in the table
// or in a call makes no difference, not even by rounding.
type group []int

func (c *Table) group(columns []int) group {
	g := slices.Clone(columns)
	slices.SortFunc(g, func(a, b int) int {
		if d := strings.Compare(c.names[a], c.names[b]); d != 0 {
			return d
		}
		return a - b
	})
	return g
}

// key is different for different groups.
func (g group) key() string { return fmt.Sprint([]int(g)) }

// words is a list of names.
func (c *Table) words(g group) string {
	var s []string
	for _, j := range g {
		s = append(s, c.names[j])
	}
	return strings.Join(s, ", ")
}

// continuous is the number of columns that are not discrete.
func (c *Table) continuous(g group) int {
	n := 0
	for _, j := range g {
		if !c.cols[j].discrete {
			n++
		}
	}
	return n
}

// Test tests whether the columns x are independent of the columns y given the columns z, which may
// be none. The order of the columns in each makes no difference.
func (c *Table) Test(ctx context.Context, x, y, z []int) (*Result, error) {
	if err := c.check(x, y, z); err != nil {
		return nil, err
	}
	gx, gy, gz := c.group(x), c.group(y), c.group(z)
	r := &Result{Rows: c.n, Alpha: c.o.Alpha, Null: c.o.Null}
	if r.Null == statistic.Auto {
		switch {
		case c.o.Published != nil:
			r.Null = statistic.GammaKCI
		case len(gz) > 0 && c.stratified(gz) && c.n <= exactRows:
			r.Null = statistic.Permutation
		default:
			r.Null = statistic.Pearson
		}
	}
	var v *covariance
	var err error
	if len(gz) > 0 && r.Null != statistic.Permutation && c.combined() {
		if v, err = c.covarianceOf(ctx, gx, gy, gz); err != nil {
			return nil, err
		}
	}
	r.CovarianceP = math.NaN()
	switch {
	case r.Null == statistic.Permutation:
		err = c.withinStrata(ctx, r, gx, gy, gz)
	case c.many(gz) && len(gz) == 0:
		r.Features = true
		err = c.unconditionalMany(ctx, r, gx, gy)
	case c.kernelRows(gz) < c.n:
		r.Features, r.KernelRows = true, c.kernelRows(gz)
		err = c.conditionalOfSome(ctx, r, v, gx, gy, gz)
	case c.many(gz):
		r.Features = true
		err = c.conditionalMany(ctx, r, v, gx, gy, gz)
	case len(gz) == 0:
		err = c.unconditional(ctx, r, gx, gy)
	default:
		err = c.conditional(ctx, r, v, gx, gy, gz)
	}
	if err != nil {
		return nil, err
	}
	if v == nil {
		r.KernelP = r.P
	}
	if d := c.continuous(gz); r.Null != statistic.Permutation && doubtful(c.n, d) && c.o.Published == nil {
		r.Doubtful = true
		r.Notes = append(r.Notes, fmt.Sprintf("%d rows are few for regressions on %d columns, want at "+
			"least %d: a small p-value may be their error.", c.n, d, rowsPerColumn*(d-1)))
	}
	r.Reject = r.P <= r.Alpha*(1+1e-12)
	return r, nil
}

// unconditional is the test without z, with the weights of HSIC.
func (c *Table) unconditional(ctx context.Context, r *Result, x, y group) error {
	var fs [2]*statistic.Factor
	for k, g := range []group{x, y} {
		var err error
		fs[k], err = keep(&c.store, "factor "+g.key(), func() (*statistic.Factor, int64, error) {
			gram, err := c.gram(ctx, g, c.width(g, nil, nil), nil)
			if err != nil {
				return nil, 0, err
			}
			f, err := statistic.FactorGram(mat.NewSymDense(c.n, gram), 1e-14)
			if err != nil {
				return nil, 0, fmt.Errorf("conditional: %s: %w", c.words(g), err)
			}
			return f, int64(8 * c.n * f.Rank()), nil
		})
		if err != nil {
			return err
		}
	}
	return c.fromFactors(r, fs)
}

// fromFactors is the test of HSIC.
func (c *Table) fromFactors(r *Result, fs [2]*statistic.Factor) error {
	h, err := statistic.NewHSICFactor(fs[0], fs[1])
	if err != nil {
		return fmt.Errorf("conditional: %w", err)
	}
	tail, err := h.Tail(r.Null)
	if err != nil {
		return fmt.Errorf("conditional: %w", err)
	}
	n := float64(c.n)
	// Package statistic has the cumulants of n HSIC, here they are those of n² HSIC.
	r.Statistic, r.P = n*n*h.Biased(), tail.P
	a, b := fs[0].Traces(), fs[1].Traces()
	r.Mean, r.Variance, r.Third = n*a[0]*b[0], 2*n*n*a[1]*b[1], 8*n*n*n*a[2]*b[2]
	r.X, r.Y = Regression{}, Regression{}
	return nil
}

// conditional is the test given z.
func (c *Table) conditional(ctx context.Context, r *Result, v *covariance, x, y, z group) error {
	m := make([]float64, c.n*c.n)
	var err error
	if c.o.Form == Joined {
		// Both roles: the sum does not depend on which comes first. The regressions that are told
		// are those of X and Y alone.
		other := make([]float64, c.n*c.n)
		if _, r.Y, err = c.product(ctx, m, x, y, z, true); err != nil {
			return err
		}
		if _, r.X, err = c.product(ctx, other, y, x, z, true); err != nil {
			return err
		}
		for i, e := range other {
			m[i] = (m[i] + e) / 2
		}
	} else if r.X, r.Y, err = c.product(ctx, m, x, y, z, c.o.Form == FirstOfTwo); err != nil {
		return err
	}
	return c.decide(r, m, v, x, y, z)
}

// decide takes the p-value of the matrix of the statistic.
func (c *Table) decide(r *Result, m []float64, v *covariance, x, y, z group) error {
	for _, e := range m {
		r.Statistic += e
	}
	var moments [3]float64
	if v != nil {
		moments = momentsOf(m, v.products)
	}
	if err := r.combine(statistic.NewQuadraticForm(m, c.n), v, moments); err != nil {
		return fmt.Errorf("conditional: %s and %s given %s: %w", c.words(x), c.words(y), c.words(z), err)
	}
	c.note(r, x, y, z)
	return nil
}

// product writes A B, times the kernel of z in that form, into m. Join puts z/2 beside x.
func (c *Table) product(ctx context.Context, m []float64, x, y, z group, join bool) (rx,
	ry Regression, err error) {
	var beside group
	if join {
		beside = z
	}
	if c.withErrors(z) {
		return c.productWithErrors(ctx, m, x, y, z)
	}
	a, err := c.residual(ctx, x, beside, z)
	if err != nil {
		return rx, ry, err
	}
	b, err := c.residual(ctx, y, nil, z)
	if err != nil {
		return rx, ry, err
	}
	return a.Regression, b.Regression, c.multiply(m, a, b, z)
}

// multiply writes A B, times the kernel of z in that form, into m.
func (c *Table) multiply(m []float64, a, b *regression, z group) error {
	for i := range m {
		m[i] = 1
	}
	// A times B first: the product of two numbers does not depend on their order, that of three
	// may.
	a.multiply(m)
	b.multiply(m)
	if c.o.Form == WithKernel {
		k, err := keep(&c.store, "kernel of "+z.key(), func() ([]float64, int64, error) {
			k := make([]float64, c.n*c.n)
			c.fill(k, z, nil, c.o.Width)
			return k, int64(8 * len(k)), nil
		})
		if err != nil {
			return err
		}
		for i, v := range k {
			m[i] *= v
		}
	}
	mirror(m, c.n)
	return nil
}

// mirror copies the lower triangle to the upper one.
func mirror(m []float64, n int) {
	for i := range n {
		for j := range i {
			m[j*n+i] = m[i*n+j]
		}
	}
}

// note warns of what the test cannot lean on.
func (c *Table) note(r *Result, x, y, z group) {
	if c.n < fewRows {
		r.Notes = append(r.Notes, fmt.Sprintf("The null distribution holds for many rows, and %d are few: the level "+
			"is not assured.", c.n))
	}
	for k, g := range []group{x, y} {
		if r2 := [2]float64{r.X.R2, r.Y.R2}[k]; r2 > nearlyAll && c.o.Published == nil {
			r.Notes = append(r.Notes, fmt.Sprintf("%s is nearly a function of %s (leave-one-out R2 is "+
				"%.6f): what is left to test may be the error of the regression.", c.words(g), c.words(z),
				r2))
		}
	}
}

const (
	fewRows   = 50
	nearlyAll = 0.99 // of the variance
)
