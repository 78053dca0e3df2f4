package priors

import (
	"fmt"
	"math/rand/v2"

	"bayeskernel/internal/density"
)

// Beta is the beta distribution with density proportional to x^(A-1) (1-x)^(B-1).
type Beta struct{ A, B float64 }

// LogDensity is log x + (B-1) log(1-x) - log B(A, B).
func (d Beta) LogDensity(x float64) float64 { logp, _ := d.kernel(x); return logp + d.logNorm() }

// LogDensityGrad returns the log density and (A-1)/x - (B-1)/(1-x).
func (d Beta) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = d.kernel(x)
	return logp + d.logNorm(), dlogp
}

// Rand is g/(g+h) for gamma draws g and h.
func (d Beta) Rand(r *rand.Rand) float64 {
	return density.BetaLaw{}.Rand(r, &density.Params{d.A, d.B})
}

// Quantile inverts the distribution function. It is right to 1e-12 or, if that is more, to the
// rounding of the log gamma of A+B: 3e-10 where A+B is 1e5.
func (d Beta) Quantile(p float64) float64 {
	return density.BetaLaw{}.Quantile(p, &density.Params{d.A, d.B})
}

// Support returns 0 and 1.
func (Beta) Support() (lo, hi float64) { return 0, 1 }

// Check wants positive parameters.
func (d Beta) Check() error { return check(d, param{"a", d.A, true}, param{"b", d.B, true}) }

func (d Beta) String() string { return textual("beta", d.A, d.B) }

func (d Beta) kernel(x float64) (logp, dlogp float64) {
	a, g := density.Params{d.A, d.B}, density.Grad{}
	logp = density.BetaLaw{}.Kernel(x, &a, &g)
	return inside(x, logp, g[0])
}

func (d Beta) logNorm() float64 {
	return density.BetaLaw{}.Norm(&density.Params{d.A, d.B}, nil)
}

// Uniform is the uniform distribution on [Lo, Hi].
type Uniform struct{ Lo, Hi float64 }

// LogDensity is -log(Hi-Lo).
func (d Uniform) LogDensity(x float64) float64 { logp, _ := d.kernel(x); return logp + d.logNorm() }

// LogDensityGrad returns the log density and 0.
func (d Uniform) LogDensityGrad(x float64) (logp, dlogp float64) {
	logp, dlogp = d.kernel(x)
	return logp + d.logNorm(), dlogp
}

// Rand draws from the interval.
func (d Uniform) Rand(r *rand.Rand) float64 {
	return density.UniformLaw{}.Rand(r, &density.Params{d.Lo, d.Hi})
}

// Quantile is (1-p) Lo + p Hi, a form that does not overflow.
func (d Uniform) Quantile(p float64) float64 {
	return density.UniformLaw{}.Quantile(p, &density.Params{d.Lo, d.Hi})
}

// Support returns Lo and Hi.
func (d Uniform) Support() (lo, hi float64) { return d.Lo, d.Hi }

// Check wants finite ends with Lo < Hi.
func (d Uniform) Check() error {
	if d.Lo >= d.Hi {
		return fmt.Errorf("priors: %v: lo is %v and hi is %v, want lo < hi", d, d.Lo, d.Hi)
	}
	return check(d, param{"lo", d.Lo, false}, param{"hi", d.Hi, false})
}

func (d Uniform) String() string { return textual("uniform", d.Lo, d.Hi) }

func (d Uniform) kernel(x float64) (logp, dlogp float64) {
	a, g := density.Params{d.Lo, d.Hi}, density.Grad{}
	logp = density.UniformLaw{}.Kernel(x, &a, &g)
	return inside(x, logp, g[0])
}

func (d Uniform) logNorm() float64 {
	return density.UniformLaw{}.Norm(&density.Params{d.Lo, d.Hi}, nil)
}
