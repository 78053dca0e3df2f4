package compare

import (
	"fmt"
	"math"

	"bayeskernel/internal/jsonfloat"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"
)

// Record is the verdict as a program writes it in JSON. It is meant to be embedded in a larger
// record.
type Record struct {
	Test   TestRecord `json:"test" doc:"The test of two samples that leads; null for one sample."`
	Where  []Interval `json:"where" doc:"Where one sample has more, by a band that holds everywhere at once: for one column, in its units. Empty if no interval can be named."`
	Places []Place    `json:"places" doc:"Points at which one sample has more: for more than one column. Empty if none can be named."`
	// ByColumn is there for two columns and more, and Pairs for three.
	ByColumn []ColumnRecord `json:"by_column,omitempty" doc:"The test of each column alone: for three columns and more."`
	Pairs    []PairRecord   `json:"pairs,omitempty" doc:"The pairs of columns that differ most: for three columns and more."`
}

// TestRecord is the outcome of a test.
type TestRecord struct {
	P            jsonfloat.Number `json:"p" doc:"The p-value."`
	Reject       bool             `json:"reject" doc:"Whether the null hypothesis is rejected."`
	Statistic    jsonfloat.Number `json:"statistic" doc:"The test statistic."`
	Kernels      []KernelRecord   `json:"kernels" doc:"The kernels of the test."`
	Permutations int              `json:"permutations" doc:"The number of permutations; 0 where another null distribution was used."`
	Rule         string           `json:"rule,omitempty" doc:"For three columns and more: a region, found on half of the rows and tested on the other half; not there where none is confirmed."`
	Saw          string           `json:"saw,omitempty" doc:"What the strongest statistic of the default test sees, in words."`
}

// KernelRecord is one kernel of a test.
type KernelRecord struct {
	Kernel string `json:"kernel" doc:"The radial kernel, as -kernel names it; of the default test, what the statistic looks at: rows, scores, distances and so on."`
	// Theta is the lengthscale, in the units in which the kernel works; null where there is none.
	Theta jsonfloat.Number `json:"theta" doc:"The lengthscale, in the units in which the kernel works; null where there is none."`
}

// ColumnRecord is the test of one column.
type ColumnRecord struct {
	Column    string           `json:"column" doc:"The name of the column."`
	P         jsonfloat.Number `json:"p" doc:"The p-value."`
	Corrected jsonfloat.Number `json:"p_holm" doc:"The p-value corrected for the number of columns by Holm's method."`
	Shift     jsonfloat.Number `json:"shift" doc:"The difference of the means over the root of the mean of the two variances."`
	ShiftSE   jsonfloat.Number `json:"shift_se" doc:"The standard error of shift, without that of the variances."`
	Levels    []LevelRecord    `json:"levels,omitempty" doc:"The levels of a column of categories, whose shift is 0."`
}

// LevelRecord is a level of a column of categories.
type LevelRecord struct {
	Level  string              `json:"level" doc:"The level."`
	Shares [2]jsonfloat.Number `json:"shares" doc:"The share of the rows of each sample that have it."`
}

// PairRecord is a pair of columns that differ much.
type PairRecord struct {
	Columns  [2]string        `json:"columns" doc:"The two columns."`
	Strength jsonfloat.Number `json:"strength" doc:"How many posterior standard deviations from 0 the witness of the two is at most."`
}

// Record returns the verdict for JSON.
func (r *Result) Record() Record {
	out := Record{Test: newTestRecord(r.Test), Where: []Interval{}, Places: []Place{}}
	if s := r.Test.Sight; s != nil {
		out.Test.Saw = s.Words(r.Columns)
	}
	if r.Rule != nil {
		out.Test.Rule = r.Rule.String()
	}
	if w := r.Witness; w != nil && w.Where != nil {
		out.Where, out.Places = w.Where, w.Places
	}
	for _, c := range r.ByColumn {
		one := ColumnRecord{Column: c.Name, P: jsonfloat.Number(c.Test.P), Corrected: jsonfloat.Number(c.Corrected),
			Shift: jsonfloat.Number(c.Shift), ShiftSE: jsonfloat.Number(c.ShiftSE)}
		for _, l := range c.Levels {
			one.Levels = append(one.Levels, LevelRecord{l.Name, [2]jsonfloat.Number{
				jsonfloat.Number(l.Shares[0]), jsonfloat.Number(l.Shares[1])}})
		}
		out.ByColumn = append(out.ByColumn, one)
	}
	for _, p := range r.Pairs {
		out.Pairs = append(out.Pairs, PairRecord{p.Columns, jsonfloat.Number(p.Strength)})
	}
	return out
}

// newTestRecord is the record of a test of two samples.
func newTestRecord(t *kerneltest.Result) TestRecord {
	out := TestRecord{P: jsonfloat.Number(t.P), Reject: t.Reject,
		Statistic: jsonfloat.Number(t.Statistic), Kernels: []KernelRecord{}}
	if t.Null == statistic.Permutation {
		out.Permutations = t.Permutations
	}
	for i, c := range t.Candidates {
		theta := math.NaN()
		if c.View != kerneltest.NoView {
			out.Kernels = append(out.Kernels, KernelRecord{c.View.String(), jsonfloat.Number(theta)})
			continue
		}
		if i < len(t.Kernel.Theta) && !c.Within {
			theta = t.Kernel.Theta[i]
		} else if s, ok := kernels.AsStationary(c.Kernel); ok && len(s.Theta) == 1 { // within blocks
			theta = s.Theta[0]
		}
		out.Kernels = append(out.Kernels, KernelRecord{kernelName(c.Kernel), jsonfloat.Number(theta)})
	}
	return out
}

// kernelName is the radial kernel of a kernel.
func kernelName(k kernels.Kernel) string {
	if s, ok := kernels.AsStationary(k); ok {
		return fmt.Sprint(s.Radial)
	}
	switch m := k.(type) {
	case kernels.Mean:
		return "mean"
	case kernels.Distance:
		return "distance"
	case kernels.Mixed:
		if m.Of == nil {
			return "indicator"
		}
		return kernelName(m.Of) + " times indicator"
	}
	return fmt.Sprintf("%T", k)
}
