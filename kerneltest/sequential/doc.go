// Package sequential tests while data arrive. After any batch one may look, stop, or go on, and the probability of ever
// rejecting a true null hypothesis is at most alpha: the tests are anytime-valid.
//
// The level is divided between looks, at fixed numbers of rows, and bets, on every row. The P-value so far is the smallest of
// theirs, each over its share of the level; as the shares add up to 1 at most, the level is kept whatever happens.
//
// # Looks
//
// At a look the default test of package kerneltest, by permutation, is made of all rows so far. Who says how many rows
// there will be (Options.Expect: n) has looks at n/4, n/2, n, 2n, 4n and so on, with .7 of the level at n: a test that
// may stop early, may go on, and finds at n rows nearly what the test finds that looks there alone. Where nothing is
// expected looks are at 30, 100, 300, 1000 and so on, with shares of .22, .12, .08, .06 and falling.
//
// No test can do as well at all numbers of rows. For a mean with known variance one that is ready to stop at any
// of 30 to 10,000 rows, and equally so at all, must wait for a mean of about 3.2 standard errors in the place of 1.96, and
// then has half the power where the test that looks once has .9.
//
// Looks need independent rows of one distribution while the null hypothesis holds, and keep all rows. They cost as
// much as the test, of so many permutations that its share of the level can be reached, but for data without evidence,
// where it stops early.
//
// # Bets
//
// The bets start with a capital of 1 and are on every new pair of rows, one of each sample, with a payoff that was fixed
// before the pair was seen and whose expectation is 0 under the null hypothesis. Capital is then a nonnegative
// martingale, and by Ville's inequality the probability that it ever reaches 1/a is at most a. Their p-value so far is
// 1 over the largest capital; their share of the level is .1. They see large differences between two looks.
//
// For two samples the payoff of a pair (x, y) is g(x) - g(y), g being a bounded witness of how the rows before differ: under
// the null hypothesis x and y can change places, whatever g is (Shekhar and Ramdas, 2023). For two variables it is
// made of two pairs (x, y) and (u, v), as g(x, y) + g(u, v) - g(x, v) - g(u, y): under independence the first two and the last
// two can change places (Podkopaev et al., 2023). The rows of the two samples may come in any numbers: those that have
// no partner yet wait.
//
// Several gamblers share the capital equally at first: each has a witness of its own, the difference of the means of features
// of the earlier rows, and each bets a fraction of its capital by online Newton steps (Cutkosky and Orabona, 2018).
// The features are random Fourier features of several lengthscales, in units of the median distance of the first rows, and
// polynomials of robustly scaled columns cut at a bound, so that shifts, spreads, shapes and correlations all have a gambler. The
// capital of the test is the sum of theirs.
//
// Where rows arrive in pairs and what both samples follow drifts, bets stay valid and looks do not: Options.Drift.
package sequential
