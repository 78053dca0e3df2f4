// Package permute computes the test statistics of kernel permutation tests, for many permutations,
// at the speed of the hardware. There are two:
//
//   - The sums of a Gram matrix within and between two samples. Every form of the squared maximum
//     mean discrepancy is a combination of them (Gretton, Borgwardt, Rasch, Schölkopf and Smola, A
//     Kernel Two-Sample Test, JMLR 2012).
//   - The inner product of two Gram matrices, one of them permuted: the Hilbert-Schmidt independence
//     criterion (Gretton, Fukumizu, Teo, Song, Schölkopf and Smola, A Kernel Statistical Test of
//     Independence, NIPS 2007).
//
// # Permutations
//
// A [Design] names the permutations. Number 0 is the identity, so the observed statistic is computed
// in the same way as the others. Number b depends on the seed and on b alone, so any range can be
// computed anywhere, at any time. A test that may stop early takes ranges until it has seen enough
// (Besag and Clifford, Sequential Monte Carlo p-values, 1991). With labels of blocks, rows move
// within their block only. [Signs] and [Perms] are drawn once and serve any number of kernels.
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
// The work is the quadratic form. Only pairs i < j are read, in tiles of 128 rows and columns, and
// nothing is multiplied. Signs are few, so their sums can be tabulated (Arlazarov, Dinic, Kronrod
// and Faradzhev, 1970): a block of 4 x 4 elements has 256 signed sums, and each permutation adds the
// one for its 8 signs. One lookup replaces 16 multiplications. With AVX-512 a row of four elements
// has 16 signed sums, held in two registers, and one instruction looks up the sums of eight
// permutations. N points and B permutations cost N²B/32 lookups and N²/32 tables of 256, or N²B/64
// of these instructions.
//
// A kernel of low rank needs no matrix. With K = Phi Phi' and centred columns, [Engine.ColumnSums]
// gives Phi'u, where u is the indicator of the first sample. |Phi'u|² is the sum of the centred K
// over the first sample, and MMD² follows from it. This takes n r multiplications a permutation.
//
// # Ties
//
// A permutation counts if its statistic is at least the observed one, and some tie with it exactly:
// those that exchange samples of equal size, or equal points. Rounding must not decide these ties.
// So the elements of K are first rounded to multiples of about 2^-39 of the largest. All sums of a
// tile are then exact in floating point, and the sums of tiles are exact in 64-bit integers. Equal
// elements in another order give equal sums, to the last bit; so do all kinds of kernels and any
// number of goroutines.
//
// The rounded K does not depend on the labels, so the test with it is as exact as with K. Its sums
// agree with those of K to 1e-12 of the sum of the absolute values of the elements, unless one
// element is far larger than all others. From 2049 rows on the grid is wider, 2^-30 at 40,000 rows.
// That moves the sums by some N 2^-31 of the largest element, while their spread over the
// permutations is of the order of N times the typical element.
//
// One source of error remains: kernel values that should be equal but are not, such as those of 0.3
// and 0.1 and of 0.4 and 0.2. [AtLeast] forgives 1e-12 of the sum of the absolute values of the
// terms; (XX + YY + 2 XY) times the largest weight will do. That is far below the spread of the
// statistic, and it can only make a p-value larger. Use [Sums.Dot] for weighted sums, so that
// exchanging the samples does not change a bit.
//
// # Independence
//
// [Engine.Gather] sums K_ij L_p(i)p(j) over pairs i < j, n²/2 of them per permutation. Most of the
// time goes into loading L, so several K share each load. A block of rows of K, a megabyte, stays in
// the second cache while the rows of L pass by once. Each row of L meets all rows of the block that
// some permutation pairs with it. With vector code the rows of three L lie side by side as they
// pass, and one load fetches an element of each. K or L or both may be centred; centring one leaves
// the order of the permutations unchanged. Sums of floating-point numbers in another order differ by
// some 1e-15 of the sum of the terms' absolute values. sqrt(sum K_ij²  sum L_ij²) is a bound for
// that sum: pass it to AtLeast as size.
//
// [Engine.Cross] is for matrices of low rank, K = Phi Phi' and L = Psi Psi', as from
// lowrank.Cholesky. The sum for the centred matrices is the squared norm of Phi' P Psi with centred
// columns. This takes n r s multiplications and no n x n matrix. The size for AtLeast is the product
// of the traces, or of the squared norms of the factors.
//
// # Speed
//
// The tables give milliseconds for 1000 permutations on one core of a Xeon with AVX-512: the
// shortest of 20, all run in turn while other programs kept the machine busy. On an idle machine
// times are up to a third shorter. For comparison: Gonum's Gemm of the same product, and NumPy 1.24
// on one thread of OpenBLAS 0.3.21, run before and after. From the matrix to the sums of 1000 + 1000
// points:
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
// Several matrices share one gather. In milliseconds of processor time, for 1000 permutations of
// 2000 pairs on a busy machine:
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
