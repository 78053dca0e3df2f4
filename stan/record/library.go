package record

import (
	"math"
	"slices"

	"bayeskernel/engine"
)

// piece is a piecewise constant function: its value at x, and the piece around x on which it stays, from lo
// to hi, with lo or hi of it.
type piece struct {
	v, lo, hi      float64
	withLo, withHi bool
}

// guarded is the value of such a function; guards watch whether x stays in the piece.
func (c *run) guarded(x Real, f func(x float64) piece) Real {
	p := f(x.V)
	if x.N == 0 {
		return constant(p.v)
	}
	within := func(with bool, a, b Real) {
		if with {
			c.t.compare(engine.LessEqual, a, b)
		} else {
			c.t.compare(engine.Less, a, b)
		}
	}
	if !math.IsInf(p.lo, -1) {
		within(p.withLo, constant(p.lo), x)
	}
	if !math.IsInf(p.hi, 1) {
		within(p.withHi, x, constant(p.hi))
	}
	return constant(p.v)
}

func stepPiece(x float64) piece {
	if x >= 0 {
		return piece{1, 0, math.Inf(1), true, false}
	}
	return piece{0, math.Inf(-1), 0, false, false}
}

func floorPiece(x float64) piece { f := math.Floor(x); return piece{f, f, f + 1, true, false} }
func ceilPiece(x float64) piece  { f := math.Ceil(x); return piece{f, f - 1, f, false, true} }

func truncPiece(x float64) piece {
	switch f := math.Trunc(x); {
	case f == 0:
		return piece{f, -1, 1, false, false}
	case f > 0:
		return floorPiece(x)
	}
	return ceilPiece(x)
}

func roundPiece(x float64) piece { // halves go away from 0
	f := math.Round(x)
	return piece{f, f - 0.5, f + 0.5, f > 0, f < 0}
}

// logSoftmax are the numbers of a value less the log of the sum of their exponentials.
func (c *run) logSoftmax(v Value) []Real {
	x := scalars(v)
	n := c.t.logSumExp(x)
	return c.t.mappedReals(x, func(y Real) Real { return c.t.sub(y, n) })
}

func (c *run) mean(x []Real) Real {
	if len(x) == 0 {
		panic(rejectf("the mean of no values"))
	}
	return c.t.mul(c.t.sum(x), constant(1/float64(len(x))))
}

func (c *run) variance(x []Real) Real {
	m := c.mean(x)
	d := c.t.mappedReals(x, func(v Real) Real { return c.t.sub(v, m) })
	if len(x) == 1 {
		return constant(0)
	}
	return c.t.mul(c.t.dot(d, d), constant(1/float64(len(x)-1)))
}

// extreme is the largest or smallest of values, or of two numbers.
func (c *run) extreme(a []Value, least bool) Value {
	var all []Value
	for _, v := range a {
		if isScalar(v) {
			all = append(all, v)
			continue
		}
		n, _ := length(v)
		if m, ok := v.(*Matrix); ok {
			v, n = Vector(m.X), len(m.X)
		}
		for i := range n {
			all = append(all, element(v, i))
		}
	}
	whole := len(all) > 0
	for _, v := range all {
		_, ok := v.(int)
		whole = whole && ok
	}
	if whole {
		best := all[0].(int)
		for _, v := range all[1:] {
			if (v.(int) < best) == least && v.(int) != best {
				best = v.(int)
			}
		}
		return best
	}
	best := constant(math.Inf(-1))
	if least {
		best = constant(math.Inf(1))
	}
	for i, v := range all {
		x := real(v)
		if i == 0 {
			best = x
		} else if least && c.t.compare(engine.Less, x, best) || !least && c.t.compare(engine.Less, best, x) {
			best = x
		}
	}
	return best
}

func dims(v Value) Ints {
	switch v := v.(type) {
	case int, Real:
		return Ints{}
	case *Matrix:
		return Ints{v.R, v.C}
	}
	n, _ := length(v)
	if n == 0 {
		return Ints{0}
	}
	return append(Ints{n}, dims(element(v, 0))...)
}

func flatInts(v Value) ([]int, bool) {
	switch v := v.(type) {
	case Ints:
		return v, true
	case Array:
		var out []int
		for _, e := range v {
			k, ok := flatInts(e)
			if !ok {
				return nil, false
			}
			out = append(out, k...)
		}
		return out, len(v) > 0
	}
	return nil, false
}

func toMatrix(c *run, a []Value) Value {
	if len(a) == 0 {
		panic(faultf("to_matrix without arguments"))
	}
	if len(a) >= 3 { // values column by column, or row by row where the fourth is 0
		r, cols := size(a[1]), size(a[2])
		x := scalars(a[0])
		if len(x) != r*cols {
			panic(faultf("to_matrix of %d values for %d by %d", len(x), r, cols))
		}
		out := newMatrix(r, cols)
		byColumn := len(a) == 3 || a[3].(int) != 0
		for k, v := range x {
			if byColumn {
				out.X[k] = v
			} else {
				out.set(k/cols, k%cols, v)
			}
		}
		return out
	}
	if m, ok := asMatrix(a[0]); ok {
		return m
	}
	rows, _ := a[0].(Array)
	if len(rows) == 0 {
		return newMatrix(0, 0)
	}
	out := newMatrix(len(rows), len(scalars(rows[0])))
	for i, r := range rows {
		for j, v := range scalars(r) {
			out.set(i, j, v)
		}
	}
	return out
}

// size is a whole number as a size.
func size(v Value) int {
	n := v.(int)
	if n < 0 {
		panic(rejectf("a size is %d, want at least 0", n))
	}
	return n
}

func repeat(x Real, n int) []Real {
	n = size(n)
	out := make([]Real, n)
	for i := range out {
		out[i] = x
	}
	return out
}

func repMatrix(c *run, a []Value) Value {
	switch v := a[0].(type) {
	case Vector:
		want(a, 2)
		out := &Matrix{R: len(v), C: size(a[1])}
		for range out.C {
			out.X = append(out.X, v...)
		}
		return out
	case RowVector:
		want(a, 2)
		out := newMatrix(size(a[1]), len(v))
		for i := range out.R {
			for j, x := range v {
				out.set(i, j, x)
			}
		}
		return out
	}
	want(a, 3)
	r, cols := size(a[1]), size(a[2])
	return &Matrix{r, cols, repeat(real(a[0]), r*cols)}
}

func diagonal(x []Real) *Matrix {
	out := &Matrix{len(x), len(x), repeat(constant(0), len(x)*len(x))}
	for i, v := range x {
		out.set(i, i, v)
	}
	return out
}

func diagOf(m *Matrix) Vector {
	out := make(Vector, min(m.R, m.C))
	for i := range out {
		out[i] = m.at(i, i)
	}
	return out
}

func linspaced(a []Value) []Real {
	want(a, 3)
	n, lo, hi := a[0].(int), real(a[1]).V, real(a[2]).V
	out := repeat(constant(hi), n)
	for i := range out {
		if n > 1 {
			out[i] = constant(lo + float64(i)*(hi-lo)/float64(n-1))
		}
	}
	return out
}

func span(from, n int) subscript {
	s := subscript{at: []int{}}
	for k := range size(n) {
		s.at = append(s.at, from+k)
	}
	return s
}

func slice(v Value, from, n int) Value { return take(v, []subscript{span(from, n)}, "the argument") }

func appendRow(x, y Value) Value {
	if isScalar(x) || isScalar(y) || isColumn(x) && isColumn(y) {
		return Vector(append(append([]Real{}, scalars(x)...), scalars(y)...))
	}
	a, ok := asMatrix(x)
	b, ok2 := asMatrix(y)
	if !ok || !ok2 || a.C != b.C {
		panic(faultf("append_row of %s and %s", said(x), said(y)))
	}
	out := newMatrix(a.R+b.R, a.C)
	for j := range a.C {
		for i := range a.R {
			out.set(i, j, a.at(i, j))
		}
		for i := range b.R {
			out.set(a.R+i, j, b.at(i, j))
		}
	}
	return out
}

func appendCol(x, y Value) Value {
	if isScalar(x) || isScalar(y) || isRow(x) && isRow(y) {
		return RowVector(append(append([]Real{}, scalars(x)...), scalars(y)...))
	}
	a, ok := asMatrix(x)
	b, ok2 := asMatrix(y)
	if !ok || !ok2 || a.R != b.R {
		panic(faultf("append_col of %s and %s", said(x), said(y)))
	}
	return &Matrix{a.R, a.C + b.C, append(append([]Real{}, a.X...), b.X...)}
}

// arranged are the places of values in order; guards watch the order.
func (c *run) arranged(v Value, down bool) []int {
	x := scalars(v)
	at := make([]int, len(x))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int {
		switch {
		case x[i].V < x[j].V != down && x[i].V != x[j].V:
			return -1
		case x[i].V == x[j].V:
			return 0
		}
		return 1
	})
	for k := 1; k < len(at); k++ {
		if down {
			c.t.compare(engine.LessEqual, x[at[k]], x[at[k-1]])
		} else {
			c.t.compare(engine.LessEqual, x[at[k-1]], x[at[k]])
		}
	}
	for i := range at {
		at[i]++
	}
	return at
}

func (c *run) sorted(v Value, down bool) Value {
	return take(v, []subscript{{at: c.arranged(v, down)}}, "sort")
}

func (c *run) order(v Value, down bool) Value { return Ints(c.arranged(v, down)) }

func (c *run) eigen(m *Matrix) []Real {
	out := c.t.call(engine.EigenSym{N: m.R}, m.R*(m.R+1), m.X)
	if len(out) > 0 && math.IsNaN(out[0].V) {
		panic(rejectf("the eigenvalues of a matrix cannot be computed"))
	}
	return out
}

func (c *run) xlogy(a []Value) Value {
	want(a, 2)
	out, ok := zip(a[0], a[1], func(x, y Real) Real {
		if x.N == 0 && x.V == 0 {
			return constant(0)
		}
		return c.t.mul(x, c.t.log(y))
	})
	if !ok {
		panic(faultf("multiply_log of %s and %s", said(a[0]), said(a[1])))
	}
	return out
}

// differences are between the elements of vectors, of which one may be a row.
func (c *run) differences(x, y Value) []Real {
	return scalars(c.t.each("-", Vector(scalars(x)), Vector(scalars(y))))
}

// squaredDistances are between all elements of x and of y.
func (c *run) squaredDistances(x, y Value, each func(i, j int, d Real) Real) *Matrix {
	n, _ := length(x)
	m, _ := length(y)
	out := newMatrix(n, m)
	for i := range n {
		for j := range m {
			a, b := scalars(element(x, i)), scalars(element(y, j))
			if slices.Equal(a, b) { // a point and itself: a square root has no derivative there
				out.set(i, j, each(i, j, constant(0)))
				continue
			}
			d := make([]Real, len(a))
			for k := range d {
				d[k] = c.t.sub(a[k], b[k])
			}
			out.set(i, j, each(i, j, c.t.dot(d, d)))
		}
	}
	return out
}

// covExpQuad is alpha² exp(-d²/(2 rho²)); rho may be a vector with one length for each coordinate.
func (c *run) covExpQuad(a []Value) Value {
	x, y := a[0], a[0]
	if len(a) == 4 {
		y, a = a[1], a[1:]
	}
	want(a, 3)
	alpha := c.t.square(real(a[1]))
	if rho := a[2]; !isScalar(rho) {
		return c.squaredDistances(c.scaled(x, rho), c.scaled(y, rho), func(_, _ int, d Real) Real {
			return c.t.mul(alpha, c.t.exp(c.t.mul(constant(-0.5), d)))
		})
	}
	w := c.t.mul(constant(-0.5), c.t.unary(unaryOps["inv_square"], real(a[2])))
	return c.squaredDistances(x, y, func(_, _ int, d Real) Real {
		if d.N == 0 && d.V == 0 {
			return alpha
		}
		return c.t.mul(alpha, c.t.exp(c.t.mul(d, w)))
	})
}

// scaled are points in units of a length for each of their columns.
func (c *run) scaled(v, lengths Value) Value {
	n, _ := length(v)
	out, r := make(Array, n), scalars(lengths)
	for i := range out {
		e := append([]Real{}, scalars(element(v, i))...)
		if len(e) != len(r) {
			panic(faultf("%d lengths for points of %d values, want one for each", len(r), len(e)))
		}
		for k := range e {
			e[k] = c.t.div(e[k], r[k])
		}
		out[i] = Vector(e)
	}
	return out
}

// matern is that of smoothness nu/2.
func (c *run) matern(a []Value, nu int) Value {
	x, y := a[0], a[0]
	if len(a) == 4 {
		y, a = a[1], a[1:]
	}
	want(a, 3)
	alpha, rho := c.t.square(real(a[1])), constant(1)
	if isScalar(a[2]) {
		rho = real(a[2])
	} else {
		x, y = c.scaled(x, a[2]), c.scaled(y, a[2])
	}
	return c.squaredDistances(x, y, func(_, _ int, d2 Real) Real {
		if d2.V == 0 && c.t.compare(engine.Equal, d2, constant(0)) {
			return alpha
		}
		d := c.t.div(c.t.unary(unaryOps["sqrt"], d2), rho)
		u := c.t.mul(constant(math.Sqrt(float64(nu))), d)
		k := c.t.exp(c.t.neg(u))
		switch nu {
		case 3:
			k = c.t.mul(k, c.t.add(constant(1), u))
		case 5:
			k = c.t.mul(k, c.t.sum([]Real{constant(1), u, c.t.mul(constant(1.0/3), c.t.square(u))}))
		}
		return c.t.mul(alpha, k)
	})
}

// chain rejects what are no probabilities of a Markov chain: the rows of gamma, and those of the first state.
func (c *run) chain(gamma *Matrix, rho []Real) {
	c.probabilities(rho, "a hidden Markov model")
	for i := range gamma.R {
		c.probabilities(gamma.row(i), "a hidden Markov model")
	}
}

// hmmMarginal sums a hidden Markov model over its states.
func (c *run) hmmMarginal(a []Value) Value {
	want(a, 3)
	logs, gamma, rho := a[0].(*Matrix), a[1].(*Matrix), scalars(a[2])
	c.chain(gamma, rho)
	k := logs.R
	if logs.C == 0 {
		panic(faultf("hmm_marginal: log_omega is %s, want at least 1 column", said(logs)))
	}
	lp := make([]Real, k)
	for i := range lp {
		lp[i] = c.t.add(c.t.log(rho[i]), logs.at(i, 0))
	}
	lg := c.t.mapped(gamma, c.t.log).(*Matrix)
	for t := 1; t < logs.C; t++ {
		next := make([]Real, k)
		for j := range next {
			x := make([]Real, k)
			for i := range x {
				x[i] = c.t.add(lp[i], lg.at(i, j))
			}
			next[j] = c.t.add(c.t.logSumExp(x), logs.at(j, t))
		}
		lp = next
	}
	return c.t.logSumExp(lp)
}
