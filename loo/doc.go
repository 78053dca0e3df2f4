// Package loo compares models by how well they predict unseen data. It estimates leave-one-out
// cross-validation from a single run, without refitting.
//
// # To begin with
//
// Package model computes the log likelihood of each observation at each draw. From these, LOO
// estimates the expected log predictive density and its standard error. It warns where the estimate
// cannot be trusted:
//
//	ll, err := program.LogLik(ctx, run)
//	r, err := loo.LOO(ctx, ll, loo.Options{})
//	fmt.Println(r)
//
// Compare ranks models by their difference from the best, with a standard error. It is usually
// smaller than that of either model, because the errors of two models are correlated. Stacking and
// PseudoBMA weight the models for a joint prediction.
//
// # How it works
//
// The density of observation i under a fit without it is a mean over the draws of the full fit,
// weighted by 1/p(y_i | draw). These weights have heavy tails where y_i is influential. The largest
// weights are replaced by quantiles of a generalised Pareto distribution fitted to them. Its shape k
// says whether the mean can be estimated at all (Vehtari, Gelman and Gabry 2017; Vehtari, Simpson,
// Gelman, Yao and Gabry 2024). With S draws, a shape above min(1 - 1/log10 S, 0.7) is too heavy:
// Result.Warnings names the observations. Refit replaces their estimates by exact densities, at the
// cost of one fit each.
//
// WAIC approximates the same quantity, but is a poorer guide to where it fails. Use it to compare
// with published figures.
//
// # What leave-one-out does not answer
//
// Leaving out one value of a time series uses its future; a forecast cannot. FutureOut predicts each
// value from earlier ones, and refits only when the Pareto shape is too large (Bürkner, Gabry and
// Vehtari 2020). Rows that share a group are best left out together: give the groups to KFold as
// folds.
//
// # Sources
//
//   - A. Vehtari, A. Gelman, J. Gabry (2017), Practical Bayesian model evaluation using leave-one-out
//     cross-validation and WAIC, Statistics and Computing 27.
//   - A. Vehtari, D. Simpson, A. Gelman, Y. Yao, J. Gabry (2024), Pareto smoothed importance
//     sampling, JMLR 25.
//   - J. Zhang, M. A. Stephens (2009), A new and efficient estimation method for the generalized
//     Pareto distribution, Technometrics 51.
//   - Y. Yao, A. Vehtari, D. Simpson, A. Gelman (2018), Using stacking to average Bayesian predictive
//     distributions, Bayesian Analysis 13.
//   - P.-C. Bürkner, J. Gabry, A. Vehtari (2020), Approximate leave-future-out cross-validation for
//     Bayesian time series models, Journal of Statistical Computation and Simulation 90.
package loo
