// Package target gives the posterior of the hyperparameters of a Gaussian process to the samplers
// of packages hmc and nuts. Package gp holds the model and knows no sampler.
//
// The log density is that of the outputs given the parameters signal, noise and theta, plus the log
// priors, plus the change of variables: the sampler moves on the logarithms. Where rounding leaves
// the covariance matrix without a Cholesky factor, it is -Inf.
//
// The posterior has the modes that the likelihood has: start chains at the maxima that
// gp.Model.Learn found (Starts), and compare R-hat.
package target
