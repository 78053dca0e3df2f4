package magnitude

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/rng"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/mat"
)

// Level is the default level of the intervals.
const Level = 0.9

// Interval is an estimate with an interval around it. Limits that the rows cannot give are NaN.
type Interval struct {
	Estimate, Lower, Upper float64
}

// Known reports whether there is an interval.
func (i Interval) Known() bool { return !math.IsNaN(i.Lower) && !math.IsNaN(i.Upper) }

func unknown(estimate float64) Interval { return Interval{estimate, math.NaN(), math.NaN()} }

// Quantile is the difference of the quantiles of order P.
type Quantile struct {
	P float64
	Interval
}

// Column compares two samples in one column. Differences are those of the first sample minus the
// second.
type Column struct {
	Name string
	// Mean is the difference of the means, in the units of the data.
	Mean Interval
	// Quantiles are the differences of quantiles; of pairs, the quantiles of the differences. Orders
	// for which there are too few rows are left out.
	Quantiles []Quantile
	// Exceeds is the probability that a random row of the first sample exceeds one of the second, ties
	// counted half; of pairs, that the first exceeds the second in a random pair.
	Exceeds Interval
	// Overlap is the area below both densities: 1 for equal laws, 0 for laws that never meet.
	Overlap Interval
	// Standardized is the difference of the means in standard deviations: the root of the mean of the
	// two variances, or the standard deviation of the differences of pairs.
	Standardized Interval
}

// Result compares two samples.
type Result struct {
	Columns []Column // in the order of the data
	// Overall is the share of the mean distance between rows of different samples that distances
	// within the samples do not account for: 0 for equal laws, 1 at most. Columns count in units of
	// their standard deviations.
	Overall Interval
	Paired  bool
	Level   float64
	Rows    [2]int
}

// Sorted lists the columns, those that overlap least first.
func (r *Result) Sorted() []int {
	order := make([]int, len(r.Columns))
	for i := range order {
		order[i] = i
	}
	size := func(i int) float64 {
		if v := r.Columns[i].Overlap.Estimate; !math.IsNaN(v) {
			return v
		}
		return 1
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(size(a), size(b)),
			-cmp.Compare(math.Abs(r.Columns[a].Exceeds.Estimate-0.5), math.Abs(r.Columns[b].Exceeds.Estimate-0.5)))
	})
	return order
}

// Options are settings; zero values mean the defaults in parentheses.
type Options struct {
	Columns  []string // names (1, 2, …)
	Level    float64  // of the intervals (Level)
	Seed     uint64   // of the resampling
	Parallel int      // columns at once (as many as there are processors)
	Only     Numbers  // what to find; what is not asked for is NaN, or missing (all)
}

// Numbers is a set of the numbers that Samples and Pairs find.
type Numbers uint8

const (
	Means         Numbers = 1 << iota // and standardised differences
	Quantiles                         // differences of quantiles
	Probabilities                     // that one exceeds the other
	Overlaps
	Overall
	every = 1<<iota - 1
)

func (n Numbers) has(o Numbers) bool { return n&o != 0 }

func (o Options) level() (float64, error) {
	if o.Level == 0 {
		return Level, nil
	}
	if !(o.Level > 0.5 && o.Level < 0.999) {
		return 0, fmt.Errorf("magnitude: Level is %v, want it between 0.5 and 0.999", o.Level)
	}
	return o.Level, nil
}

// Samples compares two independent samples, one row for each observation.
func Samples(ctx context.Context, x, y mat.Matrix, o Options) (*Result, error) {
	return compare(ctx, x, y, o, false)
}

// Pairs compares two samples whose rows belong together: row i of x with row i of y.
func Pairs(ctx context.Context, x, y mat.Matrix, o Options) (*Result, error) {
	return compare(ctx, x, y, o, true)
}

func compare(ctx context.Context, x, y mat.Matrix, o Options, paired bool) (*Result, error) {
	level, err := o.level()
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(rows.Check("x", x), rows.Check("y", y)); err != nil {
		return nil, fmt.Errorf("magnitude: %w", err)
	}
	m, d := x.Dims()
	n, dy := y.Dims()
	switch {
	case paired && m != n:
		return nil, fmt.Errorf("magnitude: pairs of %d and %d rows, want as many of each", m, n)
	case d != dy:
		return nil, fmt.Errorf("magnitude: samples of %d and %d columns, want as many of each", d, dy)
	case m < 2 || n < 2:
		return nil, fmt.Errorf("magnitude: samples of %d and %d rows, want at least 2 of each", m, n)
	case len(o.Columns) > 0 && len(o.Columns) != d:
		return nil, fmt.Errorf("magnitude: %d names for %d columns", len(o.Columns), d)
	}
	if err := cmp.Or(finite("x", x), finite("y", y), rows.Scaled("x", x), rows.Scaled("y", y)); err != nil {
		return nil, fmt.Errorf("magnitude: %w", err)
	}
	only := o.Only
	if only == 0 {
		only = every
	}
	r := &Result{Columns: make([]Column, d), Overall: unknown(math.NaN()), Paired: paired, Level: level,
		Rows: [2]int{m, n}}
	err = workers.Each(ctx, d+1, o.Parallel, func() func(int) error {
		return func(j int) error {
			if j == d {
				if only.has(Overall) {
					r.Overall = overall(x, y, level, paired, stream(o.Seed, "magnitude", j))
				}
				return nil
			}
			name := fmt.Sprint(j + 1)
			if len(o.Columns) > 0 {
				name = o.Columns[j]
			}
			r.Columns[j] = column(mat.Col(nil, j, x), mat.Col(nil, j, y), level, paired, only, o.Seed, j)
			r.Columns[j].Name = name
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// column compares column j.
func column(x, y []float64, level float64, paired bool, only Numbers, seed uint64, j int) Column {
	none := unknown(math.NaN())
	c := Column{Mean: none, Exceeds: none, Overlap: none, Standardized: none}
	if only.has(Overlaps) {
		c.Overlap = overlap(x, y, level, paired, stream(seed, "magnitude", j))
	}
	compared := [][]float64{x, y}
	if paired {
		d := make([]float64, len(x))
		for i, v := range x {
			d[i] = v - y[i]
		}
		compared = [][]float64{d}
	}
	if only.has(Means) {
		c.Mean, c.Standardized = means(compared, level, stream(seed, "means", j))
	}
	if only.has(Probabilities) && paired {
		c.Exceeds = exceedsInPairs(compared[0], level)
	}
	for _, s := range compared {
		arrange(s)
	}
	if only.has(Probabilities) && !paired {
		c.Exceeds = exceeds(x, y, level)
	}
	if only.has(Quantiles) {
		c.Quantiles = quantiles(compared, level)
	}
	return c
}

func stream(seed uint64, purpose string, c int) *rand.Rand {
	s, err := rng.New(rng.PCG, rng.Name{Seed: seed, Purpose: purpose}, uint64(c))
	if err != nil {
		panic(err) // no unknown kind
	}
	return rand.New(s)
}

func finite(name string, x mat.Matrix) error {
	_, _, _, err := rows.Parts(name, x)
	return err
}
