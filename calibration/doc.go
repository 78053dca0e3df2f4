// Package calibration tests whether a program that claims to sample a posterior does: simulation-
// based calibration, for a model of the user's, and Geweke's joint distribution test, for the
// transition under it.
//
// # The idea
//
// Draw parameters from the prior and data given these parameters. Given the data, the parameters
// drawn are then just one more draw from the posterior. So when a sampler makes L independent draws
// from the posterior, the rank of the true value among them (the number of draws below it) is
// uniform on 0 … L, exactly, for every parameter and every number of data. No posterior needs to be
// known (Cook, Gelman and Rubin 2006; Talts, Betancourt, Simpson, Vehtari and Gelman 2018,
// arXiv:1804.06788). Repeat this N times and look whether the ranks are uniform. Where they are
// not, simulator and sampler disagree: one of the two, or the adaptation, is wrong.
//
//	ranks             the draws
//	low too often     lie too high
//	high too often    lie too low
//	at both ends      spread too narrowly (or are not independent)
//	in the middle     spread too widely
//
// [Run] does this, with [NUTS], [HMC] or any other [Sampler], and [Result.Check] judges the ranks.
// The draws of a chain are not independent. So L of them are taken evenly from a run whose bulk
// effective sample size, of everything ranked, is at least L. Where it is smaller, only as many
// draws are kept as that, and the coarser rank is spread over 0 … L at random. Ties are broken at
// random.
//
// # The judgement
//
// How far may the share of ranks below z lie from z? A band of 95% at each z is left by much more
// than 5% of correct samples, since there are many z to leave it at. [NewEnvelope] makes the band
// that the whole curve leaves with probability alpha (Säilynoja, Bürkner and Vehtari 2022,
// arXiv:2103.10522): at z = i/K the count of ranks is binomial, and the band is made of binomial
// quantiles at one level gamma for all z. The probability of leaving it follows exactly from a
// recursion over the counts from one z to the next. Its inverse is the graphical p-value of
// [Quantity]: the smallest alpha at which the curve leaves.
//
// Each name has its own p-value; with q names, expect q alpha false alarms. Ranks of different
// names are dependent, so p-values must not be multiplied; alpha/q each is safe.
//
// # What it cannot see
//
// Small errors. A posterior shifted by s of its standard deviations changes the mean rank by
// sqrt(3/pi) s sqrt(N) = 0.98 s sqrt(N) standard errors, and a standard deviation wrong by a share
// e changes the ranks' variance by 1.23 e sqrt(N). The envelope, which looks for every kind of
// error, needs more: with N = 200 and alpha = 0.05, a shift of 0.25, or a standard deviation below
// 0.79 or above 1.34 of the right one. [Report] says this for the N at hand.
//
// Errors that no ranked name depends on. If draws of each parameter are right but their correlation
// is wrong, every parameter passes. A posterior that leaves out half of the data is a correct
// posterior of the other half, and all parameters pass. One that ignores the data altogether is the
// prior, and all parameters pass. Rank a quantity of parameters and data together, and these show.
// The log likelihood is the best single choice (Modrák et al. 2022, arXiv:2211.02383). Compute it
// with code that the target does not share.
//
// Errors where the prior does not go. The test averages over parameters from the prior. It says
// nothing of data unlike those, and a prior so wide that the simulated data are absurd tests the
// sampler on absurd data. Nor does it say that the model is right: simulator and density may share
// an error.
//
// Improper priors. They cannot be simulated.
//
// # Geweke's test
//
// [Joint.Geweke] alternates between transitions for the parameters and fresh data (Geweke 2004).
// That chain keeps the joint distribution of parameters and data exactly when each transition keeps
// the posterior of the data at hand. A fixed step size is used and nothing is adapted, so it sees
// smaller errors in a second than ranks do in minutes. But it says nothing of adaptation, nor of
// how well a chain mixes on one data set.
package calibration
