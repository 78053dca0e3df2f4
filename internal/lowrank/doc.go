// Package lowrank factors positive semidefinite matrices of low numerical rank, such as Gram
// matrices of smooth kernels, and holds the few dense kernels that go with it.
//
// Cholesky with complete pivoting takes, at every step, the first row whose remaining diagonal element is
// the largest, and stops when none exceeds a tolerance: Harbrecht, Peters and Schneider (2012, On
// the low-rank approximation by the pivoted Cholesky decomposition) bound what is left by its
// trace. Only the diagonal and the columns of the pivots are ever looked at, so a matrix of n rows
// and rank r costs r columns, and n r²/2 multiplications.
//
// Matrices are flat and a factor is kept column by column. In all functions a "row" of a slice is
// contiguous and as long as the number of points, and there are as many rows as features. This is
// the order in which the loops run.
package lowrank
