package priors

import (
	"fmt"
	"math/rand/v2"

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
func (d Dirichlet) Rand(dst []float64, r *rand.Rand) { density.DirichletRand(r, dst, d.Alpha) }

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
	clear(grad)
	return density.DirichletKernel(v, d.Alpha, grad, nil)
}

// logNorm is log Gamma(sum of Alpha) less the sum of log Gamma(Alpha[i]).
func (d Dirichlet) logNorm() float64 { return density.DirichletNorm(d.Alpha, len(d.Alpha)) }
