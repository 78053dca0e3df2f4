// Package permute computes the statistics of permutation tests with kernels, for one permutation
// after another at the speed of the hardware: the sums of a Gram matrix within and between two
// samples, of which every form of the squared maximum mean discrepancy is made (Gretton, Borgwardt,
// Rasch, Schölkopf and Smola, A Kernel Two-Sample Test, JMLR 2012), and the inner product of two
// Gram matrices, of which one is permuted, which is the Hilbert-Schmidt independence criterion
// (Gretton, Fukumizu, Teo, Song, Schölkopf and Smola, A Kernel Statistical Test of Independence,
// NIPS 2007).
//
// # Permutations
//
// A [Design] names the permutations. Number 0 is the identity, so that the observed statistic is
// computed in the same way as the others; number b depends on the seed and on b alone, so that any
// range can be computed anywhere, at any time: a test that may stop early takes ranges until it has
// seen enough (Besag and Clifford, Sequential Monte Carlo p-values, 1991). With labels of blocks,
// rows move within their block only. [Signs] and [Perms] are drawn once and serve any number of
// kernels.
//
// # Two samples
//
// Let s be +1 for the rows of the first sample and -1 for those of the second, R the sums of the
// rows of K without its diagonal, and the sums below be over i different from j. Then
//
//	XY = (sum K_ij - sum s_i s_j K_ij)/4,
//	XX = sum_{i in X} R_i - XY,   YY = sum_{i in Y} R_i - XY,
//
// and with m and n rows, and a kernel that is 1 at distance 0,
//
//	biased    MMD² = (XX + m)/m² + (YY + n)/n² - 2 XY/(mn)
//	unbiased  MMD² = XX/(m(m-1)) + YY/(n(n-1)) - 2 XY/(mn).
//
// The work is the quadratic form. Only pairs i < j are looked at, in tiles of 128 rows and columns,
// and nothing is multiplied. Signs are few, so their sums can be tabled (Arlazarov, Dinic, Kronrod
// and Faradzhev, 1970): a block of 4 x 4 elements has 256 signed sums, and each permutation adds
// the one at the place that its 8 signs name. One lookup replaces 16 multiplications. With AVX-512
// a row of four elements has 16 signed sums, which two registers hold, and one instruction looks up
// those of eight permutations. N points and B permutations cost N²B/32 lookups and N²/32 tables of
// 256, or N²B/64 of these instructions.
//
// A kernel of low rank needs no matrix: with K = Phi Phi' and centred columns, [Engine.ColumnSums]
// gives Phi'u for the indicator u of the first sample, and |Phi'u|² is the sum of the centred K
// over it, from which MMD² follows: n r multiplications a permutation.
//
// # Ties
//
// A permutation counts if its statistic is at least the observed one, and some are equal to it by
// right: the samples exchanged when their sizes are equal, equal points exchanged. Rounding must
// not decide about these. So the elements of K are rounded first, to multiples of 2^-39 of the
// largest or so, which leaves all sums of a tile exact in floating point, and the sums of tiles
// exact in 64-bit integers. Equal elements in another order give equal sums, to the last bit; so do
// all kinds of kernels and any number of goroutines. The rounded K does not know the labels, so
// that the test with it is as exact as with K, and its sums are those of K to 1e-12 of the sum of
// the sizes of the elements, unless one element is far larger than all others. From 2049 rows on
// the grid is wider, 2^-30 at 40,000 rows, which moves the sums by some N 2^-31 of the largest
// element, where their spread over the permutations is of the order of N times the typical one.
//
// What is left is kernel values that ought to be equal but are not, such as those of 0.3 and 0.1
// and of 0.4 and 0.2. [AtLeast] forgives 1e-12 of the sum of the sizes of the terms: (XX + YY + 2
// XY) times the largest weight will do. That is far below the spread of the statistic, and it can
// only make a p-value larger. Use [Sums.Dot] for weighted sums, so that exchanging the samples
// changes no bit.
//
// # Independence
//
// [Engine.Gather] sums K_ij L_p(i)p(j) by pairs i < j, n²/2 per permutation. The time is in
// bringing L where it is needed, so several K share what is brought. A block of rows of K, a
// megabyte, stays in the second cache while the rows of L pass by once, and each meets all rows of
// the block that some permutation brings it to. With vector code the rows of three L lie side by
// side as they pass, so that one load brings an element of each. K or L, or both, may be centred: it
// makes no difference to the order if one is. Sums of floating-point numbers in another order differ
// by some 1e-15 of the sum of the terms' sizes, for which sqrt(sum K_ij²  sum L_ij²) is a bound: give
// it to AtLeast.
//
// [Engine.Cross] is for matrices of low rank, K = Phi Phi' and L = Psi Psi', as lowrank.Cholesky
// gives them: the sum for the centred matrices is the squared norm of Phi' P Psi with centred
// columns, n r s multiplications. It needs no n x n matrix at all. The size for AtLeast is the
// product of the traces, or of the squared norms of the factors.
//
// # Speed
//
// Milliseconds for 1000 permutations on one core of a Xeon with AVX-512, shortest of 20, all in
// turn while other programs kept the machine busy; idle, they are up to a third less. Beside it
// Gonum's Gemm of the same product and, run before and after, NumPy 1.24 on one thread of OpenBLAS
// 0.3.21. From the matrix to the sums of 1000 + 1000 points:
//
//	Gonum Gemm   NumPy        portable   AVX2   AVX-512
//	   1377      119 to 201      94       60      44
//	times Gemm                  14.7     22.9    31.4
//
// and for 1000 pairs, with the 1-D squared exponential kernel, the median distance as lengthscale
// and rank tolerance 1e-10 (rank 20), here processor time, shortest of 8:
//
//	           NumPy          portable   AVX2   AVX-512
//	gather     3670 to 4520     356       384     222
//	low rank                    173        23      20     and 0.5 once for the factors
//
// Several matrices share a gather. Milliseconds of processor time for 1000 permutations of 2000
// pairs, on a busy machine:
//
//	                  portable   AVX2   AVX-512
//	one K and one L     1130     1200      800
//	3 K and one L       2520     1230     1210
//	3 K and 3 L         7800     2630     2220
//
// With AVX2 one K alone is gathered by plain loads, which are as fast. Drawing takes 10 ms and 5
// ms. Twenty thousand points in each sample, in one dimension, computed tile by tile, took 7 s on
// two cores and 27 MB. To measure again:
//
//	go test -run XXX -bench . -benchtime=20x -cpu 1
//	BAYESKERNEL_LONG=1 go test -run TestLarge -v
package permute

//go:generate go run -C gen .
