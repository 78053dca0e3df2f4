// Package diagnostics says what a set of Markov chains is worth: whether they agree, how many
// independent draws they replace, and how far off the averages over them may be.
//
// Every function takes the draws of one parameter as chains[chain][iteration], after warm-up, and
// returns one number. It is NaN where the quantity is undefined, and [Check] says why. Nothing is
// modified, nothing is random, and draws of any scale and offset will do.
//
// # Do the chains agree?
//
// [RHat] compares the variance between chains with the variance within them. Chains of n draws
// are first split into halves, so that a chain in slow motion disagrees with itself. With W the
// mean of the variances of the M halves of N draws, and B = N times the variance of their means,
//
//	R-hat = sqrt((B/W + N - 1) / N).
//
// It is near 1, give or take 1/N, if all halves cover the same distribution, and larger if not. It
// is computed from normal scores in place of the draws, z = Phi^-1((rank - 3/8)/(S + 1/4)) for S
// draws in all, which exist however heavy the tails are; and once more from the scores of the
// distances |x - median|, which reveal chains of different spread. The larger value counts (Vehtari
// et al. 2021). A value above [RHatLimit] says that the chains must run longer, or cannot reach one
// another. A value below it does not prove anything that no chain has seen.
//
// The limit is 1.01 for long runs, as Vehtari et al. advise. Sound chains of a few hundred draws
// often exceed that. So in short runs the limit is what only 1% of sound runs exceed. If all halves
// have one distribution, the variance of their means is tau/N times that of the draws (tau is the
// autocorrelation time below). Then
//
//	B/W ~ tau F(M-1, nu),   P(R-hat > limit) = P(F > (1 + N (limit² - 1)) / tau).
//
// Here tau comes from autocovariances inside halves alone: chains that disagree must not widen
// their own limit. Centring each half lowers a sum over the lags -K to K by the factor 1 -
// (2K+1)/N, which is undone. The error of tau is that of N/(2K+1) batches in each half, nu = M
// (N/(2K+1) - 1). For K = 0 this is the exact M (N-1). Place and spread of normal draws are
// independent, so both versions of R-hat stay below the limit with the product of their
// probabilities. With p parameters that product is .99^(1/p), which is exact if they are
// independent and cautious if not. tau counts as at least 1 and at most N/10. Chains with fewer
// effective draws are not sound.
//
// Nothing is fitted to simulations. In 200,000 simulated runs of 2, 4 and 8 chains, 100 to 2000
// draws and 1, 2 and 30 parameters, .3% exceeded the limit where draws were independent, .9% where
// neighbours correlated by .5 (tau = 3), and .8% where by .8; the largest rate of a cell was 1.8%
// (in 1250 runs: two parameters, eight chains of 200 draws). For what the limit misses, let one of
// four chains sit in another place. In 95% of runs of 200 draws this is found if the place is .5 sd
// away and draws are independent, or .9 sd away for tau = 3; with 1000 draws, from .4 sd on. Among
// 30 parameters it is found in 90% of runs of 200 draws at 1 sd. A chain that does not move is
// found in 99%, and among 30 parameters in 97%.
//
// [RHatNested] asks the same of many short chains, in groups that start from one point each
// (Margossian et al. 2024).
//
// # How many draws is that?
//
// Successive draws repeat one another. With autocorrelations rho_t at lag t, the mean of S draws
// varies as the mean of ESS = S/tau independent ones would,
//
//	tau = 1 + 2 (rho_1 + rho_2 + ...).
//
// The autocorrelations combine all halves, and account for their disagreement: with a_t the
// autocovariance averaged over the halves, W = a_0 N/(N-1) and v = a_0 + B/N, rho_t = 1 - (W -
// a_t)/v. Noise takes over at large lags; the sum ends where sums of adjacent pairs cease to be
// positive, and these are made to decrease (Geyer 1992). Antithetic chains have tau below 1. As it
// cannot be estimated down to zero, ESS is capped at S log10(S): a value equal to [ESSCap] means
// "at least that".
//
// Each question has its own tau, being a mean of something else:
//
//	ESSMean         x                            the mean
//	ESSSD           (x - mean)²                  the standard deviation
//	ESSQuantile(p)  1 if x <= p-quantile, or 0   that quantile
//	ESSTail         the worse of p = 5% and 95%  the tails
//	ESSBulk         the normal score of x        place, for any distribution
//
// R-hat and the other estimates of this package can be trusted from about 100 effective draws per
// chain on.
//
// # How far off?
//
// [MCSEMean], [MCSESD] and [MCSEQuantile] are standard errors of the estimates themselves. The
// first is sd/sqrt(ESSMean); the second applies the delta method to the mean of squared deviations;
// the third is half the width of a 68% interval between order statistics. They describe the error
// of simulation only: the posterior's own spread is the sd. [Summarize] computes the usual set of
// numbers at once.
//
// Averages need a mean to converge to. [ParetoK] fits generalised Pareto distributions to both
// tails of the draws (Zhang and Stephens 2009); its k is the inverse of the number of moments that
// exist. Above [ParetoKThreshold] the mean cannot be trusted, whatever ESS says; [ParetoMinDraws]
// is how many draws would do, and [ParetoRate] how fast more of them help (Vehtari et al. 2024).
// [ParetoFit] fits the tail of anything else, importance weights for one.
//
// # Does the sampler reach the tails?
//
// Hamiltonian samplers move between energy levels only by drawing new momenta. [EBFMI] compares
// these steps with the spread of energies that the chain must cover,
//
//	E-BFMI = mean (E_i - E_(i-1))² / var(E).
//
// It is about 2 for independent energies, and below 0.3 the tails are explored too slowly
// (Betancourt 2016). It belongs to a chain, not to a parameter.
//
// # Agreement with other software
//
// Definitions and numbers are those of the R package posterior 1.7.1, quirks included: halves of
// five draws or fewer have tau = 2, and splitting leaves out the middle draw of an odd number. The
// differences are these. Infinite draws give NaN everywhere. So do fewer than four draws per chain.
// Draws count as equal by their range relative to their size, not by their range alone, so
// parameters of scale 1e-18 have diagnostics. Chains that stand still in different places have
// R-hat +Inf, and where all distances from the median are equal R-hat is that of the draws.
// Superchains must be of equal size. ParetoK is NaN where neither tail can be fitted. Nothing
// overflows.
//
// The last digits of R-hat are softer than those of other quantities. The two middle ones of an
// even number of draws are equally far from the median, and rounding decides whether their ranks
// tie. In simulations this moved R-hat by up to 3e-4 with 400 draws in all, and by up to 1e-5 with
// 4000.
//
// # References
//
//   - Betancourt, M. (2016). Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte
//     Carlo. arXiv:1604.00695.
//   - Gelman, A. and Rubin, D. B. (1992). Inference from iterative simulation using multiple
//     sequences. Statistical Science 7, 457-472.
//   - Geyer, C. J. (1992). Practical Markov chain Monte Carlo. Statistical Science 7, 473-483.
//   - Hyndman, R. J. and Fan, Y. (1996). Sample quantiles in statistical packages. American
//     Statistician 50, 361-365.
//   - Margossian, C. C., Hoffman, M. D., Sountsov, P., Riou-Durand, L., Vehtari, A. and Gelman, A.
//     (2024). Nested R-hat: assessing the convergence of Markov chain Monte Carlo when running many
//     short chains. Bayesian Analysis. arXiv:2110.13017.
//   - Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Bürkner, P.-C. (2021).
//     Rank-normalization, folding, and localization: an improved R-hat for assessing convergence of
//     MCMC. Bayesian Analysis 16, 667-718. arXiv:1903.08008.
//   - Vehtari, A., Simpson, D., Gelman, A., Yao, Y. and Gabry, J. (2024). Pareto smoothed
//     importance sampling. Journal of Machine Learning Research 25(72). arXiv:1507.02646.
//   - Zhang, J. and Stephens, M. A. (2009). A new and efficient estimation method for the
//     generalized Pareto distribution. Technometrics 51, 316-325.
package diagnostics
