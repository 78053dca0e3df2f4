package priors

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
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
func (d Gamma) Rand(r *rand.Rand) float64 { return math.Exp(logGamma(r, d.Shape)) / d.Rate }

// Quantile inverts the distribution function.
func (d Gamma) Quantile(p float64) float64 { return gammaInv(d.Shape, p, 1-p) / d.Rate }

// Support returns 0 and +Inf.
func (Gamma) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a positive shape and rate.
func (d Gamma) Check() error {
	return check(d, param{"shape", d.Shape, true}, param{"rate", d.Rate, true})
}

func (d Gamma) String() string { return textual("gamma", d.Shape, d.Rate) }

func (d Gamma) kernel(x float64) (logp, dlogp float64) {
	if !(x >= 0) || !finite(x) || x == 0 && d.Shape < 1 {
		return outside(x)
	}
	l, dl := power(d.Shape-1, x)
	return l - d.Rate*x, dl - d.Rate
}

func (d Gamma) logNorm() float64 {
	lg, _ := math.Lgamma(d.Shape)
	return d.Shape*math.Log(d.Rate) - lg
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
func (d InvGamma) Rand(r *rand.Rand) float64 { return d.Scale * math.Exp(-logGamma(r, d.Shape)) }

// Quantile inverts the distribution function.
func (d InvGamma) Quantile(p float64) float64 { return d.Scale / gammaInv(d.Shape, 1-p, p) }

// Support returns 0 and +Inf.
func (InvGamma) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a positive shape and scale.
func (d InvGamma) Check() error {
	return check(d, param{"shape", d.Shape, true}, param{"scale", d.Scale, true})
}

func (d InvGamma) String() string { return textual("inv_gamma", d.Shape, d.Scale) }

func (d InvGamma) kernel(x float64) (logp, dlogp float64) {
	if !(x > 0) || !finite(x) {
		return outside(x)
	}
	t := d.Scale / x
	return -(d.Shape+1)*logOf(x) - t, (t - d.Shape - 1) / x
}

func (d InvGamma) logNorm() float64 { return Gamma{d.Shape, d.Scale}.logNorm() }

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
func (d Exponential) Rand(r *rand.Rand) float64 { return r.ExpFloat64() / d.Rate }

// Quantile is -log(1-p)/Rate.
func (d Exponential) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return -math.Log1p(-p) / d.Rate
}

// Support returns 0 and +Inf.
func (Exponential) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a positive rate.
func (d Exponential) Check() error { return check(d, param{"rate", d.Rate, true}) }

func (d Exponential) String() string { return textual("exponential", d.Rate) }

func (d Exponential) kernel(x float64) (logp, dlogp float64) { return Gamma{1, d.Rate}.kernel(x) }

func (d Exponential) logNorm() float64 { return math.Log(d.Rate) }

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
func (d LogNormal) Rand(r *rand.Rand) float64 { return math.Exp(d.Mu + d.Sigma*r.NormFloat64()) }

// Quantile inverts the distribution function.
func (d LogNormal) Quantile(p float64) float64 {
	return math.Exp(Normal{d.Mu, d.Sigma}.Quantile(p))
}

// Support returns 0 and +Inf.
func (LogNormal) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a finite mu and a positive sigma.
func (d LogNormal) Check() error {
	return check(d, param{"mu", d.Mu, false}, param{"sigma", d.Sigma, true})
}

func (d LogNormal) String() string { return textual("lognormal", d.Mu, d.Sigma) }

func (d LogNormal) kernel(x float64) (logp, dlogp float64) {
	if !(x > 0) || !finite(x) {
		return outside(x)
	}
	u := logOf(x)
	z := (u - d.Mu) / d.Sigma
	return -0.5*z*z - u, -(1 + z/d.Sigma) / x
}

func (d LogNormal) logNorm() float64 { return -math.Log(d.Sigma) - halfLog2Pi }

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
func (d HalfNormal) Rand(r *rand.Rand) float64 { return d.Scale * math.Abs(r.NormFloat64()) }

// Quantile inverts the distribution function, erf(x/(Scale sqrt 2)). Near p = 1 it comes from the
// normal's tail.
func (d HalfNormal) Quantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p < 0.5:
		return d.Scale * math.Sqrt2 * math.Erfinv(p)
	default:
		return -d.Scale * mathext.NormalQuantile((1-p)/2)
	}
}

// Support returns 0 and +Inf.
func (HalfNormal) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a positive scale.
func (d HalfNormal) Check() error { return check(d, param{"scale", d.Scale, true}) }

func (d HalfNormal) String() string { return textual("half_normal", d.Scale) }

func (d HalfNormal) kernel(x float64) (logp, dlogp float64) {
	if !(x >= 0) {
		return outside(x)
	}
	return Normal{0, d.Scale}.kernel(x)
}

func (d HalfNormal) logNorm() float64 { return Normal{0, d.Scale}.logNorm() + math.Ln2 }

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
func (d HalfCauchy) Rand(r *rand.Rand) float64 { return d.Quantile(r.Float64()) }

// Quantile is Scale tan(p pi/2).
func (d HalfCauchy) Quantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 1:
		return math.Inf(1)
	case p < 0.5:
		return d.Scale * math.Tan(p*math.Pi/2)
	default:
		return d.Scale / math.Tan((1-p)*math.Pi/2)
	}
}

// Support returns 0 and +Inf.
func (HalfCauchy) Support() (lo, hi float64) { return 0, math.Inf(1) }

// Check wants a positive scale.
func (d HalfCauchy) Check() error { return check(d, param{"scale", d.Scale, true}) }

func (d HalfCauchy) String() string { return textual("half_cauchy", d.Scale) }

func (d HalfCauchy) kernel(x float64) (logp, dlogp float64) {
	if !(x >= 0) {
		return outside(x)
	}
	return StudentT{1, 0, d.Scale}.kernel(x)
}

func (d HalfCauchy) logNorm() float64 { return math.Log(2/math.Pi) - math.Log(d.Scale) }
