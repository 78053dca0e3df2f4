// Package bayesfactor weighs the evidence that two samples come from different distributions
// against the evidence that they come from one. A Bayes factor can speak for sameness as well as
// for a difference, unlike the p-values of package kerneltest.
//
//	r, err := bayesfactor.Density(ctx, x, y, bayesfactor.Options{})
//	fmt.Println(r.Probability, r.Log10BF(), r.Words())
//
// # The model
//
// F is the pooled sample, 1/N at each row, K its Gram matrix with the squared exponential kernel
// of lengthscale theta, H the centring matrix and Kt = HKH. Under H1 the distributions differ by
//
//	d(P - Q) = h dF,   h a Gaussian process with covariance s² k_theta, centred to mean 0 under F:
//
// h is the difference of the two densities relative to the pooled one, between -2 and 2 for samples
// of equal size. What is seen is the contrast c, 1/n_P for the rows of P and -1/n_Q for those of Q,
// with noise of the exact covariance that relabelling rows gives it, kappa0 H with
// kappa0 = (1/n_P + 1/n_Q)/(N-1). With Kt = sum lambda_j u_j u_j',
//
//	a_j = lambda_j/(N² kappa0),   w_j = u_j'c/sqrt(kappa0),
//	log BF(theta, s) = 1/2 sum_j [ s² a_j w_j²/(1 + s² a_j) - log(1 + s² a_j) ].
//
// It is regression of the labels on the rows by a Gaussian process, against a constant. No points
// are chosen, no diagonal is added, nothing is paired; sizes may differ and rows may be equal. The
// derivative of log BF in s² at 0 is (MMD² - its permutation mean)/(2 N² kappa0²) with the biased
// statistic: for small amplitudes this is the test with the maximum mean discrepancy. The mean of
// w_j² over relabellings is 1, so that for normal w_j the mean of the Bayes factor under H0 is 1
// and it exceeds k with probability at most 1/k.
//
// With weights m_i of the rows, scaled to sum to the effective size N = (sum m)²/sum m², row i
// stands for m_i rows: c_i = ±m_i/sum m over its sample, the noise has covariance
// kappa0 (diag m - mm'/N), and h is seen with precision m_i. Whole numbers that are
// not rescaled would give the Bayes factor of rows so often repeated.
//
// Dependence is the same for pairs: that two variables depend on each other, against independence.
//
// # Priors
//
// theta = t sd sqrt(D), sd the pooled standard deviation (root of the mean variance of the D
// columns), and log t is uniform from log 0.05 to log 6; s is half-normal with scale 1. The Bayes
// factor is the integral over both. Neither prior knows the labels. Under H0 there is no theta.
//
// The evidence for H0 is bounded, since s may be near 0. Its floor is the log Bayes factor of a
// contrast of 0, and falls slowly, like -0.4 log N. Compare it with what you got. A probability
// above 1/2 is no test of level 5%: 4 to 17% of samples of one distribution pass.
//
// # Computation
//
// A pivoted Cholesky factor Kt = FF' of rank r and F'F in tridiagonal form serve all s at 5 r
// operations each, for a cost of 2 N r² + 4/3 r³ per lengthscale; up to 2048 rows a matrix of rank
// above N/2 is made tridiagonal itself, at 4/3 N³. log BF is computed at 17, 33, 65 or 129 extreme
// points of a Chebyshev polynomial in log theta, as many as it takes for the integral to change by
// less than Options.Tolerance, interpolated there for each s, and the exponential integrated by 512
// points in log theta and 144 in s. On five data sets whose integrals are known to 1e-10 the
// default is right to 1e-10, where the last change is 2e-10 to 2e-6: 65 nodes for the default
// prior. Above 200 rows factors leave out what moves log BF by up to 1e-9 N, and a change of 1e-3
// is enough. Seconds on two processors that others used too, by the rows of both samples and the
// columns:
//
//	rows, columns   200, 1   1000, 1   1000, 2   1000, 5   20000, 1
//	lengthscales      65       33        33        33         33
//	largest rank     200      205      1000      1000        285
//	seconds          0.15     0.16       15        31         17
//
// # Permutations
//
// With Options.Permutations the integral, by a coarser rule of 17 lengthscales and 20 amplitudes,
// is compared with that of rows exchanged at random. That p-value is exact, whatever the priors:
// they look at the rows without their labels. One product of the factor with all arrangements
// serves a lengthscale.
//
// # The witness
//
// With M = kappa0 I + s² Kt/N², h given H1, theta and s has mean s² Kt M⁻¹ c/N and covariance
// s² Kt - s⁴ Kt M⁻¹ Kt/N², and
//
//	delta(p) = k_theta(p, X)'h/N
//
// shows where the samples differ. Result.Witness averages it over the posterior of theta and s, and
// has a pointwise band.
//
// # Pairs
//
// Paired is for rows that belong together, x_i and y_i: under H0 each pair could have been the
// other way round. With L_ij = k(x_i,x_j) + k(y_i,y_j) - k(x_i,y_j) - k(y_i,x_j),
//
//	log BF = log N(1; 0, I + s² L/16) - log N(1; 0, I)
//
// at the vector of ones; permutations change signs. For independent samples the answer would depend
// on an arbitrary pairing.
//
// # The published model
//
// Zhang, Wild, Filippi, Flaxman and Sejdinovic (2022, Bayesian kernel two-sample testing, Journal
// of Computational and Graphical Statistics) look at G_il = k(x_i, z_l) - k(y_i, z_l) at m points
// z, with mean D and covariance S over n pairs, and R = exp(-d²/(4 theta²)) + 1e-8 I:
//
//	H0: rows of G ~ N(0, S),   H1: rows ~ N(mu, S), mu ~ N(0, R),   theta ~ Gamma(2, 2).
//
// Their program computes with A = S + 0.1 I and up to constants
//
//	null      -n/2 log det A - n/2 tr A⁻¹(S + DD')
//	alternative  -1/2 [(n-1) log det A + log det(nR + A)] - n/2 T,   T = m + D'(R + S/n)⁻¹D/n,
//	step      log N(D; 0, R + V) - log N(D; 0, V),   V = (C_P + C_Q)/n + 1e-8 I, or S/n + 1e-8 I,
//
// draws the hypothesis by the step and theta by the other two, and has these defects:
//
//   - The step and the densities are not conditionals of one joint distribution: the one has 1e-8 where the
//     others have 0.1, and the alternative has no 0.1 in T.
//   - `n*(A)\(B)` is (nA)\B in Stan 2.21, which divides T by n² (Compiled against Intended).
//   - S/n and R have the same decay, and so the nugget decides how many directions count.
//   - A covariance estimated from pairs is small along their difference (PairedNoise): with
//     many points, samples of one distribution look different.
//   - A pairing of independent samples is arbitrary; a tie makes volJ minus infinity; the prior
//     depends on the units.
//
// PublishedAt and Published have these densities, PointsAt a repaired model at points. They
// are for comparison. examples/bayes has the numbers.
package bayesfactor
