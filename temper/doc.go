// Package temper samples posteriors whose modes no single chain crosses, by parallel tempering with
// the No-U-Turn sampler.
//
// # The method
//
// A ladder of K rungs leads from a reference density that is easy to sample, beta = 0, to the
// target, beta = 1, through
//
//	pi_beta(x) proportional to ref(x)^(1-beta) target(x)^beta.
//
// Every rung has a state. One scan moves each of them, the one at beta = 0 by an independent draw
// from the reference, the others by one transition of NUTS with step size and metric of their own;
// then neighbours are offered to exchange their states, which is accepted with probability
//
//	alpha = min(1, exp((beta_i+1 - beta_i) (l_i - l_i+1))),  l = log target - log ref.
//
// A state that comes down the ladder forgets its mode, and returns in another. The pairs that are
// offered alternate between even and odd ones, in a fixed order: with this non-reversible scheme a
// state travels along the ladder instead of diffusing, and the number of rungs does no harm (Syed,
// Bouchard-Côté, Deligiannidis and Doucet 2022, "Non-reversible parallel tempering: a scalable
// highly parallel MCMC scheme", J. R. Stat. Soc. B 84).
//
// # The ladder
//
// If r(beta, beta') is the mean rejection of an exchange, sums of r along the ladder estimate the
// communication barrier Lambda(beta), and the best ladder is the one on which all rejections are
// equal. Warm-up runs in rounds, each twice as long as the one before. After each but the last the
// sums are interpolated monotonically, and the rungs are put at equal distances of Lambda; their
// number, unless given, is set to one more than 2 Lambda(1), and at least 3, so that about half of
// all exchanges are accepted. Step sizes and metrics are tuned in every round.
//
// # The reference
//
// The prior is the natural reference where it is proper: then l is the log likelihood. If none is
// given, a Student-t density is fitted to a run of plain NUTS whose chains start in the modes that
// package modes finds. Any reference that is positive wherever the target is leaves the draws
// correct in the long run, but tempering can only find modes to which the reference gives a fair
// part of its mass; a prior does, while a fitted reference knows what the search has seen, which
// the run then records (draws.Run.Modes).
//
// # What is reported
//
// [Sample] runs independent replicates of the whole ladder and returns the draws at beta = 1 of
// each as one chain, so that R-hat, effective sample sizes and summaries mean what they always
// mean: replicates start from independent draws of the reference. [Report] tells how well the
// ladder worked: the rejection of each pair, Lambda, and the rate of round trips of states between
// the ends, observed and predicted by 1/(2 + 2 sum r/(1-r)) (Syed et al.), which assumes that every
// transition draws l afresh. An observed rate far below the prediction says that NUTS does not mix
// within the rungs.
//
// The report also estimates by stepping stones (Xie, Lewis, Fan, Kuo and Chen 2011)
//
//	log Z = log int target(x) dx = sum_i log E_i exp((beta_i+1 - beta_i) l),
//
// given that the reference is normalised, where E_i is the mean over the draws of rung i. It is the
// log evidence if the target is prior times likelihood with all constants. Its standard error comes
// from the spread of the replicates alone: with R of them, it has R-1 degrees of freedom.
//
// # Long runs
//
// A run tells of its progress, hands each draw to a recorder and writes checkpoints, as those of
// package hmc do. Resumed from a checkpoint it makes, to the bit, the draws it would have made:
// each replicate goes on from its own last scan, and ladders that others have left already are kept
// for it. A run is left between any two gradients once its context has ended. What was under way, the
// transition of one rung or the opening of a round, is made again.
package temper
