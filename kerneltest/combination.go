package kerneltest

import (
	"context"
	"fmt"
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
}

// combinations lists them in the order of their numbers. A new one is a line here and a file with its
// function; a name for users is a line in recipes.
func combinations() []combination {
	return []combination{
		{name: "largest", label: "test statistic (sd above the null mean)", permute: ofAll(largestOf)},
		{name: "fuse", label: "soft maximum of the statistics", permute: ofAll(fuse), squares: true},
		{name: "aggregate", label: "smallest weighted p-value of the kernels",
			permute: Options.aggregate, small: true, weighted: true, endless: true},
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
	if r.KernelY != nil {
		of = "HSIC"
	}
	return estimate + " " + of
}

// Small reports whether small values of the statistic, and not large ones, speak against the null
// hypothesis.
func (r *Result) Small() bool { return len(r.Candidates) > 1 && r.Combined.of().small }
