// Package kernels has positive definite functions on R^D, their Gram matrices, the prior covariance
// that goes with them, and the median heuristic.
//
// # Radial kernels
//
// A [Radial] kernel is a function phi of q, the squared distance of x and y in units of theta:
//
//	k(x, y) = phi(q),   q = sum_a q_a,   q_a = (x_a-y_a)²/theta_a²,   phi(0) = 1.
//
// Theta has one element, a lengthscale for all columns, or one for each column (automatic relevance
// determination). [ParseRadial] reads the name of one:
//
//	se                                 exp(-q/2)
//	matern52                           (1 + s + s²/3) exp(-s), s = sqrt(5q)
//	matern32                           (1 + s) exp(-s), s = sqrt(3q)
//	matern:nu=2                        Matern of any integer or half-integer nu above 1
//	rq:alpha=1.5                       (1 + q/2alpha)^-alpha
//	mixture:widths=1/4,weights=0.5/0.5 sum_j w_j exp(-q/(2 s_j²))
//
// from the smoothest to the roughest, and two that have several scales at once. [Stationary] joins
// one with its lengthscales to a [Kernel], which [Fill], [Gram] and [Cross] evaluate over all pairs
// of rows. SquaredExponential, Matern32 and Matern52 make the usual ones. Laplacian is exp(-sqrt q),
// the Matern kernel of nu = 1/2, for tests alone: it has no gradient where x = y. Sum, Product and
// Mean combine kernels of any kind, each with lengthscales of its own.
//
// All are characteristic: a distribution is determined by its mean embedding (Sriperumbudur et al.,
// 2010). Conventions differ elsewhere. What is written here as exp(-q/2) others write as
// exp(-d²/l²), with l = sqrt2 theta, or as exp(-gamma d²), with gamma = 1/(2 theta²).
//
// # Derivatives
//
// All that learning theta needs is in two functions of q,
//
//	kappa = -2 phi'(q),   rho = -2 dlog kappa/dq.
//
// For with v = x - y
//
//	grad_x k = -kappa v_a/theta_a²,   dk/dlog theta_a = kappa q_a,
//	dlog kappa/dlog theta_a = rho q_a.
//
// [Profiles] has them for many q at once. Log kappa is computed directly: it is exact where kappa
// underflows.
//
// # Other kernels
//
// Distance ((|x-c| + |y-c| - |x-y|)/2) makes the squared MMD half the energy distance.
//
// Periodic (exp(-2 sin²(pi d/p)/theta²)) is one of Gaussian processes.
//
// Linear (x'y), Polynomial ((x'y + c)^p) and AllSubsets (prod_i (1 + x_i y_i)) embed moments. They,
// the radial kernels but Laplacian, and sums, means and products of them are Differentiable: they
// have gradients in x and derivatives at y = x, among them the metric of the feature map.
//
// # The prior covariance of the mean embedding
//
// [Prior] is r(x, y) = integral of k(x, u) k(u, y) nu(du) for one of three measures [Nu], with its
// derivatives in theta and eta. Under Lebesgue measure r is radial again: r = const prod_a theta_a
// psi(q), psi being
//
//	se        exp(-q/4)
//	Matern    the Matern function of smoothness mu = 2nu + D/2, of s = sqrt(2nu q)
//	rq        2F1(alpha, b; alpha+1/2; -q/8alpha), b = 2alpha - D/2; it needs 4alpha > D
//	mixture   a mixture again, of squared widths s_i² + s_j²
//
// Under N(0, eta² I) it is a sum over pairs of components of a mixture. The squared exponential and
// mixtures are their own. A Matern kernel is a mixture over squared widths with a Gamma
// distribution of shape and rate nu. A rational quadratic kernel is one over precisions with a
// Gamma distribution of shape and rate alpha. Those integrals are discretised, in r alone, on a
// grid of about 70 widths. The matrix of r is then still positive semidefinite, the gradient is
// that of what is computed, and the error is about 1e-11 of the amplitude at most.
//
// # Speed
//
// Nanoseconds for a pair of points on a Xeon where one math.Exp takes 6.2 ns, with AVX-512 and in
// plain Go (go test -bench 'Profiles|Fill|Prior'):
//
//	                         se         matern32  matern52  rq    mixture of 3
//	Values                   0.3, 1.7   2.9, 4.2  3.2, 4.3  8, 9  2.9, 6.7
//	with kappa               0.6, 2.0   3.2, 4.6  3.9, 5.1  9, 10 4.7, 8.4
//	Fill, D = 1              0.75       3.2       3.5       8     3.4
//	Fill, D = 2              1.2        3.8       4.0       9     3.7
//	Prior.Pair, Unit, D = 1  14         21        22        51    56
//	Prior.Pair, Unit, D = 2  15         40        43        51    61
//	Prior.Pair, Gaussian     20         20,000    7,000     16,000 (alpha = 1.5)  90
//
// The square of a Matern kernel is elementary in an odd number of dimensions; in an even number it
// takes Bessel functions. Under Gaussian a pair of points costs an exponential for every ordered
// pair of widths that matters, 5,000 for matern32; Set costs 60 microseconds then.
//
// # A new kernel
//
// A radial kernel of your own implements Radial, and Batch if speed matters. Here it is one file,
// its test, and a line in families: ParseRadial, the help of programs and the tests of all kernels
// read it.
//
// Square and Mixture are for learning theta. Where there is a closed form, Square returns a Radial that
// has it; integrating numerically for each pair of points makes learning twenty times slower. Without
// one, let the kernel be a mixture of 5 to 20 widths that comes near it:
//
//	type widths = kernels.Mixture // a field named Mixture would hide the method
//	type mine struct{ widths }    // and a method String
//
// A Mixture has all that Radial and Batch want, and its square takes an exponential for every pair of
// widths. (Mixture{…}.Square of the hundred widths that stand in for a rational quadratic kernel would
// take five thousand.)
//
// # The median heuristic
//
// Where nothing better is known, theta is often set from the median distance between two rows of
// the data. Three conventions circulate that differ by factors of sqrt2 (see Convention), and
// results that were published under one are not those of another: name the one in use. The
// heuristic knows nothing about what the kernel is for. On data with structure at several scales it
// finds the largest one. On a grid of tight clusters it is the distance between clusters, and a
// test at this scale sees nothing of what happens inside them (Gretton et al., 2012; Flaxman et
// al., 2016, figure 2).
package kernels
