package kerneltest

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Combination says how one test is made of several kernels.
type Combination int

const (
	// Largest compares the largest of the statistics, each divided by its standard deviation under
	// the null hypothesis, with those of the permutations.
	Largest Combination = iota
	// Fuse compares the soft maximum of the normalised statistics with its permutations (Biggs,
	// Schrab and Gretton, 2023).
	Fuse
	// Aggregate tests with each kernel, at levels with which the tests together have level alpha
	// (Schrab et al., 2023).
	Aggregate
	// Evidence compares the smallest p-value of the views of rule Broad, each over its weight, and of two variables or of
	// samples of many columns their weighted harmonic mean. It is that of Broad alone, where Options.Combine is Largest.
	Evidence
)

// combination is what a Combination does, and the words for it.
type combination struct {
	name  string // as ParseCombination reads it
	label string // of the statistic
	// permute makes the test.
	permute func(Options, context.Context, arrangements) (*Result, *table, error)
	// small reports that small statistics speak against the null hypothesis.
	small bool
	// weighted reports that Options.Weights count.
	weighted bool
	// endless reports that the test needs all its permutations: Options.Stop is refused.
	endless bool
	// squares reports that statistics are in units of sums of squares of the Gram matrices, and not
	// of their standard deviations under the null hypothesis.
	squares bool
	// alone reports that it belongs to a rule, and is not asked for.
	alone bool
}

// combinations lists them in the order of their numbers. A new one is a file with its function, a line
// here, and a line in Recipes if users of programs are to choose it by name.
func combinations() []combination {
	return []combination{
		{name: "largest", label: "test statistic (sd above the null mean)", permute: ofAll(largestOf)},
		{name: "fuse", label: "soft maximum of the statistics", permute: ofAll(fuse), squares: true},
		{name: "aggregate", label: "smallest weighted p-value of the kernels",
			permute: Options.aggregate, small: true, weighted: true, endless: true},
		{name: "evidence", label: "test statistic (-log10 of its joint p-value)", alone: true},
	}
}

// ofAll is the test with one statistic made of those of the kernels.
func ofAll(combine func(*table) ([]float64, float64)) func(Options, context.Context, arrangements) (
	*Result, *table, error) {
	return func(o Options, ctx context.Context, a arrangements) (*Result, *table, error) {
		return o.sequence(ctx, a, combine)
	}
}

func (c Combination) of() combination { return combinations()[c] }

// String returns the name that ParseCombination reads.
func (c Combination) String() string {
	if c < 0 || int(c) >= len(combinations()) {
		return fmt.Sprintf("Combination(%d)", int(c))
	}
	return c.of().name
}

// Stops reports whether Options.Stop may end the test before all its permutations are made.
func (c Combination) Stops() bool { return !c.of().endless }

// ParseCombination reads "largest", "fuse" or "aggregate".
func ParseCombination(name string) (Combination, error) {
	var names []string
	for i, c := range combinations() {
		if c.alone {
			continue
		}
		if c.name == name {
			return Combination(i), nil
		}
		names = append(names, c.name)
	}
	return 0, fmt.Errorf("kerneltest: combination is %q, want %s", name, orList(names))
}

// Label names the statistic: that of the combination, or of the one kernel, such as "biased MMD²".
func (r *Result) Label() string {
	if len(r.Candidates) > 1 {
		return r.Combined.of().label
	}
	estimate, of := "biased", "MMD²"
	if r.unbiased {
		estimate = "unbiased"
	}
	switch {
	case r.KernelY != nil:
		of = "HSIC"
	case r.Groups != nil:
		return "MMD² between groups"
	}
	return estimate + " " + of
}

// Small reports whether small values of the statistic, and not large ones, speak against the null
// hypothesis.
func (r *Result) Small() bool { return len(r.Candidates) > 1 && r.Combined.of().small }

// Recipe is a rule that gives kernels and a combination of their tests, under one name, such as "agg"
// for AggGrid and Aggregate.
type Recipe struct {
	Name    string // as users write it
	Rule    Rule
	Combine Combination
	Learns  bool // lengthscales are learned from pseudo-inputs
	// Methods are the names of the test in package power, of two samples and of two variables.
	Methods [2]string
}

// Several reports whether the test has several kernels, whatever the data.
func (r Recipe) Several() bool { return r.Rule == Broad || r.Rule == Ladder || r.Combine != Largest }

// Recipes lists them for two samples, or for two variables if pairs: the default first, then the others
// that learn.
func Recipes(pairs bool) []Recipe {
	all := []Recipe{{Rule: Broad, Learns: true}, {Rule: Bayes, Learns: true}, {Rule: Ladder, Learns: true}, {Rule: Learned, Learns: true},
		{Rule: Modes, Learns: true}, {Rule: PosteriorMean, Learns: true}, {Rule: MedianOverSqrt2},
		{Rule: PlainMedian}, {Rule: Sqrt2Median},
		{Name: "fuse", Rule: FuseGrid, Combine: Fuse},
		{Name: "agg", Rule: AggGrid, Combine: Aggregate, Methods: [2]string{"mmdagg", "hsicagg"}},
	}
	for i := range all {
		if r := &all[i]; r.Name == "" {
			r.Name = r.Rule.String()
		}
		if r := &all[i]; r.Methods[0] == "" {
			r.Methods = [2]string{r.Name, r.Name}
		}
	}
	if pairs {
		return slices.Delete(all, 1, 2) // Bayes is for two samples
	}
	return all
}

// RecipeNames are the names of Recipes.
func RecipeNames(pairs bool) []string {
	var names []string
	for _, r := range Recipes(pairs) {
		names = append(names, r.Name)
	}
	return names
}

// EndlessRecipes are the names of those that Options.Stop cannot end.
func EndlessRecipes() []string {
	var names []string
	for _, r := range Recipes(false) {
		if !r.Combine.Stops() {
			names = append(names, r.Name)
		}
	}
	return names
}

// RecipeHelp says in a sentence what the recipes are.
func RecipeHelp(pairs bool) string {
	first, multiples := "broad (bayes, and beside it ranks, distances and, from five columns on, single columns and pairs), bayes (log Bayes factors at 2.8, 5.7 and 11.3 times the learned one), ", "1 and 4"
	grids := "the ten kernels of the tests MMD-FUSE and MMDAgg (fuse, agg)"
	if pairs {
		first = "broad (the ladder as it is and shrunk, and distance correlation, of the data and of their ranks), "
		multiples = "1, 4 and 16"
		grids = "the kernels of the tests FUSE and HSICAgg, five for each variable (fuse, agg)"
	}
	return first + "learned (the posterior mode in a Bayesian model), ladder (" + multiples +
		" times that lengthscale), modes (every posterior mode), posterior-mean (the mean of the kernel " +
		"over the posterior), the median heuristic in its three conventions (median/sqrt2, median, " +
		"sqrt2*median), or " + grids
}

// FindRecipe returns the recipe of this name.
func FindRecipe(name string) (Recipe, bool) {
	return firstRecipe(func(r Recipe) bool { return r.Name == name })
}

// Recipe returns the recipe whose rule r is; there is none for Default and Given.
func (r Rule) Recipe() (Recipe, bool) {
	return firstRecipe(func(f Recipe) bool { return f.Rule == r })
}

func firstRecipe(is func(Recipe) bool) (Recipe, bool) {
	all := Recipes(false)
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true
	}
	return Recipe{}, false
}

// orList joins names as in "a, b or c".
func orList(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
