// Package summary learns from any number of rows in one pass. A summary of a few megabytes keeps
// all that the model of package bke needs. Summaries can be merged, so shards can be summarised
// anywhere and in any order.
//
// With the pseudo-inputs z fixed beforehand the log pseudolikelihood needs, at one lengthscale theta,
// the means of the m kernel values k(x, z_l), the sum of their squared deviations, and the sum of log
// gamma: m+2 numbers, and no m x m matrix. A Plan fixes z and windows of log theta around the modes of
// a sample of the rows; a Summary holds these numbers at the Chebyshev points of each window. In between,
// the means, the log of the mean squared deviation and the mean of log gamma are interpolated: with 24
// points in a window of ±9% the log pseudolikelihood is off by less than 1e-12 a row. A gradient then
// costs microseconds whatever the number of rows is.
//
//	plan    a sample of the rows -> z, windows, lattice        Pilot, NewPlan
//	pass    blocks of rows -> kernel sums -> 128-bit integers  Summary.Chunk, Chunk.Add
//	merge   integers add up                                    Summary.Merge, Remove
//	rest    a model as if it had the rows                      Summary.Model, Interval, KernelMeans
//
// # The same bytes
//
// The kernel sums of a block of consecutive rows are computed in floating point, by the same code
// on every worker. Sums of blocks are added to 128-bit fixed-point integers: integer addition is
// associative, so that the bytes of a summary do not depend on the number of workers, on their
// order, or on the tree by which parts were merged, and a chunk can be taken out again exactly.
// They depend on the numerical path (Options.Path of package bke), which the plan fixes.
//
// # What a row costs
//
// With D columns, m pseudo-inputs and N nodes in all windows a row costs N m kernel values. In one
// column it costs some tens of nanoseconds whatever N and m are: kernel values and log gamma are
// smooth functions of x. The range is cut into pieces, a fraction of a lengthscale wide, and on
// each piece they are polynomials of degree 15 to rounding. A row adds the Chebyshev polynomials
// T_0(x) … T_15(x) to the sums of its piece; the sums of the functions are linear in these, a
// product of matrices for each chunk. They agree with those of the rows one by one to 1e-15 a row.
// Rows far beyond the range of the plan, and rows so near to a pseudo-input which is many
// lengthscales from all others that log gamma is not smooth, are summed one by one; so are all rows
// where chunks are shorter than about 300,000, and where the range is so many lengthscales wide
// that it would not be faster.
//
// # Bins
//
// Blocks go to bins in turn, from a place that the contents of the chunk decide. Each bin has all sums
// for itself. The variance between bins gives the sampling error of theta, which is several times its
// posterior sd, and tests that permute bins (see TwoSample). They take the rows of a file to be
// exchangeable; Dispersion tells whether neighbours resemble each other. With Chunk.Place the bins follow from the
// number of the chunk instead, so that summaries of single columns have the same rows in each, and TwoSample joins
// them with that of all columns.
//
// # Embeddings
//
// In one and two columns each row is also spread over a lattice by the eight-point rule of Lagrange:
// the sums over the lattice give the mean of k(X, p) for any p and any theta of five spacings or more.
// Since
//
//	k(x,p) k(x,p') = exp(-|p-p'|²/(4 theta²)) k_{theta/sqrt 2}(x, (p+p')/2)
//
// is exact, they give the covariances of kernel values too, which is all that package embedding needs of
// a sample.
package summary
