// Package fused computes, in one pass over all pairs of a row x_i and a pseudo-input z_l in one
// dimension, every sum that the marginal pseudolikelihood of Bayesian kernel embeddings and its
// gradient need (Flaxman, Sejdinovic, Cunningham and Filippi, Bayesian Learning of Kernel
// Embeddings, UAI 2016, eq. 15 and appendix A.4). With
//
//	d = (x_i - z_l)^2,   k = exp(-d / (2 theta^2)),
//	A_i = sum_l k^2 d,   B_i = sum_l k^2 d^2,
//
// these are, for each l, the sums over i of
//
//	k,   k - shift_l,   k d,   (k - shift_l)^2,   (k - shift_l) k d,
//
// and the sums over i of log A_i and of B_i/A_i, from which follow
//
//	muhat_l                     = shift_l + C_l/n
//	sum_i (k - muhat_l)^2       = F_l - C_l^2/n
//	its derivative in log theta = 2 (FD_l - C_l KD_l/n) / theta^2
//	that of sum_i log A_i       = 2 BA / theta^2
//
// because the derivative of k in log theta is k d/theta^2. The shift is a guess of muhat,
// given by the caller before the pass. A bad guess costs digits in the second and third line, and
// K, which is C + n shift, loses what it is smaller than shift by.
//
// # Digits
//
// Every sum is right to 1e-12 of the sum of its terms' sizes, at any theta, in any unit of the
// data, with values of k below 1e-282 taken as 0. Three things are needed.
//
// Where theta is large all k are near 1 and k - shift is a difference of nearly equal numbers. Here
// k = s + w, s a power of two (1 in this case) and w small, and (s - shift) + w has all its digits.
//
// Where theta is small k^2 d underflows. x, z and theta are first multiplied by the power of two
// that brings theta to between 1/2 and 1; k by 2^480, so that k^2 reaches down to k = 2^-980; and
// rows with A_i below 2^-1000 are summed again with their largest term taken out. A term with d = 0
// is 0, also when it has the smallest d; if a row equals all z, log A_i is -Inf.
//
// A logarithm for each row would cost as much as several pairs. Instead the A_i are multiplied,
// their powers of two being added up apart, and one logarithm is taken in the end: each product
// adds a rounding of 1e-16 to the sum of the logarithms.
//
// # Two and three dimensions
//
// In two and three dimensions the place of A_i is taken by the determinant of a matrix, and that of
// B_i/A_i by a trace: see [Gram]. All that is said above holds for its sums too, but a row that
// underflows, or whose matrix is so near to singular that its determinant would lose more than
// three digits, is left to the caller.
//
// # Speed
//
// A [Kind] is a way to compute. AVX2 and AVX-512 are written by the program in gen, with
// github.com/mmcloughlin/avo. Each ends in VZEROUPPER, without which the math.Exp of the caller
// would take a hundred times as long. The AVX-512 pass flushes denormal numbers to 0 and restores
// the control register. Rows go in blocks of 1024, whose A and B stay in the first cache, and for
// each block one or two pseudo-inputs at a time keep their sums in registers. All of it follows
// from the arguments: the same arguments give the same bits with the same kind.
//
// The cost of a pair at n = 1e5, m = 50 on a Xeon where one math.Exp takes 6.1 ns, also as a
// fraction of that (minimum of many runs of BenchmarkRun):
//
//	            ns/pair   exps/pair
//	AVX-512      0.49       0.08
//	AVX2         1.05       0.17
//	portable     3.9        0.64
//
// At n = 800, m = 20 a pair costs a seventh more with AVX-512. Where theta is so far below the
// spacing that all rows are summed again a pair costs 3 to 7 ns.
//
// In two dimensions a pair costs 1.8 times as much with AVX-512, in three 3 times; with a lengthscale
// for each coordinate 2.6 and 6 times.
//
// [ExpNeg] is the exponential of these kernels for other uses.
package fused

//go:generate go run -C gen .
