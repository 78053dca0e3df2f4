package bke

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/priors"
)

// Priors are the priors of the hyperparameters. Nil means gamma(1,1).
type Priors struct {
	// Theta is the prior of each lengthscale divided by ThetaScale, and Tau2 the prior of tau2. Eta
	// is the prior of eta itself. If it is nil, eta divided by the pooled standard deviation is
	// gamma(1,1).
	Theta, Tau2, Eta priors.Prior
	// ThetaScale is the unit of the prior of theta. Zero means the pooled standard deviation, and 1
	// the units of the data.
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

// properEta returns an error for an improper prior. The likelihood tends to positive constants as
// eta goes to 0 and to infinity, so the posterior would be improper too.
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
