package ridge

import (
	"math"

	"bayeskernel/internal/product"
)

// Outputs are columns to be regressed on the points of a Basis. Its methods are not for several
// goroutines at once.
type Outputs struct {
	b     *Basis
	f     []float64 // column k at f[k*n:(k+1)*n]
	count int
	c     []float64 // P'F, column k at c[k*rank:(k+1)*rank]
	norm  float64   // the sum of squares of f
	solve []float64 // as c
	left  []float64 // as f
}

// Project makes outputs of columns of n elements, one after another. They are not copied.
func (b *Basis) Project(f []float64) *Outputs {
	o := &Outputs{b: b, f: f, count: len(f) / b.n}
	o.c = make([]float64, o.count*b.rank)
	product.Multiply(o.c, o.count, b.rank, b.n, product.Rows(f, b.n), product.Rows(b.p, b.n),
		product.All)
	for _, v := range f {
		o.norm += v * v
	}
	return o
}

// coefficients sets s to (T + lambda I)^-1 P'f for column k, times lambda where the rank is not low.
func (o *Outputs) coefficients(s []float64, k int, f factor) {
	c := o.c[k*o.b.rank : (k+1)*o.b.rank]
	last := 0.0
	for j, v := range c {
		if j > 0 {
			v -= f.below[j-1] * last
		}
		s[j], last = v, v
	}
	scale := 1.0
	if !o.b.low {
		scale = f.lambda
	}
	last = 0
	for j := len(s) - 1; j >= 0; j-- {
		v := s[j] * scale / f.d[j]
		if j < len(s)-1 {
			v -= f.below[j] * last
		}
		s[j], last = v, v
	}
}

// Residual writes R F into dst, column by column.
func (o *Outputs) Residual(dst []float64, lambda float64) {
	b := o.b
	f := b.factor(lambda)
	if o.solve == nil {
		o.solve = make([]float64, len(o.c))
	}
	for k := range o.count {
		o.coefficients(o.solve[k*b.rank:(k+1)*b.rank], k, f)
	}
	product.Multiply(dst, o.count, b.n, b.rank, product.Rows(o.solve, b.rank),
		product.Columns(b.p, b.n), product.All)
	if b.low {
		for i, v := range o.f {
			dst[i] = v - dst[i]
		}
	}
}

// LeaveOneOut is the mean over the points of the squared error of the prediction from all others.
func (o *Outputs) LeaveOneOut(lambda float64) float64 {
	if o.left == nil {
		o.left = make([]float64, len(o.f))
	}
	o.Residual(o.left, lambda)
	diag := o.b.diagonal(lambda)
	n := o.b.n
	s := 0.0
	for k := range o.count {
		for i, v := range o.left[k*n : (k+1)*n] {
			v /= diag[i]
			s += v * v
		}
	}
	return s / float64(n)
}

// LogLikelihood is the log marginal likelihood of each column at the best amplitude, but for a
// constant that does not depend on K and lambda.
func (o *Outputs) LogLikelihood(lambda float64) float64 {
	f := o.b.factor(lambda)
	form := 0.0 // F'(K + lambda I)^-1 F, its trace
	for k := range o.count {
		last := 0.0
		for j, v := range o.c[k*o.b.rank : (k+1)*o.b.rank] {
			if j > 0 {
				v -= f.below[j-1] * last
			}
			form += v * v / f.d[j]
			last = v
		}
	}
	if o.b.low {
		form = max(o.norm-form, 0x1p-52*o.norm) / lambda
	}
	return -(o.b.logDet(lambda) + float64(o.b.n)*math.Log(form)) / 2
}
