package main

import (
	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

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

// witnessLevel is that of the band in the picture of a test, point by point.
const (
	witnessLevel = 0.8
	witnessZ     = 1.2815515655446004 // (1+witnessLevel)/2 quantile of the normal distribution
)

// tested is what a test has led to.
type tested struct {
	command string
	flags   *testFlags
	con     *console
	data    *dataset
	result  *kerneltest.Result
	x, y    mat.Matrix
	names   [2]string
}

// witness is the function that the statistic is the squared norm of, with a band at each point.
func (r *tested) witness(points *mat.Dense) (value, lower, upper []float64, err error) {
	line := r.con.working("witness of the test")
	value, se, err := r.result.Witness(r.x, r.y, points)
	line.end()
	if err != nil {
		return nil, nil, nil, err
	}
	for j, v := range value {
		lower, upper = append(lower, v-witnessZ*se[j]), append(upper, v+witnessZ*se[j])
	}
	return value, lower, upper, nil
}

// admitSamples refuses flags that do not suit the data.
func (f *testFlags) admitSamples(data *dataset) error {
	n, dim := data.pooled().Dims()
	if err := f.checkInputs(n, dim); err != nil {
		return err
	}
	return f.admit(&f.kernel, dim)
}

// twoSample tests whether the samples of a data set have one distribution.
func twoSample(ctx context.Context, con *console, data *dataset, f *testFlags) (*tested, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	o.Blocks = data.blocks
	if w := data.weights; w != nil {
		o.WeightsX, o.WeightsY = w.given[0], w.given[1]
	}
	line := con.working("preparing the test")
	o.Progress = line.step
	r, err := kerneltest.TwoSample(ctx, data.p, data.q, o)
	line.end()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.source, err)
	}
	return &tested{command: "twosample", flags: f, con: con, data: data, result: r, x: data.p,
		y: data.q, names: [2]string{data.pName, data.qName}}, nil
}

// admitPairs refuses flags that do not suit the data; y is the kernel of the second variable.
func (f *testFlags) admitPairs(data *pairs, y *kernelFlag) error {
	n, dx := data.x.Dims()
	_, dy := data.y.Dims()
	if err := f.checkInputs(n, max(dx, dy)); err != nil {
		return err
	}
	if err := f.admit(&f.kernel, dx); err != nil {
		return err
	}
	return f.admit(y, dy)
}

// independence tests whether two variables are independent; y is the kernel of the second.
func independence(ctx context.Context, con *console, data *pairs, f *testFlags, y *kernelFlag) (
	*tested, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	if o.KernelY, err = f.choice(y); err != nil {
		return nil, err
	}
	o.Blocks = data.blocks
	line := con.working("preparing the test")
	o.Progress = line.step
	r, err := kerneltest.Independence(ctx, data.x, data.y, o)
	line.end()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.source, err)
	}
	_, dx := data.x.Dims()
	return &tested{command: "independence", flags: f, con: con, data: data.dataset, result: r,
		x: data.x, y: data.y, names: [2]string{strings.Join(data.columns[:dx], ", "),
			strings.Join(data.columns[dx:], ", ")}}, nil
}
