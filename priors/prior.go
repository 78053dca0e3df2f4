package priors

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Prior is a univariate distribution. Every distribution of this package is a plain struct of its
// parameters, safe to copy and to share; a program may bring its own.
type Prior interface {
	// LogDensity is the normalised log density: -Inf outside the support, NaN at NaN. At a finite
	// end of the support it is the limit from inside, except that an infinite density counts as
	// outside, so that +Inf never occurs.
	LogDensity(x float64) float64
	// LogDensityGrad returns the log density and its derivative in x. The derivative has no
	// meaning where the log density is -Inf.
	LogDensityGrad(x float64) (logp, dlogp float64)
	// Rand draws from r alone, without allocating. It is NaN for an improper prior.
	Rand(r *rand.Rand) float64
	// Quantile inverts the distribution function. It is NaN for p outside [0, 1] and for an
	// improper prior.
	Quantile(p float64) float64
	// Support returns the ends of the support.
	Support() (lo, hi float64)
	// Check returns an error if the parameters make no distribution.
	Check() error
	// String is the textual form which Parse reads, such as gamma(1,1).
	String() string
}

// Flat is the improper prior with density 1 everywhere. It can be neither drawn from nor inverted.
type Flat struct{}

// LogDensity returns 0.
func (d Flat) LogDensity(x float64) float64 { logp, _ := d.kernel(x); return logp }

// LogDensityGrad returns 0 and 0.
func (d Flat) LogDensityGrad(x float64) (logp, dlogp float64) { return d.kernel(x) }

// Rand returns NaN.
func (Flat) Rand(*rand.Rand) float64 { return math.NaN() }

// Quantile returns NaN.
func (Flat) Quantile(float64) float64 { return math.NaN() }

// Support returns the real line.
func (Flat) Support() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Check returns nil.
func (Flat) Check() error { return nil }

func (Flat) String() string { return "flat" }

func (Flat) kernel(x float64) (logp, dlogp float64) {
	if !finite(x) {
		return outside(x)
	}
	return 0, 0
}

// outside is the log density and derivative at a point beyond the support, or at NaN.
func outside(x float64) (logp, dlogp float64) {
	if math.IsNaN(x) {
		return x, x
	}
	return math.Inf(-1), 0
}

// inside is what a formula gave at x, or outside.
func inside(x, logp, dlogp float64) (float64, float64) {
	if math.IsNaN(x) || math.IsInf(logp, -1) {
		return outside(x)
	}
	return logp, dlogp
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// textual writes name(a,b) with the fewest digits that read back exactly.
func textual(name string, params ...float64) string {
	var b strings.Builder
	b.WriteString(name)
	for i, p := range params {
		b.WriteByte("(,"[min(i, 1)])
		b.WriteString(strconv.FormatFloat(p, 'g', -1, 64))
	}
	b.WriteByte(')')
	return b.String()
}

// param is a named parameter of a distribution, and whether it must be positive.
type param struct {
	name     string
	value    float64
	positive bool
}

// check reports the first bad parameter of d, or a normalising constant beyond float64.
func check(d interface {
	Prior
	kernel
}, params ...param) error {
	for _, p := range params {
		switch {
		case !finite(p.value):
			return fmt.Errorf("priors: %v: %s is %v, want a finite number", d, p.name, p.value)
		case p.positive && p.value <= 0:
			return fmt.Errorf("priors: %v: %s is %v, want a positive number", d, p.name, p.value)
		}
	}
	if !finite(d.logNorm()) {
		return fmt.Errorf("priors: %v: too extreme to be normalised in double precision", d)
	}
	return nil
}
