// Package distreg predicts one value for each bag of rows, such as a vote from the people of a county:
// distribution regression.
//
//	fit, err := distreg.Learn(ctx, bags, y, distreg.LearnOptions{})
//	mean, variance, err := fit.Model.Predict(fit.Params, newBags)
//
// Rows should be in comparable units first, as bke.Standardize makes them. Package target samples the
// weights by NUTS, and predicts classes.
//
// # The model
//
// A bag of rows x is described by its mean embedding at landmarks z_1..z_m: the mean of the features
// k(x, z_l), with a squared exponential kernel. The label is linear in the true embedding mu_i,
//
//	y_i ~ N(alpha + beta'mu_i, sigma²),   beta ~ N(0, kappa² inv(P)),
//
// and mu_i is known from n_i rows only. With the covariance R of true embeddings between bags and N_i of
// the error of an empirical one,
//
//	mu_i ~ N(m_i, Sigma_i),   m_i = m0 + A (mean_i - m0),   A = R inv(R+N_i).
//
// So a bag of few rows is drawn towards the mean m0 of all bags, and its prediction has a wider interval.
// With C the covariance of features within bags, pooled, Q_i the bag's own scatter and G = I - A, the
// default is
//
//	N_i = s C/n_i,   Sigma_i = G R G' + A No_i A',   No_i = s (Q_i + 5 C)/((n_i - 1 + 5) n_i):
//
// the pooled covariance decides how far to draw, the bag's own how much is left unknown. R is estimated
// from the bags (see Form).
//
// # The moment form
//
// With beta and mu_i integrated out, the labels have two known moments. LogEvidence takes them as normal:
//
//	y ~ N(a0 1, a² 11' + kappa² M inv(P) M' + diag(sigma² + kappa² tr(inv(P) Sigma_i))).
//
// It has a closed form, and predicts as well as sampling beta does. Predict has the uncertainty of a new
// bag by the posterior of beta, not by its prior: that is what makes intervals of small bags hold. Of few bags the
// largest evidence may be at a sigma of almost 0, and intervals are too narrow; Fit.Average averages over sigma and kappa.
//
// # How it is computed
//
// In coordinates where C is the identity and R diagonal (frame.go), gains are numbers, r n/(s + r n).
// With N rows in n bags, the features take O(N m²) for each theta, a value of the evidence O(n m²), and its
// derivative in theta O(N m² + n m³).
//
// # What is assumed
//
// The rows of a bag are independent. Where they are not, n_i is too large and intervals are too narrow.
// If the number of rows goes with the label, the mean embedding is biased: so make it a column.
//
// # Sources
//
//   - H. C. L. Law, D. J. Sutherland, D. Sejdinovic, S. Flaxman (2018), Bayesian approaches to
//     distribution regression, AISTATS. Shrinkage by the covariance between bags, the moment form and the
//     two covariances within bags are not in it.
//   - Z. Szabó, B. Sriperumbudur, B. Póczos, A. Gretton (2016), Learning theory for distribution
//     regression, JMLR 17.
package distreg
