// Package svm trains support vector machines: classification of two and more classes, regression,
// and one class, with any kernel of package kernels, on rows or on whole samples.
//
// # To begin with
//
// Rows wraps a matrix, and labels are words:
//
//	k := svm.Kernel{Kernel: kernels.SquaredExponential(1.5)}
//	c, err := svm.Classify(ctx, k, svm.Rows(x), labels, svm.Options{C: 10})
//	classes, err := c.Predict(svm.Rows(new))
//
// Columns of different units should be divided by their standard deviations first (bke.Standardize).
// A lengthscale can be had from the median heuristic (kernels.MedianDistance) or learned (bke.Learn).
//
// Regress fits a function, OneClass the region of a distribution. Options.Nu chooses the nu forms,
// in which a share of support vectors is asked for in the place of C. Probabilities are learned from
// decisions in cross-validation. Save writes a machine, and ReadMachine and ReadClassifier read it.
//
// # Machines on distributions
//
// Samples wraps samples of rows, each an item: two samples are as alike as their mean embeddings.
// With Kernel.Width a Gaussian kernel of the distance between embeddings tells distributions apart
// whose means in feature space no hyperplane separates (Muandet, Fukumizu, Dinuzzo and Schölkopf
// 2012). Samples may be weighted, by package embedding/shrinkage for one.
//
// # How it works
//
// All machines are one quadratic program, solved by sequential minimal optimisation with
// second-order choice of the pair, shrinking, and kept rows of the kernel matrix. Machine.Violation
// is the largest violation of the optimality conditions that is left, at most Options.Tolerance.
// A step takes O(n) for n items, their number grows faster than n; memory is Options.Memory.
//
// # Sources
//
//   - B. Schölkopf, A. Smola, R. Williamson, P. Bartlett (2000), New support vector algorithms, Neural
//     Computation 12.
//   - B. Schölkopf, J. Platt, J. Shawe-Taylor, A. Smola, R. Williamson (2001), Estimating the support
//     of a high-dimensional distribution, Neural Computation 13.
//   - R.-E. Fan, P.-H. Chen, C.-J. Lin (2005), Working set selection using second order information
//     for training support vector machines, JMLR 6.
//   - C.-C. Chang, C.-J. Lin (2011), LIBSVM: a library for support vector machines, ACM TIST 2.
//   - H.-T. Lin, C.-J. Lin, R. Weng (2007), A note on Platt's probabilistic outputs for support vector
//     machines, Machine Learning 68.
//   - T.-F. Wu, C.-J. Lin, R. Weng (2004), Probability estimates for multi-class classification by
//     pairwise coupling, JMLR 5.
package svm
