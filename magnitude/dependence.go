package magnitude

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// dependentRows is the number of rows that are compared row by row; of more, so many are drawn.
const dependentRows = 1500

// Dependence is the distance correlation of two variables, observed together in n rows: 0 if they
// are independent, and only then; 1 if one is a rotation and a scaling of the other. The columns of
// a variable count in units of their standard deviations.
func Dependence(ctx context.Context, x, y mat.Matrix, o Options) (Interval, error) {
	level, err := o.level()
	if err != nil {
		return Interval{}, err
	}
	n, _ := x.Dims()
	m, _ := y.Dims()
	switch {
	case n != m:
		return Interval{}, fmt.Errorf("magnitude: variables of %d and %d rows, want as many of each", n, m)
	case n < 6:
		return Interval{}, fmt.Errorf("magnitude: %d rows, want at least 6", n)
	case !finite(x) || !finite(y):
		return Interval{}, errors.New("magnitude: a value is not finite")
	}
	a, b := dense(x), dense(y)
	scale(a)
	scale(b)
	if n > dependentRows {
		keep := stream(o.Seed, "dependence", 0).Perm(n)[:dependentRows]
		a, b = some(a, keep), some(b, keep)
		n = dependentRows
	}
	if err := ctx.Err(); err != nil {
		return Interval{}, err
	}
	da, db := between2(a), between2(b)
	xy, xx, yy := newProduct(n, da, db), newProduct(n, da, da), newProduct(n, db, db)
	r := correlation(xy.value(), xx.value(), yy.value())
	if math.IsNaN(r) {
		return unknown(0), nil
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = correlation(xy.without(i), xx.without(i), yy.without(i))
	}
	// Under independence n(n-3)/2 is about the inverse of the variance of r (Székely and Rizzo, 2013).
	null := 1 / float64(n*(n-3))
	// The weights are products of those of two variables, and so is the share along a direction.
	i := rooted(r, spread(out), null, square(0.8), float64(n-1), level)
	return Interval{math.Sqrt(i.Estimate), math.Sqrt(i.Lower), math.Sqrt(i.Upper)}, nil
}

func correlation(xy, xx, yy float64) float64 {
	if !(xx > 0 && yy > 0) {
		return math.NaN()
	}
	return xy / math.Sqrt(xx*yy)
}

// product is the inner product of U-centred distances (Székely and Rizzo, 2014), from sums that are
// easily found anew when a row is left out.
type product struct {
	n              float64
	sum            float64   // of a_ij b_ij
	rows           float64   // of a_i. b_i.
	at, atRows     []float64 // the parts of row k: sum_j a_kj b_kj; and sum_i (a_i. b_ik + a_ik b_i.)
	a, b           []float64 // row sums
	totalA, totalB float64
}

func newProduct(n int, x, y func(i, j int) float64) *product {
	p := &product{n: float64(n), at: make([]float64, n), atRows: make([]float64, n), a: make([]float64, n),
		b: make([]float64, n)}
	for i := range n {
		for j := range i {
			u, v := x(i, j), y(i, j)
			p.a[i] += u
			p.a[j] += u
			p.b[i] += v
			p.b[j] += v
			p.at[i] += u * v
			p.at[j] += u * v
		}
	}
	for i := range n {
		for j := range i {
			u, v := x(i, j), y(i, j)
			p.atRows[i] += p.a[j]*v + p.b[j]*u
			p.atRows[j] += p.a[i]*v + p.b[i]*u
		}
	}
	for i := range n {
		p.sum += p.at[i]
		p.rows += p.a[i] * p.b[i]
		p.totalA += p.a[i]
		p.totalB += p.b[i]
	}
	return p
}

func (p *product) value() float64 { return centred(p.sum, p.rows, p.totalA*p.totalB, p.n) }

// without is the value without row k.
func (p *product) without(k int) float64 {
	// Each row sum loses its distance to row k: (a_i. - a_ik)(b_i. - b_ik), summed over the others.
	rows := p.rows - p.a[k]*p.b[k] - p.atRows[k] + p.at[k]
	return centred(p.sum-2*p.at[k], rows, (p.totalA-2*p.a[k])*(p.totalB-2*p.b[k]), p.n-1)
}

func centred(sum, rows, totals, n float64) float64 {
	return (sum - 2*rows/(n-2) + totals/((n-1)*(n-2))) / (n * (n - 3))
}
