package model

import (
	"fmt"

	"bayeskernel/engine"

	"bayeskernel/priors"
)

// From returns the distribution of package priors, such as one that priors.Parse has read from a
// user: model.From(p) with p gamma(2, 0.1) is model.Gamma(2, 0.1).
func From(p priors.Prior) Dist {
	switch p := p.(type) {
	case priors.Beta:
		return Beta(p.A, p.B)
	case priors.Exponential:
		return Exponential(p.Rate)
	case priors.Flat:
		return Flat()
	case priors.Gamma:
		return Gamma(p.Shape, p.Rate)
	case priors.HalfCauchy:
		return HalfCauchy(p.Scale)
	case priors.HalfNormal:
		return HalfNormal(p.Scale)
	case priors.InvGamma:
		return InvGamma(p.Shape, p.Scale)
	case priors.LogNormal:
		return LogNormal(p.Mu, p.Sigma)
	case priors.Normal:
		return Normal(p.Mean, p.SD)
	case priors.StudentT:
		return StudentT(p.DF, p.Location, p.Scale)
	case priors.Uniform:
		return Uniform(p.Lo, p.Hi)
	}
	return Dist{unknown{fmt.Sprintf("From: %T is no distribution of package priors", p)}}
}

// unknown is what From has for a prior that it does not know.
type unknown struct{ why string }

func (unknown) name() string { return "unknown" }

func (d unknown) in(m *Model, of, where string) engine.Distribution {
	m.failAt(where, "%s: %s", of, d.why)
	return nil
}
