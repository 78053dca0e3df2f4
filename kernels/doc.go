// Package kernels has positive definite functions on R^D, their Gram matrices, and the median
// heuristic.
//
// # Kernels
//
// With r the Euclidean distance of x and y in units of theta, r² = sum_a (x_a-y_a)²/theta_a²,
//
//	SquaredExponential  exp(-r²/2)
//	Matern52            (1 + sqrt5 r + 5r²/3) exp(-sqrt5 r)
//	Matern32            (1 + sqrt3 r) exp(-sqrt3 r)
//	Laplacian           exp(-r)
//
// from the smoothest to the roughest; the last is the Matern kernel of order 1/2 (Rasmussen and
// Williams, Gaussian Processes for Machine Learning, 2006, section 4.2). Theta has one element, a
// lengthscale for all columns, or one for each column (automatic relevance determination). All are
// 1 at r = 0, fall to 0, and are characteristic: a distribution is determined by its mean embedding
// (Sriperumbudur et al., 2010). Sum and Product combine kernels of any kind; both are kernels
// again.
//
// Conventions differ elsewhere. What is written here as exp(-r²/2) others write as exp(-d²/l²),
// with l = sqrt2 theta, or as exp(-gamma d²), with gamma = 1/(2 theta²).
//
// # The median heuristic
//
// Where nothing better is known, theta is often set from the median distance between two rows of
// the data. Three conventions circulate that differ by factors of sqrt2 (see Convention), and
// results that were published under one are not those of another: name the one in use. The
// heuristic knows nothing about what the kernel is for. On data with structure at several scales it
// finds the largest one: on a grid of tight clusters the distance between clusters, at which a test
// sees nothing of what happens inside them (Gretton et al., 2012; Flaxman et al., 2016, figure 2).
package kernels
