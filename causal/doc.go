// Package causal learns causal graphs from tables: which columns may affect which.
//
// # To begin with
//
//	data, err := causal.NewData([]string{"temp", "wind", "ozone"}, rows) // NaN for a missing value
//	test, err := causal.NewFisherZ(data)
//	r, err := causal.PC(ctx, test, causal.Options{})
//	fmt.Println(r.Graph) // temp -> ozone, temp -- wind
//	fmt.Println(r.Notes) // what to be careful about
//
// PC begins with all columns adjacent and separates those that a test finds independent given some
// others. Of x - y - z with x and z separated by a set without y, it concludes x -> y <- z; Meek's
// rules direct what follows. The result stands for all graphs that explain the same independences,
// see package graph. It rests on assumptions that no data can confirm: no hidden common causes
// (FCI, and RFCI for many columns, do without this), no cycles, and independences only
// where the graph has them.
//
// # Tests
//
// A Test is asked whether two columns are independent given others:
//
//	Kernel    kernels: dependence of any kind, of numbers and of categories; up to some thousand rows
//	FisherZ   partial correlations, for normal data; fast
//	GSquare   counts, for columns of few values
//	Oracle    d-separation in a known graph, to see what PC could find at best
//
// Any other that has the two methods of Test will do. A test of a Kernel takes some 15 ms with 330
// rows on one core and some fifteen times that with 1000: with many columns Options.Depth bounds
// how many there are. Kernel.Residuals is the test of Flaxman et al. (2016): what regressions
// leave, with HSIC. It is not a test of conditional independence where the scale of the noise
// depends on the columns that are given; Disagreements says where it would decide otherwise.
//
// Rows with a missing value are left out of the tests that need it, and of no others;
// Result.LeastRows is what the test with fewest had. This is right if which values are missing does
// not depend on the other columns.
//
// # What does not depend on the order of the columns
//
// Nothing does. Separating sets are sought among the neighbours at the beginning of a level
// (Colombo and Maathuis 2014), every pair is tested from both sides, and all sets that separate are
// kept. Colliders are voted on by all of these sets, with kernel tests decided by their mean p-values, and
// placed in order, the strongest evidence first; what contradicts an arrow that stands is listed, what
// the p-values leave unclear stays open, and the graph always stands for some DAG.
// Options.Colliders has other rules; with some of them an edge may be a conflict, with two arrows.
//
// # Knowledge
//
// Knowledge directs edges before colliders are looked for. Tiers give the order in time; no column
// of a tier later than x and y is needed to separate these. A forbidden pair is not tested, and
// concludes nothing about colliders. Knowledge that contradicts itself is an error.
//
// # How sure
//
// One graph says little about how sure it is. Stability learns graphs from random halves of the
// rows, and counts how often each edge is there, and which way. Halves are drawn without
// replacement:
//
//	stable, err := causal.Stability(ctx, data.Rows(), func(rows []int, seed uint64) (causal.Test,
//		error) {
//		half, err := data.Subset(rows)
//		if err != nil {
//			return nil, err
//		}
//		return causal.NewFisherZ(half)
//	}, causal.Options{}, causal.StabilityOptions{Replicates: 200})
//	fmt.Println(stable.Levels[0].Of("sun", "ozone")) // how often adjacent, and which way
//
// Halves of the same rows share what misleads them, so that an arrow in most of them may still be wrong. LevelStability.Certain asks
// for nearly all.
//
// examples/ozone does all of this on data of air pollution.
//
// A run tells a Log of its tests, in memory or in a file. From the file, a stopped run goes on.
package causal
