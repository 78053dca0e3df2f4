// Package bke learns the lengthscale of a kernel from data, without labels, and quantifies the
// uncertainty of a kernel mean embedding.
//
// # The model
//
// A distribution P on R^D has the mean embedding mu(x) = E k(X, x). Flaxman, Sejdinovic,
// Cunningham and Filippi (Bayesian Learning of Kernel Embeddings, UAI 2016) put a Gaussian process
// prior on it and observe it, with error, through the sample mean:
//
//	mu ~ GP(0, r),   muhat(x) | mu ~ N(mu(x), tau2/n),
//	k(x, y) = phi(sum_a (x_a-y_a)²/theta_a²),   r(x, y) = ∫ k(x,u) k(u,y) nu(du).
//
// The kernel phi is any of package kernels: the squared exponential unless Options.Kernel says
// otherwise. The likelihood of theta and tau2 given rows x_1..x_n uses the kernel values k(x_i,
// z_l) of each row at pseudo-inputs z_1..z_m. These values are jointly normal, and a change of
// variables from them back to x_i contributes the factor gamma(x_i):
//
//	log p(x | theta, tau2) = w log N(vec K'; 0, 1 1' ⊗ R + tau2 I) + sum_i log gamma(x_i).
//
// It is a pseudolikelihood: m numbers computed from one row are treated as if they carried m
// degrees of freedom, and not D. With w = 1, which is eq. (15) of the paper, it therefore grows
// without bound as theta goes to infinity with tau2 proportional to theta^-4. This stops at the
// weight D/m; the default, 0.9 D/m, is a little below. Use w = 1 only with tau2 fixed.
//
// # Use
//
// NewModel takes data and pseudo-inputs, both in the units you want theta in. Options sets the
// weight, nu (type Nu), one lengthscale or one per coordinate, and fixed or bounded parameters.
// Model.Evaluator computes the two parts of the log pseudolikelihood and the gradient at
// hyperparameters of your choice. Package bke/target makes the posterior density that packages nuts
// and hmc sample:
//
//	model, err := bke.NewModel(x, z, bke.Options{})
//	run, err := nuts.Sample(ctx, target.New(model, bke.Priors{}), nuts.Config{})
//	theta, _ := run.Draws("theta")
//
// Learn does all of this and finds the modes in one call. It raises the number of pseudo-inputs
// when needed. Model.Learn finds the modes of one model, and package quadrature integrates the same
// posterior. Package embedding has the posterior of mu given hyperparameters, and the posterior of
// mu_P - mu_Q integrated over draws of them.
//
// The number of pseudo-inputs m acts as a bandwidth: the best theta falls roughly like m^(-1/D),
// and hardly depends on n. Report it beside theta. The posterior of theta is conditional on the
// pseudo-inputs. It is far too narrow to measure the uncertainty of theta, because the likelihood
// is composite. Fitted.ThetaInterval tempers it to give a calibrated interval.
//
// Model.OmegaLimit is the limit of the objective per row, maximised over tau2, as theta goes to
// infinity. If Evaluator.Omega at a theta is not clearly above it, that theta was not learned from
// the data.
//
// DERIVATION.md derives the formulas and gradients in the symbols of the paper. It also explains
// how they are kept finite and accurate, for theta from a thousandth of the smallest spacing to ten
// thousand diameters and tau2 from 1e-10 to 1e2.
package bke
