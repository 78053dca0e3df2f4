package kerneltest

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/permute"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"
)

// Result is the outcome of a test.
type Result struct {
	RowsX, RowsY int // of the samples, or of the variables, where both are the number of pairs
	// Groups are the numbers of rows of the samples of Several, which sets neither RowsX nor RowsY.
	Groups []int
	// Kernel was chosen from the rows of both samples, or from those of the first variable. KernelY
	// was chosen from those of the second variable; it is nil for two samples.
	Kernel  *Chosen
	KernelY *Chosen

	// Statistic was compared with the null distribution. With one kernel it is the squared MMD or
	// HSIC, biased or unbiased as asked; with Largest the largest unbiased one, each divided by its
	// standard deviation under the null hypothesis; with Fuse the soft maximum; with Aggregate the
	// smallest of the p-values of the kernels, each divided by the kernel's weight.
	Statistic float64
	// Biased, Unbiased and Ratio are those of the kernel with the largest statistic, for two
	// samples Scales[0], and Candidates[Best] for variables. Unbiased and Ratio are NaN where
	// they are not defined. For two samples Ratio is statistic.MMD's signal to noise, which grows with
	// the rows; for two variables it is statistic.HSIC's Normalized, a number between 0 and 1 like
	// the square of a correlation. Package magnitude has numbers that do not grow with the rows, with
	// intervals.
	Biased, Unbiased, Ratio float64
	Candidates              []Candidate
	Combined                Combination // how several kernels made one test
	// Best is the strongest kernel: that with the largest statistic, each divided by its standard
	// deviation under the null hypothesis.
	Best int
	// Scales are the kernels that show where two samples differ, by their witness, the strongest
	// first. They are those of the test. For rule Bayes, which shrinks its kernels, they are the
	// plain ones of the default ladder.
	Scales []Scale

	// P is the p-value, PError its Monte Carlo standard error: 0 for a null that is not random.
	P, PError float64
	Alpha     float64
	Reject    bool           // P is at most Alpha
	Null      statistic.Null // the null distribution that was used, never Auto

	// Permutations is the number that were made, not counting the data as they are. AtLeast of them
	// had a statistic at least as large (with Aggregate, at most as large). Stopped reports that
	// Options.Stop ended the test.
	Permutations, AtLeast int
	Stopped               bool
	Draws                 []float64       // the statistics of these permutations; nil for other nulls
	Tail                  *statistic.Tail // of other nulls; nil for permutations

	// TraceError is the largest share of the trace of a Gram matrix that the test leaves out because
	// there are too many rows for the exact kernel; 0 where the kernels are exact. See ExactRows and
	// ExactPairs.
	TraceError float64

	// Sight says what samples differ in by the strongest statistic of rule Broad; nil for other rules.
	Sight *Sight

	// Notes are warnings, a sentence or two each.
	Notes []string

	weights  []float64 // of the rows of two samples, nil if there were none
	unbiased bool      // the statistic of one kernel
}

// Scale is a kernel whose witness can be drawn.
type Scale struct {
	Kernel kernels.Kernel
	Theta  float64 // its lengthscale, NaN where it has none
	Rung   float64 // the multiple of the learned lengthscale, 0 where none was learned
}

// Candidate is one kernel of a test, and the result of a test with it alone.
type Candidate struct {
	Kernel, KernelY kernels.Kernel // KernelY is nil for two samples
	Statistic       float64        // unbiased, or what was asked for where there is one kernel only
	// P is the p-value of a test with this kernel alone. Do not report the smallest of several.
	P      float64
	Weight float64 // in the combination
	// Amplitude is that of rule Bayes, 0 for others. Statistic is then of the shrunk kernel.
	Amplitude float64
	// Within reports that the kernel is of the rows less the mean of their block: see Several.
	Within bool
	// View is what the candidate looks at for rule Broad, where each candidate is the largest of the
	// statistics of several kernels, in standard deviations, and Kernel and Part are those of the strongest.
	View View
	Part Part
}

// statistics computes the statistics of permutations first to first+count-1 of so many in all,
// number 0 being the data as they are.
type statistics func(ctx context.Context, first, count, all int) (*table, error)

// arrangements are the permutations of one test, at most a number of them at a time, for memory.
type arrangements struct {
	draw    statistics
	most    int
	kernels int
}

// table has a row for each kernel.
type table struct {
	values [][]float64
	slack  []float64 // sums of the sizes of the terms, for permute.AtLeast
	norm   []float64 // units of the statistics, for Largest and Fuse
}

func newTable(kernels int) *table {
	return &table{make([][]float64, kernels), make([]float64, kernels), make([]float64, kernels)}
}

// within turns the progress of kernel k in a range of permutations into that of the test.
func (o Options) within(first, count, all, k, kernels int) func(done, total int) {
	step := o.step("permute")
	if step == nil || first > mostPermutations { // permutations that set units are no part of the test
		return nil
	}
	return func(done, total int) {
		share := (float64(k) + float64(done)/float64(total)) / float64(kernels)
		step(int(1000*(float64(first)+share*float64(count))/float64(all)), 1000)
	}
}

// sequence goes through permutations until it has seen enough, a part at a time. Combine makes one
// statistic of those of the kernels.
func (o Options) sequence(ctx context.Context, a arrangements,
	combine func(t *table) (values []float64, size float64)) (*Result, *table, error) {
	r := &Result{Null: statistic.Permutation, Alpha: o.Alpha}
	var (
		all      *table
		observed float64
		size     = o.Permutations + 1
	)
	if o.Stop > 0 {
		size = max(64, 2*o.Stop)
	}
	for first := 0; first <= o.Permutations && !r.Stopped; first += size {
		if first > 0 {
			size *= 2
		}
		size = min(size, a.most)
		t, err := a.draw(ctx, first, min(size, o.Permutations+1-first), o.Permutations+1)
		if err != nil {
			return nil, nil, err
		}
		values, slack := combine(t)
		if first == 0 {
			observed = values[0]
			values = values[1:]
		}
		for _, v := range values {
			r.Draws = append(r.Draws, v)
			if permute.AtLeast(v, observed, slack) {
				r.AtLeast++
			}
			if o.Stop > 0 && r.AtLeast == o.Stop && len(r.Draws) < o.Permutations {
				r.Stopped = true
				break
			}
		}
		all = all.add(t)
	}
	r.Statistic = observed
	r.Permutations = len(r.Draws)
	r.count()
	return r, all, nil
}

// add appends the values of t.
func (a *table) add(t *table) *table {
	if a == nil {
		return t
	}
	for k, v := range t.values {
		a.values[k] = append(a.values[k], v...)
	}
	return a
}

// count makes a p-value of the counts. Where the test went to its end it is the rank of the data
// among all arrangements, themselves included. Where it stopped at the h-th statistic at least as
// large, the l-th in all, it is h/l, which is valid too (Besag and Clifford, 1991).
func (r *Result) count() {
	b, g := float64(r.Permutations), float64(r.AtLeast)
	if r.Stopped {
		r.P = g / b
		r.PError = r.P * math.Sqrt((1-r.P)/g)
	} else {
		r.P = (1 + g) / (1 + b)
		r.PError = math.Sqrt(r.P * (1 - r.P) / (1 + b))
	}
}

// raise has no p-value of permutations below the smallest that there can be, which it returns: of few arrangements
// some are drawn less often than their share.
func (r *Result) raise(least float64) float64 {
	if r.Permutations > 0 && r.P < least {
		r.P = least
		r.Decide()
	}
	return least
}

// Decide compares the p-value with the level.
func (r *Result) Decide() {
	// The p-value is a ratio of integers that may be meant to equal alpha.
	r.Reject = r.P <= r.Alpha*(1+1e-12)
}

// alone returns the p-value of each kernel by itself, from all that was looked at.
func (t *table) alone() []float64 {
	p := make([]float64, len(t.values))
	for k, values := range t.values {
		count := 0
		for _, v := range values { // the first is the data
			if permute.AtLeast(v, values[0], t.slack[k]) {
				count++
			}
		}
		p[k] = float64(count) / float64(len(values))
	}
	return p
}

// combined runs the test with all kernels.
func (o Options) combined(ctx context.Context, a arrangements) (*Result, *table, error) {
	if a.kernels == 1 {
		return o.sequence(ctx, a, func(t *table) ([]float64, float64) {
			return t.values[0], t.slack[0]
		})
	}
	return o.Combine.of().permute(o, ctx, a)
}

// finish names the kernels and sets what is known of each.
func (o Options) finish(r *Result, t *table, c []Candidate) {
	weights, err := o.weights(len(c))
	if err != nil || !o.Combine.of().weighted {
		weights = equalWeights(len(c))
	}
	r.Candidates, r.Combined, r.unbiased = c, o.Combine, o.Unbiased
	p := t.alone()
	if len(c) == 1 {
		p[0] = r.P // it may have stopped before the end of the table
	}
	for k := range c {
		c[k].Statistic, c[k].P, c[k].Weight = t.values[k][0], p[k], weights[k]
		if t.ratio(k) > t.ratio(r.Best) {
			r.Best = k
		}
	}
}

// ratio is the observed statistic of kernel k in units that make kernels comparable.
func (t *table) ratio(k int) float64 {
	if !(t.norm[k] > 0) {
		return math.Inf(-1)
	}
	return t.values[k][0] / t.norm[k]
}

func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// equalWeights are those of so many kernels.
func equalWeights(count int) []float64 {
	w := make([]float64, count)
	for i := range w {
		w[i] = 1 / float64(count)
	}
	return w
}
