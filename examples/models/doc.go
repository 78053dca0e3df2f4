// Package models holds posteriors whose moments are known, as examples of how models are written
// and as a measure of samplers.
//
// Those that All returns come from posteriordb (Magnusson et al.), with the data in the folder data
// and reference moments made by long runs of Stan, or by quadrature. Most are declared with a
// byhand.Model, parameter by parameter, with a log likelihood and its gradient in the parameters
// themselves; the change of variables to the sampler's space is then nobody's concern. GARCH shows
// the other way, a target written directly on R^4. Every gradient is derived by hand in the comment
// above it, and is checked with hmc.CheckGradient.
//
// GPBimodal, which has two modes, is known by quadrature.
package models
