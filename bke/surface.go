package bke

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/priors"
)

// Surface is the log posterior density of the logarithms u of the free hyperparameters, change of
// variables included. Package bke/quadrature integrates it. A Surface owns a workspace and is not
// safe for concurrent use.
type Surface struct{ c *criterion }

// Surface makes the log posterior under priors p. Once the context is done every value is -Inf.
func (m *Model) Surface(ctx context.Context, p Priors) (*Surface, error) {
	c := m.newCriterion()
	c.stopAt(ctx)
	c.jacobian = true
	if err := c.withPriors(p); err != nil {
		return nil, err
	}
	return &Surface{c}, nil
}

// Names returns the names of the free parameters, in the order of u.
func (s *Surface) Names() []string { return s.c.names }

// Bounds returns the range of each u.
func (s *Surface) Bounds() (lo, hi []float64) { return s.c.lo, s.c.hi }

// Calls returns the number of evaluations so far.
func (s *Surface) Calls() int { return s.c.calls }

// HasTau2 reports whether tau2 is among the free parameters.
func (s *Surface) HasTau2() bool { return s.c.tau2 >= 0 }

// Value returns the log density at u. If only tau2 or eta has changed since the last call, it costs
// O(m³) and no pass over the rows.
func (s *Surface) Value(u []float64) float64 { return s.c.value(u) }

// Gradient returns the log density at u and writes its gradient into g.
func (s *Surface) Gradient(g, u []float64) float64 { return s.c.at(g, u) }

// Hessian differentiates the gradient at u.
func (s *Surface) Hessian(u []float64) [][]float64 { return s.c.hessian(u) }

// RidgePoint is the best tau2 (and eta) for one theta.
type RidgePoint struct {
	Logs  []float64 // u
	Value float64   // of the log density, -Inf where no best tau2 was found
}

// Ridge follows the best tau2 (and eta) for each theta, in increasing order. It covers the search
// range of theta and continues beyond while the density is within depth nats of the maximum. It
// also returns the modes, the highest first, and an error if the density never falls off.
func (s *Surface) Ridge(ctx context.Context, depth float64) ([]RidgePoint, []Mode, error) {
	c := s.c
	lo, hi, err := c.model.thetaRange(ctx)
	if err != nil {
		return nil, nil, err
	}
	lo, hi = max(math.Log(lo), c.lo[0]), min(math.Log(hi), c.hi[0])
	if !(lo < hi) {
		lo, hi = c.lo[0], c.hi[0]
	}
	l, err := c.scan(ctx, []float64{0}, lo, hi)
	if err != nil {
		return nil, nil, err
	}
	if err := c.lengthen(ctx, l, depth); err != nil {
		return nil, nil, err
	}
	modes, err := c.peaks(ctx, l.rises(box{c.lo, c.hi}))
	if err != nil {
		return nil, nil, err
	}
	points := make([]RidgePoint, len(l.points))
	for i, p := range l.points {
		points[i] = RidgePoint{p.u, p.lp}
	}
	return points, modes, nil
}

// Modes climbs from the given points and returns the modes, the highest first.
func (s *Surface) Modes(ctx context.Context, from [][]float64) ([]Mode, error) {
	var starts []start
	for _, u := range from {
		starts = append(starts, start{u, box{s.c.lo, s.c.hi}})
	}
	return s.c.peaks(ctx, starts)
}

// SearchRange returns the range of each u in which Learn looks for modes.
func (s *Surface) SearchRange(ctx context.Context) (lo, hi []float64, err error) {
	wide := *s.c
	wide.lo, wide.hi = slices.Clone(s.c.lo), slices.Clone(s.c.hi)
	err = wide.narrow(ctx, LearnOptions{})
	return wide.lo, wide.hi, err
}

// Endless is the error of a density that does not fall off as theta goes to infinity, or to 0.
func (s *Surface) Endless(up bool) error { return s.c.endless(up) }

// LogPriorMass is the log of the prior probability that all lengthscales are within their bounds.
// It is NaN if a prior is improper, or if the bounds are so far in a tail that this probability
// rounds to zero.
func (s *Surface) LogPriorMass() float64 {
	c := s.c
	sum, o := 0.0, c.model.opts
	for i, p := range c.priors {
		if math.IsNaN(p.Quantile(0.5)) {
			return math.NaN()
		}
		if i >= c.model.thetas() {
			continue
		}
		hi := 1.0
		if o.ThetaMax > 0 {
			hi = probBelow(p, o.ThetaMax)
		}
		mass := hi - probBelow(p, o.ThetaMin)
		if !(mass > 0) {
			return math.NaN()
		}
		sum += math.Log(mass)
	}
	return sum
}

// probBelow is the distribution function of a continuous prior at x, from its quantiles: bisection
// for log p where p is below a half and for log (1-p) where it is above.
func probBelow(p priors.Prior, x float64) float64 {
	if lo, hi := p.Support(); x <= lo || x >= hi {
		if x <= lo {
			return 0
		}
		return 1
	}
	low := p.Quantile(0.5) > x
	a, b := -700.0, -math.Ln2
	for range 100 {
		mid := a/2 + b/2
		t := math.Exp(mid)
		if low && p.Quantile(t) < x || !low && p.Quantile(1-t) > x {
			a = mid
		} else {
			b = mid
		}
	}
	if low {
		return math.Exp(a/2 + b/2)
	}
	return -math.Expm1(a/2 + b/2)
}

// furthest is the largest distance in logs over which the posterior is followed.
const furthest = 100

// lengthen continues a scan on either side while the profile is within depth nats of the top.
func (c *criterion) lengthen(ctx context.Context, l *line, depth float64) error {
	for _, up := range []bool{false, true} {
		for {
			top := math.Inf(-1)
			for _, p := range l.points {
				top = max(top, p.lp)
			}
			end, sign, bound := 0, -1.0, c.lo[0]
			if up {
				end, sign, bound = len(l.points)-1, 1.0, c.hi[0]
			}
			if l.points[end].lp < top-depth || l.t[end] == bound {
				break
			}
			t := l.t[end] + sign*scanStep
			if sign*(t-bound) > 0 {
				t = bound
			}
			if math.Abs(t-l.t[len(l.t)/2]) > furthest {
				return c.endless(up)
			}
			u := append([]float64(nil), l.points[end].u...)
			u[0] = t
			p := c.best(u)
			if err := stopped(ctx, "following the posterior"); err != nil {
				return err
			}
			if math.IsInf(p.lp, -1) { // tau2 has left the range of numbers before the end
				return c.endless(up)
			}
			l.insert(up, t, p)
		}
	}
	return nil
}

func (c *criterion) endless(up bool) error {
	where := "0"
	if up {
		where = "infinity"
	}
	return fmt.Errorf("bke: the posterior does not fall off as %s tends to %s: bound theta, lower "+
		"the weight (%.4g), or use a proper prior", c.names[0], where, c.model.opts.Weight)
}

func (l *line) insert(up bool, t float64, p point) {
	at := 0
	if up {
		at = len(l.t)
	}
	l.t, l.points = slices.Insert(l.t, at, t), slices.Insert(l.points, at, p)
}

// peaks climbs from the starts and returns the modes, the highest first.
func (c *criterion) peaks(ctx context.Context, starts []start) ([]Mode, error) {
	f := &Fit{}
	for _, s := range starts {
		f.climb(c, s)
	}
	if err := stopped(ctx, "the search for modes"); err != nil {
		return nil, err
	}
	if len(f.Modes) == 0 {
		return nil, fmt.Errorf("bke: the posterior has no mode that could be found: "+
			"%d climbs failed", f.Failed)
	}
	f.sort()
	return f.Modes, nil
}
