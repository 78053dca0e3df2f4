// Package modes looks for the modes of a posterior before it is sampled.
//
// A chain that starts near one mode of several may never see the others, and when all chains start
// near the same one, R-hat is 1.00 and nothing warns. The remedy is old and simple: climb from many
// dispersed starting points and look where the climbs end.
//
// # The search
//
// Each of S searches climbs by L-BFGS (Nocedal and Wright 2006, chapter 7), then takes Newton steps
// until it is within a thousandth of a standard deviation of a point whose gradient vanishes. The
// Hessian H comes from central differences of the target's own gradient, over steps measured in
// local standard deviations, and is made symmetric. The search has found a mode if H is negative
// definite there and the density is indeed lower one local standard deviation away along each
// principal axis. Otherwise it has failed: on a saddle, on a ridge or plateau, at infinity, or
// because the target panicked or was not a number wherever the search looked. Failures are counted,
// not hidden: many of them mean that the posterior may be improper or its gradient wrong.
//
// Two searches have found the same mode if they ended less than a tenth of a standard deviation
// apart by the Hessians of both (Mahalanobis distance). Every mode is reported with its log density
// and Laplace's approximation of the log of the mass around it,
//
//	lp + d/2 log(2 pi) - 1/2 log det(-H),
//
// which is exact for a normal density. Everything is on the sampler's own scale, change of
// variables included; modes on the user's scale would differ.
//
// # What the modes are for
//
// [Sample] starts its chains in different modes. If they mix, nothing is lost; if they do not,
// R-hat is large and says so, and the record of the search (draws.Run.Modes) says where the chains
// were put. The number of chains or searches in a mode says nothing about its mass: it depends on
// the starting points, not on the posterior. Never weight modes by such counts. The Laplace masses
// tell which modes can matter; their shares are right only where the modes are close to normal and
// well apart. For draws in the right proportions use package temper.
//
// A search can miss a mode. It finds modes that attract a fair part of the starting region. And
// L-BFGS knows nothing of units: where the scales of the coordinates differ by more than a factor
// of ten thousand or so, climbs begin to fail.
package modes
