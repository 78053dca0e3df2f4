package models

import (
	"math"

	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

type mixData struct{ Y []float64 }

// GaussMix is a mixture of two normal distributions, seen in 1000 values:
//
//	y[i] ~ theta normal(mu[1], sigma[1]) + (1 - theta) normal(mu[2], sigma[2]),  mu[1] < mu[2]
//	mu[k] ~ normal(0, 2)
//	sigma[k] ~ half-normal(0, 2)
//	theta ~ beta(5, 5)
//
// The order of the means says which component is which. The posterior has minor modes, in which one
// wide component covers all values; they hold less than exp(-200) of its mass, but about one chain
// in a hundred, started at random, never leaves them.
//
// With z[k] = (y - mu[k]) / sigma[k] and
//
//	a = log theta     - log sigma[1] - z[1]^2 / 2
//	b = log (1-theta) - log sigma[2] - z[2]^2 / 2
//
// a value contributes log(exp a + exp b), whose derivatives are those of a and b weighted with the
// probabilities p[1] = exp a / (exp a + exp b) and p[2] = 1 - p[1] of having come from either:
//
//	d/d mu[k]    = p[k] z[k] / sigma[k]
//	d/d sigma[k] = p[k] (z[k]^2 - 1) / sigma[k]
//	d/d theta    = p[1] / theta - p[2] / (1 - theta)
func GaussMix() (Posterior, error) {
	var data mixData
	ref, err := load("gauss_mix", &data)
	if err != nil {
		return Posterior{}, err
	}
	var m byhand.Model
	mu := m.Ordered("mu", 2, priors.Normal{Mean: 0, SD: 2})
	sigma := m.Positives("sigma", 2, priors.HalfNormal{Scale: 2})
	theta := m.Interval("theta", 0, 1, priors.Beta{A: 5, B: 5})
	logLikelihood := func(v, grad []float64) float64 {
		m, s, t := mu.Of(v), sigma.Of(v), v[theta]
		a0, b0 := math.Log(t)-math.Log(s[0]), math.Log1p(-t)-math.Log(s[1])
		gm, gs := mu.Of(grad), sigma.Of(grad)
		lp, n1 := 0.0, 0.0
		for _, y := range data.Y {
			z1, z2 := (y-m[0])/s[0], (y-m[1])/s[1]
			a, b := a0-z1*z1/2, b0-z2*z2/2
			e := math.Exp(-math.Abs(a - b)) // the smaller of exp a and exp b over the larger
			lp += math.Max(a, b) + math.Log1p(e)
			p1, p2 := 1/(1+e), e/(1+e)
			if a < b {
				p1, p2 = p2, p1
			}
			n1 += p1
			gm[0] += p1 * z1
			gm[1] += p2 * z2
			gs[0] += p1 * (z1*z1 - 1)
			gs[1] += p2 * (z2*z2 - 1)
		}
		for k := range 2 {
			gm[k] /= s[k]
			gs[k] /= s[k]
		}
		grad[theta] = n1/t - (float64(len(data.Y))-n1)/(1-t)
		if math.IsNaN(lp) { // both sigmas are so small that exp a and exp b have underflowed
			return math.Inf(-1)
		}
		return lp
	}
	return Posterior{"low_dim_gauss_mix", m.Factory(shared(logLikelihood)), ref}, nil
}
