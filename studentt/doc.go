// Package studentt implements the kernel Student-t: a normal distribution in the feature space of a
// kernel, with a conjugate prior and its parameters integrated out (Huszár and Lacoste-Julien, A
// kernel approach to tractable Bayesian nonparametrics). The result is a closed-form density of a new
// row given earlier ones. It scores novelty, fills in missing columns, and generates fantasy data
// (package fantasy).
//
//	m, err := studentt.New(kernel, dim, studentt.Params{Alpha: 1, Beta: 0.01, Scale2: 0.1})
//	err = m.AddAll(ctx, x)
//	err = m.Novelty(ctx, scores, points)
//
// Conformal gives p-values of novelty that are exact for exchangeable rows.
//
// # The density
//
// Features are phi ~ N(mu, S), with mu | S ~ N(0, S/beta) and S inverse Wishart with scale s2 I. With
// J the volume of the feature map, the density of a row given N others is
//
//	log q(x) = -(1+N+alpha)/2 log D(x) + log J(x),
//	D = 1 + c + (q - t'W^-1 t)/s2,   c = 1/(N+beta),   W = K + s2 (I + 11'/beta),
//	t = k_x - c K1,   q = k(x,x) - 2c 1'k_x + c² 1'K1,
//	log J = 1/2 log det [d²k/dx_i dy_j] where y = x,
//
// up to a constant. J is constant for radial kernels. W is factored as L L' = T W T', where T is
// triangular and T (I + 11'/beta) T' = I. The rows of T are contrasts between a row and the mean of
// earlier ones. Adding a row of data adds a row to the factor, and no digits are lost as beta goes to
// 0. A small s2 does cost digits: the log density is accurate to about 1e-15/s2. An explicit inverse
// of W would lose 10 to a million times more.
//
// Alpha does not change the order of points by D. For radial kernels it changes no ranking at all.
//
// # What was found wrong in the paper
//
// Equations (3) to (5) centre the features, so that their sum is zero, and then use that sum. This
// loses the term beta N/(N+beta) (mean)(mean)' of the scatter. Form NIW keeps it and agrees with
// equation (2); Printed drops it. On the toy data of examples/studentt the two differ in total
// variation by 0.0007 at beta = 0.01, 0.05 at 1 and 0.15 at 25. With a squared exponential kernel,
// small s2 and larger beta, they differ by up to 21 in the log density.
//
// With a squared exponential kernel D tends to a constant far from the rows, so the density does not
// fall to zero. It is improper on the whole space for any number of rows, and needs a box (package
// fantasy). All far points then have the same novelty.
//
// # Tails
//
// WithTails adds a linear kernel, whose kernel Student-t is the ordinary multivariate one. Far away D is
// then a quadratic function of x, and the density falls like |x|^-(1+N+alpha). It is proper if N+alpha+1
// exceeds the number of columns, and orders far points by their distance. With the default share of the
// variance, the AUC of ordinary novelty changed by -0.3 to 0.3 points on six tables
// (examples/studentt -part tails).
//
// Explain says which columns make a row novel: by how much its novelty falls if one column takes another
// value.
//
// # Costs
//
// Add and LogDensity take O(N²) time. With a gradient LogDensity takes O(N² + ND) for radial kernels.
// It does not allocate. Other kernels take O(D³) more for J. With 1000 rows in two columns a density
// took 0.4 ms, with its gradient 0.7 ms, on one busy core.
package studentt
