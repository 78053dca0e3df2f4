// Package density estimates a density by matching mean embeddings: among the mixtures of normal
// distributions on given centres, the one whose embedding is nearest to that of the data,
//
//	min over w of |sum_j w_j E k(., Y_j) - sum_i v_i k(., x_i)|²,   w_j >= 0, sum w = 1,
//
// where Y_j is of N(t_j, s_j² I). This is a quadratic program, w'Mw - 2 b'w, whose matrices have
// closed forms for the squared exponential kernel and polynomials: see Normals.Embed. Minimise
// solves it by an active set and says by how much the conditions for a minimum are missed. The data
// may be weighted, in particular by package shrinkage: v shrunk by one factor is matched less far,
// and the weights still have sum 1.
//
// Normals are mixtures with any covariances, whose embeddings are exact: what estimators are
// measured by, as in examples/shrinkage.
//
// The kernel is a criterion here and no part of the density. With theta far above the spreads s_j,
// many mixtures have nearly the same embedding, and rounding decides the weights. Solution.KKT
// stays small, because it asks for the objective.
package density
