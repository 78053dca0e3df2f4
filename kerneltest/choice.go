package kerneltest

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Rule says how a kernel, or several, are chosen from the data.
//
// No rule sees which sample a row came from, nor the order of the rows: all work on the pooled rows
// in sorted order. Every permutation therefore has the same kernel as the data, and the permutation
// test is exact although no data are set aside for the choice. For an independence test the kernel
// of each variable is chosen from its own rows alone.
type Rule int

const (
	// Default is Broad for samples, Bayes where Options.Combine is not Largest, and Ladder for a test of independence, and where Rungs are
	// given. Two cases allow one kernel only: a null other than permutation, and samples too small
	// for unbiased statistics (one row in a sample, or fewer than four pairs). There Default, Ladder,
	// Bayes and Broad without Rungs are Learned.
	Default Rule = iota
	// Ladder has kernels with 1 and 4 times the lengthscale of Learned; for each variable of an
	// independence test with 1, 4 and 16 times it; or other multiples: see Choice.Rungs. The
	// learned lengthscale is near the finest that the data resolve; the longer ones see what is
	// smoother.
	Ladder
	// Learned is the kernel with the lengthscale of highest posterior density in the model of package
	// bke.
	Learned
	// Modes has a kernel for each mode of the posterior density: lengthscales at which the data
	// have structure.
	Modes
	// PosteriorMean is the mean of the kernels whose lengthscales are quantiles of the posterior, of
	// levels (j-1/2)/64: one kernel again, with several scales. The model has one lengthscale.
	PosteriorMean
	// Bayes has the log Bayes factors of package bayesfactor, standardised, for kernels of longer
	// lengthscales than Ladder and a few amplitudes: see Choice.Rungs and Choice.Amplitudes. For two
	// samples only.
	Bayes
	// MedianOverSqrt2, PlainMedian and Sqrt2Median are the conventions of the median heuristic:
	// see package kernels.
	MedianOverSqrt2
	PlainMedian
	Sqrt2Median
	// FuseGrid has the ten Gaussian kernels of Biggs, Schrab and Gretton (2023), which with Fuse
	// make the test MMD-FUSE: lengthscales at equal distances from half the 5% quantile of the
	// distances of the rows to twice the 95% quantile.
	FuseGrid
	// AggGrid has the ten Gaussian kernels of Schrab et al. (2023), which with Aggregate make the
	// test MMDAgg, or HSICAgg: exp(-d²/l²) with l at equal ratios from half the 5% quantile of the
	// distances to twice the largest.
	AggGrid
	// Broad has the kernels of Bayes and, beside them, statistics that see what those miss: see View. The
	// smallest of their p-values, each over a prior weight, is compared with that of permutations.
	Broad
	// Given means the kernels in Choice.Kernels.
	Given
)

var ruleNames = [...]string{"default", "ladder", "learned", "modes", "posterior-mean", "bayes",
	"median/sqrt2", "median", "sqrt2*median", "fuse-grid", "agg-grid", "broad", "given"}

// String returns the name that ParseRule reads.
func (r Rule) String() string {
	if r < 0 || int(r) >= len(ruleNames) {
		return fmt.Sprintf("Rule(%d)", int(r))
	}
	return ruleNames[r]
}

// ParseRule reads "default", the name of a rule, such as "posterior-mean" or "agg-grid", or "given".
func ParseRule(name string) (Rule, error) {
	if i := slices.Index(ruleNames[:], name); i >= 0 {
		return Rule(i), nil
	}
	return 0, fmt.Errorf("kerneltest: rule is %q, want %s", name, orList(ruleNames[:]))
}

// Choice says how the kernel of a test is chosen. The zero value is the default.
type Choice struct {
	Rule Rule
	// Kernels are used as they are. With Rule zero they mean Given.
	Kernels []kernels.Kernel

	// Categories are the columns that hold categories, as numbers that only tell them apart. The kernel is
	// then kernels.Mixed, the product of the indicator kernels of the categories and of the kernel that the
	// rest of the choice gives for the numbers, with Ladder in the place of Bayes. For an independence test they are those of the variable.
	Categories []int

	// How lengthscales are learned: the number and kind of pseudo-inputs, the model, and the
	// priors. If Inputs.Number is 0, the number is doubled where the fit calls for it.
	Inputs inputs.Options
	Model  bke.Options
	Priors bke.Priors

	// Rungs are the exponents of 2 of Ladder, from -100 to 100; nil means 0 and 2, and 0, 2 and 4
	// for an independence test. They are those of Bayes too, where nil means 1.5, 2.5 and 3.5.
	Rungs []float64
	// Amplitudes are those of Bayes, positive numbers: the prior standard deviation of the
	// difference of the densities relative to the pooled one. The larger, the more count fine
	// features of the difference beside coarse ones. Nil means 2. With Given they make of each
	// kernel what Bayes makes of its own.
	Amplitudes []float64
	// Quantiles is the number of lengthscales in PosteriorMean; 0 means 64.
	Quantiles int
	// Bandwidths is the number of kernels of FuseGrid and AggGrid; 0 means 10, and 5 for each
	// variable of an independence test, which makes 25 pairs.
	Bandwidths int

	made *Chosen // before, for these or other rows: Chosen.Choice
}

const (
	defaultBandwidths     = 10
	defaultPairBandwidths = 5
)

// defaultRungs are those of a test of two samples, and defaultPairRungs those of each variable of
// an independence test. README.md says why.
func defaultRungs() []float64     { return []float64{0, 2} }
func defaultPairRungs() []float64 { return []float64{0, 2, 4} }

// BayesDefaults are the rungs and the amplitudes of Bayes where none are given.
func BayesDefaults() (rungs, amplitudes []float64) { return []float64{1.5, 2.5, 3.5}, []float64{2} }

// Fixed is the choice of these kernels, whatever the data.
func Fixed(k ...kernels.Kernel) Choice { return Choice{Rule: Given, Kernels: k} }

// Lengthscale is the choice of the squared exponential kernel with this lengthscale, in the units
// of the data, or of the standardized data.
func Lengthscale(theta float64) Choice {
	return Fixed(radial(bke.Options{}, theta))
}

// Chosen is the kernel of a test and where it came from.
type Chosen struct {
	Rule    Rule
	Kernels []kernels.Kernel // in the units of the standardized data, where these were standardized
	// Theta has the lengthscale of each kernel: that of highest posterior density for
	// PosteriorMean, and NaN for those Given.
	Theta []float64
	// Rungs has the factor between the lengthscale of each kernel and the learned one, that of highest
	// posterior density: 1 and 4 for the default. It is nil where none was learned.
	Rungs []float64
	// Amplitudes has that of each kernel for Bayes, and is nil for other rules.
	Amplitudes []float64
	Scaling    *bke.Scaling // nil unless columns were standardized

	// What was learned; nil for other rules.
	Model  *bke.Model  // the data of the fit, M pseudo-inputs, and the weight
	Inputs *inputs.Set // kind of pseudo-inputs, and their number
	Fit    *bke.Fit    // the modes
	Heavy  []int       // columns with heavy tails, which were drawn in for learning: see bke.DrawIn

	// Notes say what happened in choosing, and warn, a sentence or two each.
	Notes []string

	wrap func(kernels.Kernel) kernels.Kernel // makes a kernel of numbers one of rows; nil without categories
}

// Choice is the choice of these kernels for other rows, in the same units: what was standardized is
// divided by the same standard deviations, whatever Options.Standardize says.
func (c *Chosen) Choice() Choice {
	return Choice{Rule: Given, Kernels: slices.Clone(c.Kernels), made: c}
}

// single is the choice where one kernel is wanted.
func (c Choice) single() Choice {
	if (c.Rule <= Ladder || c.Rule == Bayes || c.Rule == Broad) && c.Rungs == nil && c.Amplitudes == nil &&
		len(c.Kernels) == 0 {
		c.Rule = Learned
	}
	return c
}

// broad reports whether the choice is Broad, or kernels that it chose before.
func (c Choice) broad() bool {
	return len(c.Categories) == 0 && (c.Rule == Broad || c.made != nil && c.made.Rule == Broad)
}

// shrinks reports whether the kernels of the rule are shrunk.
func (r Rule) shrinks() bool { return r == Bayes || r == Broad }

// broadest is the default rule for samples.
func (o Options) broadest() Rule {
	if o.Combine == Largest && len(o.Kernel.Categories) == 0 {
		return Broad
	}
	return Bayes
}

// resolve replaces Default by what it stands for.
func (c Choice) resolve(rule Rule) Choice {
	if c.Rule != Default || len(c.Kernels) > 0 {
		return c
	}
	if c.Rule = rule; c.Rungs != nil && c.Amplitudes == nil {
		c.Rule = Ladder
	}
	return c
}

func (c *Choice) isZero() bool { return reflect.ValueOf(*c).IsZero() }

// complete fills in defaults and says what is wrong.
func (c Choice) complete(dim int) (Choice, error) {
	if len(c.Kernels) > 0 && c.Rule == 0 {
		c.Rule = Given
	}
	c = c.resolve(Ladder)
	switch {
	case c.Rule < 0 || c.Rule > Given:
		return c, fmt.Errorf("kerneltest: unknown rule %v", c.Rule)
	case (c.Rule == Given) != (len(c.Kernels) > 0):
		return c, fmt.Errorf("kerneltest: rule is %v with %d kernels, want given with kernels, "+
			"and only then", c.Rule, len(c.Kernels))
	case c.Quantiles < 0 || c.Bandwidths < 0:
		return c, fmt.Errorf("kerneltest: quantiles are %d and bandwidths %d, want 0 for the "+
			"default, or more", c.Quantiles, c.Bandwidths)
	}
	if err := c.checkMean(dim); err != nil {
		return c, err
	}
	if c.Quantiles == 0 {
		c.Quantiles = 64
	}
	if c.Bandwidths == 0 {
		c.Bandwidths = defaultBandwidths
	}
	rungs, amplitudes := defaultRungs(), []float64(nil)
	if c.Rule.shrinks() {
		rungs, amplitudes = BayesDefaults()
	}
	if c.Rungs == nil {
		c.Rungs = rungs
	}
	if c.Amplitudes == nil {
		c.Amplitudes = amplitudes
	}
	few := len(c.Amplitudes) == 0
	if few && c.Rule.shrinks() || !few && !c.Rule.shrinks() && c.Rule != Given {
		return c, fmt.Errorf("kerneltest: rule %v has %d amplitudes, want at least one for bayes, and "+
			"none but there and for given", c.Rule, len(c.Amplitudes))
	}
	for i, s := range c.Amplitudes {
		if !(s >= 1/mostAmplitude && s <= mostAmplitude) {
			return c, fmt.Errorf("kerneltest: amplitude %d is %v, want a number from %v to %v", i+1, s,
				1/mostAmplitude, mostAmplitude)
		}
	}
	if (c.Rule == Ladder || c.Rule.shrinks()) && len(c.Rungs) == 0 {
		return c, fmt.Errorf("kerneltest: the ladder has no rungs, want at least one, or nil for " +
			"the default")
	}
	for i, e := range c.Rungs {
		if !(math.Abs(e) <= 100) {
			return c, fmt.Errorf("kerneltest: rung %d of the ladder is %v, want an exponent of 2 "+
				"from -100 to 100", i+1, e)
		}
	}
	for _, k := range c.Kernels {
		if err := checkKernel(k, dim); err != nil {
			return c, err
		}
	}
	return c, nil
}

const mostAmplitude = 1e6

// choose applies the choice to rows, and returns them in the units of the kernel. Messages call the
// rows name.
func (c Choice) choose(ctx context.Context, data []float64, dim int, o Options, name string) (
	*Chosen, []float64, error) {
	if len(c.Categories) > 0 {
		return c.mixed(ctx, data, dim, o, name)
	}
	c, err := c.complete(dim)
	if err != nil {
		return nil, nil, err
	}
	out := &Chosen{Rule: c.Rule, Kernels: c.Kernels}
	if c.made != nil {
		return c.again(data, dim, name)
	}
	sorted := mat.NewDense(len(data)/dim, dim, rows.Sort(data, dim))
	if o.Standardize.Of(dim) {
		if sorted, out.Scaling, err = bke.StandardizeBulk(sorted); err != nil {
			return nil, nil, fmt.Errorf("kerneltest: %s: %w", name, err)
		}
		scaled, err := out.Scaling.Apply(mat.NewDense(len(data)/dim, dim, data))
		if err != nil {
			return nil, nil, fmt.Errorf("kerneltest: %s: %w", name, err)
		}
		data = scaled.RawMatrix().Data
	}
	switch {
	case c.Rule == Given:
		out.shrink(c.Amplitudes)
		out.given()
	case alike(sorted):
		out.lengthscales(c.Model, 1)
		out.note("All rows of %s are equal: any lengthscale gives the same result.", name)
	case c.Rule <= Bayes || c.Rule == Broad:
		err = c.learn(ctx, out, sorted, o, name)
	default:
		err = c.distances(out, sorted, o.Seed)
	}
	if err != nil {
		return nil, nil, err
	}
	return out, data, nil
}

// again applies kernels that were chosen before.
func (c Choice) again(data []float64, dim int, name string) (*Chosen, []float64, error) {
	out := &Chosen{Rule: Given, Kernels: slices.Clone(c.Kernels), Theta: slices.Clone(c.made.Theta),
		Rungs: slices.Clone(c.made.Rungs), Amplitudes: slices.Clone(c.made.Amplitudes),
		Scaling: c.made.Scaling, wrap: c.made.wrap}
	if c.made.Rule == Broad {
		out.Rule = Broad
	}
	if out.Scaling == nil {
		return out, data, nil
	}
	scaled, err := out.Scaling.Apply(mat.NewDense(len(data)/dim, dim, data))
	if err != nil {
		return nil, nil, fmt.Errorf("kerneltest: %s: %w", name, err)
	}
	return out, scaled.RawMatrix().Data, nil
}

func (c *Chosen) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// lengthscales sets the kernels to those of the model, leaving out lengthscales that occur before.
func (c *Chosen) lengthscales(o bke.Options, theta ...float64) {
	for _, t := range theta {
		if !slices.Contains(c.Theta, t) {
			c.Theta = append(c.Theta, t)
			c.Kernels = append(c.Kernels, radial(o, t))
		}
	}
}

// alike reports whether sorted rows are all equal.
func alike(sorted *mat.Dense) bool {
	n, _ := sorted.Dims()
	return slices.Equal(sorted.RawRowView(0), sorted.RawRowView(n-1))
}
