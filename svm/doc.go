// Package svm trains support vector machines for classification, regression and novelty detection
// (one class). It takes any kernel of package kernels, and learns from rows or from whole samples.
//
// # To begin with
//
// Rows wraps a matrix, and labels are words:
//
//	k := svm.Kernel{Kernel: kernels.SquaredExponential(1.5)}
//	c, err := svm.Classify(ctx, k, svm.Rows(x), labels, svm.Options{C: 10})
//	classes, err := c.Predict(svm.Rows(new))
//
// If columns have different units, divide them by their standard deviations first
// (bke.Standardize). Choose the lengthscale by the median heuristic (kernels.MedianDistance), or
// learn it (bke.Learn).
//
// Regress fits a function; OneClass fits the region of a distribution. Options.Nu chooses the nu
// forms: instead of C, nu bounds the fraction of support vectors. Probabilities are learned from
// decisions in cross-validation. Save writes a machine; ReadMachine and ReadClassifier read it.
//
// # Machines on distributions
//
// Samples makes each sample of rows an item, and compares samples by their mean embeddings.
// Kernel.Width adds a Gaussian kernel of the distance between embeddings. It separates distributions
// that no hyperplane separates in feature space (Muandet, Fukumizu, Dinuzzo and Schölkopf 2012).
// Samples may have weights, for example those of package embedding/shrinkage.
//
// # How it works
//
// All machines solve one form of quadratic program, by sequential minimal optimisation. The solver
// chooses pairs to second order, shrinks the problem, and caches rows of the kernel matrix.
// Machine.Violation is the largest remaining violation of the optimality conditions, at most
// Options.Tolerance. With n items a step takes O(n) time, and the number of steps grows faster than
// n. Options.Memory bounds the cache.
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
