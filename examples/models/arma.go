package models

import (
	"math"

	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

type armaData struct{ Y []float64 }

// ARMA is an ARMA(1,1) model of a series of 200 values:
//
//	e[1] = y[1] - (mu + phi mu)
//	e[t] = y[t] - (mu + phi y[t-1] + theta e[t-1]),  t > 1
//	e[t] ~ normal(0, sigma)
//	mu ~ normal(0, 10),  phi, theta ~ normal(0, 2)
//	sigma ~ half-Cauchy(0, 2.5)
//
// theta is not confined to (-1, 1): beyond, the recursion grows like theta^t, and where it
// overflows the density counts as 0.
//
// Of e[t] the derivatives d[t] follow recursions of their own,
//
//	d e[1]/d mu = -(1+phi),             d e[1]/d phi = -mu,                d e[1]/d theta = 0
//	d e[t]/d mu = -1 - theta d[t-1],    d e[t]/d phi = -y[t-1] - theta d[t-1]
//	d e[t]/d theta = -e[t-1] - theta d[t-1]
//
// and log p = -T log sigma - sum_t e[t]^2 / (2 sigma^2) has the derivatives
//
//	d/dq       = -sum_t e[t] d[t] / sigma^2  for q = mu, phi, theta
//	d/d sigma  = (sum_t e[t]^2 / sigma^2 - T) / sigma
func ARMA() (Posterior, error) {
	var data armaData
	ref, err := load("arma11", &data)
	if err != nil {
		return Posterior{}, err
	}
	var m byhand.Model
	m.Real("mu", priors.Normal{Mean: 0, SD: 10})
	m.Real("phi", priors.Normal{Mean: 0, SD: 2})
	m.Real("theta", priors.Normal{Mean: 0, SD: 2})
	m.Positive("sigma", priors.HalfCauchy{Scale: 2.5})
	logLikelihood := func(v, grad []float64) float64 {
		mu, phi, theta, sigma := v[0], v[1], v[2], v[3]
		e := data.Y[0] - mu - phi*mu
		dmu, dphi, dtheta := -(1 + phi), -mu, 0.0
		ss, gmu, gphi, gtheta := 0.0, 0.0, 0.0, 0.0
		for t := range data.Y {
			if t > 0 {
				last := data.Y[t-1]
				dmu = -1 - theta*dmu
				dphi = -last - theta*dphi
				dtheta = -e - theta*dtheta
				e = data.Y[t] - mu - phi*last - theta*e
			}
			ss += e * e
			gmu -= e * dmu
			gphi -= e * dphi
			gtheta -= e * dtheta
		}
		n, w := float64(len(data.Y)), 1/(sigma*sigma)
		lp := -n*math.Log(sigma) - ss*w/2
		grad[0], grad[1], grad[2] = gmu*w, gphi*w, gtheta*w
		grad[3] = (ss*w - n) / sigma
		if !finite(lp, grad...) {
			return math.Inf(-1)
		}
		return lp
	}
	return Posterior{"arma11", m.Factory(shared(logLikelihood)), ref}, nil
}

// finite reports whether neither lp nor the gradient is NaN or infinite.
func finite(lp float64, grad ...float64) bool {
	sum := 0 * lp
	for _, g := range grad {
		sum += 0 * g
	}
	return sum == 0
}
