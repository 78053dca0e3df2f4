// Package energy measures how far samples lie from each other, and how sure that is.
//
//	d, err := energy.Between(ctx, samples, energy.Options{})
//	for _, p := range d.Pairs() {
//		fmt.Println(p.A, p.B, p.Distance, p.Lower, p.Upper)
//	}
//
// # The distance
//
// The energy distance of two distributions P and Q (Székely and Rizzo, 2004) is the root of
//
//	D² = 2 E|X-Y| - E|X-X'| - E|Y-Y'|,   X, X' from P and Y, Y' from Q, all independent.
//
// It is 0 only if P = Q, and it is a metric. It is the maximum mean discrepancy for the kernel
// k(x, y) = |x| + |y| - |x-y|, so D is the distance between two mean embeddings. It is also a sum over
// all scales. With a squared exponential kernel of lengthscale s,
//
//	|x-y| = sqrt(2/pi) integral of (1 - exp(-(x-y)²/2s²)) ds from 0 to infinity,
//
// on the line, and the same with another constant in more columns. So D² adds up the squared
// discrepancies at every lengthscale, each with the same weight.
//
// This is why it can be read as a distance. A kernel of one lengthscale cannot: samples that are
// farther apart than this lengthscale are all about equally far, however far they are. The energy
// distance has no lengthscale to choose. If two samples move apart, D grows like the root of twice the
// distance between them. Multiplying the data by c multiplies D by the root of c. Columns in different
// units must be scaled first.
//
// examples/distances compares it with a sum of squared discrepancies over lengthscales around the
// data's median distance. The two order samples alike. The energy distance was chosen because its range
// of scales has no ends to set.
//
// # The estimate
//
// Between averages |x-y| over all pairs of rows, leaving out each row with itself. This U-statistic is
// unbiased whatever the numbers of rows: small samples do not look farther away. It may be negative
// where two samples are close. Distance is then 0.
//
// # Intervals
//
// Let h be the difference of the two embeddings and e the error of its estimate. The unbiased estimate of
// D² = |h|² is
//
//	U = |h|² + 2<e, h> + |e|² - E|e|².
//
// A resample of the rows of each sample gives e*, distributed about like e, and so the distribution of U
// for any |h|, if the direction of h is known. The interval holds each distance |h| for which U is between
// the quantiles of its distribution. The quadratic term keeps this valid near 0, where the usual normal
// approximation to U fails.
//
// The direction is that of the estimated h, which has noise in it. The variance of <e, h>/|h| is
// therefore an average of that along the estimated h and the largest along any direction. The weight of the
// largest is half the share of |h|² that is noise. Without this the intervals of close samples would miss
// the distance too often: in examples/distances at worst 22% of the time instead of 10%.
//
// Weights of resampled rows are widened by sqrt(n/(n-1)) t/z for a sample of n rows, t and z being the
// quantiles of Student's t with n-1 degrees of freedom and of the normal distribution. This makes up for the
// variance that is estimated from few rows.
//
// The intervals hold for each pair by itself. They assume independent rows, and they take the units of
// the columns as given.
//
// # Order
//
// Pair (a, b) is closer than (c, d) for sure if the difference of their U exceeds q times its standard
// deviation over resamples. q is the quantile of the largest such ratio, over all comparisons of two
// pairs, of the resampled differences. So all claims of order hold together at the level.
//
// # Costs
//
// N rows of d columns take O(N² d) time. Resamples need the term |e*|², for which the kernel is
// replaced by a pivoted Cholesky factor of rank at most 300. Only the spread of resamples depends on
// the factor. Of more than MostRows rows a random part is used.
package energy
