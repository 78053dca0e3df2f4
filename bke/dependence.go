package bke

import (
	"math"
	"math/big"
	mathbits "math/bits"
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
	low     []int       // the vectors are whole numbers times two to this power, by coordinate
	known   int         // how many rows of minors there are
	minors  []big.Int   // D x D: row j of U times a pivot of these, by coordinate
	row     []big.Int   // the one at hand

	a, b, rest big.Int
	work       [2][]float64
}

// How many times its pivot may have been taken from a row before the row is looked at: from that of
// the pivot, whose errors all others inherit, and from another.
const (
	takenPivot = 64
	takenRow   = 1e4
)

func newDependence(m, d int) *dependence {
	e := &dependence{
		taken: apart(m), rows: make([]int, d, d+gap/8), axes: make([]int, d, d+gap/8),
		upper: apart(d * d), vectors: make([][]float64, d),
		low: make([]int, d), minors: make([]big.Int, d*d), row: make([]big.Int, d),
		work: [2][]float64{apart(d), apart(d)},
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
	own, other := takenPivot*p.size, takenRow*p.size
	if logs {
		own, other = math.Log(takenPivot)+p.size, math.Log(takenRow)+p.size
	}
	for l, t := range e.taken {
		if !(t > own) || l != p.row && !(t > other) {
			continue
		}
		limit := other
		if l == p.row {
			limit = own
		}
		if logs {
			limit = math.Exp(limit - g.logK[l])
		} else {
			limit /= g.k[l]
		}
		if !e.ready {
			g.load(refill)
		}
		if g.noisy(l, s, limit) {
			g.recompute(l, s)
			changed = true
		}
	}
	return changed
}

// load fetches the vectors.
func (g *gramian) load(refill func()) {
	e := g.dep
	e.ready, e.known = true, 0
	g.cols, e.vectors = e.vectors, g.cols
	refill()
	g.cols, e.vectors = e.vectors, g.cols
	for a, c := range e.vectors {
		e.low[a] = math.MaxInt
		for _, v := range c {
			if n, exp := whole(v); n != 0 {
				e.low[a] = min(e.low[a], exp)
			}
		}
	}
}

// noisy says whether in the first s steps more than limit, in units of theta, was taken from an
// element of row l. It is slower than the bound by the pivots, but does not mistake columns that are
// much smaller than the others, as those with a large lengthscale are, for what cancellation left.
func (g *gramian) noisy(l, s int, limit float64) bool {
	e, d := g.dep, g.d
	v, sum := e.work[0], e.work[1]
	for a, c := range e.vectors {
		v[a], sum[a] = c[l], 0
	}
	for j, p := range e.axes[:s] {
		u := e.upper[j*d : (j+1)*d]
		f := v[p] / u[p]
		for _, a := range e.axes[j+1:] {
			t := f * u[a]
			v[a] -= t
			sum[a] += math.Abs(t)
		}
	}
	for _, a := range e.axes[s:] {
		if sum[a]*g.scale[a] > limit {
			return true
		}
	}
	return false
}

// recompute does the first s steps of the elimination for row l.
func (g *gramian) recompute(l, s int) {
	e, d := g.dep, g.d
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
	e.taken[l] = e.none
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
