package conditional

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/product"
	"bayeskernel/internal/ridge"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// FeatureRows is the number of rows above which a Table replaces kernel matrices by features: the
// pivoted Cholesky factor of each, cut to a small rank. The time then grows with the rows, not with
// their square. Tests that take a rule for kernels, published constants, MarginalLikelihood or a form
// with Z beside X stay exact, and so do permutations within strata up to 5000 rows.
const FeatureRows = 1000

// Sizes of the tests with features.
const (
	tuningRows  = 500 // rows on which lengthscales are chosen
	regressors  = 200 // features of the kernel of z
	fullRank    = 48  // features of the kernel of x, before they are cut to the principal ones
	ofColumns   = 2   // principal features of x itself: smooth ones, which a regression can follow
	ofResiduals = 4   // and of what regression leaves of x
	exactRows   = 5000
	widestTable = 200_000
	rowsOfTwo   = 500 // of the kernel statistic given two columns of numbers, and more than FeatureRows
)

// kernelRows is how many rows the kernel statistic takes: all, or fewer where features approximate
// regressions on several columns of numbers too coarsely for the level to hold.
func (c *Table) kernelRows(z group) int {
	if !c.twoKernels() || c.o.Tuning != LeaveOneOut {
		return c.n
	}
	switch d := c.continuous(z); {
	case d >= fewestApart:
		return min(c.n, wholeRows)
	case d == 2 && c.n > FeatureRows:
		return rowsOfTwo
	}
	return c.n
}

// fewer is the table of n rows at equal distances.
func (c *Table) fewer(n int) (*Table, error) {
	return keep(&c.store, fmt.Sprint("rows ", n), func() (*Table, int64, error) {
		t := c.every(n, nil)
		t.store.limit = c.o.Memory / 4
		return t, t.store.limit, nil
	})
}

// every is the table of n rows at equal distances, of these columns, nil for all.
func (c *Table) every(n int, columns group) *Table {
	n = min(n, c.n)
	t := &Table{n: n, o: c.o, cols: make([]tableColumn, len(c.cols)), names: c.names}
	for j, col := range c.cols {
		if columns != nil && !slices.Contains(columns, j) {
			continue
		}
		raw := make([]float64, n)
		for i := range raw {
			raw[i] = col.raw[i*c.n/n]
		}
		t.cols[j] = t.column(raw, col.discrete)
	}
	return t
}

// manyRidges are those of regressions on all rows.
var manyRidges = []float64{1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10}

// many reports whether tests given z are made with features.
func (c *Table) many(z group) bool {
	if c.n <= FeatureRows || c.o.Published != nil || c.o.Kernel != nil || c.o.Tuning != LeaveOneOut ||
		c.o.Form != WithKernel && c.o.Form != WithoutKernel || c.o.Null == statistic.Permutation {
		return false
	}
	return c.n > exactRows || c.o.Null != statistic.Auto || len(z) == 0 || !c.stratified(z)
}

// unconditionalMany is the test without z.
func (c *Table) unconditionalMany(ctx context.Context, r *Result, x, y group) error {
	var fs [2]*statistic.Factor
	for k, g := range []group{x, y} {
		var err error
		fs[k], err = keep(&c.store, "many factor "+g.key(), func() (*statistic.Factor, int64, error) {
			f, err := c.factorMany(ctx, g, 0.3, 2*fullRank)
			if err != nil {
				return nil, 0, err
			}
			return f, int64(8 * c.n * f.Rank()), nil
		})
		if err != nil {
			return err
		}
	}
	return c.fromFactors(r, fs)
}

// factorMany is the factor of the kernel matrix of x.
func (c *Table) factorMany(ctx context.Context, g group, least float64, limit int) (*statistic.Factor,
	error) {
	var scale []float64
	for d := c.continuous(g); len(scale) < d; {
		// Not so short that a few features do not do.
		scale = append(scale, 1/(max(outputWidth(c.n), least)*math.Sqrt(float64(d))))
	}
	rows, diag := make([]int, c.n), make([]float64, c.n)
	for i := range rows {
		rows[i], diag[i] = i, 1
	}
	f, err := statistic.FactorColumns(ctx, diag, 1e-10, limit, c.columnOf(g, scale, 1, rows))
	if err != nil {
		return nil, fmt.Errorf("conditional: %s: %w", c.words(g), err)
	}
	return f, nil
}

// columnOf writes columns of the kernel matrix of g, whose columns of numbers are scaled.
func (c *Table) columnOf(g group, scale []float64, ell float64, rows []int) func([]float64, int) {
	points, dim := c.scaled(g, scale, rows)
	k, path := gaussian(ell), fused.Best()
	return func(dst []float64, i int) {
		if dim == 0 {
			for j := range dst {
				dst[j] = 1
			}
		} else {
			kernels.Fill(dst, k, path, points[i*dim:(i+1)*dim], points, dim)
		}
		c.cutLevels(dst, g, rows[i:i+1], rows)
	}
}

// side is what the regression of one variable on z leaves.
type side struct {
	Regression
	left   []float64   // features, column by column
	errors []float64   // with which the first output is predicted from all other rows
	some   [][]float64 // those of each column of numbers, in the rows that the kernel statistic takes
	basis  *ridge.Basis
}

// conditionalMany is the test given z with features. With those of x, y and z of row i multiplied out
// to a vector w_i, the statistic is |sum w_i|², and the weights of its chi-squares are the eigenvalues
// of sum w_i w_i'.
func (c *Table) conditionalMany(ctx context.Context, r *Result, v *covariance, x, y, z group) error {
	var sides [2]*side
	for k, g := range []group{x, y} {
		var err error
		if sides[k], err = c.sideOf(ctx, g, z); err != nil {
			return err
		}
	}
	r.X, r.Y = sides[0].Regression, sides[1].Regression
	factors := [][]float64{nil}
	if c.o.Form == WithKernel {
		for _, j := range z {
			if c.cols[j].discrete {
				continue
			}
			v := make([]float64, c.n)
			for i, e := range c.cols[j].z {
				v[i] = math.Tanh(e)
			}
			factors = append(factors, v)
		}
	}
	var a []float64
	if v != nil {
		a = v.products
	}
	gram, sum, with := c.multiplied(sides[0].left, sides[1].left, factors, a)
	for _, e := range sum {
		r.Statistic += e * e
	}
	// The eigenvalues of the sum of w w' are those of M.
	err := r.combine(statistic.NewQuadraticForm(gram, len(sum)), v, momentsOfFeatures(gram, with))
	if err != nil {
		return fmt.Errorf("conditional: %s and %s given %s: %w", c.words(x), c.words(y), c.words(z), err)
	}
	c.note(r, x, y, z)
	return nil
}

// sideOf is what the regression of g on z leaves.
func (c *Table) sideOf(ctx context.Context, g, z group) (*side, error) {
	return keep(&c.store, "many "+g.key()+"|"+z.key(), func() (*side, int64, error) {
		s, err := c.sideMany(ctx, g, z)
		if err != nil {
			return nil, 0, err
		}
		return s, int64(8 * (len(s.left) + len(s.errors))), nil
	})
}

// multiplied sums w, w w' and w times the product of its row over the rows, a strip of rows at a time.
func (c *Table) multiplied(a, b []float64, factors [][]float64, products []float64) (gram, sum,
	with []float64) {
	const strip = 1024
	ka, kb := len(a)/c.n, len(b)/c.n
	size := ka * kb * len(factors)
	gram, sum, with = make([]float64, size*size), make([]float64, size), make([]float64, size)
	w, part := make([]float64, size*strip), make([]float64, size*size)
	for from := 0; from < c.n; from += strip {
		rows := min(strip, c.n-from)
		at := 0
		for _, f := range factors {
			for p := range ka {
				u := a[p*c.n+from : p*c.n+from+rows]
				for q := range kb {
					v := b[q*c.n+from : q*c.n+from+rows]
					out := w[at*rows : (at+1)*rows]
					for i := range out {
						e := u[i] * v[i]
						if f != nil {
							e *= f[from+i]
						}
						out[i] = e
						sum[at] += e
					}
					if products != nil {
						with[at] += dot(out, products[from:])
					}
					at++
				}
			}
		}
		view := product.Rows(w[:size*rows], rows)
		product.Multiply(part, size, size, rows, view, view, product.Lower)
		for i := range size {
			for j, v := range part[i*size : i*size+i+1] {
				gram[i*size+j] += v
			}
		}
	}
	for i := range size {
		for j := range i {
			gram[j*size+i] = gram[i*size+j]
		}
	}
	return gram, sum, with
}

// sideMany makes the regressions of one variable. Lengthscales are chosen on some of the rows.
func (c *Table) sideMany(ctx context.Context, g, z group) (*side, error) {
	s := new(side)
	ell, scale, err := c.tunedOnSome(ctx, g, z, c.kernelRows(z) < c.n)
	if err != nil {
		return nil, err
	}
	if c.continuous(z) >= fewestApart {
		for _, v := range scale {
			s.PerColumn = append(s.PerColumn, ell/v)
		}
	}
	s.Lengthscale = ell
	l := c.lowRank(choices{z: z, scale: scale}, ell, regressors)
	s.basis = ridge.NewLow(l, c.n)
	outputs := []float64{}
	for _, j := range g {
		outputs = append(outputs, c.cols[j].outputs()...)
	}
	plain := append([]float64(nil), outputs...)
	lambda := c.ridgeMany(s.basis, outputs)
	s.basis.Project(outputs).Residual(plain, lambda)
	diag := s.basis.Diagonal(lambda)
	s.errors = make([]float64, c.n)
	for i := range s.errors {
		s.errors[i] = plain[i] / diag[i]
	}
	if ss, all := squares(plain), squares(outputs); ss <= nothingLeft*all {
		return nil, fmt.Errorf("conditional: %s is a function of %s: nothing is left to test", c.words(g),
			c.words(z))
	}
	if few := c.kernelRows(z); few < c.n { // the rest takes fewer rows
		s.some = c.errorsOf(g, few, func(output, i int) float64 {
			k := i * c.n / few
			return plain[output*c.n+k] / diag[k]
		})
		miss := 0.0
		for i, v := range plain {
			miss += v * v / (diag[i%c.n] * diag[i%c.n])
		}
		s.R2, s.Ridge, s.basis = 1-miss/squares(outputs), lambda/float64(c.n), nil
		return s, nil
	}
	f, err := c.factorMany(ctx, g, 1.5, fullRank)
	if err != nil {
		return nil, err
	}
	first := c.cut(f.Columns(), ofColumns)
	left := c.leftMany(s, first)
	s.R2 = 1 - squares(left)/squares(first)
	parts := [][]float64{left}
	if c.twoKernels() && c.continuous(g) == len(g) {
		second, err := c.secondMany(ctx, plain, len(g))
		if err != nil {
			return nil, err
		}
		parts = append(parts, c.leftMany(new(side).with(s.basis), second))
	}
	var all []float64
	for _, p := range parts {
		unitSize(p)
		all = append(all, p...)
	}
	s.left, s.basis = all, nil
	return s, nil
}

func (s *side) with(b *ridge.Basis) *side {
	s.basis = b
	return s
}

// leftMany is what regression leaves of features, with the ridge of the least leave-one-out error.
func (c *Table) leftMany(s *side, f []float64) []float64 {
	lambda := c.ridgeMany(s.basis, f)
	s.Ridge = lambda / float64(c.n)
	left := make([]float64, len(f))
	s.basis.Project(f).Residual(left, lambda)
	return left
}

func (c *Table) ridgeMany(b *ridge.Basis, f []float64) float64 {
	o := b.Project(f)
	best, at := math.Inf(1), 0
	try := func(k int) {
		if v := o.LeaveOneOut(manyRidges[k] * float64(c.n)); v < best {
			best, at = v, k
		}
	}
	for k := 0; k < len(manyRidges); k += 2 {
		try(k)
	}
	for _, k := range []int{at - 1, at + 1} { // the neighbours of the best of every other one
		if k >= 0 && k < len(manyRidges) {
			try(k)
		}
	}
	return manyRidges[at] * float64(c.n)
}

// secondMany are principal features of what regression leaves of the columns themselves.
func (c *Table) secondMany(ctx context.Context, plain []float64, dim int) ([]float64, error) {
	t := &Table{names: c.names, n: c.n, o: c.o}
	var g group
	for k := range dim {
		t.cols = append(t.cols, newColumn(append([]float64(nil), plain[k*c.n:(k+1)*c.n]...), false))
		g = append(g, k)
	}
	f, err := t.factorMany(ctx, g, 0.6, fullRank)
	if err != nil {
		return nil, err
	}
	return c.cut(f.Columns(), ofResiduals), nil
}

// tunedOnSome chooses the lengthscale on some of the rows, and the scale of each column of numbers.
// Plain asks for those of the regression of the columns themselves, which the kernel statistic makes
// too of the rows that it takes.
func (c *Table) tunedOnSome(ctx context.Context, g, z group, plain bool) (float64, []float64, error) {
	var some *Table
	r := new(regression)
	if plain {
		var err error
		if some, err = c.fewer(c.kernelRows(z)); err != nil {
			return 0, nil, err
		}
		if r, err = some.plainResidual(ctx, g, z, false); err != nil {
			return 0, nil, err
		}
	} else {
		some = c.every(tuningRows, append(append(group{}, g...), z...))
		some.store.limit = c.o.Memory
		f, err := some.features(ctx, g, nil, z)
		if err != nil {
			return 0, nil, err
		}
		if err := some.tuned(ctx, r, make([]float64, len(f.columns)), f, g, z); err != nil {
			return 0, nil, err
		}
	}
	of, err := some.choices(ctx, g, z, plain)
	if err != nil {
		return 0, nil, err
	}
	if of.scale != nil {
		return r.Lengthscale, of.scale, nil
	}
	d := c.continuous(z)
	for range d {
		of.scale = append(of.scale, 1/math.Sqrt(float64(d)))
	}
	return r.Lengthscale, of.scale, nil
}

// cut turns columns into their principal components, the first count of them.
func (c *Table) cut(f []float64, count int) []float64 {
	k := len(f) / c.n
	if k <= count {
		return f
	}
	gram := make([]float64, k*k)
	rows := product.Rows(f, c.n)
	product.Multiply(gram, k, k, c.n, rows, rows, product.Lower)
	sym := mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i + 1 {
			sym.SetSym(i, j, gram[i*k+j])
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, true) {
		return f[:count*c.n]
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	out := make([]float64, count*c.n)
	coef := make([]float64, k)
	for q := range count {
		for j := range k {
			coef[j] = v.At(j, k-1-q)
		}
		lowrank.Combine(out[q*c.n:(q+1)*c.n], 1, coef, f)
	}
	return out
}

func squares(v []float64) float64 {
	s := 0.0
	for _, e := range v {
		s += e * e
	}
	return s
}
