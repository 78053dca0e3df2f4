package priors

// Split returns the log density of p without its normalising constant, together with the derivative
// in x, and the constant apart: log density = density(x) + logNorm. A program that evaluates the
// density of the same distribution many times adds the constant up once. A Prior from outside this
// package keeps its constant: density is its LogDensityGrad, and logNorm is 0.
func Split(p Prior) (density func(x float64) (logp, dlogp float64), logNorm float64) {
	switch p := p.(type) {
	case Flat:
		return p.kernel, 0
	case Beta, Exponential, Gamma, HalfCauchy, HalfNormal, InvGamma, LogNormal, Normal, StudentT,
		Uniform:
		// Not any kernel: a type that embeds one of these may have a density of its own.
		k := p.(kernel)
		return k.kernel, k.logNorm()
	default:
		return p.LogDensityGrad, 0
	}
}

// kernel is a prior that splits off its normalising constant: log density = kernel(x) + logNorm().
type kernel interface {
	kernel(x float64) (logp, dlogp float64)
	logNorm() float64
}
