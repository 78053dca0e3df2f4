package svm

import (
	"context"
	"fmt"
	"math"
)

// problem is the quadratic program that all machines share. Variable t has a sign y[t] and belongs to
// item of[t]: t, or in regression t modulo the number of items. With u_t = y_t a_t and
// f_i = sum_t u_t K(i, of[t]) it is
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
	// margin says to divide the solution by r, so that the margin is 1.
	margin bool
}

// solution holds the results of a problem other than a.
type solution struct {
	rho        float64 // of the equality constraint
	r          float64 // of the second one, with apart
	objective  float64
	violation  float64 // of the optimality conditions, at most the tolerance
	iterations int
}

// solver works on one problem by sequential minimal optimisation. Each step picks the pair of
// variables that violates optimality most, to second order (Fan, Chen and Lin 2005), and moves it to
// its optimum. Variables that the conditions hold at a bound are set aside for a while (shrinking,
// Joachims 1999), and checked again before the end. With n items a step takes O(n) time, plus up to
// two rows of the kernel matrix that are not in the cache.
type solver struct {
	*problem
	rows      *cache
	diagonal  []float64
	tolerance float64
	// v is -(f + y p) of each variable, which the optimality conditions compare. At the optimum it is
	// at most b for variables whose u can grow, and at least b for variables whose u can fall.
	v         []float64
	can       []byte // grows, falls
	active    []int  // variables that are looked at; nil for all
	tightened bool
}

const (
	grows byte = 1 << iota
	falls
)

// mostIterations stops a search that does not converge, say because its kernel is not positive
// definite.
const mostIterations = 100_000_000

func solve(ctx context.Context, p *problem, rows *cache, tolerance float64) (*solution, error) {
	s := &solver{problem: p, rows: rows, tolerance: tolerance, v: make([]float64, len(p.of)),
		can: make([]byte, len(p.of)), diagonal: make([]float64, rows.n)}
	for i := range s.diagonal {
		s.diagonal[i] = rows.of.diagonal(i)
	}
	s.refresh(nil)
	for t := range s.can {
		s.mark(t)
	}
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
		if gap <= s.tolerance {
			s.restore()
			if i, j, gap = s.pair(); gap <= s.tolerance {
				if !s.tighten() {
					break
				}
				continue
			}
		}
		if iterations == mostIterations {
			return nil, fmt.Errorf("svm: no solution after %d steps: the optimality conditions are violated "+
				"by %.3g, want at most %.3g; is the kernel positive definite?", iterations, gap, s.tolerance)
		}
		s.step(i, j)
	}
	_, _, gap := s.pair()
	out := &solution{violation: max(gap, 0), iterations: iterations}
	out.rho, out.r = s.offsets()
	for t, a := range p.a { // y f = -(y v + p)
		out.objective += a * (p.p[t] - p.y[t]*s.v[t]) / 2
	}
	return out, nil
}

// tighten makes the tolerance apply to the solution after division by r, where that is stricter. It
// reports whether there is more to do.
func (s *solver) tighten() bool {
	if !s.margin || s.tightened {
		return false
	}
	s.tightened = true
	_, r := s.offsets()
	if !(r > 0 && r < 1) {
		return false
	}
	s.tolerance *= max(r, 1e-8)
	return true
}

// refresh computes v of some variables from the solution so far; nil means all.
func (s *solver) refresh(which []int) {
	f := make([]float64, s.rows.n)
	var items []int
	if which != nil {
		seen := make([]bool, s.rows.n)
		for _, t := range which {
			if i := s.of[t]; !seen[i] {
				seen[i] = true
				items = append(items, i)
			}
		}
	}
	for t, a := range s.a {
		if a == 0 {
			continue
		}
		row, c := s.rows.row(s.of[t]), s.y[t]*a
		if which != nil {
			for _, i := range items {
				f[i] += c * row[i]
			}
			continue
		}
		for i, k := range row[:len(f)] {
			f[i] += c * k
		}
	}
	set := func(t int) { s.v[t] = -(f[s.of[t]] + s.y[t]*s.p[t]) }
	if which == nil {
		for t := range s.v {
			set(t)
		}
	}
	for _, t := range which {
		set(t)
	}
}

// mark says whether u_t = y_t a_t can grow and fall.
func (s *solver) mark(t int) {
	var c byte
	if s.a[t] < s.upper[t] {
		c |= grows
	}
	if s.a[t] > 0 {
		c |= falls
	}
	if s.y[t] < 0 {
		c = c>>1 | c<<1&falls
	}
	s.can[t] = c
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
	look := func(t int) {
		v, c := s.v[t], s.can[t]
		if v > top && c&grows != 0 {
			top, grow = v, t
		}
		if v < low && c&falls != 0 {
			low = v
		}
	}
	switch {
	case s.active == nil && sign == 0:
		can := s.can[:len(s.v)]
		for t, v := range s.v {
			if v > top && can[t]&grows != 0 {
				top, grow = v, t
			}
			if v < low && can[t]&falls != 0 {
				low = v
			}
		}
	case s.active == nil:
		for t := range s.v {
			if s.y[t] == sign {
				look(t)
			}
		}
	default:
		for _, t := range s.active {
			if sign == 0 || s.y[t] == sign {
				look(t)
			}
		}
	}
	if grow < 0 || math.IsInf(low, 1) {
		return grow, fall, math.Inf(-1)
	}
	if gap = top - low; gap <= s.tolerance {
		return grow, fall, gap
	}
	return grow, s.second(grow, sign), gap
}

// second returns the variable to fall that gains most together with the growing one. The gain is
// (difference of v)² over the curvature along the pair. Quotients are compared by products.
func (s *solver) second(grow int, sign float64) int {
	i, top := s.of[grow], s.v[grow]
	row, kii := s.rows.row(i), s.diagonal[i]
	fall, up, down := -1, 0.0, 1.0
	look := func(t int) {
		b := top - s.v[t]
		if b <= 0 || s.can[t]&falls == 0 {
			return
		}
		j := s.of[t]
		c := curvature(kii + s.diagonal[j] - 2*row[j])
		if b*b*down > up*c {
			fall, up, down = t, b*b, c
		}
	}
	n := s.rows.n
	switch {
	case s.active == nil && sign == 0 && len(s.v) == n: // variable t is of item t
		v, can, diagonal := s.v[:n], s.can[:n], s.diagonal[:n]
		for t, k := range row[:n] {
			b := top - v[t]
			if b <= 0 || can[t]&falls == 0 {
				continue
			}
			c := curvature(kii + diagonal[t] - 2*k)
			if b*b*down > up*c {
				fall, up, down = t, b*b, c
			}
		}
	case s.active == nil:
		for t := range s.v {
			if sign == 0 || s.y[t] == sign {
				look(t)
			}
		}
	default:
		for _, t := range s.active {
			if sign == 0 || s.y[t] == sign {
				look(t)
			}
		}
	}
	return fall
}

// curvature is kept positive for items that are equal, and for kernels that are not positive
// definite.
func curvature(c float64) float64 {
	if c < 1e-12 {
		return 1e-12
	}
	return c
}

// step moves a pair to its optimum within the bounds.
func (s *solver) step(grow, fall int) {
	i, j := s.of[grow], s.of[fall]
	ri := s.rows.row(i)
	rj := s.rows.row(j)
	d := (s.v[grow] - s.v[fall]) / curvature(s.diagonal[i]+s.diagonal[j]-2*ri[j])
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
		s.mark(t)
	}
	move(grow, d)
	move(fall, -d)
	if s.active != nil {
		for _, t := range s.active {
			k := s.of[t]
			s.v[t] -= d * (ri[k] - rj[k])
		}
		return
	}
	// Variable t is of item t, or of item t - n.
	for n := s.rows.n; n <= len(s.v); n += s.rows.n {
		v := s.v[n-s.rows.n : n]
		a, b := ri[:len(v)], rj[:len(v)]
		for k := range v {
			v[k] -= d * (a[k] - b[k])
		}
	}
}

// shrink sets aside the variables that the conditions hold at a bound by a margin.
func (s *solver) shrink() {
	top, low := [2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(1)}
	side := func(t int) int {
		if s.apart && s.y[t] < 0 {
			return 1
		}
		return 0
	}
	looked := s.active
	if looked == nil {
		looked = make([]int, len(s.v))
		for t := range looked {
			looked[t] = t
		}
	}
	for _, t := range looked {
		v, k := s.v[t], side(t)
		if s.can[t]&grows != 0 {
			top[k] = max(top[k], v)
		}
		if s.can[t]&falls != 0 {
			low[k] = min(low[k], v)
		}
	}
	if s.active != nil && top[0]-low[0] <= 10*s.tolerance &&
		(!s.apart || top[1]-low[1] <= 10*s.tolerance) {
		s.restore() // once more with all, before the end
		return
	}
	kept := make([]int, 0, len(looked))
	for _, t := range looked {
		v, k := s.v[t], side(t)
		if s.can[t]&falls == 0 && v < low[k] || s.can[t]&grows == 0 && v > top[k] {
			continue
		}
		kept = append(kept, t)
	}
	if 3*len(kept) < 2*len(looked) { // else it is not worth it
		s.active = kept
	}
}

// restore activates all variables again, and updates v for those set aside.
func (s *solver) restore() {
	if s.active == nil {
		return
	}
	current := make([]bool, len(s.v))
	for _, t := range s.active {
		current[t] = true
	}
	var old []int
	for t, ok := range current {
		if !ok {
			old = append(old, t)
		}
	}
	s.active = nil
	s.refresh(old)
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
		v := -s.v[t]
		switch g, f := s.can[t]&grows != 0, s.can[t]&falls != 0; {
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
