package kerneltest

import (
	"fmt"
	"math"

	"bayeskernel/kerneltest/statistic"
)

// Standardize says whether columns are divided by their standard deviations.
type Standardize int

const (
	StandardizeSeveral Standardize = iota // where a sample or a variable has more than one column
	StandardizeAlways
	StandardizeNever
)

// String returns "several", "always" or "never".
func (s Standardize) String() string {
	switch s {
	case StandardizeSeveral:
		return "several"
	case StandardizeAlways:
		return "always"
	case StandardizeNever:
		return "never"
	}
	return fmt.Sprintf("Standardize(%d)", int(s))
}

// Of reports whether the columns of rows of so many are divided.
func (s Standardize) Of(dim int) bool {
	return s == StandardizeAlways || s == StandardizeSeveral && dim > 1
}

// Options says which test is meant. The zero value is the default: learned kernels, 999
// permutations, level 0.05.
type Options struct {
	// Kernel says how the kernel is chosen; for an independence test, that of the first variable.
	Kernel Choice
	// KernelY is that of the second variable of an independence test; the zero value means as
	// Kernel.
	KernelY Choice
	// Standardize says whether each column is divided by its standard deviation over all rows first.
	// By default it is where a sample or a variable has several columns, since a kernel with one
	// lengthscale needs them in the same units. Lengthscales are then in these units.
	Standardize Standardize
	// Unbiased compares the unbiased statistic instead of the biased one. The p-values are the same
	// for two samples of equal size. Several kernels always use their unbiased statistics.
	Unbiased bool

	// Combine says how several kernels make one test. With one kernel it makes no difference.
	Combine Combination
	// Sharpness multiplies the factor of the soft maximum, sqrt(n(n-1)) with n the size of the
	// smaller sample, for Fuse; 0 means 1, as published. Larger values come nearer to the maximum;
	// the program mmdfuse uses sqrt(n(n-1)). From 1e-100 to 1e100.
	Sharpness float64
	// Weights of the kernels for Aggregate, and only there, in their order (for an independence
	// test kernel 1 of the first variable with each of the second, then kernel 2, and so on). Nil
	// means equal weights; they are divided by their sum.
	Weights []float64

	// WeightsX and WeightsY are weights of the rows of two samples, positive numbers; nil means equal
	// ones. The statistic is the squared norm of sum_i w_i k(x_i,.) - sum_j v_j k(y_j,.), where the
	// weights of each sample are divided by their sum; the unbiased one leaves i = j out within the
	// samples and divides by 1 - sum w². A permutation exchanges rows together with their weights,
	// and divides by the new sums. The test is exact if the pairs of a row and its weight are
	// exchangeable: if weight and row together have one distribution in both samples. Weights that
	// depend on the sample, such as importance weights of one sample alone, break this.
	WeightsX, WeightsY []float64
	// SampleWeights are weights of the rows of each of several samples, for Several alone; nil, as a
	// whole or for one sample, means equal ones.
	SampleWeights [][]float64

	// Null is the distribution with which the statistic is compared. Auto is Permutation, whatever
	// the number of rows. The others are approximations for large samples, with one kernel only.
	Null statistic.Null
	// Permutations is their number. The data as they are count as one more, so that no p-value is
	// below 1/(Permutations+1). 0 means 999. Aggregate makes more where the kernel with the smallest
	// weight could not reject otherwise. At most a billion.
	Permutations int
	// Alpha is the level of the decision, 0.05 if zero.
	Alpha float64
	Seed  uint64 // of the permutations, and of the random steps in choosing the kernel
	// Blocks has a label for each row, for two samples first those of x and then those of y. Rows
	// are exchanged only with those of the same label: of one patient, one day, one stratum.
	Blocks []int
	// Stop ends the test once so many permutations have a statistic at least as large as the data
	// (Besag and Clifford, 1991); 0 means never. The p-value is valid either way, and data without
	// evidence take less time. A good number is about 10/Alpha. Not for Aggregate.
	Stop int
	// Progress, if not nil, is called from time to time, by one goroutine at a time: done parts of
	// total of the step under way. It must not block.
	Progress func(step string, done, total int)
}

// defaultPermutations makes 1000 arrangements with the data as they are.
const defaultPermutations = 999

const (
	mostPermutations = 1_000_000_000
	mostSharpness    = 1e100 // so that no exponent overflows; 1 over it is the least
)

// Complete fills in defaults and says what is wrong. Rows is the number of rows that are permuted.
func (o Options) Complete(rows int) (Options, error) {
	if o.Permutations == 0 {
		o.Permutations = defaultPermutations
	}
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if o.Sharpness == 0 {
		o.Sharpness = 1
	}
	switch {
	case !(o.Alpha > 0 && o.Alpha < 1):
		return o, fmt.Errorf("kerneltest: alpha is %v, want a number between 0 and 1", o.Alpha)
	case o.Permutations < 1:
		return o, fmt.Errorf("kerneltest: permutations are %d, want at least 1", o.Permutations)
	case o.Permutations > mostPermutations:
		return o, fmt.Errorf("kerneltest: permutations are %d, want at most %d", o.Permutations,
			mostPermutations)
	case o.Alpha*(mostPermutations+1) < 1 && o.permutes():
		return o, fmt.Errorf("kerneltest: alpha is %v, want at least %.0g, as no p-value by "+
			"permutation is smaller, or another null", o.Alpha, 1.0/mostPermutations)
	case 1/float64(o.Permutations+1) > o.Alpha && o.permutes():
		return o, fmt.Errorf("kerneltest: permutations are %d, with which no p-value reaches "+
			"alpha %v: want at least %.0f", o.Permutations, o.Alpha, math.Ceil(1/o.Alpha-1))
	case o.Stop < 0:
		return o, fmt.Errorf("kerneltest: stop is %d, want 0 for never, or more", o.Stop)
	case !(o.Sharpness >= 1/mostSharpness && o.Sharpness <= mostSharpness):
		return o, fmt.Errorf("kerneltest: sharpness is %v, want a number from %v to %v",
			o.Sharpness, 1/mostSharpness, mostSharpness)
	case o.Combine < 0 || int(o.Combine) >= len(combinations()) || o.Combine.of().alone:
		return o, fmt.Errorf("kerneltest: unknown combination %v", o.Combine)
	case o.Weights != nil && !o.Combine.of().weighted:
		return o, fmt.Errorf("kerneltest: there are %d weights with combination %v, want none, or "+
			"combination aggregate", len(o.Weights), o.Combine)
	case o.Standardize < StandardizeSeveral || o.Standardize > StandardizeNever:
		return o, fmt.Errorf("kerneltest: unknown standardization %v", o.Standardize)
	case o.Null < statistic.Auto || o.Null > statistic.GammaDHSIC:
		return o, fmt.Errorf("kerneltest: unknown null %v", o.Null)
	case o.Blocks != nil && len(o.Blocks) != rows:
		return o, fmt.Errorf("kerneltest: blocks have %d labels, want one for each of %d rows",
			len(o.Blocks), rows)
	}
	return o, nil
}

// permutes reports whether the null distribution is found by permutation.
func (o Options) permutes() bool {
	return o.Null == statistic.Auto || o.Null == statistic.Permutation
}

// checkNull says why a null other than permutation does not fit the other options.
func (o Options) checkNull(kernels int) error {
	switch {
	case o.permutes():
		return nil
	case kernels > 1:
		return fmt.Errorf("kerneltest: null is %v with %d kernels, want permutation", o.Null,
			kernels)
	case o.Blocks != nil:
		return fmt.Errorf("kerneltest: null is %v with blocks, want permutation", o.Null)
	case o.Unbiased:
		return fmt.Errorf("kerneltest: null is %v with the unbiased statistic, want permutation, "+
			"or the biased one", o.Null)
	case o.Stop > 0:
		return fmt.Errorf("kerneltest: null is %v with an early stop, want permutation", o.Null)
	}
	return nil
}

// step returns the callback of one step.
func (o Options) step(name string) func(done, total int) {
	if o.Progress == nil {
		return nil
	}
	return func(done, total int) { o.Progress(name, done, total) }
}
