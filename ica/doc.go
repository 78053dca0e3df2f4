// Package ica finds independent components: the linear coordinates in which the columns of data are
// as independent as they can be made, by the gradient of HSIC over rotations.
//
// Rows x = A s + mean are mixtures of independent sources s. Whitened, z = V (x - mean), they are a
// rotation of the sources, up to scale, and the rotation Q minimises
//
//	F(Q) = sum_{i<j} HSIC(y_i, y_j),   y = Q z,
//
// of the squared exponential kernel with the same lengthscale for all components. The kernel is
// replaced by features (cos w_p y, sin w_p y)/sqrt(P) at P frequencies w_p, the quantiles of its
// spectral distribution. That is a kernel too, so that F is a true HSIC; with C_ij the covariance
// of the features f_i and f_j of two components, HSIC is |C_ij|², and
//
//	dF/dy_ti = 2/n f'(y_ti)'sum_{j != i} C_ij (f(y_tj) - mean f_j),   E = dF/dQ = sum_t dF/dy_t z_t'.
//
// On the group of rotations the gradient is the skew matrix G = E Q' - Q E', and a step is Q <-
// exp(-s G) Q: no step leaves the group. Steps have the length of Barzilai and Borwein, shortened
// until F falls enough. F has local minima; several starts are tried
// on 500 of the rows, and the best goes on with all of them.
//
// Sources are found up to order, sign and scale, and not at all where two or more are normal. A
// step costs O(n (2Pm)²) for m columns, and memory is 4 n P m numbers.
package ica
