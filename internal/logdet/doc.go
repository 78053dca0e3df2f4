// Package logdet computes, for one row x of the data and pseudo-inputs z_l with v_l = x - z_l,
//
//	1/2 logdet G,   G = sum_l kappa_l² v_l v_l',   and   h_l = kappa_l² v_l' G^-1 v_l.
//
// The h_l are the leverages of the rows of the m x D matrix B with rows kappa_l v_l: if B = QR with
// orthonormal columns of Q, then G = R'R, and h_l is the squared length of row l of Q. So they are
// from 0 to 1, have sum D, and 1/2 logdet G = sum of log |R_aa|.
//
// Weights kappa_l range over any number of orders of magnitude when lengthscales are small, and
// underflow; then their logarithms are what counts. There are three ways, tried in this order.
//
// # Cholesky
//
// G is added up and factored, G = CC', and Q = B C'^-1; with AVX2 or AVX-512 by vector code. Rounding changes G by a relative 1e-16, and
// so log det G by tr(G^-1 dG), at most 1e-16 times
//
//	c = sum_a G_aa (G^-1)_aa,
//
// whatever the units of the columns. It is D at best, and is got from C^-1 on the way. For c up to
// 1000 nothing more is done. Errors were 3e-14 of max(1, |log det|) and 3e-13 in the leverages at
// most, in thousands of cases, and mostly 1e-16 and 1e-15.
//
// # Cholesky and Gram-Schmidt
//
// For c up to 1e10 the columns of B C'^-1 are orthonormal to 1e-4 at least, although that much may
// be wrong with C: since they are computed from B, whatever triangular matrix C is, they are the
// exact result for a B in which each row has changed by a few units in the last place of itself.
// (Row l solves q C' = b_l, and a solution by substitution is that of a system whose C is off by as
// little.) Gram-Schmidt then makes them orthonormal, and
//
//	log |R_aa| = log C_aa + log of what it divides column a by.
//
// That is Gram-Schmidt carried out twice, the first time with coefficients from C, and has the
// accuracy of a QR factorisation by reflectors, 2e-15 and 3e-14 at most, at a third to two thirds
// of the price.
//
// # QR with pivoting
//
// Else B is factored by Householder's reflectors, with the rows b_l = v_l kept apart from their
// weights w_l. So results for a row of small weight have the relative accuracy of b_l, not that of
// the heaviest row. Columns are in units of the power of two nearest theta_a, and w_l = kappa_l
// e^-ref, with ref such that the largest weighted element is one.
//
// Step k takes the column with the largest weighted norm sigma, and in it the row with the largest
// weighted element, which go to place k; |R_kk| is sigma e^ref. With u_l = w_l b_lk for the rows l
// >= k, and sigma added to u_k with its sign, the reflector is 1 - beta uu', beta = 1/(sigma
// |u_k|). In another column p it takes from row l, in two parts,
//
//	t_l = b_lp - f b_lk,   f = b_kp/b_kk,   and   t_l - b_lk beta s,   s = sum_(l>k) w_l² b_lk t_l,
//
// as one sees when f is put into u'(w b_p). The heavy row k enters by t_l alone, so its rounding
// errors do not come back in s. The element of R is f sigma + s/sigma but for its sign, and squares
// of these are what the norms of the columns lose. Q is the reflectors, the last one first, applied
// to the first D columns of the unit matrix.
//
// Three things go beyond the textbook:
//
//   - Vectors that depend on each other, as those between the points of a lattice do, should leave
//     t = 0 but leave rounding errors, and with a large weight these may exceed all rows of small
//     weight. So t_l is set to zero where it is at most 16 units of 2^-52 of |x_p| + |z_lp| plus
//     all that was taken from it so far: the differences inherit the rounding of x and z, and the
//     t_l that of the terms. Where sigma is above 1e-8 of the first, it is not needed: errors count
//     by their squares.
//   - Equal pseudo-inputs are merged, with weight kappa_l sqrt(count), and share their leverage.
//     What one leaves of the other would be such an error too.
//   - Where no weighted norm above 1e-125 is left, the weights of the rows that are left are taken
//     from their logarithms again, with another ref. Where nothing at all is left the determinant
//     is zero.
//
// Errors of all three ways together are asserted in the tests: 1e-13 of max(1, |log det|), 1e-12 in
// the leverages and in their sum. For data at a distance d from a plane they are about 2^-52/d, or
// a few times what the rounding of the data changes. The method has a limit. Data on a plane whose
// coordinates are rounded decimals may leave more than 16 units in a row in twenty. The determinant
// is then finite and not zero.
package logdet

//go:generate go run -C gen .
