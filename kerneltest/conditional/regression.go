package conditional

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/product"
	"bayeskernel/internal/ridge"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// The grids on which lengthscales and ridges are tuned. Lengthscales are in standard deviations
// times the root of the number of continuous columns. Ridges are divided by the number of rows for
// LeaveOneOut, and not for MarginalLikelihood.
var (
	gridLengthscales = []float64{0.15, 0.3, 0.6, 1.2, 2.4}
	gridRidges       = []float64{1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10}
	gridNoises       = []float64{1e-4, 3.1622776601683795e-4, 1e-3, 3.1622776601683795e-3, 1e-2,
		3.1622776601683795e-2, 0.1, 0.31622776601683794, 1, 3.1622776601683795, 10}
)

// regression is what the regression of a variable on z leaves of its features.
type regression struct {
	Regression
	left []float64 // point by point
	diag []float64 // of R: what is left over it is the error of the prediction from all other points
	n    int
}

// multiply multiplies the lower triangle of m by the Gram matrix of what is left.
func (r *regression) multiply(m []float64) {
	const strip = 160 // rows at a time
	count := len(r.left) / r.n
	gram := make([]float64, min(strip, r.n)*r.n)
	for from := 0; from < r.n; from += strip {
		to := min(from+strip, r.n)
		product.Multiply(gram, to-from, to, count, product.Rows(r.left[from*count:], count),
			product.Rows(r.left, count), product.All)
		for i := from; i < to; i++ {
			out := m[i*r.n : i*r.n+i+1]
			for j, v := range gram[(i-from)*to : (i-from)*to+i+1] {
				out[j] *= v
			}
		}
	}
}

// residual regresses the features of g on z, with columns of beside at half their size beside g.
func (c *Table) residual(ctx context.Context, g, beside, z group) (*regression, error) {
	return keep(&c.store, "left "+g.key()+beside.key()+"|"+z.key(),
		func() (*regression, int64, error) {
			f, err := c.features(ctx, g, beside, z)
			if err != nil {
				return nil, 0, err
			}
			r := &regression{n: c.n}
			left := make([]float64, len(f.columns))
			if c.o.Published != nil {
				err = c.published(left, f.columns, z)
			} else {
				err = c.tuned(ctx, r, left, f, g, z)
			}
			if err != nil {
				return nil, 0, err
			}
			if err := c.determined(r, left, f, g, beside, z); err != nil {
				return nil, 0, err
			}
			if c.twoKernels() && c.continuous(g) > 0 {
				if left, err = c.withResidual(ctx, left, g, z); err != nil {
					return nil, 0, err
				}
			}
			r.left = turned(left, c.n)
			return r, int64(8 * len(left)), nil
		})
}

// twoKernels reports whether X and Y have kernels of their residuals besides those of their
// columns.
func (c *Table) twoKernels() bool {
	return !c.o.ColumnsOnly && c.o.Kernel == nil && c.o.Published == nil &&
		(c.o.Form == WithKernel || c.o.Form == WithoutKernel)
}

// withResidual adds the residual features of the residual of g on z to those of g itself. Each part
// is divided by its size, so that its Gram matrix has trace 1.
func (c *Table) withResidual(ctx context.Context, left []float64, g, z group) ([]float64,
	error) {
	var continuous group
	for _, j := range g {
		if !c.cols[j].discrete {
			continuous = append(continuous, j)
		}
	}
	plain, err := c.plainResidual(ctx, continuous, z, false)
	if err != nil {
		return nil, err
	}
	columns := make([][]float64, len(continuous))
	for k := range columns {
		columns[k] = make([]float64, c.n)
		for i := range columns[k] {
			columns[k][i] = plain.left[i*len(columns)+k]
		}
	}
	f := c.featuresOf(columns)
	second := make([]float64, len(f.columns))
	if err := c.tuned(ctx, new(regression), second, f, g, z); err != nil {
		return nil, err
	}
	unitSize(left)
	unitSize(second)
	return append(left, second...), nil
}

// unitSize divides by the norm.
func unitSize(v []float64) {
	if size := norm(v); size > 0 {
		for i := range v {
			v[i] /= size
		}
	}
}

// featuresOf are those of columns of numbers, standardised.
func (c *Table) featuresOf(columns [][]float64) *features {
	dim := len(columns)
	points, gram := make([]float64, c.n*dim), make([]float64, c.n*c.n)
	for k, column := range columns {
		for i, v := range newColumn(column, false).z {
			points[i*dim+k] = v
		}
	}
	ell := outputWidth(c.n) * math.Sqrt(float64(dim))
	kernels.Fill(gram, gaussian(ell), fused.Best(), points, points, dim)
	return c.factored(gram)
}

// turned turns columns of n elements into rows.
func turned(a []float64, n int) []float64 {
	count := len(a) / n
	out := make([]float64, len(a))
	for k := range count {
		for i, v := range a[k*n : (k+1)*n] {
			out[i*count+k] = v
		}
	}
	return out
}

// tuned chooses lengthscale and ridge for the features f of g, and writes what is left into left.
func (c *Table) tuned(ctx context.Context, r *regression, left []float64, f *features, g,
	z group) error {
	of, err := c.choices(ctx, g, z, f.plain)
	if err != nil {
		return err
	}
	n := float64(c.n)
	best, at, lambda := math.Inf(-1), 0, 0.0
	type tried struct {
		value, lambda float64
		at            int
	}
	var all []tried
	for k := range of.lengthscales {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("conditional: %w", ctx.Err())
		}
		b, err := c.basis(of, k)
		if err != nil {
			return err
		}
		// A millionth of the trace does not matter for the choice.
		o := b.Project(f.columns[:f.few*c.n])
		if c.o.Tuning == MarginalLikelihood {
			for _, l := range gridNoises {
				if v := o.LogLikelihood(l); v > best {
					best, at, lambda = v, k, l
				}
			}
			continue
		}
		for _, l := range gridRidges {
			v := -o.LeaveOneOut(l * n)
			all = append(all, tried{v, l * n, k})
			if v > best {
				best, at, lambda = v, k, l*n
			}
		}
	}
	if of.scale != nil && f.plain {
		// What both regressions smooth away looks like dependence. Of those that are nearly as good the
		// one with the smallest ridge smooths least.
		for _, t := range all {
			if t.value >= best*nearlyBest && t.lambda < lambda {
				at, lambda = t.at, t.lambda
			}
		}
	}
	b, err := c.basis(of, at)
	if err != nil {
		return err
	}
	o := b.Project(f.columns)
	o.Residual(left, lambda)
	r.Lengthscale, r.Ridge, r.diag = of.lengthscales[at], lambda/n, b.Diagonal(lambda)
	for _, v := range of.scale {
		r.PerColumn = append(r.PerColumn, r.Lengthscale/v)
	}
	if c.o.Tuning == MarginalLikelihood {
		best = -b.Project(f.columns[:f.few*c.n]).LeaveOneOut(lambda)
	}
	r.R2 = 1 + best/meanError(f, c.n)
	return nil
}

// choices are the kernels of z among which the regressions of one variable choose.
type choices struct {
	z            group
	lengthscales []float64
	scale        []float64 // of each column that holds numbers; nil for one lengthscale
	key          string
}

// nearlyBest is the factor of the least leave-one-out error up to which another is nearly as good.
const nearlyBest = 1.02

// choices lists the kernels of z for the variable g, or for its columns alone.
func (c *Table) choices(ctx context.Context, g, z group, plain bool) (choices, error) {
	of := choices{z: z, lengthscales: gridLengthscales, key: z.key()}
	if c.continuous(z) == 0 {
		of.lengthscales = of.lengthscales[:1]
	}
	if c.continuous(z) < fewestApart || c.o.OneLengthscale || c.o.Tuning != LeaveOneOut {
		return of, nil
	}
	var err error
	of.scale, err = keep(&c.store, fmt.Sprint("scale ", plain, g.key(), "|", z.key()), func() ([]float64, int64, error) {
		s, err := c.relevance(ctx, g, z, plain)
		return s, int64(8 * len(s)), err
	})
	of.lengthscales = []float64{0.6, 1}
	if plain { // which the search was made for
		of.lengthscales = of.lengthscales[1:]
	}
	of.key = fmt.Sprint(plain, g.key(), "|", z.key())
	return of, err
}

// fewestApart is the number of columns of Z from which each has a lengthscale of its own.
const fewestApart = 3

// meanError is the error of the mean, which is taken over all rows here as it is where the regression leaves a row
// out: of covariates that say nothing the share is then 0.
func meanError(f *features, n int) float64 {
	s := 0.0
	for _, v := range f.columns[:f.few*n] {
		s += v * v
	}
	return s / float64(n)
}

// basis is the kernel matrix of z with lengthscale number k, ready for regressions.
func (c *Table) basis(of choices, k int) (*ridge.Basis, error) {
	return keep(&c.store, fmt.Sprintf("basis %d %s", k, of.key), func() (*ridge.Basis, int64, error) {
		var b *ridge.Basis
		switch {
		case of.scale != nil && c.n > wholeRows:
			b = ridge.NewLow(c.lowRank(of, of.lengthscales[k], lowRank), c.n)
		case of.scale != nil:
			gram := make([]float64, c.n*c.n)
			c.fillScaled(gram, of.z, of.scale, of.lengthscales[k])
			b = ridge.New(gram, c.n)
		default:
			gram := make([]float64, c.n*c.n)
			c.fill(gram, of.z, nil, of.lengthscales[k])
			b = ridge.New(gram, c.n)
		}
		return b, b.Bytes(), nil
	})
}

// published writes epsilon (Kz + epsilon I)^-1 F into left, with the centred Kz, by Cholesky
// factorisation: a small ridge asks for more accuracy than factors of low rank have.
func (c *Table) published(left, columns []float64, z group) error {
	n, eps := c.n, c.o.Published.Ridge
	lower, err := keep(&c.store, "published "+z.key(), func() ([]float64, int64, error) {
		gram := make([]float64, n*n)
		c.fillLengthscale(gram, z, nil, c.width(z, nil, z))
		centreGram(gram, n)
		for i := range n {
			gram[i*n+i] += eps
		}
		if !lowrank.Decompose(gram, n) {
			return nil, 0, fmt.Errorf("conditional: published ridge is %v, with which the rows of %s "+
				"cannot be told apart: want a larger one", eps, c.words(z))
		}
		return gram, int64(8 * len(gram)), nil
	})
	if err != nil {
		return err
	}
	copy(left, columns)
	// The columns are the rows of F', so that F' (L L')^-1 is solved from the right.
	b := blas64.General{Rows: len(left) / n, Cols: n, Stride: n, Data: left}
	l := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: n, Stride: n, Data: lower}
	blas64.Trsm(blas.Right, blas.Trans, eps, l, b)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, l, b)
	return nil
}

// centreGram replaces the matrix K by H K H, H = I - 11'/n.
func centreGram(k []float64, n int) {
	means, grand := make([]float64, n), 0.0
	for i := range n {
		for _, v := range k[i*n : (i+1)*n] {
			means[i] += v / float64(n)
		}
		grand += means[i] / float64(n)
	}
	for i := range n {
		for j := range n {
			k[i*n+j] = k[i*n+j] - (means[i] + means[j]) + grand
		}
	}
}
