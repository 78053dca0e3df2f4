package given

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/internal/rows"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/conditional"

	"gonum.org/v1/gonum/mat"
)

// Covariate is a column that the test is given.
type Covariate struct {
	Name     string
	Values   []float64 // one for each row, for samples those of the first, then the second, and so on
	Category bool      // the values are numbers of categories
}

// Options say which test is meant. The zero value is the default.
type Options struct {
	// Test has the kernels, the permutations, the level and the seed of tests within strata; of these
	// tests by regression use the level and the seed. Blocks and weights are for strata only.
	Test kerneltest.Options
	// Names are those of the samples, for messages; nil means sample 1, sample 2, ….
	Names []string
	// Columns are the names of the columns of the rows, or of x and then y, for messages; nil means x, y[1], ….
	Columns []string
	// Discrete has a flag for each column of the rows, or of x and then y, that says whether it holds
	// categories. Tests by regression look at it.
	Discrete []bool
}

// Result is the outcome of a test.
type Result struct {
	P, PError, Alpha float64
	Reject           bool // P is at most Alpha
	// Test is that within strata, and nil where a covariate is a number. Regression is the test by
	// regression on the covariates, and nil otherwise.
	Test       *kerneltest.Result
	Regression *conditional.Result
	Strata     int // that are used
	Rows, Used int // in all, and those that are used
	// Notes are warnings, a sentence or two each: first what could not be adjusted for.
	Notes []string
}

const (
	// fewValues is the number of values up to which a number makes strata.
	fewValues = 10
	// rowsPerValue is the least mean number of rows for each of these values.
	rowsPerValue = 10
	// rowsPerStratum is the least mean number of rows in a stratum of numbers with few values.
	rowsPerStratum = 5
)

// Samples tests whether the rows of two or more samples have the same distribution given covariates.
func Samples(ctx context.Context, samples []mat.Matrix, z []Covariate, o Options) (*Result, error) {
	if len(samples) < 2 {
		return nil, fmt.Errorf("given: there is %s, want at least 2", rows.Count(len(samples), "sample"))
	}
	var label []float64
	for g, x := range samples {
		if x == nil {
			return nil, fmt.Errorf("given: sample %d is nil, want a matrix", g+1)
		}
		n, _ := x.Dims()
		label = append(label, slices.Repeat([]float64{float64(g)}, n)...)
	}
	if err := check(z, len(label)); err != nil {
		return nil, err
	}
	if o.Names == nil {
		for g := range samples {
			o.Names = append(o.Names, fmt.Sprintf("sample %d", g+1))
		}
	}
	if strata := strataOf(z, len(label)); strata != nil {
		return samplesWithin(ctx, samples, label, strata, z, o)
	}
	x, err := stacked(samples)
	if err != nil {
		return nil, err
	}
	r, err := regression(ctx, x, mat.NewDense(len(label), 1, label), true, z, o)
	if err == nil {
		r.Notes = append(overlap(label, z, o.Names), r.Notes...)
	}
	return r, err
}

// Variables tests whether x and y are independent given covariates: row i of each was observed
// together.
func Variables(ctx context.Context, x, y mat.Matrix, z []Covariate, o Options) (*Result, error) {
	if x == nil || y == nil {
		return nil, fmt.Errorf("given: a variable is nil, want two matrices")
	}
	n, _ := x.Dims()
	if m, _ := y.Dims(); m != n {
		return nil, fmt.Errorf("given: the variables have %d and %d rows, want as many of each", n, m)
	}
	if err := check(z, n); err != nil {
		return nil, err
	}
	if strata := strataOf(z, n); strata != nil {
		return variablesWithin(ctx, x, y, strata, z, o)
	}
	return regression(ctx, x, y, false, z, o)
}

// check says what is wrong with the covariates.
func check(z []Covariate, n int) error {
	if len(z) == 0 {
		return fmt.Errorf("given: there is no covariate, want at least one")
	}
	for _, c := range z {
		if len(c.Values) != n {
			return fmt.Errorf("given: %s has %d values, want one for each of %d rows", c.Name, len(c.Values), n)
		}
		for i, v := range c.Values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("given: row %d of %s is %v, want a finite number", i+1, c.Name, v)
			}
		}
		if slices.Min(c.Values) == slices.Max(c.Values) {
			return fmt.Errorf("given: %s is the same in all rows, want a covariate that varies", c.Name)
		}
	}
	return nil
}

// values is the number of distinct ones.
func values(list []float64) int {
	list = slices.Clone(list)
	slices.Sort(list)
	return len(slices.Compact(list))
}

// few reports whether a covariate makes strata.
func (c Covariate) few() bool {
	k := values(c.Values)
	return c.Category || k <= fewValues && k*rowsPerValue <= len(c.Values)
}

// strataOf numbers the combinations of the values, nil where a covariate is a number, or where strata of
// numbers with few values have too few rows.
func strataOf(z []Covariate, n int) []int {
	numbers := 0
	for _, c := range z {
		if !c.few() {
			return nil
		}
		if !c.Category {
			numbers++
		}
	}
	out, seen := make([]int, n), map[string]int{}
	for i := range out {
		var key strings.Builder
		for _, c := range z {
			fmt.Fprint(&key, c.Values[i], " ")
		}
		at, ok := seen[key.String()]
		if !ok {
			at = len(seen)
			seen[key.String()] = at
		}
		out[i] = at
	}
	if numbers > 0 && len(seen)*rowsPerStratum > n {
		return nil
	}
	return out
}

// names lists those of the covariates.
func names(z []Covariate) string {
	var out []string
	for _, c := range z {
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}

// stacked is one matrix of all samples.
func stacked(samples []mat.Matrix) (*mat.Dense, error) {
	var out *mat.Dense
	for g, x := range samples {
		_, dim := x.Dims()
		if out == nil {
			out = mat.DenseCopyOf(x)
			continue
		}
		if _, want := out.Dims(); dim != want {
			return nil, fmt.Errorf("given: sample %d has width %d, want %d as sample 1", g+1, dim, want)
		}
		var both mat.Dense
		both.Stack(out, x)
		out = &both
	}
	return out, nil
}

// picked has the rows of x whose numbers are given.
func picked(x mat.Matrix, index []int) *mat.Dense {
	if len(index) == 0 {
		return nil
	}
	_, dim := x.Dims()
	out := mat.NewDense(len(index), dim, nil)
	for k, i := range index {
		for j := range dim {
			out.Set(k, j, x.At(i, j))
		}
	}
	return out
}
