// Package embedding says how well kernel mean embeddings are known, and where those of two samples
// differ, with honest bands.
//
// # The posterior
//
// The mean embedding of a distribution P is the function mu(t) = E k(X, t), X of P, and the witness
// of P and Q is the difference of two. Flaxman, Sejdinovic, Cunningham and Filippi (Bayesian
// Learning of Kernel Embeddings, UAI 2016) put a Gaussian process prior on mu, with covariance r,
// and observe it with error through the sample mean m(t) = sum_i w_i k(x_i, t), w_i = 1/n. Here it
// is observed at the points t that are asked for, and nowhere else. With R the prior covariance at
// these points and N the covariance of the errors,
//
//	mean m - N inverse(R+N) m,    covariance N - N inverse(R+N) N.
//
// The errors have the covariance of the central limit theorem, and a little more, so that mu does
// not count as known where no row has been:
//
//	N = s C/n + rho/(2n²),   s = tau2/v.
//
// C is the sample's own covariance of k(X, t); v = mean_l Var k(X, z_l) over the rows of the fit,
// so that tau2, learned with theta, is the level of the noise. And rho is r scaled to unit
// diagonal. At n = 50 and 400 pointwise 80% bands cover mu and the witness at 80% to 87% of the
// places where the data are, in up to five dimensions, and at 82% to 99% of those where they are
// not: examples/coverage has a table. The paper's noise, tau2/n at each of the sample's own rows,
// is IID; its bands are too narrow among the data and far too wide outside.
//
// # Use
//
// A bke.Model and hyperparameters come first; see package bke, and bke/target for draws of them.
// Then
//
//	e, err := embedding.New(model, embedding.Sample{X: x}, params, embedding.Options{})
//	mean, sd, err := e.At(points)     // each point alone
//	mean, cov, err := e.Joint(points) // all of them
//
// is the posterior of one embedding at given hyperparameters, and
//
//	w, err := embedding.NewWitness(model, p, q, draws, embedding.Options{})
//	post, err := w.At(ctx, points)                 // Mean, SD, Positive, Quantile
//	band, err := post.Band(0.8)                    // at each point
//	f, err := w.Functions(ctx, points, 1000, seed) // whole functions
//	everywhere, err := f.Band(0.95)                // at all points at once
//
// integrates the witness over draws of the hyperparameters. With one draw it is the witness at that
// theta. Band.Intervals says where a band excludes zero. A band at each point excludes zero
// somewhere more often than not, whatever the samples. Whether two samples differ at all is for an
// exact test to say (package kerneltest). Then Functions.Band at the theta of its kernel
// (Options.Rung and Options.AtTest) says where.
//
// What is said of a point by At does not depend on what else is asked for. Joint and Functions
// observe all points together, which moves means by about a hundredth of a standard deviation (n =
// 50).
//
// # Weights
//
// Rows can have weights, of sum 1 (Sample). C/n becomes
//
//	sum_i w_i² (k_i-m)(k_i-m)'/(1 - sum_i w_i²),
//
// and 1/n² becomes (sum_i w_i²)². With negative weights there is a mean and no band. The same holds
// for weights shrunk by package shrinkage: set Sample.Shrunk for these, since they do not sum to 1.
//
// # Cost
//
// For n rows and q points, each draw of the hyperparameters costs O(nq) for At. Functions takes
// O(r²n + r³ + qr) more, where r points determine a smooth kernel at all others. On a grid of one
// column with theta a thirtieth of its range r is 40 to 70; where points are far apart it is q.
// With many draws of a single lengthscale, rows are looked at for about 15 values of theta only.
// Draws in between are read off an interpolating polynomial, so n hardly matters. Kernel values are
// kept for 512 rows at a time. README.md has figures, DERIVATION.md formulas.
package embedding
