// Package target gives the posterior of the hyperparameters of a kernel embedding model to the
// samplers of packages hmc and nuts. Package bke holds the model and knows no sampler.
//
// # Use
//
// New makes the density, Starts points where chains begin, and Draws reads the hyperparameters back
// from a run:
//
//	var p bke.Priors // gamma(1,1)
//	fit, err := m.Learn(ctx, bke.LearnOptions{Priors: &p})
//	starts, err := target.Starts(m, p, fit, 4)
//	run, err := nuts.Sample(ctx, target.New(m, p), nuts.Config{
//		Settings: hmc.Settings{Chains: 4, Start: hmc.Start{Points: starts}}})
//	params, err := target.Draws(m, run)
//
// The draws are those that embedding.NewWitness takes.
//
// # The density
//
// With w log N + sum_i log gamma(x_i) the weighted log pseudolikelihood of package bke, the log
// density of a point of R^d is
//
//	temper (w log N + sum_i log gamma(x_i)) + log p(theta) + log p(tau2) + log p(eta) + log |J|.
//
// Here temper is 1 except with Tempered, the priors are those of the free parameters, and J is the
// Jacobian of the map from R^d. Without bounds theta = exp(u), so log |J| is the sum of the
// logarithms of the free parameters. Each chain has an evaluator of its own.
//
// Tempered raises the pseudolikelihood to a power, for methods that go from the prior to the
// posterior in steps.
package target
