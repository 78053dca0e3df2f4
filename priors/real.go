package priors

import (
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
)

// Normal is the normal distribution.
type Normal struct{ Mean, SD float64 }

// LogDensity is -z^2/2 - log(SD) - log(2 pi)/2, where z = (x-Mean)/SD.
func (d Normal) LogDensity(x float64) float64 { logp, _ := d.kernel(x); return logp + d.logNorm() }

// LogDensityGrad returns the log density and -z/SD.
func (d Normal) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = d.kernel(x)
	return logp + d.logNorm(), dlogp
}

// Rand draws by the ziggurat.
func (d Normal) Rand(r *rand.Rand) float64 {
	return density.NormalLaw{}.Rand(r, &density.Params{d.Mean, d.SD})
}

// Quantile inverts the distribution function.
func (d Normal) Quantile(p float64) float64 {
	return density.NormalLaw{}.Quantile(p, &density.Params{d.Mean, d.SD})
}

// Support returns the real line.
func (Normal) Support() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Check wants a finite mean and a positive standard deviation.
func (d Normal) Check() error {
	return check(d, param{"mean", d.Mean, false}, param{"sd", d.SD, true})
}

func (d Normal) String() string { return textual("normal", d.Mean, d.SD) }

func (d Normal) kernel(x float64) (logp, dlogp float64) {
	a, g := density.Params{d.Mean, d.SD}, density.Grad{}
	logp = density.NormalLaw{}.Kernel(x, &a, &g)
	return inside(x, logp, g[0])
}

func (d Normal) logNorm() float64 {
	return density.NormalLaw{}.Norm(&density.Params{d.Mean, d.SD}, nil)
}

// StudentT is Student's t distribution with DF degrees of freedom, shifted and scaled. DF = 1 is
// the Cauchy distribution.
type StudentT struct{ DF, Location, Scale float64 }

// LogDensity is -(DF+1)/2 log(1 + z^2/DF) less the log of Scale sqrt(DF) B(DF/2, 1/2), where
// z = (x-Location)/Scale.
func (d StudentT) LogDensity(x float64) float64 {
	logp, _ := d.kernel(x)
	return logp + d.logNorm()
}

// LogDensityGrad returns the log density and its derivative.
func (d StudentT) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = d.kernel(x)
	return logp + d.logNorm(), dlogp
}

// Rand is a normal draw divided by the root of a chi-square draw over DF.
func (d StudentT) Rand(r *rand.Rand) float64 {
	return density.StudentTLaw{}.Rand(r, &density.Params{d.DF, d.Location, d.Scale})
}

// Quantile inverts the distribution function. Standardized quantiles beyond 1e160, which only very
// small DF have, come out as infinite.
func (d StudentT) Quantile(p float64) float64 {
	return density.StudentTLaw{}.Quantile(p, &density.Params{d.DF, d.Location, d.Scale})
}

// Support returns the real line.
func (StudentT) Support() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Check wants positive degrees of freedom and scale, and a finite location.
func (d StudentT) Check() error {
	return check(d, param{"df", d.DF, true}, param{"location", d.Location, false},
		param{"scale", d.Scale, true})
}

func (d StudentT) String() string { return textual("student_t", d.DF, d.Location, d.Scale) }

func (d StudentT) kernel(x float64) (logp, dlogp float64) {
	a, g := density.Params{d.DF, d.Location, d.Scale}, density.Grad{}
	logp = density.StudentTLaw{}.Kernel(x, &a, &g)
	return inside(x, logp, g[0])
}

func (d StudentT) logNorm() float64 {
	return density.StudentTLaw{}.Norm(&density.Params{d.DF, d.Location, d.Scale}, nil)
}
