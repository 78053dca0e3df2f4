package magnitude

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// dependentRows is the number of rows that are compared row by row; of more, so many are drawn.
const dependentRows = 4000

// DependentRows is the number of rows that Dependence looks at: all, where each variable is one column, and
// otherwise 4000 at most.
func DependentRows(x, y mat.Matrix) int {
	n, dx := x.Dims()
	if _, dy := y.Dims(); dx == 1 && dy == 1 {
		return n
	}
	return min(n, dependentRows)
}

// Dependence is the distance correlation of two variables, observed together in n rows: 0 if they
// are independent, and only then; 1 if one is a rotation and a scaling of the other. The columns of
// a variable count in units of their standard deviations. Of n rows of one column each it takes some n log n steps;
// otherwise it compares each two of DependentRows, drawn by the seed.
func Dependence(ctx context.Context, x, y mat.Matrix, o Options) (Interval, error) {
	level, err := o.level()
	if err != nil {
		return Interval{}, err
	}
	if err := cmp.Or(rows.Check("x", x), rows.Check("y", y)); err != nil {
		return Interval{}, fmt.Errorf("magnitude: %w", err)
	}
	n, _ := x.Dims()
	m, _ := y.Dims()
	switch {
	case n != m:
		return Interval{}, fmt.Errorf("magnitude: variables of %d and %d rows, want as many of each", n, m)
	case n < 6:
		return Interval{}, fmt.Errorf("magnitude: %d rows, want at least 6", n)
	}
	if err := cmp.Or(finite("x", x), finite("y", y), rows.Scaled("x", x), rows.Scaled("y", y)); err != nil {
		return Interval{}, fmt.Errorf("magnitude: %w", err)
	}
	a, b := dense(x, nil), dense(y, nil)
	scale([]mat.Matrix{x}, a)
	scale([]mat.Matrix{y}, b)
	if k := DependentRows(x, y); k < n {
		keep := stream(o.Seed, "dependence", 0).Perm(n)[:k]
		a, b = some(a, keep), some(b, keep)
		n = k
	}
	if err := ctx.Err(); err != nil {
		return Interval{}, err
	}
	c := correlate(a, b)
	if math.IsNaN(c.value) {
		return unknown(0), nil
	}
	// Under independence n(n-3)/2 is about the inverse of the variance of r (Székely and Rizzo, 2013).
	null := 1 / float64(n*(n-3))
	h := min(max(c.value, 0), 1)
	if h > 1-1e-12 { // one is a multiple of the other
		return Interval{1, 1, 1}, nil
	}
	null *= square(1 - square(h*h)) // what is nearly one has next to no room for chance
	few := c
	if n > curvedRows {
		keep := stream(o.Seed, "curve", 0).Perm(n)[:curvedRows]
		few = correlate(some(a, keep), some(b, keep))
	}
	curve := few.curvature() * square(float64(len(few.without))/float64(n))
	if math.IsNaN(curve) { // some two rows carry all that varies
		curve = null
	}
	// Long tails make curve vary much: the mean of it and of null varies less.
	i := rooted(c.value, spread(c.without), null, (max(curve, 0)+null)/2, freedomOf(c.without), level)
	return Interval{math.Sqrt(i.Estimate), math.Sqrt(i.Lower), math.Sqrt(i.Upper)}, nil
}

// curvedRows is the number of rows whose pairs are left out one by one; of more, so many are drawn.
const curvedRows = 200

// correlated is the squared distance correlation of rows, and what it is without each.
type correlated struct {
	between    [2]func(i, j int) float64 // distances of the rows of each variable
	xy, xx, yy *product
	value      float64
	without    []float64
}

func correlate(a, b [][]float64) *correlated {
	n, da, db := len(a), between2(a), between2(b)
	c := &correlated{between: [2]func(i, j int) float64{da, db}, without: make([]float64, n)}
	if len(a[0]) == 1 && len(b[0]) == 1 {
		x, y := newLine(a), newLine(b)
		c.xy, c.xx, c.yy = x.by(y), x.by(x), y.by(y)
	} else {
		c.xy, c.xx, c.yy = newProduct(n, da, db), newProduct(n, da, da), newProduct(n, db, db)
	}
	c.value = correlation(c.xy.value(), c.xx.value(), c.yy.value())
	for i := range c.without {
		c.without[i] = correlation(c.xy.without(i), c.xx.without(i), c.yy.without(i))
	}
	return c
}

// curvature is half the variance of the quadratic part of the value, in some n³ steps.
func (c *correlated) curvature() float64 {
	n := len(c.without)
	var d [2]*mat.Dense
	for k, between := range c.between {
		d[k] = mat.NewDense(n, n, nil)
		for i := range n {
			for j := range i {
				v := between(i, j)
				d[k].Set(i, j, v)
				d[k].Set(j, i, v)
			}
		}
	}
	var xByY, xByX, yByY mat.Dense
	xByY.Mul(d[0], d[1])
	xByX.Mul(d[0], d[0])
	yByY.Mul(d[1], d[1])
	return second(c.value, c.without, func(i, j int) float64 {
		u, v := d[0].At(i, j), d[1].At(i, j)
		return correlation(c.xy.withoutTwo(i, j, u, v, &xByY), c.xx.withoutTwo(i, j, u, u, &xByX),
			c.yy.withoutTwo(i, j, v, v, &yByY))
	})
}

// correlation is NaN where a variable does not vary, or differs in one row alone, whose U-centred distances
// are 0. Variables are in units of their standard deviations, so that less than 1e-12 is rounding.
func correlation(xy, xx, yy float64) float64 {
	if !(xx > 1e-12 && yy > 1e-12) {
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
	return p.summed()
}

// summed has the sums over all rows.
func (p *product) summed() *product {
	for i := range p.at {
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

// withoutTwo is the value without rows k and l, whose distances are u and v; by is the product of the
// matrices of distances.
func (p *product) withoutTwo(k, l int, u, v float64, by *mat.Dense) float64 {
	rows := p.rows - p.a[k]*p.b[k] - p.a[l]*p.b[l] -
		(p.atRows[k] - p.a[l]*v - p.b[l]*u) - (p.atRows[l] - p.a[k]*v - p.b[k]*u) +
		(p.at[k] - u*v) + (p.at[l] - u*v) + by.At(k, l) + by.At(l, k)
	return centred(p.sum-2*(p.at[k]+p.at[l]-u*v), rows,
		(p.totalA-2*(p.a[k]+p.a[l]-u))*(p.totalB-2*(p.b[k]+p.b[l]-v)), p.n-2)
}

func centred(sum, rows, totals, n float64) float64 {
	return (sum - 2*rows/(n-2) + totals/((n-1)*(n-2))) / (n * (n - 3))
}
