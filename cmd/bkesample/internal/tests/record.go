package tests

import (
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/compare"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
)

// Record is summary.json of a test of two samples.
type Record struct {
	about
	*Verdict
	Sizes *SizesRecord `json:"sizes,omitempty" doc:"How large the differences are, in numbers that do not grow with the rows; not there with -weights, nor with -blocks unless blocks are pairs."`
	numbers
}

// IndependenceRecord is summary.json of a test of independence.
type IndependenceRecord struct {
	about
	Dependence *SizeRecord `json:"distance_correlation,omitempty" doc:"The distance correlation with its 90% interval: 0 for independent variables, 1 at most. Not there with -blocks."`
	numbers
}

// about says what was tested, and the finding.
type about struct {
	report.Head
	Source  string               `json:"source" doc:"The files, in words."`
	Columns []string             `json:"columns" doc:"The names of the columns that are data."`
	Samples []study.SampleRecord `json:"samples" doc:"The two samples, or the two variables."`
	Found   []string             `json:"verdict" doc:"What was found, in sentences, the finding first."`
}

// Verdict is the result of a comparison. For one sample, test is null.
type Verdict struct {
	Test     *compare.TestRecord    `json:"test" doc:"The test of two samples that leads; null for one sample."`
	Where    []compare.Interval     `json:"where" doc:"Where one sample has more, by a band that holds everywhere at once: for one column, in its units. Empty if no interval can be named."`
	Places   []compare.Place        `json:"places" doc:"Points at which one sample has more: for more than one column. Empty if none can be named."`
	ByColumn []compare.ColumnRecord `json:"by_column,omitempty" doc:"The test of each column alone: for three columns and more."`
	Pairs    []compare.PairRecord   `json:"pairs,omitempty" doc:"The pairs of columns that differ most: for three columns and more."`
}

// NewVerdict is the verdict of a comparison, nil for one sample.
func NewVerdict(r *compare.Result) Verdict {
	if r == nil {
		return Verdict{Where: []compare.Interval{}, Places: []compare.Place{}}
	}
	v := r.Record()
	return Verdict{&v.Test, v.Where, v.Places, v.ByColumn, v.Pairs}
}

// numbers are the numbers of a test.
type numbers struct {
	Weights      *WeightsRecord `json:"weights,omitempty" doc:"The weights of the rows; not there without -weights."`
	Label        string         `json:"statistic_name" doc:"What the statistic is."`
	Statistic    report.Number  `json:"statistic" doc:"The test statistic."`
	P            report.Number  `json:"p" doc:"The p-value."`
	PError       report.Number  `json:"p_error" doc:"The Monte Carlo standard error of p."`
	Alpha        report.Number  `json:"alpha" doc:"The level of the test."`
	Reject       bool           `json:"reject" doc:"Whether the null hypothesis is rejected."`
	Null         string         `json:"null" doc:"Where the null distribution comes from."`
	Permutations int            `json:"permutations" doc:"The number of permutations; 0 where another null distribution was used."`
	AtLeast      int            `json:"at_least" doc:"How many permutations had a statistic at least as extreme."`
	Stopped      bool           `json:"stopped_early" doc:"Whether the test stopped before the last permutation (-stop)."`
	Biased       report.Number  `json:"biased" doc:"The biased estimate of MMD² or HSIC."`
	Unbiased     report.Number  `json:"unbiased" doc:"The unbiased estimate of MMD² or HSIC."`
	Kernel       KernelRecord   `json:"kernel" doc:"How the kernel was chosen: of the samples, or of the first variable."`
	KernelY      *KernelRecord  `json:"kernel_y,omitempty" doc:"How the kernel of the second variable was chosen."`
	Candidates   []candidateRow `json:"candidates" doc:"The kernels of the test, each with its own statistic."`
	Bayes        *BayesRecord   `json:"bayes,omitempty" doc:"The Bayes factor; not there without -bayes."`
	Seed         uint64         `json:"seed" doc:"The seed of all random numbers."`
	Notes        []string       `json:"notes" doc:"What to keep in mind although nothing is wrong, in sentences."`
}

// KernelRecord says how a kernel was chosen.
type KernelRecord struct {
	Rule         string          `json:"rule" doc:"The rule that chose the lengthscales."`
	Kernel       string          `json:"kernel" doc:"The radial kernel, as -kernel names it."`
	Theta        []report.Number `json:"theta" doc:"The lengthscales, in the units in which the kernel works."`
	Standardized bool            `json:"standardized" doc:"Whether columns were divided by their standard deviations."`
	ColumnScales []report.Number `json:"column_scales" doc:"What the columns were divided by; empty if they were not."`
	M            int             `json:"m" doc:"The number of pseudo-inputs; 0 if nothing was learned."`
	Inputs       string          `json:"inputs" doc:"Where the pseudo-inputs come from; empty if nothing was learned."`
	Weight       report.Number   `json:"weight" doc:"The weight of the pseudolikelihood; 0 if nothing was learned."`
}

type candidateRow struct {
	Theta     []report.Number `json:"theta" doc:"The lengthscales of the kernel, or of the kernels of both variables."`
	Statistic report.Number   `json:"statistic" doc:"Its statistic."`
	P         report.Number   `json:"p_alone" doc:"Its p-value if it were the only one; not corrected for the others."`
	Weight    report.Number   `json:"weight" doc:"Its weight in the test."`
	View      string          `json:"view,omitempty" doc:"What it looks at, for the default test: its statistic is the largest of those of several kernels, and theta is of the strongest."`
}

// record is the summary.json of a test.
func (r *Tested) record() any {
	a := about{Head: report.NewHead(r.Command), Source: r.Data.Source, Columns: r.Data.Columns,
		Found: append([]string{r.Finding()}, r.Sure()...),
		Samples: []study.SampleRecord{{Name: r.Names[0], Rows: r.Result.RowsX},
			{Name: r.Names[1], Rows: r.Result.RowsY}}}
	if r.Two == nil {
		return IndependenceRecord{a, r.Dependence.record(), r.numbers()}
	}
	v := NewVerdict(r.Two)
	return Record{a, &v, r.Sizes.Record(), r.numbers()}
}

func (r *Tested) numbers() numbers {
	t := r.Result
	s := numbers{Label: r.Result.Label(), Statistic: report.Number(t.Statistic), P: report.Number(t.P),
		PError: report.Number(t.PError), Alpha: report.Number(t.Alpha), Reject: t.Reject,
		Null: t.Null.String(), Permutations: t.Permutations, AtLeast: t.AtLeast, Stopped: t.Stopped,
		Biased: report.Number(t.Biased), Unbiased: report.Number(t.Unbiased),
		Weights: NewWeightsRecord(r.Data),
		Kernel:  NewKernelRecord(t.Kernel), Seed: r.Flags.Seed, Bayes: r.Bayes.Record(), Notes: r.Notes()}
	if t.KernelY != nil {
		k := NewKernelRecord(t.KernelY)
		s.KernelY = &k
	}
	for _, c := range t.Candidates {
		s.Candidates = append(s.Candidates, candidateRow{Theta: append(thetaOf(c.Kernel),
			thetaOf(c.KernelY)...), Statistic: report.Number(c.Statistic), P: report.Number(c.P),
			Weight: report.Number(c.Weight), View: c.View.String()})
	}
	return s
}

// Notes are the notes of the data and of the test.
func (r *Tested) Notes() []string {
	out, more := append([]string{}, r.Data.Notes...), r.Result.Notes
	if r.Two != nil {
		more = r.Two.Notes
	}
	for _, n := range more {
		out = append(out, cli.WithoutPackages(n))
	}
	return out
}

// thetaOf returns the lengthscales of a kernel, if it has any.
func thetaOf(k kernels.Kernel) []report.Number {
	s, _ := kernels.AsStationary(ofNumbers(k))
	return report.Numbers(s.Theta)
}

// ofNumbers is the part of a kernel that is of numbers, nil if there is none.
func ofNumbers(k kernels.Kernel) kernels.Kernel {
	if m, ok := k.(kernels.Mixed); ok {
		return m.Of
	}
	return k
}

// radialOf names the radial kernel of a kernel, or of the kernels that it is the mean of.
func radialOf(k kernels.Kernel) string {
	k = ofNumbers(k)
	if mean, ok := k.(kernels.Mean); ok {
		k = mean[0]
	}
	if s, ok := kernels.AsStationary(k); ok {
		return s.Radial.String()
	}
	return ""
}

// NewKernelRecord describes a kernel.
func NewKernelRecord(c *kerneltest.Chosen) KernelRecord {
	k := KernelRecord{Rule: c.Rule.String(), Kernel: radialOf(c.Kernels[0]), Theta: report.Numbers(c.Theta),
		Standardized: c.Scaling != nil, ColumnScales: []report.Number{}}
	if c.Scaling != nil {
		k.ColumnScales = report.Numbers(c.Scaling.SD)
	}
	if c.Model != nil {
		k.M, k.Inputs, k.Weight = c.Model.M(), c.Inputs.Kind.String(), report.Number(c.Model.Weight())
	}
	return k
}
