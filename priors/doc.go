// Package priors turns named parameters, their supports and priors, and a log likelihood into a
// target for the samplers of packages hmc and nuts.
//
// # Writing a model
//
// Declare the parameters on a Model, write the log likelihood and its gradient as a function of
// their values, and hand the result of Model.Factory to a sampler:
//
//	var m priors.Model
//	mu := m.Real("mu", priors.Normal{Mean: 0, SD: 5})
//	tau := m.Positive("tau", priors.HalfCauchy{Scale: 5})
//	eta := m.Reals("eta", 8, priors.Normal{Mean: 0, SD: 1})
//	run, err := nuts.Sample(ctx, m.Factory(func() priors.LogLikelihood {
//		// Make the workspace of one chain here.
//		return func(v, grad []float64) float64 {
//			// v[mu], v[tau] and eta.Of(v) are the values; add to grad[mu], eta.Of(grad)[0], ...
//		}
//	}), nuts.Config{})
//
// The function sees only the scale on which the parameters were declared: tau, not log tau. The
// priors, the change of variables below, and the gradients of both are the package's business.
// Draws are recorded as mu, tau, eta[1], ..., eta[8], followed by whatever Model.Quantity and
// Model.Quantities derive from them. Check a new likelihood with hmc.CheckGradient.
//
// # Supports
//
// The samplers move in all of R^d, so that a parameter with a bounded support is mapped onto it by
// a Transform v = v(x): the identity, the exponential, the logistic function, sums of exponentials
// for increasing values, stick breaking for a simplex. A log density f in v becomes
//
//	f(v(x)) + log |det dv/dx|
//
// in x. Without the second term the sampler would draw from another distribution. Each transform
// gives its derivation where it is defined.
//
// A value of an Interval is rounded to its upper end from x = 37 on (for 0 and 1; a double is no
// closer to 1 than 1e-16), where a density that is infinite there counts as 0. A parameter that
// piles up at one end, such as one with a beta(3,0.1) prior, should therefore be declared as its
// distance from that end.
//
// # Priors
//
// The distributions are structs; Parse reads their textual forms:
//
//	normal(mean, sd)                  beta(a, b)
//	student_t(df, location, scale)    uniform(lo, hi)
//	gamma(shape, rate)                half_normal(scale)
//	inv_gamma(shape, scale)           half_cauchy(scale)
//	exponential(rate)                 lognormal(mu, sigma)
//	flat
//
// A flat prior is improper. Whether the posterior is proper is then up to the likelihood, and
// nothing here can tell: sampling from flat priors alone never settles.
//
// # Sources
//
// The densities are those of Gelman et al., Bayesian Data Analysis, 3rd edition (2013), appendix
// A; the transforms those of the Stan Reference Manual; gamma draws follow Marsaglia and Tsang
// (2000); the incomplete gamma and beta functions are gonum's, inverted here.
package priors
