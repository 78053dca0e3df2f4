package conditional

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/rows"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// Tuning says how the lengthscale and the ridge of the regression on the conditioning variables are
// chosen, for each of X and Y apart.
type Tuning int

const (
	// LeaveOneOut takes the pair with the smallest exact leave-one-out error of the features of X
	// (or Y) in their own space. It is the default.
	LeaveOneOut Tuning = iota
	// MarginalLikelihood takes the pair with the largest marginal likelihood of a Gaussian process
	// whose outputs are the principal components of the features.
	MarginalLikelihood
)

// String returns "leave-one-out" or "marginal-likelihood".
func (t Tuning) String() string {
	switch t {
	case LeaveOneOut:
		return "leave-one-out"
	case MarginalLikelihood:
		return "marginal-likelihood"
	}
	return fmt.Sprintf("Tuning(%d)", int(t))
}

// Form says how the conditioning variables Z enter the statistic besides the
// regressions. With A and B the Gram matrices of what the regressions of X and of Y leave, all
// forms are sums over the elements of a matrix M, and all but FirstOfTwo are the same with X and Y
// exchanged, to the last bit.
type Form int

const (
	// WithKernel has M = A B Kz, element by element, where Kz is a kernel of Z: it sees dependence
	// that changes its sign with Z. It is the default.
	WithKernel Form = iota
	// WithoutKernel has M = A B. It is blind to dependence that averages out over Z.
	WithoutKernel
	// Joined puts Z/2 beside X, and M is the mean of that matrix and of the one where Z/2 is beside
	// Y. It is the statistic of Zhang et al. (2011) made symmetric.
	Joined
	// FirstOfTwo puts Z/2 beside X alone, as Zhang et al. do and the programs that follow them. The
	// result changes where X and Y are exchanged.
	FirstOfTwo
)

// String returns "with-kernel", "without-kernel", "joined" or "first-of-two".
func (f Form) String() string {
	switch f {
	case WithKernel:
		return "with-kernel"
	case WithoutKernel:
		return "without-kernel"
	case Joined:
		return "joined"
	case FirstOfTwo:
		return "first-of-two"
	}
	return fmt.Sprintf("Form(%d)", int(f))
}

// Options says which test of conditional independence is meant. The zero value is the
// default.
type Options struct {
	// Names are those of the columns of x, y and z, for messages of Test; nil means x, y[1], y[2], ….
	Names  []string
	Tuning Tuning
	Form   Form
	// Width is that of the kernel of Z in the form WithKernel, in standard deviations times the
	// square root of the number of columns of Z; 0 means 1.
	Width float64
	// ColumnsOnly leaves out the second kernel of X and of Y. In the forms WithKernel and
	// WithoutKernel the kernel of X is a sum of two. One is of X itself. The other is of the residual
	// of X given Z, in units of its own standard deviation: it sees structure that is small beside
	// what Z explains.
	ColumnsOnly bool
	// KernelOnly makes P that of the kernel statistic alone. Otherwise, in the forms WithKernel and
	// WithoutKernel with both kernels, it is combined with that of the generalised covariance measure:
	// see Result.
	KernelOnly bool
	// OneLengthscale gives all columns of Z one lengthscale. Otherwise, with LeaveOneOut and three or
	// more columns of numbers in Z, each has one of its own.
	OneLengthscale bool
	// Kernel says how the kernel of each column of X and Y is chosen, from the column alone; nil
	// means Gaussian kernels with a lengthscale of 1.5 (100/n)^(1/3) standard deviations, at most
	// 2. The rule must give one kernel, Learned, PosteriorMean, a median, or a given one, and
	// implies ColumnsOnly.
	Kernel *kerneltest.Choice
	// Discrete has a flag for each column: its kernel is 1 where two values are equal and 0
	// elsewhere. Nil means none.
	Discrete []bool
	// Null is Pearson, Spectral, GammaKCI, or Permutation, which exchanges rows of Y within the
	// strata of Z and wants all columns of Z discrete. Auto is Permutation where these have at most
	// a row in five levels, and Pearson otherwise.
	Null         statistic.Null
	Permutations int // 999 if zero
	Seed         uint64
	Alpha        float64 // of the decision, 0.05 if zero
	// Published, if not nil, is the test of Zhang et al. with widths fixed by the number of rows,
	// as published programs have it: for comparison. Tuning, Form, Width and Kernel are then not
	// looked at, and Auto is GammaKCI.
	Published *Published
	// Memory bounds what a Table keeps between tests, in bytes; 0 means 256 MB. It keeps what
	// was used last.
	Memory int64
}

// Published is the test of Zhang et al. (2011) with the constants of their program.
type Published struct {
	Ridge float64 // epsilon, not scaled by the number of rows; 0 means 0.001
	// Lengthscale is that of all kernels; 0 means one that depends on the number of rows: 1.2
	// standard deviations times the root of the number of columns of Z below 200 rows, 0.7 below
	// 1200 and 0.4 from there on; without Z 0.8, 0.5 and 0.3.
	Lengthscale float64
	// MedianWidth sets each lengthscale to sqrt2 times the median distance between rows, as the
	// programs do on request, instead of a number that depends on the number of rows.
	MedianWidth bool
}

// Result is the outcome of a test of conditional independence.
type Result struct {
	Rows int
	// Statistic is the sum of the elements of M. Under the null hypothesis it is a sum of
	// independent chi-squares weighted with the eigenvalues of M: Mean, Variance and Third are its
	// cumulants.
	Statistic, Mean, Variance, Third float64
	P, PError                        float64 // PError is 0 but for permutations
	// KernelP is the p-value of the statistic, and CovarianceP that of the generalised covariance
	// measure (Shah and Peters, 2020), which has more power against linear dependence and is blind to
	// most other. Where both are made P is the probability that the smaller is so small, where that of the
	// kernel statistic counts 7 parts in 10 and what they have in common is taken into account. CovarianceP
	// is NaN where it is not made.
	KernelP, CovarianceP float64
	// Doubtful says that there are too few rows for the number of columns of Z to trust the
	// regressions: a small P may then be their error.
	Doubtful              bool
	Alpha                 float64
	Reject                bool           // P is at most Alpha
	Null                  statistic.Null // never Auto
	Permutations, AtLeast int
	Features              bool       // kernel matrices were replaced by features: see FeatureRows
	KernelRows            int        // rows that the kernel statistic took, where there were too many; else 0
	X, Y                  Regression // of each on Z
	Notes                 []string   // warnings, a sentence or two each
}

// Regression is that of the features of a variable on the conditioning variables.
type Regression struct {
	// R2 is the share of the features' variance that the regression predicts, by leave-one-out, beyond what
	// the mean of all rows does: about 0 where Z says nothing. The test is only as good as the two regressions:
	// where R2 is much less than the best regression could reach, the level does not hold.
	R2          float64 // 0 without conditioning variables
	Lengthscale float64 // in standard deviations times the root of the number of columns of Z
	Ridge       float64 // divided by the number of rows
	// PerColumn are the lengthscales of the columns of Z that hold numbers, by name, in standard
	// deviations; nil where they have one in common.
	PerColumn []float64
}

// Test tests whether x and y are independent given z: row i of each was observed together.
// Options.Discrete counts the columns of x first, then those of y and z. A z of nil or
// without columns makes it a test of independence.
//
// For many tests on one table make a Table: it keeps what tests have in common.
func Test(ctx context.Context, x, y, z mat.Matrix, o Options) (
	*Result, error) {
	var names []string
	var parts [3][]int
	for k, m := range []mat.Matrix{x, y, z} {
		if m == nil {
			continue
		}
		if rows.Nil(m) {
			return nil, fmt.Errorf("conditional: %s is nil, want a matrix", "xyz"[k:k+1])
		}
		_, d := m.Dims()
		for j := range d {
			parts[k] = append(parts[k], len(names))
			name := [3]string{"x", "y", "z"}[k]
			if d > 1 {
				name = fmt.Sprintf("%s[%d]", name, j+1)
			}
			names = append(names, name)
		}
	}
	if o.Names != nil {
		if len(o.Names) != len(names) {
			return nil, fmt.Errorf("conditional: there are %d names of %d columns", len(o.Names), len(names))
		}
		names = o.Names
	}
	table, err := beside(x, y, z)
	if err != nil {
		return nil, err
	}
	c, err := NewTable(names, table, o)
	if err != nil {
		return nil, err
	}
	return c.Test(ctx, parts[0], parts[1], parts[2])
}

// beside puts matrices of as many rows side by side.
func beside(parts ...mat.Matrix) (*mat.Dense, error) {
	n, width := 0, 0
	for k, m := range parts {
		if m == nil {
			if k < 2 {
				return nil, fmt.Errorf("conditional: %s is nil, want a matrix", "xyz"[k:k+1])
			}
			continue
		}
		r, d := m.Dims()
		switch {
		case k == 0:
			n = r
		case r != n:
			return nil, fmt.Errorf("conditional: x has %d rows and %s %d, want as many of each", n,
				"xyz"[k:k+1], r)
		}
		width += d
	}
	if n == 0 || width == 0 {
		return nil, fmt.Errorf("conditional: x and y are empty, want rows")
	}
	out := mat.NewDense(n, width, nil)
	at := 0
	for _, m := range parts {
		if m == nil {
			continue
		}
		_, d := m.Dims()
		for i := range n {
			for j := range d {
				out.Set(i, at+j, m.At(i, j))
			}
		}
		at += d
	}
	return out, nil
}

// complete fills in defaults and says what is wrong.
func (o Options) complete(columns int) (Options, error) {
	if o.Width == 0 {
		o.Width = 1
	}
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if o.Permutations == 0 {
		o.Permutations = defaultPermutations
	}
	if o.Memory == 0 {
		o.Memory = 256 << 20
	}
	if o.Published != nil {
		p := *o.Published
		if p.Ridge == 0 {
			p.Ridge = 1e-3
		}
		if !(p.Ridge > 0) || math.IsInf(p.Ridge, 1) || !(p.Lengthscale >= 0) {
			return o, fmt.Errorf("conditional: published ridge is %v and lengthscale %v, want positive "+
				"numbers", p.Ridge, p.Lengthscale)
		}
		o.Published, o.Form, o.Kernel = &p, FirstOfTwo, nil
	}
	switch {
	case o.Tuning < LeaveOneOut || o.Tuning > MarginalLikelihood:
		return o, fmt.Errorf("conditional: unknown tuning %v", o.Tuning)
	case o.Form < WithKernel || o.Form > FirstOfTwo:
		return o, fmt.Errorf("conditional: unknown form %v", o.Form)
	case !(o.Width > 0) || math.IsInf(o.Width, 1):
		return o, fmt.Errorf("conditional: width is %v, want a positive number", o.Width)
	case !(o.Alpha > 0 && o.Alpha < 1):
		return o, fmt.Errorf("conditional: alpha is %v, want a number between 0 and 1", o.Alpha)
	case o.Permutations < 1 || o.Permutations > mostPermutations:
		return o, fmt.Errorf("conditional: permutations are %d, want 1 to %d", o.Permutations,
			mostPermutations)
	case o.Memory < 0:
		return o, fmt.Errorf("conditional: memory is %d bytes, want 0 for the default, or more",
			o.Memory)
	case o.Discrete != nil && len(o.Discrete) != columns:
		return o, fmt.Errorf("conditional: there are %d flags of discrete columns, want one for each "+
			"of %d columns", len(o.Discrete), columns)
	}
	switch o.Null {
	case statistic.Auto, statistic.Permutation, statistic.Spectral, statistic.Pearson,
		statistic.GammaKCI:
	default:
		return o, fmt.Errorf("conditional: null is %v, want pearson, spectral, gamma-kci or "+
			"permutation", o.Null)
	}
	return o, nil
}

const (
	defaultPermutations = 999
	mostPermutations    = 1_000_000_000
)
