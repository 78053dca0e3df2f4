// Package ica finds independent components: linear coordinates that are as independent as possible.
// It minimises HSIC over rotations by gradient descent.
//
// Rows x = A s + mean are mixtures of independent sources s. The whitened rows z = V (x - mean) are,
// up to scale, a rotation of the sources. The rotation Q that undoes it minimises
//
//	F(Q) = sum_{i<j} HSIC(y_i, y_j),   y = Q z,
//
// with a squared exponential kernel of the same lengthscale for all components. The kernel is
// replaced by features (cos w_p y, sin w_p y)/sqrt(P) at P frequencies w_p, the quantiles of its
// spectral distribution. Their dot product is a kernel too, so F is a true HSIC. With C_ij the
// covariance of the features f_i and f_j of two components, HSIC is |C_ij|², and
//
//	dF/dy_ti = 2/n f'(y_ti)'sum_{j != i} C_ij (f(y_tj) - mean f_j),   E = dF/dQ = sum_t dF/dy_t z_t'.
//
// On the group of rotations the gradient is the skew matrix G = E Q' - Q E', and a step is Q <-
// exp(-s G) Q: no step leaves the group. Steps have the length of Barzilai and Borwein, shortened
// until F falls enough.
//
// # Starts
//
// F has local minima, the more the more columns there are. So the descent is the last of three stages.
// The first are fixed points (Hyvärinen 1999) of three contrasts, and a random rotation. From each,
// components are turned pair by pair to the angle at which the HSIC of the two is least over a quarter
// turn, on at most 1000 rows, first with a kernel twice as wide, which has fewer minima. The answer with
// the least F goes on to the descent on all rows.
//
// # What it cannot tell
//
// Sources are found up to order, sign and scale. Two or more normal sources cannot be told apart:
// Result.Warnings names components that look normal. It also says if starts end at different components
// that are as independent.
//
// With m columns a step costs O(n (2Pm)²), and memory is 4 n P m numbers.
package ica
