package quadrature

import (
	"container/heap"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// legendreNodes is the number of Gauss-Legendre nodes along each side of a cell.
const legendreNodes = 12

// rule is the Gauss-Legendre rule on [-1, 1], and the matrix that turns values at its nodes into
// coefficients of Legendre polynomials, a_k = (2k+1)/2 sum_j w_j P_k(x_j) f(x_j).
type rule struct {
	x, w   [legendreNodes]float64
	expand [legendreNodes][legendreNodes]float64
}

func newRule() *rule {
	r := &rule{}
	quad.Legendre{}.FixedLocations(r.x[:], r.w[:], -1, 1)
	for j, x := range r.x {
		p := legendre(x)
		for k := range legendreNodes {
			r.expand[k][j] = (2*float64(k) + 1) / 2 * r.w[j] * p[k]
		}
	}
	return r
}

// legendre returns P_0(x), P_1(x), ...
func legendre(x float64) (p [legendreNodes + 1]float64) {
	p[0], p[1] = 1, x
	for k := 1; k < legendreNodes; k++ {
		f := float64(k)
		p[k+1] = ((2*f+1)*x*p[k] - f*p[k-1]) / (f + 1)
	}
	return p
}

// cell is a rectangle, or in one dimension an interval, over which the integrand is a polynomial to
// within the tolerance.
type cell struct {
	lo, hi []float64
	f      []float64 // at the nodes, the last coordinate varying fastest
	mass   float64   // the integral
	miss   []float64 // how far the polynomial may be off along each coordinate, integrated
	weight float64   // what an error here counts
	err    float64   // the larger of miss, times weight
}

// center returns the middle of side k, and half its length.
func (c *cell) center(k int) (mid, half float64) {
	return c.lo[k]/2 + c.hi[k]/2, (c.hi[k] - c.lo[k]) / 2
}

// region is a set of cells, the one with the largest error on top, as container/heap wants it.
type region struct {
	cells []*cell
	rule  *rule
	// integrand is evaluated at u, whose first coordinate changes most rarely.
	integrand func(u []float64) float64
	// weight is the largest that a moment weighs a point of the cell.
	weight func(c *cell) float64
	calls  int
}

func (r *region) Len() int           { return len(r.cells) }
func (r *region) Less(i, j int) bool { return r.cells[i].err > r.cells[j].err }
func (r *region) Swap(i, j int)      { r.cells[i], r.cells[j] = r.cells[j], r.cells[i] }

// Push and Pop are for container/heap.
func (r *region) Push(c any) { r.cells = append(r.cells, c.(*cell)) }

// Pop removes the last cell.
func (r *region) Pop() any {
	last := len(r.cells) - 1
	c := r.cells[last]
	r.cells = r.cells[:last]
	return c
}

// fill evaluates the integrand over c, and its Legendre coefficients. The last two along each side
// estimate the error of the polynomial.
func (r *region) fill(c *cell) {
	d := len(c.lo)
	u := make([]float64, d)
	rows := 1
	if d == 2 {
		rows = legendreNodes
	}
	c.f = make([]float64, rows*legendreNodes)
	last, half := c.center(d - 1)
	for i := range rows {
		if d == 2 {
			mid, h := c.center(0)
			u[0] = mid + h*r.rule.x[i]
		}
		for j, x := range r.rule.x {
			u[d-1] = last + half*x
			c.f[i*legendreNodes+j] = r.integrand(u)
		}
	}
	r.calls += len(c.f)
	c.miss = make([]float64, d)
	area := 1.0
	for k := range d {
		area *= c.hi[k] - c.lo[k]
	}
	for k := range d {
		_, abs := r.expansion(c, k)
		c.miss[k] = area * (abs[legendreNodes-2] + abs[legendreNodes-1])
	}
	a, _ := r.expansion(c, 0)
	c.mass = a[0]
	c.weight = r.weight(c)
	c.err = 0
	for _, m := range c.miss {
		c.err = max(c.err, m*c.weight)
	}
}

// expansion returns the Legendre coefficients along coordinate k of the integrand, integrated over
// the cell's other coordinate and normalised so that the first is the cell's mass. Before
// normalising, it also returns the mean absolute value of the coefficients over the other
// coordinate.
func (r *region) expansion(c *cell, k int) (a, abs [legendreNodes]float64) {
	size := 1.0
	for i := range c.lo {
		size *= c.hi[i] - c.lo[i]
	}
	for i := range len(c.f) / legendreNodes { // nodes of the other coordinate
		weight := 1.0
		if len(c.lo) == 2 {
			weight = r.rule.w[i] / 2
		}
		for n := range legendreNodes {
			s := 0.0
			for j := range legendreNodes {
				at := i*legendreNodes + j
				if len(c.lo) == 2 && k == 0 {
					at = j*legendreNodes + i
				}
				s += r.rule.expand[n][j] * c.f[at]
			}
			a[n] += weight * s * size
			abs[n] += weight * math.Abs(s)
		}
	}
	return a, abs
}

// split cuts c in two across coordinate k.
func (c *cell) split(k int) (low, high *cell) {
	mid, _ := c.center(k)
	low = &cell{lo: append([]float64(nil), c.lo...), hi: append([]float64(nil), c.hi...)}
	high = &cell{lo: append([]float64(nil), c.lo...), hi: append([]float64(nil), c.hi...)}
	low.hi[k], high.lo[k] = mid, mid
	return low, high
}

// seed is a point near which the integrand is large, and how fast it falls off from there along
// each coordinate.
type seed struct{ u, sd []float64 }

// seedWidth is the largest side, in units of sd, of a cell with a seed in it.
const seedWidth = 4

// plant adds the cell c, cut into pieces that are small where the seeds are, so that no peak falls
// between the nodes.
func (r *region) plant(c *cell, seeds []seed) {
	var inside []seed
	cut, worst := -1, 1.0
	for _, s := range seeds {
		in := true
		for k, v := range s.u {
			in = in && v >= c.lo[k] && v <= c.hi[k]
		}
		if !in {
			continue
		}
		inside = append(inside, s)
		for k := range s.u {
			if ratio := (c.hi[k] - c.lo[k]) / (seedWidth * s.sd[k]); ratio > worst {
				cut, worst = k, ratio
			}
		}
	}
	if mid, half := c.center(max(cut, 0)); cut >= 0 && half > 1e-12*math.Abs(mid) {
		low, high := c.split(cut)
		r.plant(low, inside)
		r.plant(high, inside)
		return
	}
	r.fill(c)
	heap.Push(r, c)
}

const (
	maxCalls    = 4_000_000 // evaluations before the quadrature gives up
	cellsWithin = 1e-9      // relative error, with that of the polynomials instead of the integral
)

// refine cuts the worst cells in two until all errors together are small beside the integral.
func (r *region) refine(ctx context.Context) error {
	for {
		err, mass := 0.0, 0.0
		for _, c := range r.cells {
			err += c.err
			mass += c.mass
		}
		if err := stopped(ctx); err != nil {
			return err
		}
		switch {
		case !(mass > 0 && err <= math.MaxFloat64):
			return fmt.Errorf("quadrature: the quadrature found a mass of %v, want a positive, finite "+
				"number: the posterior is higher somewhere than at any mode that was found", mass)
		case err <= cellsWithin*mass:
			return nil
		case r.calls > maxCalls:
			return fmt.Errorf("quadrature: the quadrature is %.1g off after %d evaluations, want %.0g: "+
				"use a sampler", err/mass, r.calls, cellsWithin)
		}
		// A tenth of the cells at a time, so that the sums above are cheap. The first one has at
		// least its share of an error that is too large.
		for range 1 + len(r.cells)/10 {
			if r.cells[0].err <= cellsWithin*mass/float64(2*len(r.cells)) {
				break
			}
			c := heap.Pop(r).(*cell)
			k := 0
			if len(c.miss) == 2 && c.miss[1] > c.miss[0] {
				k = 1
			}
			low, high := c.split(k)
			r.fill(low)
			r.fill(high)
			heap.Push(r, low)
			heap.Push(r, high)
		}
	}
}

// mass is the integral over all cells.
func (r *region) mass() float64 {
	s := 0.0
	for _, c := range r.cells {
		s += c.mass
	}
	return s
}

// marginal is the density of one coordinate: a list of intervals that may overlap, and the Legendre
// coefficients over each, the first of them the mass.
type marginal struct {
	lo, hi, mass float64
	pieces       []piece
}

type piece struct {
	lo, hi float64
	a      [legendreNodes]float64
}

// marginal integrates the other coordinate out.
func (r *region) marginal(k int) marginal {
	m := marginal{lo: math.Inf(1), hi: math.Inf(-1)}
	for _, c := range r.cells {
		a, _ := r.expansion(c, k)
		m.pieces = append(m.pieces, piece{c.lo[k], c.hi[k], a})
		m.lo, m.hi = min(m.lo, c.lo[k]), max(m.hi, c.hi[k])
		m.mass += c.mass
	}
	return m
}

// below returns the probability of values below u. The integral of P_k from -1 to x is
// (P_(k+1)(x) - P_(k-1)(x))/(2k+1).
func (m marginal) below(u float64) float64 {
	if u >= m.hi {
		return 1
	}
	s := 0.0
	for _, p := range m.pieces {
		switch {
		case u <= p.lo:
		case u >= p.hi:
			s += p.a[0]
		default:
			x := (2*u - p.lo - p.hi) / (p.hi - p.lo)
			l := legendre(x)
			s += p.a[0] * (x + 1) / 2
			for k := 1; k < legendreNodes; k++ {
				s += p.a[k] * (l[k+1] - l[k-1]) / (2 * (2*float64(k) + 1))
			}
		}
	}
	return min(max(s/m.mass, 0), 1)
}

// density returns the density at u.
func (m marginal) density(u float64) float64 {
	s := 0.0
	for _, p := range m.pieces {
		if u < p.lo || u >= p.hi {
			continue
		}
		l := legendre((2*u - p.lo - p.hi) / (p.hi - p.lo))
		for k, a := range p.a {
			s += a * l[k] / (p.hi - p.lo)
		}
	}
	return max(s, 0) / m.mass
}

// quantile inverts below by bisection.
func (m marginal) quantile(p float64) float64 {
	lo, hi := m.lo, m.hi
	for hi-lo > 1e-13*max(1, math.Abs(lo)) {
		mid := lo/2 + hi/2
		if mid <= lo || mid >= hi {
			break
		}
		if m.below(mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo/2 + hi/2
}
