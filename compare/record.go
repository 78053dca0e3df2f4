package compare

import (
	"fmt"

	"bayeskernel/internal/jsonfloat"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"
)

// Record is the verdict as a program writes it in JSON. It is meant to be embedded in a larger
// record.
type Record struct {
	Test   TestRecord `json:"test"`
	Where  []Interval `json:"where"`  // empty, never null; in the units of the data
	Places []Place    `json:"places"` // the same for more columns than one
	// ByColumn is there for two columns and more, and Pairs for three.
	ByColumn []ColumnRecord `json:"by_column,omitempty"`
	Pairs    []PairRecord   `json:"pairs,omitempty"`
}

// TestRecord is the outcome of a test.
type TestRecord struct {
	P            jsonfloat.Number `json:"p"`
	Reject       bool             `json:"reject"`
	Statistic    jsonfloat.Number `json:"statistic"`
	Kernels      []KernelRecord   `json:"kernels"`
	Permutations int              `json:"permutations"` // 0 for another null distribution
}

// KernelRecord is one kernel of a test.
type KernelRecord struct {
	Kernel string `json:"kernel"`
	// Theta is the lengthscale, in the units in which the kernel works; null where there is none.
	Theta jsonfloat.Number `json:"theta"`
}

// ColumnRecord is the test of one column.
type ColumnRecord struct {
	Column    string           `json:"column"`
	P         jsonfloat.Number `json:"p"`
	Corrected jsonfloat.Number `json:"p_holm"`
	Shift     jsonfloat.Number `json:"shift"`
	ShiftSE   jsonfloat.Number `json:"shift_se"`
}

// PairRecord is a pair of columns that differ much.
type PairRecord struct {
	Columns  [2]string        `json:"columns"`
	Strength jsonfloat.Number `json:"strength"`
}

// Record returns the verdict for JSON.
func (r *Result) Record() Record {
	out := Record{Test: NewTestRecord(r.Test), Where: []Interval{}, Places: []Place{}}
	if w := r.Witness; w != nil && w.Where != nil {
		out.Where, out.Places = w.Where, w.Places
	}
	for _, c := range r.ByColumn {
		out.ByColumn = append(out.ByColumn, ColumnRecord{c.Name, jsonfloat.Number(c.Test.P),
			jsonfloat.Number(c.Corrected), jsonfloat.Number(c.Shift), jsonfloat.Number(c.ShiftSE)})
	}
	for _, p := range r.Pairs {
		out.Pairs = append(out.Pairs, PairRecord{p.Columns, jsonfloat.Number(p.Strength)})
	}
	return out
}

// NewTestRecord is the record of a test of two samples.
func NewTestRecord(t *kerneltest.Result) TestRecord {
	out := TestRecord{P: jsonfloat.Number(t.P), Reject: t.Reject,
		Statistic: jsonfloat.Number(t.Statistic), Kernels: []KernelRecord{}}
	if t.Null == statistic.Permutation {
		out.Permutations = t.Permutations
	}
	for i, c := range t.Candidates {
		out.Kernels = append(out.Kernels, KernelRecord{kernelName(c.Kernel),
			jsonfloat.Number(t.Kernel.Theta[i])})
	}
	return out
}

// kernelName is the radial kernel of a kernel.
func kernelName(k kernels.Kernel) string {
	if s, ok := kernels.AsStationary(k); ok {
		return fmt.Sprint(s.Radial)
	}
	if _, ok := k.(kernels.Mean); ok {
		return "mean"
	}
	return fmt.Sprintf("%T", k)
}
