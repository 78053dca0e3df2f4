// Package loo compares models by how well they predict data that they have not seen: leave-one-out
// cross-validation from one run, without fitting again.
//
// # To begin with
//
// Package model computes the log likelihood of each observation at each draw; LOO makes of it the
// expected log predictive density, its standard error, and a warning where it cannot be trusted:
//
//	ll, err := program.LogLik(ctx, run)
//	r, err := loo.LOO(ctx, ll, loo.Options{})
//	fmt.Println(r)
//
// Compare orders models by the difference to the best, with a standard error of that difference: the
// errors of two models are correlated, so that of a difference is smaller than either. Stacking and
// PseudoBMA weigh them for a joint prediction.
//
// # How it works
//
// The density of observation i under a fit without it is a mean over the draws of the whole fit,
// weighted by 1/p(y_i | draw). These weights have heavy tails where y_i is influential. Their
// largest are replaced by the quantiles of a generalised Pareto distribution fitted to them, whose
// shape k says whether the mean can be estimated at all (Vehtari, Gelman and Gabry 2017; Vehtari,
// Simpson, Gelman, Yao and Gabry 2024). With S draws a shape above min(1 - 1/log10 S, 0.7) is too
// heavy: Result.Warnings names the observations. For these, Refit puts the exact density in the place
// of the estimate, at the cost of a fit each.
//
// WAIC, an approximation to the same with less to say about where it fails, is there for comparison
// with published figures.
//
// # What leave-one-out does not answer
//
// A value of a time series left out alone is predicted from both sides, which no forecast can be. Use
// FutureOut, which predicts each value from those before it, and fits again only where the Pareto
// shape asks for it (Bürkner, Gabry and Vehtari 2020). Rows that share a group are best left out
// together: KFold takes the folds.
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
