// Package features approximates kernels by finite feature maps, k(x, y) near f(x)'f(y), for large
// data and streams. Embeddings, MMD and HSIC take one pass, in memory that does not grow with the
// rows, and parts can be merged.
//
//	f, err := features.NewFourier(kernel, dim, features.FourierOptions{Pairs: 256})
//	a, b := features.NewMean(f), features.NewMean(f)
//	err = a.Add(rows)         // as often as there are rows
//	err = a.Merge(other)      // what was summed elsewhere
//	d2, err := features.MMD2(a, b)
//
// # Random Fourier features
//
// A radial kernel is the expectation of cos(w'(x-y)) over frequencies w of a distribution of its
// own (Bochner): normal for the squared exponential, Student-t with 2 nu degrees of freedom for a
// Matern kernel, and scale mixtures of normals for all kernels of package kernels. With P
// frequencies
//
//	f(x) = P^(-1/2) (cos w_1'x, …, cos w_P'x, sin w_1'x, …, sin w_P'x)
//
// has f(x)'f(x) = 1, mean k(x, y) and variance ((1 + k(2(x-y)))/2 - k(x-y)²)/P, for the squared
// exponential (1-k²)²/(2P). Features sqrt(2/L) cos(w'x + b) with random phases b, as many numbers,
// L = 2P, have the variance (1 + k(2(x-y))/2 - k²)/L. That is larger wherever k(2(x-y)) is below 2
// k(x-y)², so everywhere for the squared exponential and Matern kernels, 68 times at k = 0.956; far
// apart, where the values are small anyway, it is smaller for rational quadratic kernels and
// mixtures of very different widths. Frequencies drawn orthogonally to each other, in blocks of as
// many as there are columns, have a smaller one still for smooth kernels (Yu et al., 2016).
//
// One pair of points is off by more than e with probability at most 2 exp(-P e²/2) (Hoeffding);
// some pair of a region of diameter R with at most
//
//	2^8 (s R/e)² exp(-P e²/(4 (D+2))),   s² = E |w|²
//
// (Rahimi and Recht, 2007; of independent frequencies). The error falls as P^(-1/2), no faster.
// Lecture notes that print the first bound one-sided, with exp(-L e²/8), mean phase features.
//
// # Landmarks
//
// With rows z_1..z_m and the Cholesky factor K_zz = LL' the features L^-1 k_z(x) are the projection
// on the span of the k(., z_j) (Nystroem). They are exact at the landmarks; elsewhere |k(x,y) -
// f(x)'f(y)| is at most the root of the product of what they leave of k(x,x) and k(y,y), which
// Residual computes. Landmarks chosen by pivoted Cholesky do better than random frequencies on
// smooth kernels with data of few dimensions, by orders of magnitude.
//
// # Costs
//
// A row takes O(PD) and 2P sines and cosines, or O(mD + m²); Cross takes the product of the numbers
// of features more. None of it depends on the number of rows, and maps do not allocate. A million
// rows in two columns with 32 pairs took 2 seconds on one busy core.
package features
