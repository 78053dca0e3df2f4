package ridge

import (
	"math"

	"bayeskernel/internal/lowrank"
)

// Outputs are columns to be regressed on the points of a Basis. Its methods are not for several
// goroutines at once.
type Outputs struct {
	b     *Basis
	f     []float64 // column k at f[k*n:(k+1)*n]
	count int
	c     []float64 // P'F, column k at c[k*rank:(k+1)*rank]
	norm  float64   // the sum of squares of f
	solve []float64
	left  []float64
	diag  []float64
}

// Project makes outputs of columns of n elements, one after another. They are not copied.
func (b *Basis) Project(f []float64) *Outputs {
	o := &Outputs{b: b, f: f, count: len(f) / b.n, left: make([]float64, b.n),
		diag: make([]float64, b.n), solve: make([]float64, b.rank)}
	o.c = make([]float64, o.count*b.rank)
	for k := range o.count {
		lowrank.Products(o.c[k*b.rank:(k+1)*b.rank], o.column(k), b.p, b.n)
	}
	for _, v := range f {
		o.norm += v * v
	}
	return o
}

func (o *Outputs) column(k int) []float64 { return o.f[k*o.b.n : (k+1)*o.b.n] }

// coefficients sets solve to (T + lambda I)^-1 P'f for column k, times lambda where the rank is not
// low.
func (o *Outputs) coefficients(k int, f factor) {
	s, c := o.solve, o.c[k*o.b.rank:(k+1)*o.b.rank]
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
	f := o.b.factor(lambda)
	for k := range o.count {
		o.residual(dst[k*o.b.n:(k+1)*o.b.n], k, f)
	}
}

func (o *Outputs) residual(dst []float64, k int, f factor) {
	o.coefficients(k, f)
	sign := 1.0
	if o.b.low {
		copy(dst, o.column(k))
		sign = -1
	} else {
		clear(dst)
	}
	lowrank.Combine(dst, sign, o.solve, o.b.p)
}

// LeaveOneOut is the mean over the points of the squared error of the prediction from all others.
func (o *Outputs) LeaveOneOut(lambda float64) float64 {
	f := o.b.factor(lambda)
	o.b.Diagonal(o.diag, lambda)
	for i, v := range o.diag {
		o.diag[i] = 1 / (v * v)
	}
	s := 0.0
	for k := range o.count {
		o.residual(o.left, k, f)
		for i, v := range o.left {
			s += v * v * o.diag[i]
		}
	}
	return s / float64(o.b.n)
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
	return -(o.b.LogDet(lambda) + float64(o.b.n)*math.Log(form)) / 2
}
