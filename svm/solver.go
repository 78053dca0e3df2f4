package svm

import (
	"context"
	"fmt"
	"math"
)

// problem is the quadratic program that all machines share. Variable t belongs to item of[t] and has
// a sign y[t]; with u_t = y_t a_t and f_i = sum_t u_t K(i, of[t]) it is
//
//	minimise  1/2 sum_t u_t f_of[t] + sum_t p_t a_t
//	given     0 <= a_t <= upper_t  and  sum_t y_t a_t as at the start,
//
// and, with apart set, the sums over y_t = 1 and over y_t = -1 each as at the start (the nu forms).
type problem struct {
	of    []int
	y     []float64
	p     []float64
	upper []float64
	a     []float64 // the start, then the solution
	apart bool
	// margin says that the solution is to be divided by r, so that the margin is 1.
	margin bool
}

// solution is what a problem leaves besides a.
type solution struct {
	f          []float64 // of each item
	rho        float64   // of the equality constraint
	r          float64   // of the second one, with apart
	objective  float64
	violation  float64 // of the optimality conditions, at most the tolerance
	iterations int
}

// solver works on one problem by sequential minimal optimisation: the pair of variables that
// violates optimality most, to second order (Fan, Chen and Lin 2005), is set to its optimum, again
// and again. Variables at a bound that the conditions keep there are set aside for a while
// (shrinking, Joachims 1999); before the end all are looked at again.
type solver struct {
	*problem
	rows      *cache
	diagonal  []float64
	tolerance float64
	f         []float64
	active    []int // variables that are looked at
	items     []int // of these, each once; nil where all are
	stale     bool  // f of items that are not looked at is out of date
}

// mostIterations ends what does not converge: a kernel that is not positive definite, say.
const mostIterations = 100_000_000

func solve(ctx context.Context, p *problem, rows *cache, tolerance float64) (*solution, error) {
	s := &solver{problem: p, rows: rows, tolerance: tolerance, f: make([]float64, rows.n),
		diagonal: make([]float64, rows.n)}
	for i := range s.diagonal {
		s.diagonal[i] = rows.of.diagonal(i)
	}
	s.all()
	s.begin()
	every := min(len(p.of), 1000)
	iterations := 0
	for ; ; iterations++ {
		if iterations%every == every-1 {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("svm: %w", err)
			}
			s.shrink()
		}
		i, j, gap := s.pair()
		if gap <= tolerance {
			if !s.stale && len(s.active) == len(p.of) {
				break
			}
			s.restore()
			if i, j, gap = s.pair(); gap <= tolerance {
				break
			}
		}
		if iterations == mostIterations {
			return nil, fmt.Errorf("svm: no solution after %d steps: the optimality conditions are violated "+
				"by %.3g, want at most %.3g; is the kernel positive definite?", iterations, gap, tolerance)
		}
		s.step(i, j)
	}
	_, _, gap := s.pair()
	out := &solution{f: s.f, violation: max(gap, 0), iterations: iterations}
	out.rho, out.r = s.offsets()
	for t, a := range p.a {
		out.objective += a * (p.y[t]*s.f[p.of[t]]/2 + p.p[t])
	}
	return out, nil
}

// all looks at all variables.
func (s *solver) all() {
	s.active = make([]int, len(s.of))
	for t := range s.active {
		s.active[t] = t
	}
	s.items, s.stale = nil, false
}

// begin computes f from the start.
func (s *solver) begin() {
	clear(s.f)
	for t, a := range s.a {
		if a != 0 {
			add(s.f, s.y[t]*a, s.rows.row(s.of[t]))
		}
	}
}

func add(dst []float64, c float64, row []float64) {
	row = row[:len(dst)]
	for i, v := range row {
		dst[i] += c * v
	}
}

// value is what the optimality conditions compare: at the optimum it is at most b for variables
// whose u can grow, and at least b for those whose u can fall.
func (s *solver) value(t int) float64 { return -(s.f[s.of[t]] + s.y[t]*s.p[t]) }

// grows and falls report whether u_t = y_t a_t can do so.
func (s *solver) grows(t int) bool {
	if s.y[t] > 0 {
		return s.a[t] < s.upper[t]
	}
	return s.a[t] > 0
}

func (s *solver) falls(t int) bool {
	if s.y[t] > 0 {
		return s.a[t] > 0
	}
	return s.a[t] < s.upper[t]
}

// pair returns the variable to grow, the one to fall, and the violation. With apart both are of one
// sign.
func (s *solver) pair() (grow, fall int, gap float64) {
	if !s.apart {
		return s.pairOf(0)
	}
	i, j, gap := s.pairOf(1)
	k, l, other := s.pairOf(-1)
	if other > gap {
		return k, l, other
	}
	return i, j, gap
}

// pairOf is pair among the variables of a sign, or of both where it is 0.
func (s *solver) pairOf(sign float64) (grow, fall int, gap float64) {
	grow, fall = -1, -1
	top, low := math.Inf(-1), math.Inf(1)
	for _, t := range s.active {
		if sign != 0 && s.y[t] != sign {
			continue
		}
		v := s.value(t)
		if v > top && s.grows(t) {
			top, grow = v, t
		}
		if v < low && s.falls(t) {
			low = v
		}
	}
	if grow < 0 || math.IsInf(low, 1) {
		return grow, fall, math.Inf(-1)
	}
	gap = top - low
	if gap <= s.tolerance {
		return grow, fall, gap
	}
	i := s.of[grow]
	row, kii, best := s.rows.row(i), s.diagonal[i], 0.0
	for _, t := range s.active {
		if sign != 0 && s.y[t] != sign {
			continue
		}
		b := top - s.value(t)
		if b <= 0 || !s.falls(t) {
			continue
		}
		j := s.of[t]
		if gain := b * b / curvature(kii+s.diagonal[j]-2*row[j]); gain > best {
			best, fall = gain, t
		}
	}
	return grow, fall, gap
}

// curvature is kept positive for items that are equal, and for kernels that are not positive
// definite.
func curvature(c float64) float64 { return max(c, 1e-12) }

// step moves a pair to its optimum within the bounds.
func (s *solver) step(grow, fall int) {
	i, j := s.of[grow], s.of[fall]
	ri := s.rows.row(i)
	rj := s.rows.row(j)
	d := (s.value(grow) - s.value(fall)) / curvature(s.diagonal[i]+s.diagonal[j]-2*ri[j])
	room := func(t int, up bool) float64 {
		if up == (s.y[t] > 0) {
			return s.upper[t] - s.a[t]
		}
		return s.a[t]
	}
	d = min(d, room(grow, true), room(fall, false))
	move := func(t int, du float64) {
		a := s.a[t] + s.y[t]*du
		// At a bound to the last bit, so that it counts as being there.
		if a < 1e-15*s.upper[t] {
			a = 0
		} else if a > s.upper[t]*(1-1e-15) {
			a = s.upper[t]
		}
		s.a[t] = a
	}
	move(grow, d)
	move(fall, -d)
	if s.items == nil {
		f, ri, rj := s.f, ri[:len(s.f)], rj[:len(s.f)]
		for k := range f {
			f[k] += d * (ri[k] - rj[k])
		}
		return
	}
	for _, k := range s.items {
		s.f[k] += d * (ri[k] - rj[k])
	}
}

// shrink sets aside the variables at a bound that the conditions hold there by a margin.
func (s *solver) shrink() {
	top, low := [2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(1)}
	side := func(t int) int {
		if s.apart && s.y[t] < 0 {
			return 1
		}
		return 0
	}
	for _, t := range s.active {
		v, k := s.value(t), side(t)
		if s.grows(t) {
			top[k] = max(top[k], v)
		}
		if s.falls(t) {
			low[k] = min(low[k], v)
		}
	}
	if s.stale && top[0]-low[0] <= 10*s.tolerance && (!s.apart || top[1]-low[1] <= 10*s.tolerance) {
		s.restore() // once more with all, before the end
		return
	}
	kept := s.active[:0:0]
	for _, t := range s.active {
		v, k := s.value(t), side(t)
		if !s.falls(t) && v < low[k] || !s.grows(t) && v > top[k] {
			continue
		}
		kept = append(kept, t)
	}
	if 4*len(kept) > 3*len(s.active) {
		return // too few to be worth it
	}
	s.active, s.stale = kept, true
	seen := make([]bool, len(s.f))
	s.items = s.items[:0:0]
	for _, t := range kept {
		if i := s.of[t]; !seen[i] {
			seen[i] = true
			s.items = append(s.items, i)
		}
	}
}

// restore looks at all variables again, and brings f up to date.
func (s *solver) restore() {
	if s.stale {
		current := make([]bool, len(s.f))
		for _, i := range s.items {
			current[i] = true
		}
		var old []int
		for i, ok := range current {
			if !ok {
				old = append(old, i)
				s.f[i] = 0
			}
		}
		for t, a := range s.a {
			if a == 0 {
				continue
			}
			row, c := s.rows.row(s.of[t]), s.y[t]*a
			for _, i := range old {
				s.f[i] += c * row[i]
			}
		}
	}
	s.all()
}

// offsets returns rho and, with apart, r: the decision is f - rho, over r.
func (s *solver) offsets() (rho, r float64) {
	if !s.apart {
		return s.offset(0), 1
	}
	up, down := s.offset(1), -s.offset(-1)
	return (up - down) / 2, (up + down) / 2
}

// offset is f + y p at the variables that are free, or the middle of what the others allow.
func (s *solver) offset(sign float64) float64 {
	sum, count := 0.0, 0
	lo, hi := math.Inf(-1), math.Inf(1)
	for t := range s.of {
		if sign != 0 && s.y[t] != sign {
			continue
		}
		v := -s.value(t)
		switch g, f := s.grows(t), s.falls(t); {
		case g && f:
			sum += v
			count++
		case g:
			hi = min(hi, v)
		case f:
			lo = max(lo, v)
		}
	}
	switch {
	case count > 0:
		return sum / float64(count)
	case math.IsInf(lo, 0):
		return hi
	case math.IsInf(hi, 0):
		return lo
	}
	return (lo + hi) / 2
}
