// Package bke learns the lengthscale of a kernel from data, without labels, and says how well a
// kernel mean embedding is known.
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
// otherwise. The likelihood of theta and tau2 given rows x_1..x_n looks at the kernel values k(x_i, z_l) of
// each row at pseudo-inputs z_1..z_m. These values are jointly normal, and a change of variables
// from them back to x_i contributes the factor gamma(x_i):
//
//	log p(x | theta, tau2) = w log N(vec K'; 0, 1 1' ⊗ R + tau2 I) + sum_i log gamma(x_i).
//
// It is a pseudolikelihood: m numbers computed from one row are treated as if they carried m
// degrees of freedom, and not D. With w = 1, which is eq. (15) of the paper, it therefore grows
// without bound as theta goes to infinity together with tau2 proportional to theta^-4. The
// default weight, 0.9 D/m, is a little below the one at which that stops. Use w = 1 with tau2
// fixed only.
//
// # Use
//
// NewModel takes data and pseudo-inputs, both in the units in which theta is wanted. The weight, nu
// (type Nu), one lengthscale or one per coordinate, and what is fixed or bounded are in Options.
// Model.Evaluator computes the two parts of the log pseudolikelihood and the gradient at
// hyperparameters of your choice. Package bke/target makes the posterior density that packages nuts
// and hmc sample:
//
//	model, err := bke.NewModel(x, z, bke.Options{})
//	run, err := nuts.Sample(ctx, target.New(model, bke.Priors{}), nuts.Config{})
//	theta, _ := run.Draws("theta")
//
// Learn does all of this and finds the modes, in one call, raising the number of pseudo-inputs where
// that is called for. Model.Learn finds the modes of one model, and package quadrature integrates the
// same posterior. Package embedding has the posterior of mu given hyperparameters, and that of
// mu_P - mu_Q integrated over their draws.
//
// The number of pseudo-inputs m acts as a bandwidth: the best theta falls roughly like m^(-1/D),
// and hardly depends on n. Report it beside theta. The posterior of theta is that given the
// pseudo-inputs, and far too narrow to say how sure theta is: the likelihood is composite.
// Fitted.ThetaInterval tempers it so that it does.
//
// Model.OmegaLimit is what the objective, maximised over tau2, comes to per row as theta goes to
// infinity. A theta whose Evaluator.Omega is not clearly above it was not learned from the data.
//
// Formulas and gradients are derived in DERIVATION.md, in the symbols of the paper, together with
// what is done to keep them finite and accurate: for theta from a thousandth of the smallest
// spacing to ten thousand diameters and tau2 from 1e-10 to 1e2.
package bke
