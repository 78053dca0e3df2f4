// Package kerneltest asks with kernels whether two samples are of one distribution, and whether two
// variables are independent.
//
// # To begin with
//
// TwoSample takes two matrices, a row for each observation, and returns a p-value:
//
//	r, err := kerneltest.TwoSample(ctx, x, y, kerneltest.Options{})
//	fmt.Println(r.P, r.Reject)
//
// It finds differences of any kind, not of means alone, in any number of dimensions. It assumes
// that rows are independent of each other, and nothing else: the p-value comes from exchanging rows
// of the two samples at random, and is exact however few there are. Independence does the same for
// pairs of observations of two variables.
//
// # The kernel
//
// What a kernel test can see depends on the lengthscale of its kernel: differences on a much
// smaller scale are smoothed away, and on a much larger one drowned in noise. By default a
// lengthscale is learned, with the model of package bke (Flaxman, Sejdinovic, Cunningham and
// Filippi, 2016), as the one of highest posterior density given all rows together, and two
// kernels, with that lengthscale and with 4 times that, make one test (for independence three of each
// variable, the third with 16 times that): the learned scale is near the finest that the data
// resolve, and differences may be smoother, dependence as smooth as a straight line. No rows are set aside for this,
// and none need be: the choice knows neither which sample a row is from nor the order of the rows,
// so that it is the same for every exchange of rows, and the p-value stays exact. README.md has the
// powers on which the default rests. Choice has the other rules: the learned lengthscale alone, the
// median heuristic in its three conventions, a given kernel, the mean of the kernel over the
// posterior, and sets of kernels,
//
//	Ladder     the learned lengthscale times powers of 2; the default is 1 and 4 (and 16)
//	Modes      all lengthscales at which the posterior density has a mode
//	FuseGrid   those of MMD-FUSE (Biggs, Schrab and Gretton, 2023)
//	AggGrid    those of MMDAgg (Schrab, Kim, Albert, Laurent, Guedj and Gretton, 2023)
//
// of which Largest, Fuse or Aggregate make one exact test. Result says which kernel it was and how
// it was found. In several dimensions, set Standardize unless all columns are in the same units.
//
// # Two samples
//
// A kernel k maps a distribution P to its mean embedding, the function E k(., x) with x of P. The
// maximum mean discrepancy of P and Q is the distance of their embeddings,
//
//	MMD² = E k(x,x') + E k(y,y') - 2 E k(x,y),
//
// which for characteristic kernels is 0 only if P = Q (Gretton, Borgwardt, Rasch, Schölkopf and
// Smola, A kernel two-sample test, 2012). MMD estimates it from the Gram matrix of the pooled
// sample in several ways:
//
//	Biased    the distance of the two empirical embeddings; not negative; any sizes
//	Unbiased  without the diagonals of K_XX and K_YY; can be negative; two rows each
//	Paired    without the diagonal of K_XY also; takes row i of X and of Y as a pair
//	Block     the mean of Paired over small blocks; normal under the null hypothesis
//	Linear    the same with blocks of two rows; linear time
//
// The first two use all that the data say. The last two need no Gram matrix and are for streams of
// data: they trade power for time.
//
// # Independence
//
// HSIC, the Hilbert-Schmidt independence criterion, is the MMD² of the joint distribution of (x, y)
// and the product of its margins, for the kernel k(x,x') l(y,y') (Gretton et al., 2008). Biased is
// tr(KHLH)/n²; Unbiased is the estimator of Song et al. (2012).
//
// # Null distributions
//
// Permuting the labels gives a p-value that is exact whatever the sample size, and is what to use
// where it can be afforded. The others are approximations for large samples, of which there are
// several in circulation that differ by factors of ten in the tail, so Tail says which one it is:
//
//	Spectral    the limit itself, a weighted sum of chi-squares, its tail exact (see Imhof)
//	Pearson     a shifted gamma with three of its cumulants: within 0.02 of Spectral
//	Gamma       two moments; of Gretton et al. (2009) for MMD, of Gretton et al. (2008) for HSIC
//	GammaKCI    for HSIC: two moments of Spectral (Zhang et al., 2011)
//	GammaDHSIC  for HSIC: two moments of Pfister et al. (2018)
//
// The gammas are too short in the tail: they reject too often at small levels. Gamma for MMD also
// depends on the order of the rows, and wants samples of equal size. Spectral is close to the
// permutation p-value from about 25 points on; below it rejects too seldom.
//
// Where there are too many points for a Gram matrix, NewFactor makes a low-rank factor of it, from
// which Biased, Unbiased, their variances, Spectral and Pearson come in time and memory that grow
// as the number of points. It works for smooth kernels, whose Gram matrices have low rank to
// machine precision.
//
// MMD and HSIC, which compute statistics and these null distributions from Gram matrices or
// factors, are the parts that TwoSample and Independence are made of. The latter permute up to
// AutoRows rows, and beyond take Spectral, with the learned lengthscale alone, if the kernel is
// smooth enough for a factor. Where it is not, or on demand, TwoSample permutes any number of rows,
// computing the Gram matrix a tile at a time: twenty thousand rows in each sample take seconds, and
// a tenth of a gigabyte.
//
// The formulas, with their sources, are in DERIVATION.md beside this file.
package kerneltest
