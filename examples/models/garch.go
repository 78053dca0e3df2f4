package models

import (
	"math"

	"bayeskernel/hmc"
)

type garchData struct {
	Y      []float64
	Sigma1 float64 // standard deviation of the first value
}

// GARCH is a GARCH(1,1) model of 200 values: a series whose variance follows its own past,
//
//	y[t] ~ normal(mu, sqrt h[t])
//	h[t] = alpha0 + alpha1 (y[t-1] - mu)^2 + beta1 h[t-1],  h[1] given
//
// with flat priors on mu, alpha0 > 0, 0 < alpha1 < 1 and 0 < beta1 < 1 - alpha1. Since the range of
// beta1 depends on alpha1, the target is written directly on R^4, change of variables and all.
func GARCH() (Posterior, error) {
	var data garchData
	ref, err := load("garch", &data)
	if err != nil {
		return Posterior{}, err
	}
	return Posterior{"garch11", hmc.Shared(garch{data.Y, data.Sigma1 * data.Sigma1}), ref}, nil
}

type garch struct {
	y  []float64
	h1 float64 // variance of the first value
}

// Dim returns 4.
func (garch) Dim() int { return 4 }

// Names implements hmc.Constrainer.
func (garch) Names() []string { return []string{"mu", "alpha0", "alpha1", "beta1"} }

// Constrain maps R^4 onto the parameters: with s(x) = 1 / (1 + exp(-x)),
//
//	mu = x[0],  alpha0 = exp x[1],  alpha1 = s(x[2]),  beta1 = (1 - alpha1) s(x[3])
func (garch) Constrain(dst, x []float64) {
	dst[0] = x[0]
	dst[1] = math.Exp(x[1])
	dst[2] = logistic(x[2])
	dst[3] = logistic(-x[2]) * logistic(x[3])
}

// LogDensity is the log likelihood plus the log Jacobian of Constrain, which is triangular:
//
//	log |J| = log alpha0 + log s(x2) + log s(-x2) + log (1 - alpha1) + log s(x3) + log s(-x3)
//	        = x1 + log s(x2) + 2 log s(-x2) + log s(x3) + log s(-x3)
//
// because s' = s (1 - s) and 1 - s(x) = s(-x). The derivative of log s(x) is s(-x), so that log |J|
// adds 1, 1 - 3 alpha1 and 1 - 2 s(x3) to the derivatives in x1, x2 and x3.
//
// With e[t] = y[t] - mu the log likelihood is l = sum_t -(log h[t] + e[t]^2 / h[t]) / 2, and
//
//	dl/dh[t]         = (e[t]^2 / h[t] - 1) / (2 h[t])
//	dl/dmu           = sum_t e[t] / h[t] + sum_t dl/dh[t] dh[t]/dmu
//	dl/dp            = sum_t dl/dh[t] dh[t]/dp  for the other parameters p
//	dh[t]/dmu        = -2 alpha1 e[t-1] + beta1 dh[t-1]/dmu
//	dh[t]/d alpha0   = 1                + beta1 dh[t-1]/d alpha0
//	dh[t]/d alpha1   = e[t-1]^2         + beta1 dh[t-1]/d alpha1
//	dh[t]/d beta1    = h[t-1]           + beta1 dh[t-1]/d beta1
//
// from zero at t = 1.
func (g garch) LogDensity(x, grad []float64) float64 {
	var v [4]float64
	g.Constrain(v[:], x)
	mu, alpha0, alpha1, beta1 := v[0], v[1], v[2], v[3]
	if math.IsInf(alpha0, 1) || alpha0 == 0 { // as good as the end of its range
		return math.Inf(-1)
	}
	lp, h := 0.0, g.h1
	var dh, dl [4]float64
	for t, y := range g.y {
		e := y - mu
		if t > 0 {
			last := g.y[t-1] - mu
			dh[0] = -2*alpha1*last + beta1*dh[0]
			dh[1] = 1 + beta1*dh[1]
			dh[2] = last*last + beta1*dh[2]
			dh[3] = h + beta1*dh[3]
			h = alpha0 + alpha1*last*last + beta1*h
		}
		z2 := e * e / h
		lp -= (math.Log(h) + z2) / 2
		dldh := (z2 - 1) / (2 * h)
		dl[0] += e / h
		for i := range dl {
			dl[i] += dldh * dh[i]
		}
	}
	s2, s3 := alpha1, logistic(x[3])
	ds2, ds3 := s2*logistic(-x[2]), s3*logistic(-x[3])
	grad[0] = dl[0]
	grad[1] = dl[1]*alpha0 + 1
	grad[2] = (dl[2]-dl[3]*s3)*ds2 + 1 - 3*s2
	grad[3] = dl[3]*logistic(-x[2])*ds3 + 1 - 2*s3
	return lp + x[1] + logLogistic(x[2]) + 2*logLogistic(-x[2]) + logLogistic(x[3]) +
		logLogistic(-x[3])
}

// logistic is 1 / (1 + exp(-x)), accurate in both tails.
func logistic(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// logLogistic is the log of it.
func logLogistic(x float64) float64 {
	return math.Min(x, 0) - math.Log1p(math.Exp(-math.Abs(x)))
}
