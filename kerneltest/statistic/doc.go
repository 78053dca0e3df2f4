// Package statistic computes kernel statistics of given Gram matrices, and their null distributions
// for large samples: the maximum mean discrepancy of two samples, and the Hilbert-Schmidt independence
// criterion of two variables.
//
// # To begin with
//
// Compute the Gram matrix of the pooled rows of two samples, those of the first sample first, and ask
// for a statistic and its p-value:
//
//	var gram mat.SymDense
//	err := kernels.Gram(&gram, kernels.SquaredExponential(1), pooled)
//	mmd, err := statistic.NewMMD(&gram, m)          // the first m rows are the first sample
//	tail, err := mmd.Tail(statistic.Spectral)
//	fmt.Println(mmd.Biased(), tail.P)
//
// For two variables NewHSIC takes a Gram matrix of each, with the rows in the same order. This package
// neither chooses kernels nor permutes rows. For a test from data to p-value see package kerneltest:
// its p-values are exact for any number of rows, those of this package are approximations.
//
// # Two samples
//
// A kernel k maps a distribution P to its mean embedding, the function E k(., x) with x drawn from P.
// The maximum mean discrepancy of P and Q is the distance of their embeddings,
//
//	MMD² = E k(x,x') + E k(y,y') - 2 E k(x,y),
//
// which for characteristic kernels is 0 only if P = Q (Gretton, Borgwardt, Rasch, Schölkopf and
// Smola, A kernel two-sample test, 2012). MMD estimates it in several ways:
//
//	Biased    the distance of the two empirical embeddings; not negative; any sizes
//	Unbiased  without the diagonals of K_XX and K_YY; can be negative; two rows each
//	Paired    without the diagonal of K_XY also; takes row i of X and of Y as a pair
//	Block     the mean of Paired over small blocks; normal under the null hypothesis
//	Linear    the same with blocks of two rows; linear time
//
// The first two use all the information in the data. The last two need no Gram matrix and are for
// streams of data: they trade power for time. The functions Linear and Block take the rows themselves.
//
// # Two variables
//
// HSIC, the Hilbert-Schmidt independence criterion, is the MMD² between the joint distribution of
// (x, y) and the product of its marginals, for the kernel k(x,x') l(y,y') (Gretton et al., 2008).
// Biased is tr(KHLH)/n²; Unbiased is the estimator of Song et al. (2012).
//
// # Null distributions
//
// Several limits for large samples are in circulation that differ by factors of ten in the tail, so
// Tail says which one it is:
//
//	Spectral    the limit itself, a weighted sum of chi-squares, its tail exact (see Imhof)
//	Pearson     a shifted gamma with three of its cumulants: within 0.02 of Spectral
//	Gamma       two moments; of Gretton et al. (2009) for MMD, of Gretton et al. (2008) for HSIC
//	GammaKCI    for HSIC: two moments of Spectral (Zhang et al., 2011)
//	GammaDHSIC  for HSIC: two moments of Pfister et al. (2018)
//
// The tails of the gammas are too short: they reject too often at small levels. Gamma for MMD also
// depends on the order of the rows, and needs samples of equal size. Spectral is close to the
// permutation p-value from about 25 points on if the points are distinct; below it rejects too
// seldom.
//
// # Many rows
//
// A Factor is a Gram matrix as the inner products of features, by Cholesky factorization with
// pivots. NewMMDFactor and NewHSICFactor take it instead of the matrix: time and memory grow as the
// number of rows.
//
// Code that computes Gram matrices piece by piece has FactorColumns, Centred and Margin.
//
// The formulas, with their sources, are in kerneltest/DERIVATION.md.
package statistic
