package models

import (
	"math"

	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

// schools are the effects of coaching that eight schools reported, and their standard errors.
type schools struct{ Y, Sigma []float64 }

// EightSchools is the meta-analysis of eight coaching programs (Rubin 1981) in its non-centred
// form. School j reports an effect y[j] with standard error sigma[j]; the true effects vary around
// mu with standard deviation tau:
//
//	y[j] ~ normal(theta[j], sigma[j])
//	theta[j] = mu + tau theta_trans[j],  theta_trans[j] ~ normal(0, 1)
//	mu ~ normal(0, 5)
//	tau ~ half-Cauchy(0, 5)
//
// Sampled are theta_trans, mu and tau, which are nearly independent in the posterior; theta is
// derived from them.
//
// With e[j] = (y[j] - theta[j]) / sigma[j]^2, the derivative of log p(y | theta) in theta[j], the
// chain rule gives
//
//	d/d theta_trans[j] = tau e[j]
//	d/d mu             = sum_j e[j]
//	d/d tau            = sum_j theta_trans[j] e[j]
func EightSchools() (Posterior, error) {
	var data schools
	ref, err := load("eight_schools", &data)
	if err != nil {
		return Posterior{}, err
	}
	var m byhand.Model
	trans := m.Reals("theta_trans", len(data.Y), priors.Normal{Mean: 0, SD: 1})
	mu := m.Real("mu", priors.Normal{Mean: 0, SD: 5})
	tau := m.Positive("tau", priors.HalfCauchy{Scale: 5})
	m.Quantities("theta", len(data.Y), func(theta, v []float64) {
		for j, t := range trans.Of(v) {
			theta[j] = v[mu] + v[tau]*t
		}
	})
	logLikelihood := func(v, grad []float64) float64 {
		lp := 0.0
		g := trans.Of(grad)
		for j, t := range trans.Of(v) {
			r := data.Y[j] - (v[mu] + v[tau]*t)
			e := r / (data.Sigma[j] * data.Sigma[j])
			lp -= r * e / 2
			g[j] = v[tau] * e
			grad[mu] += e
			grad[tau] += t * e
		}
		return lp
	}
	return Posterior{"eight_schools_noncentered", m.Factory(shared(logLikelihood)), ref}, nil
}

// EightSchoolsCentered is the same posterior with theta itself sampled:
//
//	theta[j] ~ normal(mu, tau)
//
// Where tau is small, theta is confined to a narrow neighbourhood of mu, and no step size serves
// both there and elsewhere: the sampler diverges, and its draws are not to be trusted. The
// reference moments are those of the same parameters in the non-centred form.
//
// With e[j] as before and z[j] = (theta[j] - mu) / tau,
//
//	log p(theta | mu, tau) = sum_j -z[j]^2 / 2 - log tau
//	d/d theta[j] = e[j] - z[j] / tau
//	d/d mu       = sum_j z[j] / tau
//	d/d tau      = sum_j (z[j]^2 - 1) / tau
func EightSchoolsCentered() (Posterior, error) {
	var data schools
	ref, err := load("eight_schools", &data)
	if err != nil {
		return Posterior{}, err
	}
	var m byhand.Model
	theta := m.Reals("theta", len(data.Y), nil) // its prior depends on mu and tau: see below
	mu := m.Real("mu", priors.Normal{Mean: 0, SD: 5})
	tau := m.Positive("tau", priors.HalfCauchy{Scale: 5})
	logLikelihood := func(v, grad []float64) float64 {
		if v[tau] == 0 { // tau = exp(x) has underflowed
			return math.Inf(-1)
		}
		lp := -float64(len(data.Y)) * math.Log(v[tau])
		g := theta.Of(grad)
		for j, t := range theta.Of(v) {
			r := data.Y[j] - t
			e := r / (data.Sigma[j] * data.Sigma[j])
			z := (t - v[mu]) / v[tau]
			lp -= (r*e + z*z) / 2
			g[j] = e - z/v[tau]
			grad[mu] += z / v[tau]
			grad[tau] += (z*z - 1) / v[tau]
		}
		return lp
	}
	return Posterior{"eight_schools_centered", m.Factory(shared(logLikelihood)), ref}, nil
}

// shared makes the likelihood of every chain the same function, which keeps no workspace.
func shared(f byhand.LogLikelihood) func() byhand.LogLikelihood {
	return func() byhand.LogLikelihood { return f }
}
