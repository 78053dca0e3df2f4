package stein

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// looks are the statistics of n residuals of d columns: U of Stein's kernel for the standard normal law, with several
// lengthscales; and of that kernel times one of covariates.
type looks struct {
	n, d   int
	known  bool
	basis  [][]float64 // orthonormal: what it spans is taken out of each column of residuals
	given  [][]float64 // kernels of covariates, of the pairs i > j, row by row
	near   []float64   // one of them, not centred
	scales []float64   // multiples
	fine   float64     // lengthscale of places
	rows   []int
}

// multiples of the median distance of residuals are the lengthscales of their kernels. The first is for several columns,
// where it sees most of independent Laplace values; of one column it costs power against each of four laws that are not
// normal. In units of normal rows, not of the residuals, there is less power against long tails.
var multiples = [...]float64{0.25, 0.5, 1, 2, 4}

// halves of the median distance of covariates are their lengthscales. Beside them residuals have their median distance.
var halves = [...]float64{0.25, 0.5, 1}

// fewest is the number of rows, beyond what is taken out of them, that are looked at.
const fewest = 8

func newLooks(rows []int, n, d int, o Fitting) (*looks, error) {
	l := &looks{n: len(rows), d: d, known: o.Known, rows: rows}
	l.fine = math.Sqrt(2*distuv.ChiSquared{K: float64(d)}.Quantile(0.5)) / 2 // clusters are found best with half the median
	l.scales = multiples[1:]
	if d > 1 {
		l.scales = multiples[:]
	}
	if !o.Known {
		one := make([]float64, l.n)
		for i := range one {
			one[i] = 1
		}
		l.span(one)
	}
	if o.X != nil {
		m, p := o.X.Dims()
		if m != n {
			return nil, fmt.Errorf("stein: %d rows of covariates and %d residuals; there must be as many", m, n)
		}
		var x [][]float64
		for j := range p {
			c := make([]float64, l.n)
			for k, i := range rows {
				c[k] = o.X.At(i, j)
				if c[k]-c[k] != 0 {
					return nil, fmt.Errorf("stein: covariate %d is %v in row %d; it must be finite", j+1, c[k], i+1)
				}
			}
			if o.Linear && !o.Known {
				l.span(slices.Clone(c))
			}
			if spread(c) {
				x = append(x, c)
			}
		}
		l.covariates(x)
	}
	if l.n < fewest+len(l.basis)+d {
		return nil, fmt.Errorf("stein: %d observations; with %d columns that are taken out of them there must be at least %d",
			l.n, len(l.basis), fewest+len(l.basis)+d)
	}
	return l, nil
}

// span adds a column to the basis, unless the basis spans it.
func (l *looks) span(c []float64) {
	size := norm(c)
	for range 2 { // once more for what rounding left
		for _, b := range l.basis {
			along := dot(b, c)
			for i := range c {
				c[i] -= along * b[i]
			}
		}
	}
	left := norm(c)
	if !(left > 1e-9*size) {
		return
	}
	for i := range c {
		c[i] /= left
	}
	l.basis = append(l.basis, c)
}

// spread standardises a column, and reports whether a column has any spread.
func spread(c []float64) bool {
	mean, square := 0.0, 0.0
	for _, v := range c {
		mean += v / float64(len(c))
	}
	for _, v := range c {
		square += (v - mean) * (v - mean) / float64(len(c))
	}
	sd := math.Sqrt(square)
	for i := range c {
		c[i] = (c[i] - mean) / sd
	}
	return sd > 1e-12*math.Abs(mean)
}

// covariates makes their kernels. Lengthscales are in units of the median of the distances that are not 0.
func (l *looks) covariates(x [][]float64) {
	if len(x) == 0 {
		return
	}
	var squares, some []float64
	for i := range l.n {
		for j := range i {
			q := 0.0
			for _, c := range x {
				q += (c[i] - c[j]) * (c[i] - c[j])
			}
			squares = append(squares, q)
			if q > 0 {
				some = append(some, q)
			}
		}
	}
	if len(some) == 0 {
		return
	}
	slices.Sort(some)
	median := some[len(some)/2]
	for _, m := range halves {
		k := make([]float64, len(squares))
		for i, q := range squares {
			k[i] = math.Exp(-q / (2 * m * m * median))
		}
		if m == 0.5 {
			l.near = slices.Clone(k)
		}
		l.given = append(l.given, centred(k, l.n))
	}
}

// centred takes the means of rows and columns from a kernel, so that what is the same at all covariates counts no more.
func centred(k []float64, n int) []float64 {
	means, all, pair := make([]float64, n), 0.0, 0
	for i := range n {
		means[i] += 1 / float64(n) // the diagonal
		for j := range i {
			means[i] += k[pair] / float64(n)
			means[j] += k[pair] / float64(n)
			pair++
		}
	}
	for _, m := range means {
		all += m / float64(n)
	}
	pair = 0
	for i := range n {
		for j := range i {
			k[pair] += all - means[i] - means[j]
			pair++
		}
	}
	return k
}

// count is the number of statistics.
func (l *looks) count() int { return len(l.scales) + len(l.given) }

// settle takes what the model can fit out of residuals, row by row in e, and reports whether anything is left: each
// column's part in the basis, and the covariance, by the Cholesky factor of it.
func (l *looks) settle(e []float64) bool {
	if l.known {
		return true
	}
	d := l.d
	for a := range d {
		for range 2 { // once more for what rounding left
			for _, b := range l.basis {
				along := 0.0
				for i, v := range b {
					along += v * e[i*d+a]
				}
				for i, v := range b {
					e[i*d+a] -= along * v
				}
			}
		}
	}
	rows := mat.NewDense(l.n, d, e)
	var c mat.SymDense
	c.SymOuterK(1/float64(l.n), rows.T())
	var chol mat.Cholesky
	if !chol.Factorize(&c) {
		return false
	}
	var low mat.TriDense
	chol.LTo(&low)
	for i := range l.n { // L z = e
		row := e[i*d : (i+1)*d]
		for a := range row {
			for b := range a {
				row[a] -= low.At(a, b) * row[b]
			}
			row[a] /= low.At(a, a)
		}
	}
	return true
}

// work is memory of one goroutine.
type work struct{ inverse, sums, pairs []float64 }

func (l *looks) newWork() *work {
	return &work{sums: make([]float64, l.count()), inverse: make([]float64, len(l.scales))}
}

// mostPairs is how many distances their median is taken of.
const mostPairs = 5000

// median is the median distance of residuals, of rows not too far apart if there are many pairs. If the scale of residuals
// is known it is that of the model's.
func (l *looks) median(e []float64, w *work) float64 {
	if l.known {
		return 2 * l.fine
	}
	w.pairs = w.pairs[:0]
	for step := 1; step < l.n && (step == 1 || len(w.pairs) < mostPairs); step++ {
		for i := step; i < l.n; i++ {
			q := 0.0
			for a := range l.d {
				r := e[i*l.d+a] - e[(i-step)*l.d+a]
				q += r * r
			}
			w.pairs = append(w.pairs, q)
		}
	}
	slices.Sort(w.pairs)
	m := w.pairs[len(w.pairs)/2]
	if m == 0 { // half of the residuals are the same
		return 2 * l.fine
	}
	return math.Sqrt(m)
}

// statistics are U for each kernel. With scores -e of the standard normal law, the kernel (1+q)^(-1/2), q = r'r/theta²,
// has the Stein kernel
//
//	s^(1/2) [e'e' + s (d/theta² - r'r/theta² - 3 s q/theta²)],   s = 1/(1+q).
func (l *looks) statistics(dst, e []float64, w *work) {
	clear(w.sums)
	d, pair := l.d, 0
	m := l.median(e, w)
	beside := 1 / (m * m)
	for k, of := range l.scales {
		w.inverse[k] = beside / (of * of)
	}
	for i := range l.n {
		x := e[i*d : (i+1)*d]
		for j := range i {
			y := e[j*d : (j+1)*d]
			square, product := 0.0, 0.0
			for a, v := range x {
				r := v - y[a]
				square += r * r
				product += v * y[a]
			}
			for k, inv := range w.inverse {
				w.sums[k] += standard(square, product, inv, d)
			}
			if len(l.given) > 0 {
				h := standard(square, product, beside, d)
				for k, given := range l.given {
					w.sums[len(l.scales)+k] += given[pair] * h
				}
			}
			pair++
		}
	}
	for k, v := range w.sums {
		dst[k] = v / float64(pair)
	}
}

// standard is the Stein kernel of the standard normal law; inverse is 1/theta².
func standard(square, product, inverse float64, d int) float64 {
	q := square * inverse
	s := 1 / (1 + q)
	return math.Sqrt(s) * (product + s*(inverse*float64(d)-q-3*s*q*inverse))
}

// places of the curve, in standard deviations.
const (
	farthest = 4
	steps    = 81
)

// excess is the mean of the kernel of the place z with all residuals, times what weights has for each.
func (l *looks) excess(e, z []float64, weight func(j int) float64) float64 {
	sum := 0.0
	for j := range l.n {
		square, product := 0.0, 0.0
		for a, v := range z {
			r := v - e[j*l.d+a]
			square += r * r
			product += v * e[j*l.d+a]
		}
		sum += weight(j) * standard(square, product, 1/(l.fine*l.fine), l.d)
	}
	return sum / float64(l.n)
}

func always(int) float64 { return 1 }

func (l *looks) curve(e []float64) []float64 {
	out, z := make([]float64, steps), make([]float64, 1)
	for k := range out {
		z[0] = at(k)
		out[k] = l.excess(e, z, always)
	}
	return out
}

func at(k int) float64 { return farthest * (2*float64(k)/(steps-1) - 1) }

// where finds the places of the largest and the least excess: at the residuals themselves and at draws from the model,
// for there are none of the former where too few are. It looks at those with covariates like the place's if the
// dependence on these has the smaller p-value.
func (l *looks) where(g *Goodness, null *simulated, e []float64, seed uint64) {
	nearTo := func(int) func(int) float64 { return always }
	if g.Given() {
		kernel := l.near
		nearTo = func(i int) func(int) float64 {
			return func(j int) float64 {
				if i == j {
					return 1
				}
				a, b := max(i, j), min(i, j)
				return kernel[a*(a-1)/2+b]
			}
		}
	}
	g.Most, g.Least = Place{Excess: math.Inf(-1)}, Place{Excess: math.Inf(1)}
	look := func(i int, z []float64) float64 {
		f := l.excess(e, z, nearTo(i))
		if f > g.Most.Excess {
			g.Most = Place{l.rows[i], slices.Clone(z), f}
		}
		if f < g.Least.Excess {
			g.Least = Place{l.rows[i], slices.Clone(z), f}
		}
		return f
	}
	for i := range l.n {
		g.Excess = append(g.Excess, look(i, e[i*l.d:(i+1)*l.d]))
	}
	r := rand.New(rand.NewPCG(seed, 0xf17))
	z := make([]float64, l.d)
	for range 2 {
		for i := range l.n {
			for a := range z {
				z[a] = r.NormFloat64()
			}
			look(i, z)
		}
	}
	if l.d > 1 {
		return
	}
	c := &Curve{Excess: l.curve(e)}
	values := make([]float64, len(null.curves))
	for k := range steps {
		c.At = append(c.At, at(k))
		for b := range values {
			values[b] = null.curves[b][k]
		}
		slices.Sort(values)
		out := len(values) / 40
		c.Lower, c.Upper = append(c.Lower, values[out]), append(c.Upper, values[len(values)-1-out])
	}
	g.Curve = c
}

func dot(x, y []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func norm(x []float64) float64 { return math.Sqrt(dot(x, x)) }
