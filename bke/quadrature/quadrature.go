package quadrature

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/bke"
)

// Result is the exact posterior of one or two free hyperparameters. Slices are in the order of
// Names.
type Result struct {
	Names []string
	// LogMarginal is the log of the integral of the weighted pseudolikelihood times the normalised
	// priors. Its differences are the log posterior odds of kernels, weights or nu conventions with
	// equal prior probability. Where theta is bounded the prior is that within the bounds. It is NaN
	// if a prior is improper.
	LogMarginal float64
	// LogPriorMass is the log of the prior probability of the bounds on theta. It is 0 without
	// bounds, and NaN where the probability in the upper tail rounds to 0.
	LogPriorMass float64
	Mean, SD     []float64   // on the natural scales
	Corr         [][]float64 // on the natural scales
	MeanLog      []float64   // of the logarithms
	CovLog       [][]float64 // of the logarithms
	Modes        []bke.Mode  // of the density of the logarithms, which was integrated
	// Error estimates the relative error of the integrand's interpolant, integrated; the moments
	// are far more accurate than that.
	Error float64
	Calls int // evaluations of the pseudolikelihood

	marginals []marginal // of the logarithms
}

// Quantile returns the quantile of level p of the k-th parameter, NaN unless 0 < p < 1.
func (q *Result) Quantile(k int, p float64) float64 {
	if !(p > 0 && p < 1) {
		return math.NaN()
	}
	return math.Exp(q.marginals[k].quantile(p))
}

// Prob returns the posterior probability that the k-th parameter is below v.
func (q *Result) Prob(k int, v float64) float64 {
	if math.IsNaN(v) {
		return v
	}
	if v <= 0 {
		return 0
	}
	return q.marginals[k].below(math.Log(v))
}

// Density returns the posterior density of the k-th parameter at v.
func (q *Result) Density(k int, v float64) float64 {
	if math.IsNaN(v) {
		return v
	}
	if v <= 0 || math.IsInf(v, 1) {
		return 0
	}
	return q.marginals[k].density(math.Log(v)) / v
}

// MostFree is the largest number of free hyperparameters that Integrate takes.
const MostFree = 2

// Integrate computes the posterior under priors p by adaptive quadrature, if no more than two
// hyperparameters are free. It works on their logarithms, looks for all modes first, as Learn does,
// and cuts the plane into cells, each with a 12 x 12 Gauss-Legendre rule, until the polynomials
// through the nodes miss the posterior by less than 1e-9 of the whole. Cells are added on every
// side until they add less than 1e-13. It is an oracle to check samplers against.
func Integrate(ctx context.Context, m *bke.Model, p bke.Priors) (*Result, error) {
	s, err := m.Surface(ctx, p)
	if err != nil {
		return nil, err
	}
	if d := len(s.Names()); d > MostFree {
		return nil, fmt.Errorf("quadrature: %d parameters %v are free, want at most %d: fix some, or use "+
			"a sampler", d, s.Names(), MostFree)
	}
	find := look
	if len(s.Names()) == 2 && !s.HasTau2() {
		find = lookAround
	}
	seeds, modes, err := find(ctx, s)
	if err != nil {
		return nil, err
	}
	top := modes[0]
	r := &region{
		rule: newRule(),
		integrand: func(u []float64) float64 {
			return math.Exp(s.Value(u) - top.Value)
		},
		weight: func(cl *cell) float64 { return momentWeight(cl, top.Logs) },
	}
	lo, hi := s.Bounds()
	if err := cover(ctx, bounds{lo, hi, s.Endless}, r, seeds); err != nil {
		return nil, err
	}
	q := &Result{Names: s.Names(), Modes: modes, Calls: s.Calls()}
	mass := r.mass()
	for _, cl := range r.cells {
		q.Error += cl.err / mass
	}
	r.moments(q, top.Logs)
	q.LogPriorMass = s.LogPriorMass()
	q.LogMarginal = top.Value + math.Log(mass) - q.LogPriorMass
	for k := range q.Names {
		q.marginals = append(q.marginals, r.marginal(k))
	}
	return q, nil
}

// momentWeight is the largest squared ratio of a parameter to its value at the mode in a cell, so
// that second moments are as accurate as the mass. It is capped: a moment may be infinite.
func momentWeight(c *cell, mode []float64) float64 {
	w := 1.0
	for k, u := range mode {
		w = max(w, math.Exp(2*min(c.hi[k]-u, 7)))
	}
	return w
}

const (
	border = 1e-13 // share of the mass that a strip at the border may hold
	strips = 100   // that may be added
)

// bounds are the ends of each coordinate, and the error of a density that does not fall off towards
// them.
type bounds struct {
	lo, hi  []float64
	endless func(up bool) error
}

// cover integrates over a rectangle around the seeds, and then over strips on every side of it,
// until they hold nothing.
func cover(ctx context.Context, b bounds, r *region, seeds []seed) error {
	lo, hi := b.lo, b.hi
	d := len(lo)
	whole := &cell{lo: make([]float64, d), hi: make([]float64, d)}
	for k := range d {
		whole.lo[k], whole.hi[k] = math.Inf(1), math.Inf(-1)
		for _, s := range seeds {
			pad := 12 * min(s.sd[k], 1)
			whole.lo[k] = min(whole.lo[k], max(s.u[k]-pad, lo[k]))
			whole.hi[k] = max(whole.hi[k], min(s.u[k]+pad, hi[k]))
		}
	}
	r.plant(whole, seeds)
	if err := r.refine(ctx); err != nil {
		return err
	}
	added := 0
	for grown := true; grown; {
		grown = false
		for side := range 2 * d {
			k, up := side/2, side%2 == 1
			strip := beside(whole, k, up, lo[k], hi[k])
			if strip == nil {
				continue
			}
			before := r.mass()
			r.plant(strip, nil)
			if err := r.refine(ctx); err != nil {
				return err
			}
			share := (r.mass() - before) / r.mass() * r.weight(strip)
			grown = grown || share > border
			if up {
				whole.hi[k] = strip.hi[k]
			} else {
				whole.lo[k] = strip.lo[k]
			}
			if added++; added > strips {
				return b.endless(up)
			}
		}
	}
	return nil
}

// beside returns a strip along a side of a cell, a quarter as wide as that is, or nil at a bound.
func beside(c *cell, k int, up bool, lo, hi float64) *cell {
	s := &cell{lo: slices.Clone(c.lo), hi: slices.Clone(c.hi)}
	width := (c.hi[k] - c.lo[k]) / 4
	if up {
		s.lo[k], s.hi[k] = c.hi[k], min(c.hi[k]+width, hi)
	} else {
		s.lo[k], s.hi[k] = max(c.lo[k]-width, lo), c.lo[k]
	}
	if !(s.lo[k] < s.hi[k]) {
		return nil
	}
	return s
}

// moments sums over all nodes. Natural scales are in units of the mode, logs relative to it.
func (r *region) moments(q *Result, mode []float64) {
	d := len(mode)
	mass := r.mass()
	q.Mean, q.SD, q.MeanLog = make([]float64, d), make([]float64, d), make([]float64, d)
	q.Corr, q.CovLog = square(d), square(d)
	r.nodes(func(u []float64, w float64) {
		for k := range u {
			q.Mean[k] += w / mass * math.Exp(u[k]-mode[k])
			q.MeanLog[k] += w / mass * (u[k] - mode[k])
		}
	})
	r.nodes(func(u []float64, w float64) {
		for k := range u {
			t := math.Exp(u[k]-mode[k]) - q.Mean[k]
			for l := range u {
				q.Corr[k][l] += w / mass * t * (math.Exp(u[l]-mode[l]) - q.Mean[l])
				q.CovLog[k][l] += w / mass * (u[k] - mode[k] - q.MeanLog[k]) *
					(u[l] - mode[l] - q.MeanLog[l])
			}
		}
	})
	for k, u := range mode {
		q.Mean[k] *= math.Exp(u)
		q.SD[k] = math.Sqrt(q.Corr[k][k])
		q.MeanLog[k] += u
	}
	for k := range mode {
		for l := range mode {
			q.Corr[k][l] /= q.SD[k] * q.SD[l]
		}
	}
	for k, u := range mode {
		q.SD[k] *= math.Exp(u)
	}
}

// nodes calls f with every node and its share of the integral.
func (r *region) nodes(f func(u []float64, w float64)) {
	for _, c := range r.cells {
		u := make([]float64, len(c.lo))
		for i, v := range c.f {
			w, rest := v, i
			for k := len(u) - 1; k >= 0; k-- {
				j := rest % legendreNodes
				rest /= legendreNodes
				mid, half := c.center(k)
				u[k] = mid + half*r.rule.x[j]
				w *= half * r.rule.w[j]
			}
			f(u, w)
		}
	}
}

func square(d int) [][]float64 {
	h := make([][]float64, d)
	for i := range h {
		h[i] = make([]float64, d)
	}
	return h
}

// stopped reports, in words, that the context has ended.
func stopped(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("quadrature: stopped before the end: %w", context.Cause(ctx))
}
