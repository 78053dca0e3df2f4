// Package tests runs the program's tests: of two samples, of all pairs of groups, and of
// independence. The null distribution comes from permutations or, with many rows, from one pass
// over them. The package also holds the sentences, records and pictures of a test, for all commands
// that run one.
package tests

import (
	"fmt"
	"math"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"
)

// Flags say which test to run.
type Flags struct {
	Kernel                          study.KernelFlag
	Choose, Statistic, Null, Blocks string
	Given, Pairs                    string
	theta, Alpha                    float64
	Permutations, stop, inputs      int
	permutationsGiven               bool
	inputsFrom, standardize, path   string
	Seed                            uint64
	Together                        bool // no tests of single columns, and no pairs of columns
}

// mostPermutations is far more than anybody would wait for, but still fits into memory.
const mostPermutations = 10000000

// DefaultPermutations give p-values down to 0.001.
const DefaultPermutations = 999

// Define defines the flags, for pairs of variables or for two samples.
func (f *Flags) Define(s *cli.FlagSet, pairs bool) {
	s.Group("Test")
	f.Kernel.Define(s, "kernel", "se", "the radial `kernel`: "+kernels.RadialForms())
	rules, several := kerneltest.RecipeNames(pairs), "columns for samples of more than one column, none for one"
	if pairs {
		several = "columns for a variable of more than one column, none for one"
	}
	s.Choice(&f.Choose, "choose", rules[0], rules, "the `rule` that gives the kernels their "+
		"lengthscales: "+kerneltest.RecipeHelp(pairs))
	s.Number(&f.theta, "theta", 0, "use this `lengthscale` instead of choosing one; it is that of the "+
		"columns as -standardize scales them")
	s.Choice(&f.Statistic, "statistic", "biased", []string{"biased", "unbiased"}, "`which` estimate "+
		"is the test statistic: biased or unbiased; several kernels always use the unbiased one")
	nulls := []string{"auto", "permutation", "spectral", "pearson", "gamma"}
	if pairs {
		nulls = append(nulls, "gamma-kci", "gamma-dhsic")
	}
	s.Choice(&f.Null, "null", "auto", nulls, "the null `distribution`: "+cli.OrList(nulls)+
		"; auto is permutation of rows, and one pass over them above 200000 of them, of two samples above 40000 "+
		"(permutation keeps to rows); the others are approximations for one kernel and large samples")
	s.Whole(&f.Permutations, "permutations", DefaultPermutations, "`number` of permutations")
	s.Whole(&f.stop, "stop", 0, "stop early once this `number` of permutations have a statistic at "+
		"least as large as that of the data; the p-value stays valid (default never)")
	s.Number(&f.Alpha, "alpha", 0.05, "`level` of the test")
	s.Text(&f.Blocks, "blocks", "", "exchange rows only within the groups (patients, days, strata) "+
		"that this `column` names; it is left out of the data")
	given := "test whether the samples differ given these `columns`, separated by commas: rows are exchanged " +
		"only with rows of the same values where these are categories, or numbers with few values and enough rows of each; the effects " +
		"of other numbers are removed by regression"
	if pairs {
		given = strings.Replace(given, "the samples differ", "the variables are dependent", 1)
	}
	s.Text(&f.Given, "given", "", given)
	if !pairs {
		s.Text(&f.Pairs, "pairs", "", "rows of both samples with the same value in this `column` (a patient, before "+
			"and after) are a pair, and are exchanged only with each other; it is left out of the data")
	}
	s.Choice(&f.standardize, "standardize", "", []string{"none", "columns"}, "`how` columns are "+
		"scaled: none (not at all) or columns (each is divided by its sd) (default "+several+")")
	s.Whole(&f.inputs, "inputs", 0, "the `number` of pseudo-inputs for learning the kernel "+
		"(default min(10^D, 100, n/5), doubled if the fit calls for it)")
	s.Choice(&f.inputsFrom, "inputs-from", "", []string{"quantiles", "kmeans", "heldout"},
		"`where` pseudo-inputs come from: quantiles, kmeans or heldout (default quantiles for one "+
			"column, kmeans for more)")
	s.Choice(&f.path, "path", "auto", []string{"auto", "portable", "avx2", "avx512"},
		"the `code` that computes exponentials while learning; results agree to 1e-12")
	s.Seed(&f.Seed, "seed", 1, "the `seed` of the permutations and of the random steps in choosing "+
		"kernels")
}

// Check returns an error if the flags are wrong.
func (f *Flags) Check(s *cli.FlagSet) error {
	if err := f.Kernel.Read(); err != nil {
		return err
	}
	f.Kernel.Named = s.Given("kernel")
	if err := CheckLevel(f.Alpha, f.Permutations); err != nil {
		return err
	}
	f.permutationsGiven = s.Given("permutations")
	switch {
	case s.Given("theta") && !(f.theta > 0):
		return cli.Usagef("-theta is %v, want a positive number", f.theta)
	case s.Given("theta") && s.Given("choose"):
		return cli.Usagef("-theta fixes the kernel and -choose chooses it: want one of them")
	case s.Given("stop") && f.stop < 1:
		return cli.Usagef("-stop is %d, want at least 1", f.stop)
	case s.Given("inputs") && f.inputs < 2:
		return cli.Usagef("-inputs is %d, want at least 2", f.inputs)
	case s.Given("choose") && !f.Permutes() && f.recipe().Several():
		return cli.Usagef("-null %s is for one kernel, and -choose %s has several: want -choose learned or another rule of one",
			f.Null, f.Choose)
	case (s.Given("inputs") || s.Given("inputs-from")) && !f.learns():
		return cli.Usagef("-inputs and -inputs-from are for a kernel that is learned, not for %s",
			f.kernelFlag())
	case f.Blocks != "" && !f.Permutes():
		return cli.Usagef("-blocks is for permutations, and -null is %s", f.Null)
	case f.Pairs != "" && !f.Permutes():
		return cli.Usagef("-pairs is for permutations, and -null is %s", f.Null)
	case f.Pairs != "" && f.Blocks != "":
		return cli.Usagef("-pairs exchanges rows within pairs and -blocks within groups: want one of them")
	case f.stop > 0 && (!f.Permutes() || !f.recipe().Combine.Stops()):
		return cli.Usagef("-stop is for permutations and not for -choose %s, found -null %s -choose %s",
			cli.OrList(kerneltest.EndlessRecipes()), f.Null, f.Choose)
	case f.Statistic == "unbiased" && !f.Permutes():
		return cli.Usagef("-statistic unbiased is for permutations, and -null is %s", f.Null)
	}
	return f.checkGiven()
}

// Permutes reports whether the null distribution is found by permutation.
func (f *Flags) Permutes() bool { return f.Null == "auto" || f.Null == "permutation" }

// learns reports whether the kernel is learned from pseudo-inputs.
func (f *Flags) learns() bool {
	return f.theta == 0 && f.recipe().Learns
}

// recipe is the recipe of -choose; the flag has checked its name.
func (f *Flags) recipe() kerneltest.Recipe {
	r, _ := kerneltest.FindRecipe(f.Choose)
	return r
}

// kernelFlag is the flag that sets the kernel.
func (f *Flags) kernelFlag() string {
	if f.theta > 0 {
		return fmt.Sprintf("-theta %v", f.theta)
	}
	return "-choose " + f.Choose
}

// admit rejects a kernel that cannot be learned from data of dim columns.
func (f *Flags) admit(k *study.KernelFlag, dim int) error {
	if dim > 0 && f.learns() && k.Admit("unit", dim) != nil {
		return fmt.Errorf("-%s: %s cannot be learned from %s, as its square has no integral; want "+
			"another kernel, or -theta, -choose median or another rule that does not learn", k.Name,
			k.List[0], cli.Plural(dim, "column"))
	}
	return nil
}

// checkInputs returns an error if the flags for pseudo-inputs do not suit data of this size.
func (f *Flags) checkInputs(rows, dim int) error {
	switch {
	case f.inputs > rows:
		return cli.Usagef("-inputs is %d, want at most %d, the number of rows", f.inputs, rows)
	case f.inputsFrom == "quantiles" && dim > 1:
		return cli.Usagef("-inputs-from quantiles is for one column, and the data have %d", dim)
	}
	return nil
}

// options are the options of the library.
func (f *Flags) options() (kerneltest.Options, error) {
	o := kerneltest.Options{Permutations: f.Permutations, Alpha: f.Alpha, Seed: f.Seed,
		Stop: f.stop, Unbiased: f.Statistic == "unbiased"}
	switch f.standardize {
	case "columns":
		o.Standardize = kerneltest.StandardizeAlways
	case "none":
		o.Standardize = kerneltest.StandardizeNever
	}
	var err error
	if o.Null, err = statistic.ParseNull(f.Null); err != nil {
		return o, err
	}
	o.Combine = f.recipe().Combine
	o.Kernel, err = f.choice(&f.Kernel)
	return o, err
}

// choice is the choice among kernels of one family. If the user named none, the library decides,
// and may replace a model that cannot be learned.
func (f *Flags) choice(k *study.KernelFlag) (kerneltest.Choice, error) {
	if _, se := k.List[0].(kernels.SE); se && f.theta > 0 {
		return kerneltest.Lengthscale(f.theta), nil
	}
	if f.theta > 0 {
		return kerneltest.Fixed(kernels.Stationary{Radial: k.List[0], Theta: []float64{f.theta}}), nil
	}
	c := kerneltest.Choice{Model: bke.Options{Path: f.path},
		Inputs: inputs.Options{Number: f.inputs}}
	if k.Named {
		c.Model.Kernel = k.List[0]
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
	c.Rule = f.recipe().Rule
	return c, nil
}

// CheckLevel returns an error if the permutations cannot reach the level.
func CheckLevel(alpha float64, permutations int) error {
	switch {
	case !(alpha > 0 && alpha < 1):
		return cli.Usagef("-alpha is %v, want it between 0 and 1", alpha)
	case permutations < 1 || permutations > mostPermutations:
		return cli.Usagef("-permutations is %d, want between 1 and %d", permutations,
			mostPermutations)
	case 1/float64(permutations+1) > alpha:
		return cli.Usagef("-permutations is %d, with which no p-value is as small as -alpha, %v: want at "+
			"least %.0f", permutations, alpha, math.Ceil(1/alpha-1))
	}
	return nil
}
