package priors

import (
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
)

// Gamma is the gamma distribution with density proportional to x^(Shape-1) exp(-Rate x).
type Gamma struct{ Shape, Rate float64 }

// LogDensity is (Shape-1) log x - Rate x + Shape log(Rate) - log Gamma(Shape).
func (d Gamma) LogDensity(x float64) float64 { logp, _ := d.kernel(x); return logp + d.logNorm() }

// LogDensityGrad returns the log density and (Shape-1)/x - Rate.
func (d Gamma) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = d.kernel(x)
	return logp + d.logNorm(), dlogp
}

// Rand draws by the method of Marsaglia and Tsang (2000).
func (d Gamma) Rand(r *rand.Rand) float64 {
	return density.GammaLaw{}.Rand(r, &density.Params{d.Shape, d.Rate})
}

// Quantile inverts the distribution function.
func (d Gamma) Quantile(p float64) float64 {
	return density.GammaLaw{}.Quantile(p, &density.Params{d.Shape, d.Rate})
}

// Support returns 0 and +Inf.
func (Gamma) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a positive shape and rate.
func (d Gamma) Check() error {
	return check(d, param{"shape", d.Shape, true}, param{"rate", d.Rate, true})
}

func (d Gamma) String() string { return textual("gamma", d.Shape, d.Rate) }

func (d Gamma) kernel(x float64) (logp, dlogp float64) {
	a, g := density.Params{d.Shape, d.Rate}, density.Grad{}
	logp = density.GammaLaw{}.Kernel(x, &a, &g)
	return inside(x, logp, g[0])
}

func (d Gamma) logNorm() float64 {
	return density.GammaLaw{}.Norm(&density.Params{d.Shape, d.Rate}, nil)
}

// InvGamma is the distribution of 1/g for g ~ gamma(Shape, rate = Scale); its density is
// proportional to x^(-Shape-1) exp(-Scale/x).
type InvGamma struct{ Shape, Scale float64 }

// LogDensity is -(Shape+1) log x - Scale/x + Shape log(Scale) - log Gamma(Shape).
func (d InvGamma) LogDensity(x float64) float64 {
	logp, _ := d.kernel(x)
	return logp + d.logNorm()
}

// LogDensityGrad returns the log density and (Scale/x - Shape - 1)/x.
func (d InvGamma) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = d.kernel(x)
	return logp + d.logNorm(), dlogp
}

// Rand is the inverse of a gamma draw.
func (d InvGamma) Rand(r *rand.Rand) float64 {
	return density.InvGammaLaw{}.Rand(r, &density.Params{d.Shape, d.Scale})
}

// Quantile inverts the distribution function.
func (d InvGamma) Quantile(p float64) float64 {
	return density.InvGammaLaw{}.Quantile(p, &density.Params{d.Shape, d.Scale})
}

// Support returns 0 and +Inf.
func (InvGamma) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a positive shape and scale.
func (d InvGamma) Check() error {
	return check(d, param{"shape", d.Shape, true}, param{"scale", d.Scale, true})
}

func (d InvGamma) String() string { return textual("inv_gamma", d.Shape, d.Scale) }

func (d InvGamma) kernel(x float64) (logp, dlogp float64) {
	a, g := density.Params{d.Shape, d.Scale}, density.Grad{}
	logp = density.InvGammaLaw{}.Kernel(x, &a, &g)
	return inside(x, logp, g[0])
}

func (d InvGamma) logNorm() float64 {
	return density.InvGammaLaw{}.Norm(&density.Params{d.Shape, d.Scale}, nil)
}

// Exponential is the exponential distribution, which is gamma(1, Rate).
type Exponential struct{ Rate float64 }

// LogDensity is log(Rate) - Rate x.
func (d Exponential) LogDensity(x float64) float64 {
	logp, _ := d.kernel(x)
	return logp + d.logNorm()
}

// LogDensityGrad returns the log density and -Rate.
func (d Exponential) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = d.kernel(x)
	return logp + d.logNorm(), dlogp
}

// Rand draws by the ziggurat.
func (d Exponential) Rand(r *rand.Rand) float64 {
	return density.ExponentialLaw{}.Rand(r, &density.Params{d.Rate})
}

// Quantile is -log(1-p)/Rate.
func (d Exponential) Quantile(p float64) float64 {
	return density.ExponentialLaw{}.Quantile(p, &density.Params{d.Rate})
}

// Support returns 0 and +Inf.
func (Exponential) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a positive rate.
func (d Exponential) Check() error { return check(d, param{"rate", d.Rate, true}) }

func (d Exponential) String() string { return textual("exponential", d.Rate) }

func (d Exponential) kernel(x float64) (logp, dlogp float64) {
	a, g := density.Params{d.Rate}, density.Grad{}
	logp = density.ExponentialLaw{}.Kernel(x, &a, &g)
	return inside(x, logp, g[0])
}

func (d Exponential) logNorm() float64 {
	return density.ExponentialLaw{}.Norm(&density.Params{d.Rate}, nil)
}

// LogNormal is the distribution of exp(n) for n ~ normal(Mu, Sigma).
type LogNormal struct{ Mu, Sigma float64 }

// LogDensity is -z^2/2 - log x - log(Sigma) - log(2 pi)/2, where z = (log x - Mu)/Sigma.
func (d LogNormal) LogDensity(x float64) float64 {
	logp, _ := d.kernel(x)
	return logp + d.logNorm()
}

// LogDensityGrad returns the log density and -(1 + z/Sigma)/x.
func (d LogNormal) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = d.kernel(x)
	return logp + d.logNorm(), dlogp
}

// Rand is the exponential of a normal draw.
func (d LogNormal) Rand(r *rand.Rand) float64 {
	return density.LogNormalLaw{}.Rand(r, &density.Params{d.Mu, d.Sigma})
}

// Quantile inverts the distribution function.
func (d LogNormal) Quantile(p float64) float64 {
	return density.LogNormalLaw{}.Quantile(p, &density.Params{d.Mu, d.Sigma})
}

// Support returns 0 and +Inf.
func (LogNormal) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a finite mu and a positive sigma.
func (d LogNormal) Check() error {
	return check(d, param{"mu", d.Mu, false}, param{"sigma", d.Sigma, true})
}

func (d LogNormal) String() string { return textual("lognormal", d.Mu, d.Sigma) }

func (d LogNormal) kernel(x float64) (logp, dlogp float64) {
	a, g := density.Params{d.Mu, d.Sigma}, density.Grad{}
	logp = density.LogNormalLaw{}.Kernel(x, &a, &g)
	return inside(x, logp, g[0])
}

func (d LogNormal) logNorm() float64 {
	return density.LogNormalLaw{}.Norm(&density.Params{d.Mu, d.Sigma}, nil)
}

// HalfNormal is the distribution of |n| for n ~ normal(0, Scale).
type HalfNormal struct{ Scale float64 }

// LogDensity is log 2 more than that of normal(0, Scale).
func (d HalfNormal) LogDensity(x float64) float64 {
	logp, _ := d.kernel(x)
	return logp + d.logNorm()
}

// LogDensityGrad returns the log density and -x/Scale^2.
func (d HalfNormal) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = d.kernel(x)
	return logp + d.logNorm(), dlogp
}

// Rand is the absolute value of a normal draw.
func (d HalfNormal) Rand(r *rand.Rand) float64 {
	return density.HalfNormalLaw{}.Rand(r, &density.Params{d.Scale})
}

// Quantile inverts the distribution function, erf(x/(Scale sqrt 2)). Near p = 1 it comes from the
// normal's tail.
func (d HalfNormal) Quantile(p float64) float64 {
	return density.HalfNormalLaw{}.Quantile(p, &density.Params{d.Scale})
}

// Support returns 0 and +Inf.
func (HalfNormal) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a positive scale.
func (d HalfNormal) Check() error { return check(d, param{"scale", d.Scale, true}) }

func (d HalfNormal) String() string { return textual("half_normal", d.Scale) }

func (d HalfNormal) kernel(x float64) (logp, dlogp float64) {
	a, g := density.Params{d.Scale}, density.Grad{}
	logp = density.HalfNormalLaw{}.Kernel(x, &a, &g)
	return inside(x, logp, g[0])
}

func (d HalfNormal) logNorm() float64 {
	return density.HalfNormalLaw{}.Norm(&density.Params{d.Scale}, nil)
}

// HalfCauchy is the distribution of |c| for c ~ student_t(1, 0, Scale).
type HalfCauchy struct{ Scale float64 }

// LogDensity is -log(1 + (x/Scale)^2) + log(2/(pi Scale)).
func (d HalfCauchy) LogDensity(x float64) float64 {
	logp, _ := d.kernel(x)
	return logp + d.logNorm()
}

// LogDensityGrad returns the log density and its derivative.
func (d HalfCauchy) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = d.kernel(x)
	return logp + d.logNorm(), dlogp
}

// Rand is Scale tan(u pi/2) for a uniform u.
func (d HalfCauchy) Rand(r *rand.Rand) float64 {
	return density.HalfCauchyLaw{}.Rand(r, &density.Params{d.Scale})
}

// Quantile is Scale tan(p pi/2).
func (d HalfCauchy) Quantile(p float64) float64 {
	return density.HalfCauchyLaw{}.Quantile(p, &density.Params{d.Scale})
}

// Support returns 0 and +Inf.
func (HalfCauchy) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a positive scale.
func (d HalfCauchy) Check() error { return check(d, param{"scale", d.Scale, true}) }

func (d HalfCauchy) String() string { return textual("half_cauchy", d.Scale) }

func (d HalfCauchy) kernel(x float64) (logp, dlogp float64) {
	a, g := density.Params{d.Scale}, density.Grad{}
	logp = density.HalfCauchyLaw{}.Kernel(x, &a, &g)
	return inside(x, logp, g[0])
}

func (d HalfCauchy) logNorm() float64 {
	return density.HalfCauchyLaw{}.Norm(&density.Params{d.Scale}, nil)
}
