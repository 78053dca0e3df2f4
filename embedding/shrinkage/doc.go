// Package shrinkage estimates mean embeddings with less risk than the empirical one has.
//
// The empirical embedding of n rows, 1/n sum_i k(., x_i), can be improved on as the sample mean can
// in Stein's example. Shrunk towards zero it is closer to the true one, on average, in the norm of
// the kernel's space (Muandet, Fukumizu, Sriperumbudur, Gretton and Schölkopf, Kernel mean
// estimation and Stein effect, 2014). All estimates here are sum_i w_i k(., x_i): rows with
// weights.
//
//	p, err := shrinkage.NewRows(ctx, kernel, x, 0)
//	e := p.ShrinkSpectral(shrinkage.TrueLeaveOneOut)
//	mean, err := shrinkage.NewMean(kernel, x, e.Weights)
//	values, d2 := mean.At(...), shrinkage.MMD2(mean, other)
//	sample := mean.Sample() // for package embedding; weights for embedding/pca and embedding/density
//
// # Estimators
//
// With Gram matrix K = sum_k d_k u_k u_k', o_k = u_k'1, rho = 1'K1/n² and vr = tr K/n:
//
//	ShrinkScalar    w = 1/(n(1+lambda)), lambda = (vr-rho)/((n-1) rho + vr/n - vr)
//	ShrinkPlugIn    w = (1-a)/n, a = D/(D+rho), D the estimated risk of the empirical embedding
//	ShrinkSpectral  w = (K + lambda I)^-1 K 1/n, lambda by a leave-one-out score
//	Choose          w = f(K) 1/n for other filters f: Landweber, iterated Tikhonov, truncated
//	PosteriorWeights  v = (R + tau2/n I)^-1 K 1/n, for sum_j v_j r(., x_j)
//
// Names differ between papers. The names in the papers differ. ShrinkScalar is the "simple" S-KMSE
// of Muandet et al. (2014), and the R-KMSE of the same authors in 2016. ShrinkSpectral is the
// "flexible" F-KMSE of 2014, and the S-KMSE of 2016 and of Flaxman et al. (2016, eq. 9). Their
// lambda, that of the operator form C (C + lambda I)^-1 with C = 1/n sum k(., x_i) (x) k(., x_i),
// not centred, is the one here divided by n.
//
// The posterior mean of Flaxman et al. (2016, eq. 7) is one more estimator. If its prior covariance
// is the kernel itself, it is ShrinkSpectral at lambda = tau2/n. With the covariance of the paper,
// the convolution of the kernel with itself, it lies in another space, and its risk in the kernel's
// norm is larger than that of the empirical embedding, more so in more columns.
//
// # Which one
//
// ShrinkScalar and ShrinkPlugIn are the safe choices: they cost O(n²), and gained 1% to 50% of the
// risk in examples/shrinkage, most with few rows. ShrinkSpectral gains no more, and its lambda is
// less certain. It is the better one where the embedding itself is smooth beside the kernel.
// Shrinking lowers the risk in the norm of the kernel's space, that of the MMD; pointwise, in
// L2(P), it can raise it.
//
// # Scores
//
// All scores estimate E |k(., X) - estimate|² by leaving out each row in turn, all from one
// decomposition of K. With f = d/(d+lambda), TargetOnly is theorem 4 of the paper,
//
//	1/n sum_k d_k (1 + o_k² (f_k² - 2 f_k)/n)/(1 - f_k/n)²,
//
// written so that it needs no inverse of K. It leaves row i out of the target, but not out of the
// basis, and so knows what it should predict; with wide kernels it shrinks too much.
// TrueLeaveOneOut leaves it out of both, and is the default. Its formula is at the function
// leaveOneOut.
//
// # What was found wrong in the papers
//
// Theorem 3, the lambda of ShrinkScalar, is negative where n rho < vr, which linear and polynomial
// kernels can bring about. The score falls without end there, and the weights are zero.
//
// Theorem 4 inverts a matrix that is singular whenever K is. In theorem 2 the eigenvalues gamma
// have to be those of n C, that is of K, for its lambda to be that of the estimator.
//
// S-COSE multiplies the weights of a covariance by one factor. That changes none of its
// eigenvectors, so that kernel PCA with it, and its reconstruction errors, are those without it;
// the paper finds them better.
//
// # Costs
//
// New takes O(n³) time and O(n²) memory, NewRows O(n r² + r³) and O(nr) for a kernel of numerical
// rank r. A score of TargetOnly is O(r) then, one of TrueLeaveOneOut O(nr) in products of matrices.
// An estimate allocates its weights, and ShrinkSpectral its tables.
//
// Seconds for 5000 rows, and TrueLeaveOneOut at 100 lambdas from the one decomposition, on two
// cores shared with others (go test -bench LeaveOneOut ./embedding/shrinkage):
//
//	                                                    rank  decomposition  scores
//	2 columns, theta = 1                                203   0.7 to 1.1     0.1 to 0.2
//	10 columns, theta = 4, to a tolerance of 0.01       667   6.5            1.2
//
// Rough kernels and many columns have full rank: 2000 rows in ten columns at theta = 4 took 150
// seconds, and their scores 0.9. There a tolerance helps: scores are within about that, relatively.
package shrinkage
