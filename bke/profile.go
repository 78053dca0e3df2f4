package bke

import (
	"bayeskernel/internal/rows"
	"context"
	"fmt"
	"math"
	"slices"
)

// Profile is the weighted log pseudolikelihood as a function of one lengthscale, maximised over the
// other parameters.
type Profile struct {
	Theta  []float64
	LogLik []float64 // -Inf where no other parameters were found
	Tau2   []float64 // the best for each theta
	Eta    []float64 // nil unless nu is Gaussian
}

// Profile maximises the weighted log pseudolikelihood over tau2, and eta if it is free, at each
// theta. Nil means a grid over the search range or the model's bounds, in steps of about 12%, finer
// where needed. The model must have one lengthscale.
func (m *Model) Profile(ctx context.Context, theta []float64) (*Profile, error) {
	if m.thetas() > 1 {
		return nil, fmt.Errorf("bke: a profile of %d lengthscales was asked for, want a model "+
			"with one", m.thetas())
	}
	c := m.newCriterion()
	c.stopAt(ctx)
	if err := c.narrow(ctx, LearnOptions{}); err != nil {
		return nil, err
	}
	var points []point
	if theta == nil {
		scan, err := c.scan(ctx, []float64{0}, c.lo[0], c.hi[0])
		if err != nil {
			return nil, err
		}
		points = scan.points
	}
	u := c.origin()
	for _, t := range theta {
		if !(t > 0) || math.IsInf(t, 1) {
			return nil, fmt.Errorf("bke: theta is %v, want a positive, finite number", t)
		}
		u[0] = math.Log(t)
		points = append(points, c.best(u))
	}
	if err := stopped(ctx, "the profile"); err != nil {
		return nil, err
	}
	p := &Profile{}
	for _, pt := range points {
		q := c.natural(pt.u)
		p.Theta = append(p.Theta, q.Theta[0])
		p.LogLik = append(p.LogLik, pt.lp)
		p.Tau2 = append(p.Tau2, q.Tau2)
		if m.opts.Nu == Gaussian {
			p.Eta = append(p.Eta, q.Eta)
		}
	}
	return p, nil
}

// point is the best u for given lengthscales, its value, and the derivative of the value along the
// line of a scan. If none was found, it is the starting point with value -Inf.
type point struct {
	u         []float64
	lp, slope float64
}

// line is a scan along log theta = t + shift.
type line struct {
	points []point
	t      []float64
}

const (
	scanStep  = 0.115 // in log theta: twenty steps for a factor of ten
	wideStep  = 0.345 // beyond the diameter of the data, where nothing happens faster than theta^-1
	scanDepth = 6     // times that a step may be halved
	scanMiss  = 0.05  // nats by which interpolation may miss
	scanReach = 200   // nats from the top within which steps are halved
)

// scan finds the best point at each step from lo to hi. By the envelope theorem the slope of the
// profile is the partial derivative, so neighbours give a cubic interpolant. Where this misses the
// midpoint by more than a twentieth of a nat, the step is halved, down to 0.2%. The scan goes down
// from hi and ends when rising shows that no mode lies below.
func (c *criterion) scan(ctx context.Context, shift []float64, lo, hi float64) (*line, error) {
	grid := c.grid(lo, hi)
	at := func(t float64) point {
		u := c.origin()
		for a, s := range shift {
			u[a] = min(max(t+s, c.lo[a]), c.hi[a])
		}
		return c.best(u)
	}
	rising := c.rising(shift)
	var points []point
	for i := len(grid) - 1; i >= 0; i-- {
		points = append(points, at(grid[i]))
		if len(points) > 2 && rising(grid[i], points[len(points)-1]) {
			break
		}
	}
	slices.Reverse(points)
	l := &line{points: points, t: grid[len(grid)-len(points):]}
	l.refine(at)
	return l, stopped(ctx, "the scan of theta")
}

// grid returns log theta from lo to hi, with wider steps beyond the diameter of the data.
func (c *criterion) grid(lo, hi float64) []float64 {
	far := min(max(math.Log(c.model.extent*math.Sqrt(float64(c.model.dim))), lo), hi)
	var t []float64
	span := func(from, to, step float64) {
		steps := int(math.Ceil((to - from) / step))
		for i := range steps {
			t = append(t, from+(to-from)*float64(i)/float64(steps))
		}
	}
	span(lo, far, min(scanStep, (hi-lo)/4))
	span(far, hi, wideStep)
	return append(t, hi)
}

// rising returns a function that reports whether the profile rises with theta everywhere below log
// theta = t, so that no mode lies below. Per row the slope in log theta is at least
//
//	mean_i sum_l h_l rho_l q_l - 2D - (wm/2) dlog V/dlog theta,   V = mean_l Var k(X, z_l),
//
// up to terms of order 1/n. The leverages h_l are between 0 and 1 and sum to D. So the first sum is
// at least the sum of the D smallest rho q of a row, over the pseudo-inputs that differ from it.
// Both it and dlog V/dlog theta are squared distances in units of theta (distances for a Matern
// kernel). As theta falls, V puts its weight on smaller distances, and the bound on the first sum
// uses the same distances. So a positive bound stays positive. It holds for the best tau2. Kernels
// without exponential tails have another limit at 0, and no such bound.
func (c *criterion) rising(shift []float64) func(t float64, p point) bool {
	m := c.model
	if k, _, _ := m.opts.Kernel.Profile(1e12); k > 0 || c.tau2 < 0 || m.windows != nil {
		return func(float64, point) bool { return false }
	}
	unit := make([]float64, len(shift))
	for a, s := range shift {
		unit[a] = math.Exp(s)
	}
	near := rows.NearestSquares(m.x, m.z, m.dim, m.dim, unit, c.done)
	weight := m.opts.Weight * float64(m.m) / 2
	return func(t float64, p point) bool {
		if !(p.slope > 0) || math.IsInf(p.lp, -1) || c.sums == nil || c.ended() {
			return false
		}
		least, scale := 0.0, math.Exp(-2*t)
		for _, d := range near {
			q := d * scale
			if _, _, rho := m.opts.Kernel.Profile(q); q > 0 && !math.IsInf(q, 1) {
				least += rho * q
			}
		}
		spread := 0.0
		for _, d := range c.sums.dspread {
			spread += d
		}
		slope := least/float64(m.n) - 2*float64(m.dim) - 1.1*weight*spread/c.sums.spread
		return slope > 0.1*float64(m.dim) && slope*float64(m.n) > 100
	}
}

// origin is a starting point for bestTau2 and condition.
func (c *criterion) origin() []float64 {
	u := make([]float64, len(c.lo))
	if c.eta >= 0 {
		u[c.eta] = math.Log(c.model.pooledSD)
	}
	return u
}

// refine halves the steps near the top where interpolation fails.
func (l *line) refine(at func(t float64) point) {
	top := math.Inf(-1)
	for _, p := range l.points {
		top = max(top, p.lp)
	}
	check := make([]bool, len(l.t)-1)
	for i := range check {
		check[i] = true
	}
	for range scanDepth {
		next := &line{}
		var again []bool
		for i, a := range l.points[:len(l.points)-1] {
			next.t, next.points = append(next.t, l.t[i]), append(next.points, a)
			again = append(again, false)
			b, h := l.points[i+1], l.t[i+1]-l.t[i]
			if !check[i] || !(max(a.lp, b.lp) > top-scanReach) || math.IsInf(a.lp+b.lp, 0) {
				continue
			}
			p := at(l.t[i] + h/2)
			top = max(top, p.lp)
			cubic := (a.lp+b.lp)/2 + h*(a.slope-b.slope)/8
			miss := math.Abs(p.lp-cubic) > scanMiss
			again[len(again)-1] = miss
			again = append(again, miss)
			next.t, next.points = append(next.t, l.t[i]+h/2), append(next.points, p)
		}
		last := len(l.t) - 1
		next.t, next.points = append(next.t, l.t[last]), append(next.points, l.points[last])
		*l, check = *next, again
	}
}

// rises returns a start in each step where the profile turns from rising to falling, confined to
// that step. It adds one at each end where the profile falls inwards.
func (l *line) rises(whole box) []start {
	var out []start
	add := func(i, from, to int) {
		b := whole.clone()
		b.lo[0], b.hi[0] = max(l.t[from], whole.lo[0]), min(l.t[to], whole.hi[0])
		if !math.IsInf(l.points[i].lp, -1) {
			out = append(out, start{append([]float64(nil), l.points[i].u...), b})
		}
	}
	last := len(l.points) - 1
	if l.points[0].slope < 0 {
		add(0, 0, 1)
	}
	for i := range last {
		a, b := l.points[i], l.points[i+1]
		if a.slope > 0 && b.slope <= 0 {
			if a.lp > b.lp {
				add(i, i, i+1)
			} else {
				add(i+1, i, i+1)
			}
		}
	}
	if l.points[last].slope > 0 {
		add(last, last-1, last)
	}
	return out
}

// levelTau2 returns the log of the mean over l of Var k(X, z_l), which tau2 is always near.
func (c *criterion) levelTau2(u []float64) float64 {
	p, ok := c.model.resolve(c.params(u))
	if !ok {
		return math.NaN()
	}
	return math.Log(c.pass(p, false).spread / float64(c.model.n*c.model.m))
}

// best maximises over tau2 and eta from u.
func (c *criterion) best(u []float64) point {
	p := point{u: append([]float64(nil), u...), lp: math.Inf(-1)}
	g := make([]float64, len(u))
	if q, ok := c.model.resolve(c.params(u)); ok && !c.ended() {
		c.pass(q, true) // one pass for the search over tau2 and for the slope
	}
	if c.condition(p.u) {
		p.lp = c.at(g, p.u)
		for a := range c.model.thetas() {
			p.slope += g[a]
		}
	}
	return p
}

// etaStep is the step of the grid of eta, in logs: 24 over a factor of etaRange either way.
const etaStep = 0.576

// condition moves tau2 and eta to their best for the lengthscales in u, and reports success.
func (c *criterion) condition(u []float64) bool {
	if c.eta < 0 {
		return c.tau2 < 0 || c.bestTau2(u)
	}
	// The pseudolikelihood may have several maxima in eta: look at a grid first.
	b := box{c.lo, c.hi}.clone()
	for a := range c.model.thetas() {
		b.lo[a], b.hi[a] = u[a], u[a]
	}
	top, lp := append([]float64(nil), u...), math.Inf(-1)
	steps := math.Ceil(b.width(c.eta) / etaStep)
	for k := range int(steps) + 1 {
		u[c.eta] = b.lo[c.eta] + b.width(c.eta)*float64(k)/steps
		if c.tau2 >= 0 && !c.bestTau2(u) {
			continue
		}
		if l := c.value(u); l > lp {
			lp = l
			copy(top, u)
		}
	}
	copy(u, top)
	if math.IsInf(lp, -1) {
		return false
	}
	c.settle(u, b) // if that fails, the best of the grid has to do
	if !(c.value(u) >= lp) {
		copy(u, top)
	}
	return true
}

// bestTau2 moves tau2 to a zero of the derivative in log tau2, and reports whether there is one. In
// log tau2 the criterion has a single maximum, unless a prior adds another: the sum of squares over
// tau2 pulls it down for small tau2, the determinant for large tau2. The root is bracketed by
// doubling steps and then found by regula falsi with the Illinois rule (Dowell and Jarratt 1971).
func (c *criterion) bestTau2(u []float64) bool {
	if c.ended() {
		return false // levelTau2 would pass over the rows
	}
	k := c.tau2
	slope := func(v float64) float64 {
		u[k] = v
		return c.slopeTau2(u)
	}
	v := min(max(c.levelTau2(u), c.lo[k]), c.hi[k])
	f := slope(v)
	if f == 0 {
		return true
	}
	if math.IsNaN(f) { // there is no level to start from, or the computation ended
		return false
	}
	a, fa, b, fb := v, f, v, f // the bracket: a < b, fa > 0 > fb
	for step := 0.25; f > 0 && fb > 0 || f < 0 && fa < 0; step *= 2 {
		w := v + math.Copysign(step, f)
		if w < c.lo[k] || w > c.hi[k] {
			return false
		}
		if s := slope(w); f > 0 {
			b, fb = w, s
			if s > 0 {
				a, fa = w, s
			}
		} else {
			a, fa = w, s
			if s < 0 {
				b, fb = w, s
			}
		}
		v = w
	}
	return c.root(u, slope, a, fa, b, fb)
}

// root narrows the bracket a, b with slopes fa >= 0 >= fb. The slope is nearly linear in 1/tau2.
func (c *criterion) root(u []float64, slope func(float64) float64, a, fa, b, fb float64) bool {
	last := 0 // the side on which the previous point fell
	for w := a; ; {
		before := w
		ratio := math.Exp(b - a) // of 1/tau2 at a to that at b
		s := (ratio*fb - fa) / (fb - fa)
		w = b - math.Log(s)
		if !(w > a && w < b) { // also where fa is infinite
			w = a/2 + b/2
		}
		f := slope(w)
		if f == 0 || b-a < rootWithin || math.Abs(w-before) < rootWithin {
			return !math.IsInf(f, 1)
		}
		if f > 0 {
			if a, fa = w, f; last > 0 {
				fb /= 2
			}
			last = 1
		} else {
			if b, fb = w, f; last < 0 {
				fa /= 2
			}
			last = -1
		}
	}
}

// rootWithin is the accuracy in log tau2. The value is stationary there, so its error is of the
// order of the square, times the number of rows.
const rootWithin = 1e-8
