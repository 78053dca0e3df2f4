package bke

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/workers"
	"bayeskernel/priors"
)

// criterion is a log density of the free parameters, as a function of their logarithms u: the
// weighted log pseudolikelihood; plus the log priors on the natural scales, if there are any; plus
// the change of variables to the logarithms, sum u, if it is to be integrated over them.
type criterion struct {
	model     *Model
	eval      *Evaluator
	priors    []priors.Prior // one for each free parameter; nil: none
	jacobian  bool
	names     []string
	lo, hi    []float64 // the range of each u
	tau2, eta int       // where these are in u, -1 if fixed
	p         Params
	gradients []float64
	calls     int
	sums      *sums // over the rows, for the lengthscales passed
	passed    []float64
	graded    bool // whether the sums are enough for a gradient
	// done, once closed, makes every value -Inf without computing it, including the evaluation
	// under way. Everything then ends at once, and the caller checks the context.
	done <-chan struct{}
}

// stopAt makes all later computations end with the context.
func (c *criterion) stopAt(ctx context.Context) {
	c.done = ctx.Done()
	c.eval.stopAt(c.done)
}

// stopped reports, in words, that the context of a computation has ended.
func stopped(ctx context.Context, what string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("bke: %s stopped before the end: %w", what, err)
	}
	return nil
}

// ended reports whether the context has ended. If it has, the sums of an evaluation are not valid.
func (c *criterion) ended() bool { return workers.Closed(c.done) }

// newCriterion makes the log pseudolikelihood without priors, over the whole range that the model
// allows.
func (m *Model) newCriterion() *criterion {
	c := &criterion{model: m, eval: m.Evaluator(), names: m.Free(), tau2: -1, eta: -1,
		p: Params{Theta: make([]float64, m.thetas()), Tau2: m.opts.Tau2, Eta: m.opts.Eta}}
	d := len(c.names)
	c.lo, c.hi, c.gradients = make([]float64, d), make([]float64, d), make([]float64, d)
	next := m.thetas()
	for i := range c.names {
		c.lo[i], c.hi[i] = math.Log(tiniest), math.Log(hugest)
		if i < next && m.opts.ThetaMin > 0 {
			c.lo[i] = math.Log(m.opts.ThetaMin)
		}
		if i < next && m.opts.ThetaMax > 0 {
			c.hi[i] = math.Log(m.opts.ThetaMax)
		}
	}
	if m.windows != nil {
		lo, hi := m.windowRange()
		c.lo[0], c.hi[0] = max(c.lo[0], lo), min(c.hi[0], hi)
	}
	if m.freeTau2() {
		c.tau2 = next
		next++
	}
	if m.freeEta() {
		c.eta = next
	}
	return c
}

// tiniest and hugest bound every parameter that has no other bounds. Squares and reciprocals of
// numbers between them are in the range of float64.
const (
	tiniest = 1e-140
	hugest  = 1e140
)

// withPriors adds the priors of the free parameters.
func (c *criterion) withPriors(p Priors) error {
	r, err := c.model.resolvePriors(p)
	if err != nil {
		return err
	}
	for i := range c.names {
		q := r.Theta
		switch i {
		case c.tau2:
			q = r.Tau2
		case c.eta:
			q = r.Eta
		}
		if err := q.Check(); err != nil {
			return fmt.Errorf("bke: prior of %s: %w", c.names[i], err)
		}
		from, to := 0.0, math.Inf(1)
		if i < c.model.thetas() {
			from, to = c.model.opts.bounds()
		}
		if lo, hi := q.Support(); lo > from || hi < to {
			return fmt.Errorf("bke: prior of %s is %v, confined to (%v, %v), want one on all of "+
				"(%v, %v)", c.names[i], q, lo, hi, from, to)
		}
		c.priors = append(c.priors, q)
	}
	return nil
}

// params writes exp(u) into c.p.
func (c *criterion) params(u []float64) Params {
	for a := range c.p.Theta {
		c.p.Theta[a] = math.Exp(u[a])
	}
	if c.tau2 >= 0 {
		c.p.Tau2 = math.Exp(u[c.tau2])
	}
	if c.eta >= 0 {
		c.p.Eta = math.Exp(u[c.eta])
	}
	return c.p
}

// natural returns a copy of the parameters at u.
func (c *criterion) natural(u []float64) Params {
	p := c.params(u)
	p.Theta = append([]float64(nil), p.Theta...)
	return p
}

// at returns the value at u and writes the gradient in u into g. NaN and +Inf count as -Inf, with
// zero gradient.
func (c *criterion) at(g, u []float64) float64 {
	if c.ended() {
		clear(g)
		return math.Inf(-1)
	}
	c.calls++
	lp := math.NaN()
	if p, ok := c.model.resolve(c.params(u)); ok {
		lp = c.eval.gradient(g, c.pass(p, true), p) + c.prior(g, u)
	}
	ok := lp <= math.MaxFloat64 && lp >= -math.MaxFloat64 && !c.ended()
	for _, v := range g {
		ok = ok && math.Abs(v) <= math.MaxFloat64
	}
	if !ok {
		clear(g)
		return math.Inf(-1)
	}
	return lp
}

// pass returns the sums over the rows of the data, including those for the gradient if grad is set.
// They depend only on the lengthscales, so they are reused if only tau2 or eta changes. They are
// not valid once the context has ended.
func (c *criterion) pass(p Params, grad bool) *sums {
	if c.sums == nil || grad && !c.graded || !slices.Equal(c.passed, p.Theta) {
		c.sums, c.graded = c.eval.sums(p, grad), grad
		c.passed = append(c.passed[:0], p.Theta...)
	}
	return c.sums
}

// value is at without the gradient.
func (c *criterion) value(u []float64) float64 {
	c.calls++
	p, ok := c.model.resolve(c.params(u))
	if !ok || c.ended() {
		return math.Inf(-1)
	}
	s := c.pass(p, false)
	lp := c.model.opts.Weight*c.eval.gaussian(s, p) + s.logGamma + c.prior(c.gradients, u)
	if !(lp <= math.MaxFloat64) || c.ended() {
		return math.Inf(-1)
	}
	return lp
}

// slopeTau2 is the derivative in log tau2 alone, +Inf where tau2 is so small that the value
// overflows, and NaN where u is not in range or the computation ended.
func (c *criterion) slopeTau2(u []float64) float64 {
	c.calls++
	p, ok := c.model.resolve(c.params(u))
	if !ok || c.ended() {
		return math.NaN()
	}
	s := c.pass(p, false)
	c.eval.gaussian(s, p)
	c.eval.tr.trace = c.eval.cov.trace()
	clear(c.gradients)
	c.prior(c.gradients, u)
	slope := c.gradients[c.tau2] + c.model.opts.Weight*c.eval.gradTau2(s, p)
	if c.ended() {
		return math.NaN()
	}
	if math.IsNaN(slope) {
		return math.Inf(1)
	}
	return slope
}

// prior returns the log priors and the change of variables at u, and adds their gradient to g.
func (c *criterion) prior(g, u []float64) float64 {
	lp := 0.0
	for i, q := range c.priors {
		v := math.Exp(u[i])
		l, dl := q.LogDensityGrad(v)
		lp += l
		g[i] += dl * v
	}
	if c.jacobian {
		for i, v := range u {
			lp += v
			g[i]++
		}
	}
	return lp
}

// hessian differentiates the gradient at u by central differences of the fourth order, over steps
// of a thousandth. The gradient varies on the scale of one, so about ten digits are right.
func (c *criterion) hessian(u []float64) [][]float64 {
	const step = 1e-3
	d := len(u)
	x := append([]float64(nil), u...)
	h, g := square(d), make([]float64, d)
	for i := range d {
		for k, weight := range [...]float64{1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12} {
			if weight == 0 {
				continue
			}
			x[i] = u[i] + float64(k-2)*step
			if math.IsInf(c.at(g, x), -1) {
				weight = math.NaN()
			}
			for j, v := range g {
				h[i][j] += weight * v / step
			}
		}
		x[i] = u[i]
	}
	for i := range d {
		for j := range i {
			h[i][j] = (h[i][j] + h[j][i]) / 2
			h[j][i] = h[i][j]
		}
	}
	return h
}

func square(d int) [][]float64 {
	h := make([][]float64, d)
	for i := range h {
		h[i] = make([]float64, d)
	}
	return h
}
