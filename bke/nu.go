package bke

import "bayeskernel/kernels"

// Nu is the measure in the prior covariance of the mean embedding,
//
//	r(x, y) = integral of k(x, u) k(u, y) nu(du).
type Nu = kernels.Nu

// The measures of package kernels, under the names that models use.
const (
	Unit     = kernels.Unit     // Lebesgue measure scaled so that r(x, x) = 1: the default
	Lebesgue = kernels.Lebesgue // Lebesgue measure itself
	Gaussian = kernels.Gaussian // N(0, eta² I), which has mass one
)
