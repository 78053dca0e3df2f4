// Package compare says whether two samples differ, and where, in one call:
//
//	r, err := compare.Samples(ctx, compare.Sample{Name: "a", X: x}, compare.Sample{Name: "b", X: y},
//		compare.Options{})
//	fmt.Println(r)
//
// # Whether
//
// The exact permutation test of package kerneltest is the verdict: Result.Test. Nothing below
// contradicts it. Where its p-value is above alpha nothing is named, whatever a band shows.
//
// # Where
//
// Package kerneltest has the places at which the samples differ that its test tells apart
// (kerneltest.Places): for one column Witness.Where has intervals, each with the sample that has more there; for
// several columns Witness.Places has a few points. Of data sets like those of examples/places, at most about
// one in twenty has a place that is wrong. Witness.Likely is the clearest place, also where none can be named.
//
// The figure shows the witness of a kernel. There are a few scales, the learned lengthscale theta times some
// rungs (1 and 4), and the statistic of one of them is the largest. The witness is that of its kernel,
//
//	f(t) = mu_P(t) - mu_Q(t),   mu_P(t) = E k(X, t),
//
// with the simultaneous 95% band of its posterior (package embedding): with probability 95% the
// function is inside at all points at once. It is a mixture over c theta_k, where theta_k are the
// draws of chains given the pseudo-inputs and c is the rung. The level of the noise is that of the
// central limit theorem. Witness.Strongest is where it is furthest from 0. Where only a part of the rows is
// held (Sample.Means), places are those where this band excludes 0.
//
// The band is simultaneous over points near the data: those with a row within one lengthscale.
// Empty stretches would widen the band everywhere and tell nothing.
//
// Scale chooses other witnesses: another rung, or the figure of Flaxman et al. (2016), in which
// theta and the level of the noise are as sampled.
//
// # Several columns
//
// Columns are divided by their standard deviations before they are compared. Intervals and places
// are in the units of the data all the same. Result.ByColumn has the test of each column alone,
// corrected for their number by Holm's method. With three columns or more Result.Pairs has the
// pairs of columns that differ most, with the witness on their plane.
//
// A difference in one column that is spread along the others is weak at each point. Where the
// test rejects and no point can be named, places are therefore looked for in single columns: in
// those whose own tests reject, corrected.
//
// # Cost
//
// For 400 rows of each sample and one column the call takes a twentieth of a second, for two
// columns half a second, nearly all of it the test. The tests of single columns take a fortieth of
// a second each. The pairs take one to three seconds: they are ranked among the 30 columns with the
// smallest p-values, on at most 600 rows. README.md has figures.
package compare
