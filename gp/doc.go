// Package gp is Gaussian-process regression with the radial kernels of package kernels: as much of
// it as is needed to take out of a variable what others predict.
//
// # The model
//
// With rows x_i and outputs y_i,
//
//	y ~ N(0, K + n² I),   K_ij = s² k(x_i, x_j; theta),
//
// where s is the standard deviation of the signal, n that of the noise, and theta has one
// lengthscale for all columns or one for each (ARD). The mean is 0: subtract that of y first.
//
// # Marginal likelihood
//
// With S = K + n² I and alpha = S^-1 y,
//
//	log p(y) = -1/2 y'alpha - 1/2 log det S - N/2 log 2 pi,
//	d log p/du = 1/2 tr((alpha alpha' - S^-1) dS/du),
//
// in the logarithms u of the parameters, where
//
//	dS/dlog s = 2K,   dS/dlog n = 2 n² I,   dS/dlog theta_a = s² kappa q_a,
//
// kappa and q_a being those of package kernels (Rasmussen and Williams, 2006, section 5.4.1).
//
// The likelihood has several maxima: one reads the data as a smooth curve with noise, another as a
// rough curve without, and one as noise alone. Learn climbs from several lengthscales and returns
// all maxima it found, the highest first. Package target, below this one, is for the samplers.
//
// # Predictions
//
// At a new row with kernel vector k* = s² k(x_i, x*),
//
//	mean = k*'alpha,   variance of the signal = s² - k*'S^-1 k*.
//
// What is left of y is the residual y - K alpha = n² alpha. Each point predicted from all others
// has
//
//	mean = y_i - alpha_i/(S^-1)_ii,   variance = 1/(S^-1)_ii, noise and all,
//
// exactly (Rasmussen and Williams, 2006, section 5.4.2).
//
// Time grows with the cube of the number of rows: 100 rows took a tenth of a second to learn, and 300
// three seconds, on one core of a busy machine.
package gp
