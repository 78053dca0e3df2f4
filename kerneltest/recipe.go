package kerneltest

import (
	"slices"
	"strings"
)

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

// Recipes lists them for two samples, or for two variables if pairs: the default first, then the others
// that learn.
func Recipes(pairs bool) []Recipe {
	all := []Recipe{{Rule: Bayes, Learns: true}, {Rule: Ladder, Learns: true}, {Rule: Learned, Learns: true},
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
		return all[1:] // Bayes is for two samples
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

// RecipeHelp says in a sentence what the recipes are.
func RecipeHelp(pairs bool) string {
	first, multiples := "bayes (log Bayes factors at 2.8, 5.7 and 11.3 times the learned one), ", "1 and 4"
	grids := "the ten kernels of the tests MMD-FUSE and MMDAgg (fuse, agg)"
	if pairs {
		first, multiples = "", "1, 4 and 16"
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
