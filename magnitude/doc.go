// Package magnitude says how large a difference or a dependence is, in numbers that do not grow with
// the number of rows, each with a 90% interval.
//
// # Two samples
//
// Samples compares two independent samples, and Pairs two samples whose rows belong together:
//
//	r, err := magnitude.Samples(ctx, x, y, magnitude.Options{Columns: []string{"height", "weight"}})
//	c := r.Columns[0]
//	fmt.Println(c.Mean.Estimate, c.Mean.Lower, c.Mean.Upper)
//
// Each column has the difference of the means and of five quantiles in the units of the data, the
// probability that a random row of the first sample exceeds one of the second, the overlap of the
// two laws, and the standardised difference of the means. Result.Overall is for all columns together:
// the energy coefficient of inhomogeneity, which is 0 for equal laws and at most 1. For pairs the
// mean, the quantiles, the probability and the standardised difference are those of the differences
// within pairs.
//
// # Two variables
//
// Dependence is the distance correlation of two variables, from 0 to 1, without the bias that grows
// with the number of columns.
//
// # The intervals
//
// An interval holds for its number and its column alone: of twenty columns two intervals are expected
// to miss. DERIVATION.md says how each is found, and README.md in examples/magnitude how often each
// covers the truth. Means are resampled (bootstrap-t) and compared with Student's t; the wider interval
// is given. Standardised differences are resampled from the rows, and from laws with long tails where
// the rows show some: the standard deviation depends on values so rare that the rows may have none.
// Overlaps are simulated; the others have closed forms.
// Two samples of 300 rows take some 60 ms a column.
// Of more than 100,000 rows of a sample the overlap and the tails are found from as many, drawn at random.
// Of more than 1000 rows of a sample the overall number compares 1000, drawn at random. Dependence looks at all
// rows where each variable is one column, and otherwise at 4000 (DependentRows).
package magnitude
