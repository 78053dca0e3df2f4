// Package conditional tests with kernels whether X and Y are independent given Z.
//
// # To begin with
//
// Test takes three matrices, a row for each observation, and returns a p-value:
//
//	r, err := conditional.Test(ctx, x, y, z, conditional.Options{})
//	fmt.Println(r.P, r.X.R2, r.Y.R2)
//
// A Table makes many such tests on the columns of one matrix. It keeps what they share: the
// decomposition of each set Z, and the regression of each X on each Z. Package causal builds graphs
// on it.
//
// # What the level rests on
//
// The test is that of Zhang, Peters, Janzing and Schoelkopf (2011) with other constants: it compares
// what kernel ridge regression on Z leaves of the features of X and of Y. Its p-value is combined with that
// of the generalised covariance measure (Shah and Peters, 2020), the correlation of the prediction errors of X and of
// Y, which has more power against linear dependence: Result has both, and Options.KernelOnly leaves it out.
// The two are calibrated together, with the larger weight on the kernel statistic. In the cells of
// examples/discovery/README.md the test loses 0.05 or less of the power of the better of the two.
//
// Independence does not change where a column is written on another scale that keeps the order of its values.
// Columns with long tails, or most of whose values are equal, are therefore tested on such a scale: on their own,
// p-values below 0.001 are thirty times as frequent as they should be with 50 rows of a Cauchy distribution.
//
// There is no exact test without assumptions (Shah and Peters, 2020): the level rests on the two
// regressions. A regression that is too smooth leaves a trace of Z in both residuals, and finds
// dependence that is not there. So the lengthscale and the ridge of each are tuned, by the exact
// leave-one-out error or the marginal likelihood, and its leave-one-out R2 is part of the result. From three
// columns of numbers in Z on, each has a lengthscale of its own, and the errors of predictions are compared with each
// other and with X and Y, not X with Y. With more than four, and fewer than 30 rows for each
// beyond the first, Result.Doubtful says that a small p-value may be an error of the regressions.
// With the published constants, which follow no function rougher than a parabola or so, a test of
// 100 rows with X and Y around sin 3z rejects always. Only where Z is discrete with few levels is
// the test exact: rows are then exchanged within them.
//
// examples/conditional/README.md has level and power on seven problems. ResidualHSIC, the simpler
// recipe of regression and HSIC on residuals, is there for comparison: it is not a test of
// conditional independence.
//
// # Cost
//
// With n rows the first test with some Z takes O(n³) for each of five lengthscales, one that finds
// the regressions made before O(n² r), where r is the rank of the features; memory is a few
// matrices of n x n and what Options.Memory allows to be kept. Above FeatureRows rows features take the place of
// kernel matrices: O(n r²) with r of 200, and the kernel statistic takes some of the rows where Z has
// several columns of numbers. MaxRows bounds n.
//
// The formulas, with their sources, are in DERIVATION.md beside this file.
package conditional
