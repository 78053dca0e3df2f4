// Package stein compares rows with a density that is known up to a constant, by Stein discrepancies.
//
//	k, err := stein.New(kernels.RQ{Alpha: 0.5}, stein.Lengthscale(1, 2))
//	v, err := k.V(x, scores)                      // the squared discrepancy of the rows x
//	at, err := stein.Thin(x, scores, nil, 50, stein.Thinning{Standardise: true})
//
// The score of a row is the gradient of the log density there: of the unconstrained coordinates, with the
// Jacobian, if the rows are draws of a sampler. No constant of the density is needed, and no draws from it.
//
// # The kernel
//
// With a radial kernel k(x, y) = phi(q), q = (x-y)'A(x-y), scores u and v of x and y, r = x - y, and kappa
// and rho as in package kernels, the Stein kernel is
//
//	k_p(x, y) = phi u'v + kappa [tr A + (u-v)'Ar - rho |Ar|²],   k_p(x, x) = |u|² + kappa(0) tr A.
//
// Its expectation over a draw of the density, in either argument, is 0. So the mean of k_p over all pairs
// of rows (V), or over pairs of different rows (U), says how far the rows are from the density.
//
// # What is here
//
//   - Matrix, U, V, Witness and Excess: the kernel, its means, and where the rows differ from the density.
//     Excess is positive where the rows are too many.
//   - Aggregate: a test of independent rows against a density, over several lengthscales at once. It is wrong
//     where parameters were fitted to the rows: the level is near 0 then. Conditional: the kernel of a model of
//     y given x.
//   - Thin: Stein thinning (Riabiz et al. 2022), with or without an entropy term. SupportPoints needs no scores and
//     represents a good run better. Weights and Compress put a bad run right first.
//
// Package runs (stein/runs) looks at whole runs of a sampler: whether the draws fit the density, and which few stand
// for all.
//
// # Goodness of fit
//
// Fit asks whether continuous data could come from a model with parameters that were fitted to them:
//
//	g, err := stein.Fit(ctx, program, run.Chains[0].Values, stein.Fitting{X: covariates})
//	fmt.Println(g.P, g.PShape, g.PGiven, g.Most.Residual)
//
// Programs of packages model and stan bring their data to residuals that are standard normal at the true
// parameters: the normal quantiles of their probabilities. They are so at a draw of the posterior too, so no model is
// fitted again: replicates are normal numbers, of which the same is taken out as of the residuals (mean,
// variance, and with Linear what is linear in the covariates). With Again a suspected misfit is checked by fitting the model
// again to data that it makes, a parametric bootstrap. DERIVATION.md has the proofs, levels and powers. Fit looks at
// the shape of the residuals, with four lengthscales, and at their dependence on covariates, and says where they are more or
// fewer than the model says. It sees little of a curved mean in several columns.
//
// # What discrepancies do not see
//
// They are weak against a spread that is a little wrong, and blind to a mode that no row is in, and to the
// masses of modes far apart. A small discrepancy does not show that a run has converged.
//
// Matrix takes O(n² D) for n rows of D columns, Thin O(n m D) for m rows, SupportPoints O(n²).
//
// # Sources
//
//   - Q. Liu, J. Lee, M. Jordan (2016), A kernelized Stein discrepancy for goodness-of-fit tests, ICML.
//   - K. Chwialkowski, H. Strathmann, A. Gretton (2016), A kernel test of goodness of fit, ICML.
//   - M. Riabiz, W. Chen, J. Cockayne, P. Swietach, S. Niederer, L. Mackey, C. Oates (2022), Optimal thinning of
//     MCMC output, JRSS B 84.
//   - A. Schrab, B. Guedj, A. Gretton (2022), KSD aggregated goodness-of-fit test, NeurIPS.
package stein
