package tests

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/compare"
	"bayeskernel/internal/page"
	"bayeskernel/magnitude"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Sizes say how large the differences of two samples are, in numbers that do not grow with the rows.
type Sizes struct {
	Result *magnitude.Result // nil if there are none
	Why    string            // there are none
	names  [2]string
	order  []int // of Result.Columns, those that overlap least first
	kept   []int // the columns of the data that Result.Columns are: those of numbers
	rows   int   // of the larger sample
	ties   bool  // values of the two samples are often equal
}

// NewSizes measures the differences; nil for one sample. Pairs tells that the rows of the samples
// belong together, as -paired or blocks of one row of each say.
func NewSizes(ctx context.Context, d *input.Dataset, pairs bool, seed uint64) (*Sizes, error) {
	if d.Q == nil {
		return nil, nil
	}
	s := &Sizes{names: [2]string{d.PName, d.QName}, kept: numeric(d), rows: max(d.Rows())}
	x, y := d.P, d.Q
	n, _ := x.Dims()
	m, _ := y.Dims()
	switch {
	case d.Weights != nil:
		s.Why = "The sizes of the differences are left out: they are not for weighted rows."
	case d.Counts[0] > n || d.Counts[1] > m:
		s.Why = "The sizes of the differences are left out: they need all rows, and this run kept their sums."
	case len(s.kept) == 0:
		s.Why = "The sizes of the differences are left out: all columns hold categories."
	case n < 2 || m < 2:
		s.Why = "The sizes of the differences are left out: they need two rows of each sample."
	case d.Blocks != nil:
		if y = partners(d.Blocks, n, y); y == nil {
			s.Why = "The sizes of the differences are left out: rows of a block depend on one another, and " +
				"intervals are for independent rows, or for blocks of one row of each sample."
		}
		pairs = true
	}
	if s.Why != "" {
		return s, nil
	}
	measure := magnitude.Samples
	if pairs {
		measure = magnitude.Pairs
	}
	var err error
	o := magnitude.Options{Columns: picked(d.Columns, s.kept), Seed: seed}
	if s.Result, err = measure(ctx, ofColumns(x, s.kept), ofColumns(y, s.kept), o); err != nil {
		s.Why = "The sizes of the differences are left out: " + cli.WithoutPackages(err.Error()) + "."
		return s, ctx.Err()
	}
	s.order = s.Result.Sorted()
	for _, k := range s.kept {
		s.ties = s.ties || tied(mat.Col(nil, k, x), mat.Col(nil, k, y), pairs)
	}
	return s, nil
}

// tied reports whether at least one in a hundred pairs of values are equal, so that it matters how these count. Of
// many values some are looked at.
func tied(x, y []float64, pairs bool) bool {
	const most = 5000
	equal, of := 0.0, 0.0
	if pairs {
		for i, v := range x {
			if of++; v == y[i] {
				equal++
			}
		}
		return equal > of/100
	}
	count := map[float64]float64{}
	looked := func(x []float64, at func(v float64)) (n float64) {
		for i := 0; i < len(x); i += 1 + len(x)/most {
			at(x[i])
			n++
		}
		return n
	}
	of = looked(x, func(v float64) { count[v]++ })
	of *= looked(y, func(v float64) { equal += count[v] })
	return equal > of/100
}

// numeric are the columns that hold no categories.
func numeric(d *input.Dataset) []int {
	var out []int
	for k := range d.Columns {
		if d.Categories == nil || d.Categories[k] == nil {
			out = append(out, k)
		}
	}
	return out
}

func picked(names []string, at []int) []string {
	out := make([]string, len(at))
	for i, k := range at {
		out[i] = names[k]
	}
	return out
}

// ofColumns are some columns of a matrix, the matrix itself if these are all.
func ofColumns(m *mat.Dense, columns []int) *mat.Dense {
	n, d := m.Dims()
	if len(columns) == d || len(columns) == 0 {
		return m
	}
	out := mat.NewDense(n, len(columns), nil)
	for i, k := range columns {
		out.SetCol(i, mat.Col(nil, k, m))
	}
	return out
}

// partners are the rows of y in the order of their blocks in x; nil unless each block has one row of
// both. The first n of the blocks are those of x.
func partners(blocks []int, n int, y *mat.Dense) *mat.Dense {
	at := map[int]int{}
	for j, b := range blocks[n:] {
		at[b] = j
	}
	if len(at) != n || len(blocks) != 2*n {
		return nil
	}
	_, d := y.Dims()
	out := mat.NewDense(n, d, nil)
	for i, b := range blocks[:n] {
		j, ok := at[b]
		if !ok {
			return nil
		}
		out.SetRow(i, y.RawRowView(j))
		delete(at, b)
	}
	return out
}

// SizeRecord is an estimate with its interval.
type SizeRecord struct {
	Estimate report.Number `json:"estimate" doc:"The estimate."`
	Lower    report.Number `json:"lower" doc:"The lower limit of its interval; null where the rows give none."`
	Upper    report.Number `json:"upper" doc:"The upper limit of its interval; null where the rows give none."`
}

// SizesRecord is what summary.json says of the sizes of the differences.
type SizesRecord struct {
	Level   report.Number `json:"level" doc:"The level of each interval, for its number and its column alone."`
	Paired  bool          `json:"paired" doc:"Whether rows belong together in pairs."`
	Columns []columnSizes `json:"columns" doc:"The columns, those whose two distributions overlap least first."`
	Overall SizeRecord    `json:"energy_coefficient" doc:"For all columns together, each in units of its standard deviation: the share of the mean distance between rows of different samples that distances within the samples do not account for. 0 for equal distributions, at most 1."`
}

type columnSizes struct {
	Name         string          `json:"name" doc:"The column."`
	Mean         SizeRecord      `json:"mean_difference" doc:"The mean of the first sample minus that of the second, in the units of the data."`
	Quantiles    []quantileSizes `json:"quantile_differences" doc:"The same for quantiles; of pairs, quantiles of the differences. Orders for which there are too few rows are left out."`
	Exceeds      SizeRecord      `json:"probability_greater" doc:"The probability that a random row of the first sample exceeds one of the second, ties counted half; of pairs, that the first exceeds the second."`
	Overlap      SizeRecord      `json:"overlap" doc:"The area below both densities: 1 for equal distributions, 0 for distributions that never meet."`
	Standardized SizeRecord      `json:"standardized_difference" doc:"The difference of the means in standard deviations (Hedges' g, with the root of the mean of both variances); of pairs, in standard deviations of the differences."`
}

type quantileSizes struct {
	P report.Number `json:"p" doc:"The order of the quantile."`
	SizeRecord
}

func sizeRecord(i magnitude.Interval) SizeRecord {
	return SizeRecord{report.Number(i.Estimate), report.Number(i.Lower), report.Number(i.Upper)}
}

// Record is what summary.json says; nil if there is nothing.
func (s *Sizes) Record() *SizesRecord {
	if s == nil || s.Result == nil {
		return nil
	}
	out := &SizesRecord{Level: report.Number(s.Result.Level), Paired: s.Result.Paired, Columns: []columnSizes{},
		Overall: sizeRecord(s.Result.Overall)}
	for _, k := range s.order {
		c := s.Result.Columns[k]
		v := columnSizes{Name: c.Name, Mean: sizeRecord(c.Mean), Exceeds: sizeRecord(c.Exceeds),
			Overlap: sizeRecord(c.Overlap), Standardized: sizeRecord(c.Standardized), Quantiles: []quantileSizes{}}
		for _, q := range c.Quantiles {
			v.Quantiles = append(v.Quantiles, quantileSizes{report.Number(q.P), sizeRecord(q.Interval)})
		}
		out.Columns = append(out.Columns, v)
	}
	return out
}

// withInterval writes an estimate and its interval.
func withInterval(i magnitude.Interval) string {
	switch {
	case i.Known():
		return fmt.Sprintf("%s (%s to %s)", report.Short(i.Estimate), report.Short(i.Lower), report.Short(i.Upper))
	case i.Estimate == i.Estimate:
		return report.Short(i.Estimate)
	}
	return "-"
}

// greater names the probability that one sample exceeds the other. Names such as smoke = 0 would read
// as a chain of comparisons.
func (s *Sizes) greater() string {
	half := ""
	if s.ties {
		half = ", ties half"
	}
	if strings.Contains(s.names[0]+s.names[1], " = ") {
		return fmt.Sprintf("P(%s is greater)%s", s.names[0], half)
	}
	return fmt.Sprintf("P(%s > %s)%s", s.names[0], s.names[1], half)
}

// intro says what the numbers are.
func (s *Sizes) intro() string {
	level := 100 * s.Result.Level
	if s.Result.Paired {
		return fmt.Sprintf("How large the difference is in pairs of rows, %s minus %s, with %g%% intervals for "+
			"each column on its own:", s.names[0], s.names[1], level)
	}
	return fmt.Sprintf("How large the difference is, %s minus %s, with %g%% intervals for each column on its own:",
		s.names[0], s.names[1], level)
}

// mostSizes is the number of columns that the terminal shows.
const mostSizes = 12

// Blocks are what the terminal shows.
func (s *Sizes) Blocks() []report.Block {
	switch {
	case s == nil:
		return nil
	case s.Result == nil:
		return []report.Block{report.Paragraphs{s.Why}}
	case len(s.order) == 1:
		c := s.Result.Columns[0]
		values := report.Values{{"difference of means", withInterval(c.Mean)}}
		for _, q := range c.Quantiles {
			if q.P == 0.5 {
				values = append(values, [2]string{s.median(), withInterval(q.Interval)})
			}
		}
		return []report.Block{report.Paragraphs{s.intro()}, append(values, [2]string{s.greater(), withInterval(c.Exceeds)},
			[2]string{"overlap", withInterval(c.Overlap)},
			[2]string{"standardised difference", withInterval(c.Standardized)})}
	}
	t := report.Table{Intro: s.intro(), Head: []string{"", "difference of means", s.greater(), "overlap"}}
	for _, k := range s.order[:min(len(s.order), mostSizes)] {
		c := s.Result.Columns[k]
		t.Rows = append(t.Rows, []string{c.Name, withInterval(c.Mean), withInterval(c.Exceeds), withInterval(c.Overlap)})
	}
	out := []report.Block{t}
	if left := len(s.order) - mostSizes; left > 0 {
		out = append(out, report.Paragraphs{fmt.Sprintf("The page has %s more, which %s more.", cli.Plural(left, "column"), cli.Verb(left, "overlaps", "overlap"))})
	}
	if text := s.overall(); text != nil {
		out = append(out, report.Paragraphs(text))
	}
	return out
}

func (s *Sizes) median() string {
	if s.Result.Paired {
		return "median of the differences"
	}
	return "difference of medians"
}

// overall is a sentence on all columns together.
func (s *Sizes) overall() []string {
	if o := s.Result.Overall.Estimate; o != o {
		return nil
	}
	from := ""
	if k := magnitude.OverallRows(s.rows); k < s.rows {
		from = fmt.Sprintf(", from %d rows of a sample, drawn at random", k)
	}
	return []string{fmt.Sprintf("All columns together: the energy coefficient is %s%s. It is 0 for equal distributions "+
		"and at most 1.", withInterval(s.Result.Overall), from)}
}

// Add adds the sizes to a section of the page; the p-values of the columns stand beside them.
func (s *Sizes) Add(to *page.Section, r *compare.Result) {
	switch {
	case s == nil:
		return
	case s.Result == nil:
		to.Text = append(to.Text, s.Why)
		return
	}
	t := page.Table{Heading: s.intro(), Head: []string{"", "difference of means", s.greater(), "overlap"},
		Note: "Overlap is the area below both densities: 1 for equal distributions, 0 for distributions that never " +
			"meet."}
	tested := r != nil && len(r.ByColumn) == len(s.order)
	if tested {
		t.Head = append(t.Head, "p (Holm)")
		t.Note += " p (Holm) is that of a test of the column alone, corrected for the number of columns."
	}
	more := page.Table{Head: []string{"", "standardised difference"},
		Note: "The standardised difference is that of the means in standard deviations."}
	for _, p := range shownOrders {
		more.Head = append(more.Head, s.orderName(p))
	}
	for _, k := range s.order {
		c := s.Result.Columns[k]
		row := []string{c.Name, withInterval(c.Mean), withInterval(c.Exceeds), withInterval(c.Overlap)}
		if tested {
			row = append(row, report.Short(r.ByColumn[k].Corrected))
		}
		t.Rows = append(t.Rows, row)
		row = []string{c.Name, withInterval(c.Standardized)}
		for _, p := range shownOrders {
			cell := "-"
			if i := slices.IndexFunc(c.Quantiles, func(q magnitude.Quantile) bool { return q.P == p }); i >= 0 {
				cell = withInterval(c.Quantiles[i].Interval)
			}
			row = append(row, cell)
		}
		more.Rows = append(more.Rows, row)
	}
	to.Text = append(to.Text, s.next(r)...)
	to.Tables = append(to.Tables, t, more)
	if len(s.order) > 1 {
		to.Notes = append(append(to.Notes, s.overall()...), "Each interval holds for its number and its column "+
			"alone. Columns were sorted by the data, so the first ones look larger than they are.")
	}
}

// next says what to do where nothing differs: what so many rows would have shown. The shift that a
// t-test of one column finds with probability .8 is that of the normal approximation.
func (s *Sizes) next(r *compare.Result) []string {
	if r == nil || r.Test.Reject ||
		slices.ContainsFunc(r.ByColumn, func(c compare.Column) bool { return c.Corrected <= r.Test.Alpha }) {
		return nil
	}
	m, n := float64(s.Result.Rows[0]), float64(s.Result.Rows[1])
	found, with, units := math.Sqrt(1/m+1/n), fmt.Sprintf("%g and %g rows", m, n), "standard deviations"
	if s.Result.Paired {
		found, with, units = math.Sqrt(1/n), fmt.Sprintf("%g pairs", n), "standard deviations of the differences"
	}
	found *= distuv.UnitNormal.Quantile(1-r.Test.Alpha/2) + distuv.UnitNormal.Quantile(0.8)
	return []string{fmt.Sprintf("What to do next: if a smaller difference would matter, collect more rows. With %s, a "+
		"t-test of one column at level %s finds a mean that is shifted by %s %s four times in five; four times as many "+
		"rows find half of that.", with, report.Short(r.Test.Alpha), report.Short(found), units)}
}

// shownOrders are the orders of the quantiles that the page shows.
var shownOrders = []float64{0.1, 0.5, 0.9}

// orderName is the heading of the quantiles of one order.
func (s *Sizes) orderName(p float64) string {
	switch {
	case p == 0.5:
		return s.median()
	case s.Result.Paired:
		return fmt.Sprintf("%g%% quantile of the differences", 100*p)
	}
	return fmt.Sprintf("difference of %g%% quantiles", 100*p)
}
