// Package priors holds the probability distributions of parameters as values, and the transforms
// that let a sampler move in all of R^d when the parameters cannot.
//
// # Distributions
//
// A distribution is a struct of its parameters. It implements Prior: its log density and the
// derivative, draws, quantiles, its support, and a check of its parameters.
//
//	p := priors.Gamma{Shape: 2, Rate: 0.5}
//	logp, dlogp := p.LogDensityGrad(1.3)
//	x := p.Rand(r)
//	upper := p.Quantile(0.95)
//
// Parse reads the textual form, which String writes:
//
//	normal(mean, sd)                  beta(a, b)
//	student_t(df, location, scale)    uniform(lo, hi)
//	gamma(shape, rate)                half_normal(scale)
//	inv_gamma(shape, scale)           half_cauchy(scale)
//	exponential(rate)                 lognormal(mu, sigma)
//	flat
//
// Dirichlet is the distribution of several values that add up to 1. A program may bring a Prior of
// its own. Split takes a log density apart into its normalising constant and the rest.
//
// A flat prior is improper. Whether the posterior is proper is then up to the likelihood, and
// nothing here can tell: sampling from flat priors alone never settles.
//
// # Supports
//
// A Transform v = v(x) maps R^d onto a support: the identity, the exponential or the logistic
// function (Interval), sums of exponentials for increasing values (Ordered), stick breaking for
// positive values with sum 1 (Simplex). A log density f in v becomes
//
//	f(v(x)) + log |det dv/dx|
//
// in x. Without the second term a sampler would draw from another distribution. Each transform
// gives its derivation where it is defined. Package model puts parameters, priors, transforms and a
// likelihood together.
//
// A value of an Interval is rounded to its upper end from x = 37 on (for 0 and 1; a double is no
// closer to 1 than 1e-16), where a density that is infinite there counts as 0. A parameter that
// piles up at one end, such as one with a beta(3,0.1) prior, should therefore be declared as its
// distance from that end.
//
// # Sources
//
// The densities are those of Gelman et al., Bayesian Data Analysis, 3rd edition (2013), appendix A,
// and the transforms those of the Stan Reference Manual. Gamma draws follow Marsaglia and Tsang
// (2000). The incomplete gamma and beta functions are gonum's, inverted here.
package priors
