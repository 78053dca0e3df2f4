package conditional

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/lowrank"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// fill writes the kernel matrix of some columns: the Gaussian kernel of the standardised continuous
// ones, times the indicators of the discrete ones. The lengthscale is width times the root of the
// number of continuous columns. Beside are columns that enter at half their size; the width is then
// that of all.
func (c *Table) fill(dst []float64, g, beside group, width float64) {
	c.fillLengthscale(dst, g, beside, width*math.Sqrt(max(1, float64(c.continuous(g)))))
}

func (c *Table) fillLengthscale(dst []float64, g, beside group, ell float64) {
	var columns []tableColumn
	var scale []float64
	for _, j := range g {
		columns, scale = append(columns, c.cols[j]), append(scale, 1)
	}
	for _, j := range beside {
		columns, scale = append(columns, c.cols[j]), append(scale, 0.5)
	}
	dim := 0
	for _, col := range columns {
		if !col.discrete {
			dim++
		}
	}
	if dim == 0 {
		for i := range dst {
			dst[i] = 1
		}
	} else {
		points := make([]float64, 0, c.n*dim)
		for i := range c.n {
			for k, col := range columns {
				if !col.discrete {
					points = append(points, scale[k]*col.z[i])
				}
			}
		}
		kernels.Fill(dst, gaussian(ell), fused.Best(), points, points, dim)
	}
	for _, col := range columns {
		if !col.discrete {
			continue
		}
		for i, a := range col.code {
			row := dst[i*c.n : (i+1)*c.n]
			for j, b := range col.code {
				if a != b {
					row[j] = 0
				}
			}
		}
	}
}

// gaussian is the kernel with this lengthscale.
func gaussian(ell float64) kernels.Kernel {
	return kernels.SquaredExponential(ell)
}

// width is the lengthscale of the kernel of x or y.
func (c *Table) width(g, beside, z group) float64 {
	if p := c.o.Published; p != nil {
		if p.MedianWidth {
			return c.publishedMedian(g, beside, z)
		}
		if p.Lengthscale > 0 {
			return p.Lengthscale
		}
		return publishedWidth(c.n, len(z))
	}
	return outputWidth(c.n) * math.Sqrt(max(1, float64(c.continuous(g))))
}

// outputWidth is that of the kernels of X and Y, in standard deviations. It falls smoothly with the
// number of rows: few rows see little but what is smooth, and many have the power to look closer.
// examples/conditional/README.md has the powers on which it rests.
func outputWidth(n int) float64 { return min(2, 1.5*math.Cbrt(100/float64(n))) }

// gram returns the kernel matrix of x or y, with columns of beside at half their size.
func (c *Table) gram(ctx context.Context, g group, ell float64, beside group) ([]float64,
	error) {
	dst := make([]float64, c.n*c.n)
	if c.o.Kernel == nil || c.continuous(g) == 0 {
		c.fillLengthscale(dst, g, beside, ell)
		return dst, nil
	}
	k, points, err := c.learned(ctx, g)
	if err != nil {
		return nil, err
	}
	kernels.Fill(dst, k, fused.Best(), points, points, len(points)/c.n)
	// What is discrete, and beside, has kernels of its own.
	rest := make([]float64, c.n*c.n)
	var discrete group
	for _, j := range g {
		if c.cols[j].discrete {
			discrete = append(discrete, j)
		}
	}
	c.fillLengthscale(rest, discrete, beside, ell)
	for i, v := range rest {
		dst[i] *= v
	}
	return dst, nil
}

// learned returns the kernel that Options.Kernel chooses for the continuous columns, and their
// rows.
func (c *Table) learned(ctx context.Context, g group) (kernels.Kernel, []float64, error) {
	var points []float64
	for i := range c.n {
		for _, j := range g {
			if !c.cols[j].discrete {
				points = append(points, c.cols[j].z[i])
			}
		}
	}
	k, err := keep(&c.store, "kernel "+g.key(), func() (kernels.Kernel, int64, error) {
		v, err := kerneltest.NewVariable(ctx, c.words(g), mat.NewDense(c.n, len(points)/c.n, points),
			*c.o.Kernel, kerneltest.Options{Standardize: kerneltest.StandardizeNever, Seed: c.o.Seed,
				Null: statistic.Pearson})
		if err != nil {
			return nil, 0, err
		}
		if len(v.Kernel.Kernels) != 1 {
			return nil, 0, fmt.Errorf("conditional: rule %v has %d kernels, want one for a test of "+
				"conditional independence", v.Kernel.Rule, len(v.Kernel.Kernels))
		}
		return v.Kernel.Kernels[0], 1024, nil
	})
	return k, points, err
}

// features are those of the centred kernel of a variable, column by column.
type features struct {
	columns []float64
	plain   bool // the columns of the variable themselves
	few     int  // columns that have all but a millionth of the trace of the kernel, which comes first
}

// featureTolerance is the largest error of an element of the diagonal of a kernel matrix.
const featureTolerance = 1e-14

func (c *Table) features(ctx context.Context, g, beside, z group) (*features, error) {
	key := "features " + g.key() + beside.key()
	if c.o.Published != nil {
		key += z.key() // which decides the width
	}
	return keep(&c.store, key, func() (*features, int64, error) {
		gram, err := c.gram(ctx, g, c.width(g, beside, z), beside)
		if err != nil {
			return nil, 0, err
		}
		f := c.factored(gram)
		return f, int64(8 * len(f.columns)), nil
	})
}

// factored is the factor of a kernel matrix, its columns centred.
func (c *Table) factored(gram []float64) *features {
	f := &features{}
	diag := make([]float64, c.n)
	for i := range diag {
		diag[i] = gram[i*c.n+i]
	}
	var chol lowrank.Cholesky
	chol.Factor(diag, featureTolerance, func(dst []float64, i int) {
		copy(dst, gram[i*c.n:(i+1)*c.n])
	})
	f.columns = chol.Columns()
	left := float64(c.n)
	for k := range len(chol.Pivots) {
		col := f.columns[k*c.n : (k+1)*c.n]
		mean := 0.0
		for _, v := range col {
			mean += v / float64(c.n)
			left -= v * v
		}
		for i := range col {
			col[i] -= mean
		}
		if f.few == 0 && left < 1e-6*float64(c.n) {
			f.few = k + 1
		}
	}
	if f.few == 0 {
		f.few = len(chol.Pivots)
	}
	return f
}
