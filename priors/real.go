package priors

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
)

const (
	halfLog2Pi = 0.91893853320467274178032973640561763986139747363778
	halfLogPi  = 0.57236494292470008707171367567652935582364740645766
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
func (d Normal) Rand(r *rand.Rand) float64 { return d.Mean + d.SD*r.NormFloat64() }

// Quantile inverts the distribution function.
func (d Normal) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return d.Mean + d.SD*mathext.NormalQuantile(p)
}

// Support returns the real line.
func (Normal) Support() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Check wants a finite mean and a positive standard deviation.
func (d Normal) Check() error {
	return check(d, param{"mean", d.Mean, false}, param{"sd", d.SD, true})
}

func (d Normal) String() string { return textual("normal", d.Mean, d.SD) }

func (d Normal) kernel(x float64) (logp, dlogp float64) {
	if !finite(x) {
		return outside(x)
	}
	z := (x - d.Mean) / d.SD
	return -0.5 * z * z, -z / d.SD
}

func (d Normal) logNorm() float64 { return -math.Log(d.SD) - halfLog2Pi }

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
	// The chi-square is 2 G with G ~ gamma(DF/2, 1). The root is taken in logs: for small DF the
	// gamma itself may underflow.
	z := r.NormFloat64() * math.Exp(0.5*(math.Log(d.DF/2)-logGamma(r, d.DF/2)))
	return d.Location + d.Scale*z
}

// Quantile inverts the distribution function. Standardized quantiles beyond 1e160, which only very
// small DF have, come out as infinite.
func (d StudentT) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return d.Location + d.Scale*studentInv(d.DF, p)
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
	if !finite(x) {
		return outside(x)
	}
	z := (x - d.Location) / d.Scale
	// -(DF+1) z/(DF+z^2)/Scale, written so that z^2 is never formed; at z = 0 it is 1/Inf.
	return -0.5 * (d.DF + 1) * log1pSquare(z/math.Sqrt(d.DF)),
		-(d.DF + 1) / (d.DF/z + z) / d.Scale
}

func (d StudentT) logNorm() float64 {
	return gammaHalfStep(d.DF/2) - 0.5*math.Log(d.DF) - halfLogPi - math.Log(d.Scale)
}

// gammaHalfStep is log Gamma(a+1/2) - log Gamma(a). The two would cancel for large a: for the t
// distribution with 1e8 degrees of freedom the difference has an error of 1e-8. There the
// asymptotic series is used (Tricomi and Erdelyi 1951); at a = 20 its next term is 2e-17.
func gammaHalfStep(a float64) float64 {
	if a < 20 {
		hi, _ := math.Lgamma(a + 0.5)
		lo, _ := math.Lgamma(a)
		return hi - lo
	}
	w := 1 / (a * a)
	return 0.5*math.Log(a) - (1.0/8-w*(1.0/192-w*(1.0/640-w*(17.0/14336-w*31.0/18432))))/a
}
