package priors

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/density"
)

// Dirichlet is the distribution of as many positive numbers v with sum 1 as Alpha has elements. Its
// density, in all of v but one, is proportional to the product of v[i]^(Alpha[i]-1). With every
// Alpha 1 it is uniform. Being a distribution of several values it is not a Prior. It shares Alpha
// with its copies.
type Dirichlet struct{ Alpha []float64 }

// LogDensityGrad returns the normalised log density at v, which must add up to 1, and writes the
// derivatives (Alpha[i]-1)/v[i] into grad. As for a Prior, an infinite density counts as outside
// the support: the log density is -Inf there, and grad has no meaning.
func (d Dirichlet) LogDensityGrad(v, grad []float64) float64 {
	return d.kernel(v, grad) + d.logNorm()
}

// Split is the function Split for a Dirichlet distribution.
func (d Dirichlet) Split() (density func(v, grad []float64) float64, logNorm float64) {
	return d.kernel, d.logNorm()
}

// Rand draws into dst: gammas divided by their sum, in logs for the sake of small Alpha.
func (d Dirichlet) Rand(dst []float64, r *rand.Rand) {
	for i, a := range d.Alpha {
		dst[i] = density.LogGamma(r, a)
	}
	top, sum := slices.Max(dst), 0.0
	for i := range dst {
		dst[i] = math.Exp(dst[i] - top)
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
}

// Check wants at least two values of alpha, all positive.
func (d Dirichlet) Check() error {
	if len(d.Alpha) < 2 {
		return fmt.Errorf("priors: dirichlet: got %d values of alpha, want at least 2", len(d.Alpha))
	}
	for _, a := range d.Alpha {
		if !(a > 0) || !finite(a) {
			return fmt.Errorf("priors: dirichlet: alpha is %v, want a positive number", a)
		}
	}
	if !finite(d.logNorm()) {
		return fmt.Errorf("priors: dirichlet: alpha is too extreme to be normalised in double precision")
	}
	return nil
}

func (d Dirichlet) kernel(v, grad []float64) float64 {
	lp := 0.0
	for i, w := range v {
		e := d.Alpha[i] - 1
		if w == 0 && e < 0 {
			return math.Inf(-1)
		}
		var l float64
		l, grad[i] = density.Power(e, density.LogOf(w), w)
		lp += l
	}
	return lp
}

// logNorm is log Gamma(sum of Alpha) less the sum of log Gamma(Alpha[i]).
func (d Dirichlet) logNorm() float64 {
	sum, logs := 0.0, 0.0
	for _, a := range d.Alpha {
		lg, _ := math.Lgamma(a)
		sum += a
		logs += lg
	}
	lg, _ := math.Lgamma(sum)
	return lg - logs
}
