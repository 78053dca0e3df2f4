// Package ridge computes kernel ridge regression on one kernel matrix K for many ridges: the
// residuals, the exact leave-one-out error, and the marginal likelihood of the Gaussian process
// that belongs to it.
//
// # The form
//
// With R = lambda (K + lambda I)^-1 the regression leaves R y of outputs y. All that is needed of R
// comes from a tridiagonal matrix, which costs a quarter of an eigendecomposition to have and as
// little to use. Where K = L L' has a low rank r, L being its pivoted Cholesky factor,
//
//	L'L = Q T Q',   P = L Q,   R = I - P (T + lambda I)^-1 P',
//
// and otherwise
//
//	K = P T P',   R = lambda P (T + lambda I)^-1 P',
//
// with orthogonal P. With T + lambda I = B D B', where B is bidiagonal with ones on its diagonal,
// the quadratic forms are sums of r squares: e_i'P (T + lambda I)^-1 P'e_i is that of the elements
// of B^-1 P'e_i, each over one of D, and log det(T + lambda I) is sum log D.
//
// The rank is low if r is at most n/2 with no element of the diagonal wrong by more than 1e-14. The
// relative error of R is then at most n 1e-14/lambda.
//
// # Leave one out
//
// The prediction of point i from the others misses by (R y)_i/R_ii, exactly (Craven and Wahba,
// 1979). For a variable with feature vectors f_i, as the rows of F, that is a vector, and the mean
// squared error is
//
//	1/n sum_i |(R F)_i|²/R_ii² = 1/n sum_i [R F F' R]_ii/R_ii².
//
// # Marginal likelihood
//
// The columns of F are draws of one Gaussian process with covariance s² (K + lambda I). At the best
// s² the log likelihood of each column is, but for a constant,
//
//	-1/2 log det(K + lambda I) - n/2 log tr F'(K + lambda I)^-1 F.
package ridge
