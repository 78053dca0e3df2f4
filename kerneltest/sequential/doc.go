// Package sequential tests while data arrive. After any batch one may look, stop, or go on, and the probability of ever
// rejecting a true null hypothesis is at most alpha: the tests are anytime-valid.
//
// # Betting
//
// A test starts with a capital of 1 and bets on every new pair of rows, one of each sample, with a payoff that was fixed
// before the pair was seen and whose expectation is 0 under the null hypothesis. Capital is then a nonnegative
// martingale, and by Ville's inequality the probability that it ever reaches 1/alpha is at most alpha. The
// p-value so far is 1 over the largest capital.
//
// For two samples the payoff of a pair (x, y) is g(x) - g(y), g being a bounded witness of how the rows before differ: under
// the null hypothesis x and y can change places, whatever g is (Shekhar and Ramdas, 2023). For two variables it is
// made of two pairs (x, y) and (u, v), as g(x, y) + g(u, v) - g(x, v) - g(u, y): under independence the first two and the last
// two can change places (Podkopaev et al., 2023). The rows of the two samples may come in any numbers: those that have
// no partner yet wait.
//
// # Witnesses
//
// Several gamblers share the capital equally at first: each has a witness of its own, the difference of the means of features
// of the earlier rows, and each bets a fraction of its capital by online Newton steps (Cutkosky and Orabona, 2018).
// The features are random Fourier features of several lengthscales, in units of the median distance of the first rows, and
// polynomials of robustly scaled columns cut at a bound, so that shifts, spreads, shapes and correlations all have a gambler. The
// capital of the test is the sum of theirs.
//
// Rows must be independent of each other and of one distribution per sample as long as the null hypothesis
// holds: a drift that both samples share is allowed only where rows arrive in pairs.
package sequential
