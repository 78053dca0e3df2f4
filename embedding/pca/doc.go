// Package pca is kernel principal component analysis of weighted rows, with the errors of
// reconstruction and pre-images.
//
// The features phi_i = k(., x_i) are centred by the weights m of an estimate of the mean embedding,
// phi~_i = phi_i - sum_j m_j phi_j, and the components are eigenvectors of the covariance operator
//
//	sum_i w_i phi~_i (x) phi~_i.
//
// With all weights 1/n it is the analysis of Schölkopf, Smola and Müller (1998). Package shrinkage
// has others: weights of a mean for Options.Centre, weights of a covariance (shrinkage.Covariance)
// for Options.Weights, and nil means 1/n.
//
// With LL' the centred Gram matrix and B the diagonal matrix of the w_i, eigenvectors v of L'BL of
// eigenvalue g have unit norm as functions when their coefficients are BLv/g. The problem is
// symmetric whatever the signs of the weights; only components of positive variance are kept.
//
// # What was found
//
// ShrinkScalar of a covariance (S-COSE of Muandet et al., 2014) multiplies B by one factor: the
// variances are multiplied by it, and the components and errors stay the same to the last digits.
// That paper reports smaller errors. On eight tables the flexible estimate (F-COSE) was never
// better than equal weights; examples/shrinkage has the table.
package pca
