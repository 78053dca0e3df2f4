// Package target is the posterior of a distribution regression for the samplers.
//
//	fit, err := distreg.Learn(ctx, bags, y, distreg.LearnOptions{})
//	p, err := target.New(fit.Model, fit.Params, target.Options{})
//	run, err := nuts.Sample(ctx, p.Target, nuts.Config{})
//
// It is the joint form of package distreg,
//
//	y_i ~ N(alpha + beta'm_i, sigma² + beta'Sigma_i beta),   beta ~ N(0, kappa² I),
//
// in which the uncertainty of an embedding counts by the weights themselves, where the moment form
// takes it on average. The moment form is the default because it is as good and has a closed form; this
// one checks it.
//
// With Options.Classes labels are 0 and 1, and the probability of 1 is the expectation of
// 1/(1 + exp(-f)) over f ~ N(alpha + beta'm_i, beta'Sigma_i beta), by 21 nodes of Gauss and Hermite. The
// formula with 1 + pi v/8 is off by up to .03.
//
// A gradient with n bags and m landmarks takes O(n m²).
package target
