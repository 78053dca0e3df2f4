package bke

import (
	"math"
	"math/big"
	mathbits "math/bits"
	"slices"
)

// dependence recomputes rows of the elimination in gramian that are not to be trusted. Vectors that
// depend on each other, as those between the points of a lattice do, should leave nothing once
// their span has been eliminated, but leave rounding errors. If their weights are large beside those
// of the vectors that are left, the errors weigh more than these.
//
// What step j subtracts from row l is at most |L_lj| times pivot j, in units of theta and with the
// weight, and the rounding errors are so many units in the last place of the sum of these. Where
// that may matter beside the pivot at hand, the row is eliminated once more, from the vector as it
// was and without rounding: a number in floating point is a whole number times a power of two, and
// whole numbers can be eliminated without fractions (Bareiss 1968).
type dependence struct {
	taken []float64 // from each row since it was last exact, in the sense above
	none  float64   // its value where nothing was taken
	rows  []int     // of the pivots
	axes  []int     // the coordinate in each column of the elimination
	upper []float64 // D x D: the rows of U, by coordinate

	ready   bool        // what follows is that of the present row of the data
	vectors [][]float64 // D columns of length m, by coordinate
	step    []int       // at which each row was last recomputed
	bounded int         // for how many rows of U there are bounds
	bounds  []float64   // D x D: of the errors of U, in units of 2^-52
	low     []int       // the vectors are whole numbers times two to this power, by coordinate
	known   int         // how many rows of minors there are
	minors  []big.Int   // D x D: row j of U times a pivot of these, by coordinate
	row     []big.Int   // the one at hand

	a, b, rest big.Int      // for use at once
	work       [2][]float64 // likewise
}

const (
	// muchTaken is how many times the pivot at hand may have been taken from a row before bounds of its
	// errors are computed.
	muchTaken = 64
	// muchNoise is how large a bound may be, in units of 2^-52 times the pivot. Other rows inherit the
	// errors, at most muchTaken times as large.
	muchNoise = 1e4
)

func newDependence(m, d int) *dependence {
	e := &dependence{
		taken: apart(m), rows: make([]int, d, d+gap/8), axes: make([]int, d, d+gap/8),
		upper: apart(d * d), vectors: make([][]float64, d),
		step: make([]int, m), bounds: make([]float64, d*d),
		low: make([]int, d), minors: make([]big.Int, d*d), row: make([]big.Int, d),
		work: [2][]float64{make([]float64, d), make([]float64, d)},
	}
	for a := range e.vectors {
		e.vectors[a] = apart(m)
	}
	return e
}

// start prepares for the elimination of the vectors of a row of the data.
func (e *dependence) start(none float64) {
	e.ready, e.none = false, none
	for l := range e.taken {
		e.taken[l] = none
	}
	for a := range e.axes {
		e.axes[a] = a
	}
}

// mend recomputes the rows whose rounding errors would matter beside the pivot of step s. It
// returns whether there were any, so that the pivot may be another. With logs set, the size of the
// pivot is a logarithm.
func (g *gramian) mend(s int, p pivot, logs bool, refill func()) (changed bool) {
	e := g.dep
	much := muchTaken * p.size
	if logs {
		much = math.Log(muchTaken) + p.size
	}
	for l, t := range e.taken {
		if !(t > much) {
			continue
		}
		size := p.size / g.k[l]
		if logs {
			size = math.Exp(p.size - g.logK[l])
		}
		if !e.ready {
			g.load(refill)
		}
		if g.noisy(l, s, muchNoise*size) {
			g.recompute(l, s)
			changed = true
		}
	}
	return changed
}

// load fetches the vectors.
func (g *gramian) load(refill func()) {
	e := g.dep
	e.ready, e.known, e.bounded = true, 0, 0
	g.cols, e.vectors = e.vectors, g.cols
	refill()
	g.cols, e.vectors = e.vectors, g.cols
	for l := range e.step {
		e.step[l] = -1
	}
}

// noisy says whether the rounding errors of row l after s steps may be above limit, in units of theta
// and of 2^-52. It takes longer than a look at taken, but does not mistake a column that is small
// beside the others, as with a large lengthscale, for what cancellation has left.
func (g *gramian) noisy(l, s int, limit float64) bool {
	e, d := g.dep, g.d
	for ; e.bounded < s; e.bounded++ {
		j := e.bounded
		row := e.bounds[j*d : (j+1)*d]
		if e.step[e.rows[j]] == j {
			clear(row) // exact
		} else {
			copy(row, e.bound(e.rows[j], j))
		}
	}
	for a, b := range e.bound(l, s) {
		if slices.Contains(e.axes[s:], a) && b*g.scale[a] > limit {
			return true
		}
	}
	return false
}

// bound returns bounds of the errors of row l after s steps, by coordinate, in units of 2^-52. The
// rounding errors of an element that is not small beside what was taken from it are not counted.
func (e *dependence) bound(l, s int) []float64 {
	v, sum := e.work[0], e.work[1]
	d := len(v)
	for a, c := range e.vectors {
		v[a], sum[a] = c[l], 0
	}
	for j, p := range e.axes[:s] {
		u, errs := e.upper[j*d:(j+1)*d], e.bounds[j*d:(j+1)*d]
		f := v[p] / u[p]
		off := (sum[p] + math.Abs(f)*errs[p]) / math.Abs(u[p]) // error of f
		size := math.Abs(f) + 0x1p-52*off
		for _, a := range e.axes[j+1:] {
			t := f * u[a]
			v[a] -= t
			sum[a] += math.Abs(t) + off*math.Abs(u[a]) + size*errs[a]
		}
	}
	return sum
}

// recompute does the first s steps of the elimination for row l.
func (g *gramian) recompute(l, s int) {
	e, d := g.dep, g.d
	if e.known == 0 {
		e.units()
	}
	for ; e.known < s; e.known++ {
		e.eliminate(e.minors[e.known*d:][:d], e.rows[e.known], e.known)
	}
	e.eliminate(e.row, l, s)
	// An element is a quotient of minors.
	p, shift := leading(&e.minors[(s-1)*d+e.axes[s-1]], &e.a)
	for j, a := range e.axes[s:] {
		v, exp := leading(&e.row[a], &e.a)
		g.cols[s+j][l] = math.Ldexp(v/p, exp-shift+e.low[a])
	}
	e.taken[l], e.step[l] = e.none, s
}

// units finds the largest units in which all vectors are whole numbers.
func (e *dependence) units() {
	for a, c := range e.vectors {
		e.low[a] = math.MaxInt
		for _, v := range c {
			if n, exp := whole(v); n != 0 {
				e.low[a] = min(e.low[a], exp)
			}
		}
	}
}

// eliminate writes into dst, by coordinate, the minors that take the place of row l after s steps.
func (e *dependence) eliminate(dst []big.Int, l, s int) {
	for a, c := range e.vectors {
		n, exp := whole(c[l])
		dst[a].SetInt64(n)
		if n != 0 {
			dst[a].Lsh(&dst[a], uint(exp-e.low[a]))
		}
	}
	var last *big.Int
	for j, p := range e.axes[:s] {
		u := e.minors[j*len(dst):][:len(dst)]
		for _, a := range e.axes[j+1:] {
			e.a.Mul(&dst[a], &u[p])
			e.b.Mul(&dst[p], &u[a])
			e.a.Sub(&e.a, &e.b)
			if last == nil {
				dst[a].Set(&e.a)
			} else {
				dst[a].QuoRem(&e.a, last, &e.rest)
			}
		}
		last = &u[p]
	}
}

// whole returns an odd number n, or zero, and an exponent such that x = n 2^exp.
func whole(x float64) (n int64, exp int) {
	f, exp := math.Frexp(x)
	n = int64(math.Ldexp(f, 53))
	if n == 0 {
		return 0, 0
	}
	zeros := mathbits.TrailingZeros64(uint64(n))
	return n >> zeros, exp - 53 + zeros
}

// leading returns x without all but its leading 64 digits, as f 2^exp. It uses up work.
func leading(x, work *big.Int) (f float64, exp int) {
	exp = max(0, x.BitLen()-64)
	f = float64(work.Rsh(work.Abs(x), uint(exp)).Uint64())
	if x.Sign() < 0 {
		f = -f
	}
	return f, exp
}
