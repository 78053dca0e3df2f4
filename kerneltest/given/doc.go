// Package given compares samples, and tests whether two variables are independent, given covariates:
// do the groups still differ between rows that are alike in age and sex?
//
// # Two ways
//
// Where all covariates are categories, or numbers with few values, rows are exchanged at random within
// strata, the combinations of values that occur. The test is exact: the probability of a p-value of at
// most alpha is at most alpha if labels, or the two variables, are independent within each stratum.
// Kernels are centred within strata. The statistic averages over them, as the test of Mantel and
// Haenszel does: differences that have opposite signs in different strata cancel. Rows of strata that
// hold one sample only say nothing and are left out. For two variables, so are those of strata in
// which one of the two does not vary.
//
// Where a covariate is a number, the test of package conditional compares what kernel regressions on
// the covariates leave of the rows and of the labels. Its level rests on these regressions: it holds in
// so far as they follow the covariates' effects, and Result.Regression has their R2. The p-value is
// a limit for many rows. No test of this kind holds its level for all distributions (Shah and Peters,
// 2020).
//
// Result.Notes says what could not be adjusted for.
package given
