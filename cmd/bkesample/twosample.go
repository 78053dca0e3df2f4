package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/internal/figure"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

func twoSampleCommand() command {
	return command{
		name: "twosample", args: "P.csv [Q.csv]",
		summary: "test whether two samples have the same distribution (MMD, learned kernel)",
		about: `Tests whether two samples come from the same distribution, by the maximum mean discrepancy.
The kernels are learned from both samples together, blind to which row is from which: the
permutation test is exact although no data are set aside. A single file needs -label.`,
		flags: func(s *flagSet) func(context.Context, *console, []string) error {
			j := &twoSampleJob{}
			j.data.define(s, false, "The statistic is that of the weighted samples; the kernel is "+
				"learned from the rows as they are. Permutations exchange rows together with their "+
				"weights, which must be on one scale in both samples")
			j.test.define(s, false)
			j.output.define(s, "twosample")
			return func(ctx context.Context, con *console, files []string) error {
				j.output.hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type twoSampleJob struct {
	data   dataFlags
	test   testFlags
	output outputFlags
}

func (j *twoSampleJob) run(ctx context.Context, set *flagSet, con *console, files []string) error {
	if err := j.test.check(set); err != nil {
		return err
	}
	if err := j.output.check(set); err != nil {
		return err
	}
	switch {
	case len(files) == 0:
		return usagef("found no file, want P.csv and Q.csv, or one file with -label")
	case len(files) == 1 && j.data.label == "":
		return usagef("found one file and no -label, want a second file, or the column that tells " +
			"the samples apart")
	case j.data.weights != "" && !j.test.permutes():
		return usagef("-weights is for permutations, and -null is %s", j.test.null)
	}
	j.data.blocks = j.test.blocks
	data, err := j.data.load(set, con, files)
	if err != nil {
		return err
	}
	n, dim := data.pooled().Dims()
	if err := j.test.checkInputs(n, dim); err != nil {
		return err
	}
	if err := j.test.admit(&j.test.kernel, dim); err != nil {
		return err
	}
	dir, err := j.output.prepare()
	if err != nil {
		return err
	}
	o, err := j.test.options()
	if err != nil {
		return err
	}
	o.Blocks = data.blocks
	if w := data.weights; w != nil {
		o.WeightsX, o.WeightsY = w.given[0], w.given[1]
		data.notes = append(data.notes, w.sentence(data)+" Permutations exchange rows together with "+
			"their weights: the test is exact if row and weight together have the same distribution in "+
			"both samples, but not if the weights depend on the sample.")
	}
	line := con.working("preparing the test")
	o.Progress = line.step
	r, err := kerneltest.TwoSample(ctx, data.p, data.q, o)
	line.end()
	if err != nil {
		return fmt.Errorf("%s: %w", data.source, err)
	}
	rep := &testReport{command: "twosample", job: &j.test, con: con, dir: dir, data: data, result: r,
		x: data.p, y: data.q, names: [2]string{data.pName, data.qName}, columns: data.columns}
	return rep.finish(&j.output)
}

// blockNumbers numbers labels in the order in which they come; nil if there are none.
func blockNumbers(labels []string) []int {
	if labels == nil {
		return nil
	}
	seen := map[string]int{}
	out := make([]int, len(labels))
	for i, l := range labels {
		if _, ok := seen[l]; !ok {
			seen[l] = len(seen)
		}
		out[i] = seen[l]
	}
	return out
}

// twoSampleWitness draws where two samples differ, by the kernel of the test.
func (r *testReport) twoSampleWitness() (*figure.Figure, error) {
	all := r.data.pooled()
	_, dim := all.Dims()
	if dim > 2 {
		return nil, nil
	}
	points, axes := pictureGrid(all)
	if points == nil {
		return nil, nil
	}
	value, lower, upper, err := r.witness(points)
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%s and %s", r.names[0], r.names[1])
	if dim == 1 {
		return figure.Witness1D{Title: title, XLabel: r.columns[0], Level: witnessLevel,
			Samples: []figure.Sample{{Name: r.names[0], Values: mat.Col(nil, 0, r.x)},
				{Name: r.names[1], Values: mat.Col(nil, 0, r.y)}},
			Band: figure.Ribbon{X: axes[0], Mean: value, Lower: lower, Upper: upper}}.Draw()
	}
	return figure.Witness2D{Title: title, X: axes[0], Y: axes[1], Mean: value, Lower: lower,
		Upper: upper, XLabel: r.columns[0], YLabel: r.columns[1], Level: witnessLevel,
		Samples: []figure.Cloud{cloud(r.names[0], r.data.p), cloud(r.names[1], r.data.q)}}.Draw()
}

// pictureGrid covers the data of one or two columns; nil if one of them is constant.
func pictureGrid(all *mat.Dense) (*mat.Dense, [][]float64) {
	_, dim := all.Dims()
	if dim == 1 {
		a := axis(mat.Col(nil, 0, all), lineGrid)
		return mat.NewDense(lineGrid, 1, a), [][]float64{a}
	}
	axes := [][]float64{axis(mat.Col(nil, 0, all), planeGrid), axis(mat.Col(nil, 1, all), planeGrid)}
	if axes[0][0] == axes[0][planeGrid-1] || axes[1][0] == axes[1][planeGrid-1] {
		return nil, nil
	}
	points := mat.NewDense(planeGrid*planeGrid, 2, nil)
	for i := range planeGrid * planeGrid {
		points.SetRow(i, []float64{axes[0][i/planeGrid], axes[1][i%planeGrid]})
	}
	return points, axes
}

// testFlags say which test is made.
type testFlags struct {
	kernel                          kernelFlag
	choose, statistic, null, blocks string
	theta, alpha                    float64
	permutations, stop, inputs      int
	inputsFrom, standardize, path   string
	seed                            uint64
}

// mostPermutations is more than anybody waits for, and fits into memory.
const mostPermutations = 10000000

// choices of the kernel, as the user writes them, those that learn it first.
var choices = []string{"ladder", "learned", "modes", "posterior-mean", "median/sqrt2", "median",
	"sqrt2*median", "fuse", "agg"}

func (f *testFlags) define(s *flagSet, pairs bool) {
	s.group("Test")
	f.kernel.define(s, "kernel", "se", "the radial `kernel`: "+radialNames)
	multiples, several := "1 and 4", "columns for samples of more than one column, none for one"
	grids := "the ten kernels of the tests MMD-FUSE and MMDAgg (fuse, agg)"
	if pairs {
		multiples, several = "1, 4 and 16", "columns for a variable of more than one column, none for one"
		grids = "the kernels of the tests FUSE and HSICAgg, five for each variable (fuse, agg)"
	}
	s.choice(&f.choose, "choose", "ladder", choices, "the `rule` that gives the kernels their "+
		"lengthscales: learned (the posterior mode in a Bayesian model), ladder ("+multiples+
		" times that lengthscale), modes (every posterior mode), posterior-mean (the mean of the kernel over the "+
		"posterior), the median heuristic in its three conventions (median/sqrt2, median, "+
		"sqrt2*median), or "+grids)
	s.number(&f.theta, "theta", 0, "use this `lengthscale` instead of choosing one; it is that of the "+
		"columns as -standardize scales them")
	s.choice(&f.statistic, "statistic", "biased", []string{"biased", "unbiased"}, "`which` estimate "+
		"is the test statistic: biased or unbiased; several kernels always use the unbiased one")
	nulls := []string{"auto", "permutation", "spectral", "pearson", "gamma"}
	if pairs {
		nulls = append(nulls, "gamma-kci", "gamma-dhsic")
	}
	s.choice(&f.null, "null", "auto", nulls, "the null `distribution`: "+orList(nulls)+
		"; auto is permutation, the others are approximations for one kernel and large samples")
	s.whole(&f.permutations, "permutations", 999, "`number` of permutations")
	s.whole(&f.stop, "stop", 0, "stop early once this `number` of permutations have a statistic at "+
		"least as large as that of the data; the p-value stays valid (default never)")
	s.number(&f.alpha, "alpha", 0.05, "`level` of the test")
	s.text(&f.blocks, "blocks", "", "exchange rows only within the groups (patients, days, strata) "+
		"that this `column` names; it is left out of the data")
	s.choice(&f.standardize, "standardize", "", []string{"none", "columns"}, "`how` columns are "+
		"scaled: none (not at all) or columns (each is divided by its sd) (default "+several+")")
	s.whole(&f.inputs, "inputs", 0, "the `number` of pseudo-inputs for learning the kernel "+
		"(default min(10^D, 100, n/5), doubled if the fit calls for it)")
	s.choice(&f.inputsFrom, "inputs-from", "", []string{"quantiles", "kmeans", "heldout"},
		"`where` pseudo-inputs come from: quantiles, kmeans or heldout (default quantiles for one "+
			"column, kmeans for more)")
	s.choice(&f.path, "path", "auto", []string{"auto", "portable", "avx2", "avx512"},
		"the `code` that computes exponentials while learning; results agree to 1e-12")
	s.seed(&f.seed, "seed", 1, "the `seed` of the permutations and of the random steps in choosing "+
		"kernels")
}

func (f *testFlags) check(s *flagSet) error {
	if err := f.kernel.read(); err != nil {
		return err
	}
	f.kernel.named = s.given("kernel")
	switch {
	case s.given("theta") && !(f.theta > 0):
		return usagef("-theta is %v, want a positive number", f.theta)
	case s.given("theta") && s.given("choose"):
		return usagef("-theta fixes the kernel and -choose chooses it: want one of them")
	case !(f.alpha > 0 && f.alpha < 1):
		return usagef("-alpha is %v, want it between 0 and 1", f.alpha)
	case f.permutations < 1 || f.permutations > mostPermutations:
		return usagef("-permutations is %d, want between 1 and %d", f.permutations, mostPermutations)
	case 1/float64(f.permutations+1) > f.alpha:
		return usagef("-permutations is %d, with which no p-value is as small as -alpha, %v: want at "+
			"least %.0f", f.permutations, f.alpha, math.Ceil(1/f.alpha-1))
	case s.given("stop") && f.stop < 1:
		return usagef("-stop is %d, want at least 1", f.stop)
	case s.given("inputs") && f.inputs < 2:
		return usagef("-inputs is %d, want at least 2", f.inputs)
	case (s.given("inputs") || s.given("inputs-from")) && !f.learns():
		return usagef("-inputs and -inputs-from are for a kernel that is learned, not for %s",
			f.kernelFlag())
	case f.blocks != "" && !f.permutes():
		return usagef("-blocks is for permutations, and -null is %s", f.null)
	case f.stop > 0 && (!f.permutes() || f.choose == "agg"):
		return usagef("-stop is for permutations and not for -choose agg, found -null %s -choose %s",
			f.null, f.choose)
	case f.statistic == "unbiased" && !f.permutes():
		return usagef("-statistic unbiased is for permutations, and -null is %s", f.null)
	}
	return nil
}

// permutes reports whether the null distribution is found by permutation.
func (f *testFlags) permutes() bool { return f.null == "auto" || f.null == "permutation" }

// learns reports whether the kernel is learned from pseudo-inputs.
func (f *testFlags) learns() bool {
	return f.theta == 0 && slices.Contains(choices[:4], f.choose)
}

// kernelFlag is the flag that says which kernel is used.
func (f *testFlags) kernelFlag() string {
	if f.theta > 0 {
		return fmt.Sprintf("-theta %v", f.theta)
	}
	return "-choose " + f.choose
}

// admit refuses a kernel that cannot be learned from data of dim columns.
func (f *testFlags) admit(k *kernelFlag, dim int) error {
	if f.learns() && k.admit("unit", dim) != nil {
		return fmt.Errorf("-%s: %s cannot be learned from %s, as its square has no integral; want "+
			"another kernel, or -theta, -choose median or another rule that does not learn", k.name,
			k.list[0], plural(dim, "column"))
	}
	return nil
}

// checkInputs finds what is wrong with the flags of pseudo-inputs for data of a size.
func (f *testFlags) checkInputs(rows, dim int) error {
	switch {
	case f.inputs > rows:
		return usagef("-inputs is %d, want at most %d, the number of rows", f.inputs, rows)
	case f.inputsFrom == "quantiles" && dim > 1:
		return usagef("-inputs-from quantiles is for one column, and the data have %d", dim)
	}
	return nil
}

// options are those of the library.
func (f *testFlags) options() (kerneltest.Options, error) {
	o := kerneltest.Options{Permutations: f.permutations, Alpha: f.alpha, Seed: f.seed,
		Stop: f.stop, Unbiased: f.statistic == "unbiased"}
	switch f.standardize {
	case "columns":
		o.Standardize = kerneltest.StandardizeAlways
	case "none":
		o.Standardize = kerneltest.StandardizeNever
	}
	var err error
	if o.Null, err = statistic.ParseNull(f.null); err != nil {
		return o, err
	}
	switch f.choose {
	case "fuse":
		o.Combine = kerneltest.Fuse
	case "agg":
		o.Combine = kerneltest.Aggregate
	}
	o.Kernel, err = f.choice(&f.kernel)
	return o, err
}

// choice is that of kernels of one family. One that the user did not name is left to the library,
// which may then replace a model that cannot be learned.
func (f *testFlags) choice(k *kernelFlag) (kerneltest.Choice, error) {
	if _, se := k.list[0].(kernels.SE); se && f.theta > 0 {
		return kerneltest.Lengthscale(f.theta), nil
	}
	if f.theta > 0 {
		return kerneltest.Fixed(kernels.Stationary{Radial: k.list[0], Theta: []float64{f.theta}}), nil
	}
	c := kerneltest.Choice{Model: bke.Options{Path: f.path},
		Inputs: inputs.Options{Number: f.inputs}}
	if k.named {
		c.Model.Kernel = k.list[0]
	}
	if f.path == "auto" {
		c.Model.Path = ""
	}
	var err error
	if f.inputsFrom != "" {
		if c.Inputs.Kind, err = inputs.ParseKind(f.inputsFrom); err != nil {
			return c, err
		}
	}
	switch f.choose {
	case "fuse":
		c.Rule = kerneltest.FuseGrid
	case "agg":
		c.Rule = kerneltest.AggGrid
	default:
		c.Rule, err = kerneltest.ParseRule(f.choose)
	}
	return c, err
}
