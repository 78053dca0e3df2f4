package models

import (
	"math"

	"bayeskernel/examples/models/internal/byhand"
)

// linear is a linear regression with normal errors: y[i] ~ normal(x[i] . b, sigma).
type linear struct {
	y []float64
	x [][]float64 // one row per observation
}

// logLikelihood returns the log likelihood at the coefficients b and sigma, without the constant of
// the normal density, writes its derivatives in b into gb, and returns the one in sigma. With the
// residuals r[i] = y[i] - x[i] . b, n of them, it is
//
//	log p(y | b, sigma) = -n log sigma - sum_i r[i]^2 / (2 sigma^2)
//	d/d b[k]            = sum_i r[i] x[i][k] / sigma^2
//	d/d sigma           = (sum_i r[i]^2 / sigma^2 - n) / sigma
func (l linear) logLikelihood(b []float64, sigma float64, gb []float64) (lp, gsigma float64) {
	if sigma == 0 { // sigma = exp(x) has underflowed
		return math.Inf(-1), 0
	}
	w := 1 / (sigma * sigma)
	ss := 0.0
	clear(gb)
	for i, row := range l.x {
		r := l.y[i]
		for k, x := range row {
			r -= x * b[k]
		}
		ss += r * r
		for k, x := range row {
			gb[k] += r * w * x
		}
	}
	n := float64(len(l.y))
	return -n*math.Log(sigma) - ss*w/2, (ss*w - n) / sigma
}

// likelihood is logLikelihood for a model whose first parameters are the coefficients and whose
// parameter at index sigma is the standard deviation.
func (l linear) likelihood(sigma int) byhand.LogLikelihood {
	k := len(l.x[0])
	return func(v, grad []float64) float64 {
		lp, g := l.logLikelihood(v[:k], v[sigma], grad[:k])
		grad[sigma] = g
		return lp
	}
}
