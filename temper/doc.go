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
// Every rung has a state. One scan moves all of them. The state at beta = 0 is replaced by an
// independent draw from the reference; each other state makes one transition of NUTS with the step
// size and metric of its rung. Then neighbours may swap states. A swap is accepted with probability
//
//	alpha = min(1, exp((beta_i+1 - beta_i) (l_i - l_i+1))),  l = log target - log ref.
//
// A state that comes down the ladder forgets its mode and may return in another. Scans alternate
// between even and odd pairs in a fixed order. With this non-reversible scheme states travel along
// the ladder instead of diffusing, and more rungs do no harm (Syed, Bouchard-Côté, Deligiannidis
// and Doucet 2022, "Non-reversible parallel tempering: a scalable highly parallel MCMC scheme", J.
// R. Stat. Soc. B 84).
//
// # The ladder
//
// Let r(beta, beta') be the mean rejection rate of a swap. Sums of r along the ladder estimate the
// communication barrier Lambda(beta). The best ladder has equal rejection rates. Warm-up runs in
// rounds, each twice as long as the one before. After each round but the last, the sums are
// interpolated monotonically and the rungs placed at equal steps of Lambda. Unless given, their
// number is 2 Lambda(1) + 1, and at least 3, so that about half of all swaps are accepted. Step
// sizes and metrics are tuned in every round.
//
// # The reference
//
// The natural reference is the prior, if it is proper; l is then the log likelihood. If none is
// given, a Student-t density is fitted to a run of plain NUTS whose chains start in the modes that
// package modes finds. With any reference that is positive wherever the target is, the draws are
// correct in the long run. But tempering only finds modes that hold a fair share of the reference's
// mass. A prior covers them; a fitted reference covers only what the search found, and the run
// records that (draws.Run.Modes).
//
// # What is reported
//
// [Sample] runs independent replicates of the whole ladder and returns the draws of each at beta =
// 1 as one chain. Replicates start from independent draws of the reference, so R-hat, effective
// sample sizes and summaries have their usual meaning. [Report] says how well the ladder worked:
// the rejection rate of each pair, Lambda, and the rate of round trips between the ends, observed
// and predicted. The prediction 1/(2 + 2 sum r/(1-r)) (Syed et al.) assumes that every transition
// draws l afresh. An observed rate far below the prediction says that NUTS does not mix within the
// rungs.
//
// The report also estimates by stepping stones (Xie, Lewis, Fan, Kuo and Chen 2011)
//
//	log Z = log int target(x) dx = sum_i log E_i exp((beta_i+1 - beta_i) l),
//
// where E_i is the mean over the draws of rung i. The reference must be normalised. It is the log
// evidence if the target is prior times likelihood with all constants. Its standard error comes
// only from the spread of the replicates: with R replicates it has R-1 degrees of freedom.
//
// # Long runs
//
// A run reports progress, passes each draw to a recorder and writes checkpoints, as in package hmc.
// A resumed run makes the same draws, bit for bit, as an uninterrupted one. Each replicate resumes
// from its own last scan, and the checkpoint keeps older ladders for replicates that are behind.
// When its context ends, a run stops before the next gradient. The unfinished part, a transition of
// one rung or the start of a round, is repeated on resuming.
package temper
