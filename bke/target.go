package bke

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/priors"
)

// Priors are those of the hyperparameters. Nil means gamma(1,1).
type Priors struct {
	// Theta is the prior of each lengthscale over ThetaScale, Tau2 that of tau2. Eta is the prior of
	// eta itself; where it is nil, eta over the pooled standard deviation is gamma(1,1).
	Theta, Tau2, Eta priors.Prior
	// ThetaScale is the unit of the prior of theta: the pooled standard deviation if zero, the
	// units of the data if 1.
	ThetaScale float64
}

// resolvePriors returns the priors in force in the units of the data, so with ThetaScale 1; Eta is
// nil unless it is a parameter.
func (m *Model) resolvePriors(p Priors) (Priors, error) {
	scale := p.ThetaScale
	if scale == 0 {
		scale = m.pooledSD
	}
	if !(scale > 0) || math.IsInf(scale, 1) {
		return Priors{}, fmt.Errorf("bke: ThetaScale is %v, want a positive number", p.ThetaScale)
	}
	out := Priors{Theta: p.Theta, Tau2: p.Tau2, Eta: p.Eta, ThetaScale: 1}
	switch {
	case out.Theta == nil:
		out.Theta = priors.Gamma{Shape: 1, Rate: 1 / scale}
	case scale != 1:
		out.Theta = scaledPrior{out.Theta, scale}
	}
	if out.Tau2 == nil {
		out.Tau2 = priors.Gamma{Shape: 1, Rate: 1}
	}
	switch {
	case !m.freeEta():
		out.Eta = nil
	case out.Eta == nil:
		out.Eta = priors.Gamma{Shape: 1, Rate: 1 / m.pooledSD}
	default:
		if err := properEta(out.Eta); err != nil {
			return Priors{}, err
		}
	}
	return out, nil
}

// properEta refuses an improper prior: the likelihood tends to positive constants as eta goes to 0
// and to infinity, so that the posterior would be improper too.
func properEta(p priors.Prior) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("bke: prior of eta: %w", err)
	}
	if math.IsNaN(p.Quantile(0.5)) {
		return fmt.Errorf("bke: prior of eta is %v, want a proper one", p)
	}
	return nil
}

// bounds returns the interval of the lengthscales.
func (o Options) bounds() (lo, hi float64) {
	if o.ThetaMax > 0 {
		return o.ThetaMin, o.ThetaMax
	}
	return o.ThetaMin, math.Inf(1)
}

// Target returns the factory of the log posterior density of the free hyperparameters, for the
// samplers of packages hmc and nuts: weighted log pseudolikelihood plus log priors plus the
// change of variables. The sampler moves on log theta, log tau2 and log eta; on log(theta -
// ThetaMin) where theta has a lower bound only, and on the logit of its place in the interval
// where it has an upper one. Bounds truncate the prior, whose constant stays as it was. Draws are
// recorded on the natural scales under the names that Free returns; a starting point can be drawn
// from the priors.
//
// From draws of a wide prior chains may end in modes that have next to no mass and never leave them:
// Starts has better points.
func (m *Model) Target(p Priors) hmc.Factory {
	decl, err := m.declare(p)
	if err != nil {
		return func() (hmc.Target, error) { return nil, err }
	}
	return decl.Factory(m.logLikelihood)
}

// declare says what the free parameters are.
func (m *Model) declare(p Priors) (*model.Model, error) {
	p, err := m.resolvePriors(p)
	if err != nil {
		return nil, err
	}
	decl := new(model.Model)
	lo, hi := m.opts.bounds()
	if m.opts.ARD {
		decl.Intervals("theta", m.dim, lo, hi, p.Theta)
	} else {
		decl.Interval("theta", lo, hi, p.Theta)
	}
	if m.freeTau2() {
		decl.Positive("tau2", p.Tau2)
	}
	if m.freeEta() {
		decl.Positive("eta", p.Eta)
	}
	return decl, nil
}

// Starts returns points for that many chains on the scale of Target, for hmc.Settings.Init: the modes
// that Learn found with the same priors, each for a number of chains in proportion to its mass. From
// a bound of theta, which is infinitely far on that scale, they are moved inside a little.
func (m *Model) Starts(p Priors, f *Fit, chains int) ([][]float64, error) {
	decl, err := m.declare(p)
	if err != nil {
		return nil, err
	}
	if len(f.Modes) == 0 || chains < 1 {
		return nil, fmt.Errorf("bke: starts are wanted for %d chains from %d modes, want at least one "+
			"of both", chains, len(f.Modes))
	}
	top := math.Inf(-1)
	for _, mode := range f.Modes {
		top = max(top, mode.LogMass)
	}
	var upTo []float64 // the sums of the masses
	all := 0.0
	for _, mode := range f.Modes {
		all += math.Exp(mode.LogMass - top)
		upTo = append(upTo, all)
	}
	out := make([][]float64, chains)
	for c, k := 0, 0; c < chains; c++ {
		for upTo[k] < all*(float64(c)+0.5)/float64(chains) {
			k++
		}
		if out[c], err = decl.Unconstrain(m.natural(f.Modes[k].Params)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// natural is the reverse of paramsOf, but keeps away from bounds of theta.
func (m *Model) natural(p Params) []float64 {
	v := append([]float64(nil), p.Theta...)
	lo, hi := m.opts.bounds()
	for a, t := range v {
		v[a] = min(max(t, lo+min(lo, hi-lo)/1000), lo+0.999*(hi-lo))
	}
	if m.freeTau2() {
		v = append(v, p.Tau2)
	}
	if m.freeEta() {
		v = append(v, p.Eta)
	}
	return v
}

// logLikelihood makes the weighted log pseudolikelihood as a function of the free parameters on
// their natural scales, with a workspace of its own.
func (m *Model) logLikelihood() model.LogLikelihood {
	e := m.Evaluator()
	thetas := m.thetas()
	return func(v, grad []float64) float64 {
		value := e.Gradient(grad, m.paramsOf(v, thetas))
		for i := range grad {
			grad[i] /= v[i]
		}
		return value
	}
}

// paramsOf reads the values of the free parameters, in the order of Free.
func (m *Model) paramsOf(v []float64, thetas int) Params {
	p := Params{Theta: v[:thetas], Tau2: m.opts.Tau2, Eta: m.opts.Eta}
	v = v[thetas:]
	if m.freeTau2() {
		p.Tau2, v = v[0], v[1:]
	}
	if m.freeEta() {
		p.Eta = v[0]
	}
	return p
}

// scaledPrior is the distribution of scale times a draw from a prior.
type scaledPrior struct {
	prior priors.Prior
	scale float64
}

func (s scaledPrior) LogDensity(x float64) float64 {
	return s.prior.LogDensity(x/s.scale) - math.Log(s.scale)
}

func (s scaledPrior) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = s.prior.LogDensityGrad(x / s.scale)
	return logp - math.Log(s.scale), dlogp / s.scale
}

func (s scaledPrior) Rand(r *rand.Rand) float64  { return s.scale * s.prior.Rand(r) }
func (s scaledPrior) Quantile(p float64) float64 { return s.scale * s.prior.Quantile(p) }
func (s scaledPrior) Support() (lo, hi float64) {
	lo, hi = s.prior.Support()
	return lo * s.scale, hi * s.scale
}
func (s scaledPrior) Check() error   { return s.prior.Check() }
func (s scaledPrior) String() string { return fmt.Sprintf("%v times %v", s.prior, s.scale) }
