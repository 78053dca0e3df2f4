// Package kerneltest tests with kernels whether two samples come from one distribution, and whether
// two variables are independent. Package conditional, below it, tests whether they are independent
// given others.
//
// # To begin with
//
// TwoSample takes two matrices, a row for each observation, and returns a p-value:
//
//	r, err := kerneltest.TwoSample(ctx, x, y, kerneltest.Options{})
//	fmt.Println(r.P, r.Reject)
//
// It finds differences of any kind, not only of means, in any number of dimensions. It assumes that
// rows are independent of each other and nothing else: the p-value comes from exchanging rows of
// the two samples at random, and is exact however few rows there are. Independence does the same
// for pairs of observations of two variables. Several gives one p-value for any number of samples, and
// package given tests with covariates. Where one variable takes part in many tests,
// NewVariable learns its kernels once, and IndependenceOf tests.
//
// # The kernel
//
// What a kernel test can see depends on the lengthscale of its kernel. Differences on a much
// smaller scale are smoothed away, and differences on a much larger one are lost in noise. By
// default a lengthscale is learned with the model of package bke (Flaxman, Sejdinovic, Cunningham
// and Filippi, 2016): the one of highest posterior density given all rows together. It is near the
// finest that the data resolve; a difference may be smoother, and a dependence as smooth as a
// straight line.
//
// Two samples are compared by log Bayes factors (package bayesfactor, below this one) at 2.8, 5.7
// and 11.3 times that lengthscale. Each is the squared MMD with a kernel whose large eigenvalues
// are cut to one size. So fine features of a difference count beside coarse ones. The largest, in
// units of its standard deviation over permutations, is the statistic: rule Bayes. For independence
// each variable has kernels of 1, 4 and 16 times its lengthscale: rule Ladder, where they are not shrunk.
//
// One kernel of all columns at one lengthscale is blind in places: under heavy tails, in many columns, to fine dependence.
// So the default, rule Broad, has more views of the rows, each with statistics of its own: normal scores, distances, and from
// five columns on products of Laplace kernels, single columns, pairs of columns and squares. They are permuted together
// and their p-values joined, so that the test is exact; Result says which view saw most.
//
// No rows are set aside for learning. The choice knows neither which sample a row is from nor the
// order of the rows, so it is the same for every exchange of rows, and the p-value stays exact.
// README.md has the powers on which the default rests. Choice has the other rules: the learned
// lengthscale alone, the median heuristic in its three conventions, a given kernel, the mean of the
// kernel over the posterior, and sets of kernels:
//
//	Broad      several views of the rows, with the kernels of Bayes or Ladder among them: the default
//	Bayes      log Bayes factors at multiples of the learned lengthscale
//	Ladder     the learned lengthscale times powers of 2: 1 and 4 (and 16) unless Rungs has others
//	Modes      all lengthscales at which the posterior density has a mode
//	FuseGrid   those of MMD-FUSE (Biggs, Schrab and Gretton, 2023)
//	AggGrid    those of MMDAgg (Schrab, Kim, Albert, Laurent, Guedj and Gretton, 2023)
//
// Largest, Fuse or Aggregate make one exact test of a set. Result says which kernels were used and
// how they were found. Several columns are divided by their standard deviations unless
// Options.Standardize says otherwise.
//
// # Statistics
//
// Two samples are compared by the squared maximum mean discrepancy (MMD), two variables by the
// Hilbert-Schmidt independence criterion (HSIC). Package statistic, below this one, says what they
// are, and computes them and their limits for large samples from given Gram matrices.
//
// # Many rows
//
// Tests permute whatever the number of rows, and their kernels do not change with it. Up to
// ExactRows rows of two samples, and ExactPairs pairs, the kernels are exact: as a stored Gram
// matrix, computed tile by tile, or as a factor of low rank with no element of the matrix wrong by
// more than 1e-10. Beyond, the Gram matrix K is replaced by its pivoted Cholesky factor L L' of
// limited rank, computed from the sorted rows of all data. It does not know which sample a row is
// from, so the test with the kernel L L' is exact. Only power can be lost. Result.TraceError is the
// share of the trace of K that is left out, and a note warns where it exceeds 1%. Twenty thousand
// rows in each sample take seconds to minutes and less than 500 megabytes.
//
// The kernels of rule Bayes are factors that leave out at most 0.01 of any diagonal element, an
// error that the ridge makes negligible. Where their rank is above a quarter of the rows the whole
// matrix is taken up to 1500 rows, and from there on a factor of rank 400 at most.
//
// # Categories
//
// Columns that Choice.Categories names hold categories, not amounts. The kernel of a row of numbers x and
// categories c is then
//
//	k((x, c), (y, d)) = k0(x, y) prod_j (1 + 1[c_j = d_j])/2,
//
// the product of the kernel k0 that is chosen for the numbers, divided by their standard deviations as
// ever, and of the indicator kernel of each category: see kernels.Mixed. Multiplied out it holds the numbers
// alone, each category alone, and all combinations. The categories take no part in the choice of k0, and
// the choice does not see which sample a row is from: the permutation test is exact as before. In the place of
// rule Bayes comes Ladder: where categories add many directions, Bayes shrinks differences as noise. With one
// category and no numbers, MMD² is half the sum of the squared differences of the shares, and HSIC of two of
// them a quarter of the sum of (p_ij - p_i p_j)².
//
// # Null distributions
//
// Exchanging rows gives an exact p-value for any sample size, and is the default. The other null
// distributions, constants of package statistic, are limits for large samples, and are used only if
// Options.Null names one.
//
// A limit says little where the smaller sample is small or nearly all rows are equal. The rule for
// the warning: the embedding of a sample of n rows is a mean, and in the direction that tells the
// most frequent value from all others, of share q = min(1/2, 1 - share of that value), the
// distribution of this mean is off its normal limit by at most
//
//	e = 0.4748 B(q)/sqrt(n),   B(q) = (1 - 2q(1-q))/sqrt(q(1-q)),
//
// by the theorem of Berry and Esseen, with the constant of Shevtsova (2011). For small q that is
// 0.47/sqrt(nq): what counts is the expected number nq of rows that differ from the most frequent
// one. With two samples n is the smaller size; for independence B is the product over the two
// variables. A note warns where e exceeds 0.1: if rows are distinct, below 23 of them. With samples
// of 20 and 4100 rows, 0.3% of them 1 and the others 0, e is above 1, and Spectral rejects at level
// 0.001 in two or three of a hundred cases where the distributions are the same.
//
// The formulas, with their sources, are in DERIVATION.md beside this file.
package kerneltest
