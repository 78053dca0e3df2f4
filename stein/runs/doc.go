// Package runs looks at a run of a sampler with the gradients of its target: whether the draws fit the density
// (Inspect), and which few of them stand for all (Compress).
//
//	points, err := runs.Read(ctx, run, target, 0)
//	found, err := runs.Inspect(points, runs.Options{})
//	fmt.Println(found.Sentence())
//	few, err := runs.Compress(points, 100, found.Suspect() || runs.Apart(run))
//
// Gradients are computed anew, one a draw, where sampling spent many: they need not be stored.
//
// # Two checks
//
// With u the gradient of the log density and c any constant, E u_a = 0 and E (c_a - x_a) u_a = 1 in every coordinate
// a, whatever the density (Stein's identities). The means over the draws, over their standard errors, are compared
// with Student's distribution, one degree of freedom for ten effective draws, with Bonferroni's correction for the
// 2 D of them. They see a spread or a place
// that is a little wrong, which discrepancies hardly do.
//
// The squared kernel Stein discrepancy V of at most 500 draws, coordinates in units of their standard
// deviations, is compared with sums in which blocks of consecutive draws get random signs. Blocks are four times as long
// as the draws remember, so that the level holds for slow chains; with fewer than 20 blocks nothing is said. It
// sees shapes that are wrong.
//
// Neither sees a mode that no chain has visited, nor the masses of modes far apart. Nothing here shows that
// a run has converged.
package runs
