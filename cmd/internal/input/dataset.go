// Package input reads files, and the flags that describe them, into data sets: samples with names,
// columns and weights.
package input

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/mat"
)

// Dataset is one sample or two in their original units, or the pooled rows of more groups.
type Dataset struct {
	P, Q         *mat.Dense // Q is nil for a single sample
	PName, QName string
	Columns      []string
	Source       string    // what the samples are, in words
	where        string    // the files, for errors
	from         [2]string // where each sample is from, for errors
	Synthetic    bool
	Weights      *rowWeights // nil without -weights
	Blocks       []int       // of all rows, P before Q; nil without -blocks
	Given        Covariates  // of all rows, P before Q; nil without -given
	Notes        []string
	// Units is the column that was left out as it names units, each in one sample alone: rows of a unit depend on
	// one another, and no test of rows is exact. "" if there is none.
	Units string
	// Ordered says that the rows of a summary were not in random order, which is too late to mend.
	Ordered bool
	// Categories has the columns whose values are indices into category names, nil for columns of
	// numbers. It is nil if there are none.
	Categories []*Category
	Indicators bool                  // columns were made of categories
	dated      map[string]frame.Kind // the columns of dates and times
	// Counts are the total row counts when P and Q hold only some of the rows of a summary; zero if
	// P and Q are complete. Of identifies the summary.
	Counts [2]int
	Of     string
	// Groups are the samples of one file if there are more than two; Pair picks two of them. Labels has the
	// label that each of them has in the file.
	Groups, Labels []string
	labelled       *frame.Frame
	oneOfQ         bool        // Q may have one row
	pairs          string      // the column that pairs rows, "" if they are not
	ids            [2][]string // the values of that column in both samples
	numbers        [2][]int    // of the rows of each sample in their file; nil where these are 1, 2, 3, …
}

// Rows are the row counts of the samples.
func (d *Dataset) Rows() (p, q int) {
	if d.Counts[0] > 0 {
		return d.Counts[0], d.Counts[1]
	}
	p, _ = d.P.Dims()
	if d.Q != nil {
		q, _ = d.Q.Dims()
	}
	return p, q
}

// Write writes a value of a column of dates or times, and returns "" for other columns.
func (d *Dataset) Write(column string, v float64) string {
	kind, ok := d.dated[column]
	if !ok {
		return ""
	}
	return frame.Type{Kind: kind}.Format(math.Round(v))
}

// TakeColumns gives the columns of rows that are those of from, or some of them, their names and what is known of them.
func (d *Dataset) TakeColumns(from *Dataset) { d.Columns, d.dated = from.Columns, from.dated }

// RowOf is the number in its file, from 1, of row i of the first sample (0) or the second (1).
func (d *Dataset) RowOf(sample, i int) int {
	if n := d.numbers[sample]; n != nil {
		return n[i]
	}
	return i + 1
}

// Identity tells data sets apart in checkpoints and records.
func (d *Dataset) Identity() string {
	if d.Of != "" {
		return d.Of
	}
	return Hash(d.P, d.Q)
}

// relations refuses columns whose relations, a number for each two, take more memory than a table may.
func (d *Dataset) relations(con *cli.Console) error {
	k := float64(len(d.Columns))
	if !con.Exceeds(k * k) {
		return nil
	}
	return fmt.Errorf("%s: %s, whose relations take about %s of memory: choose some by -columns, or raise -max-memory",
		d.where, cli.Plural(len(d.Columns), "column"), frame.Size(int64(8*k*k)))
}

// check reports everything that makes the samples unusable.
func (d *Dataset) check() error {
	samples := []*mat.Dense{d.P}
	if d.Q != nil {
		samples = append(samples, d.Q)
	}
	ranges := make([][][2]float64, len(samples))
	workers.NewBlocks(len(samples), 1, func(k, _, _ int) { ranges[k] = columnRanges(samples[k]) }).Run()
	var wrong []error
	for i, rows := range samples {
		if n, _ := rows.Dims(); n < 2 && !(i == 1 && d.oneOfQ) {
			wrong = append(wrong, fmt.Errorf("%s: found %s, want at least 2", d.from[i],
				cli.Plural(n, "row")))
		}
		wrong = append(wrong, checkSize(d.from[i], d.Columns, rows, ranges[i]))
	}
	if err := frame.Join(wrong...); err != nil {
		return err
	}
	if p, q := d.Rows(); equalRows(samples...) {
		return fmt.Errorf("%s: all %d rows are equal, want at least 2 distinct ones", d.where, p+q)
	}
	return checkSpread(d.where, d.Columns, ranges...)
}

// checkColumns rejects a table with values that are too large or columns that are nearly constant.
func checkColumns(t *frame.Frame) error {
	ranges := columnRanges(t.Data)
	if err := checkSize(t.Source, t.Names, t.Data, ranges); err != nil {
		return err
	}
	return checkSpread(t.Source, t.Names, ranges)
}

// columnRanges returns the smallest and the largest value of each column, ignoring missing values.
func columnRanges(of *mat.Dense) (out [][2]float64) {
	raw := of.RawMatrix()
	for k := range raw.Cols {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := k; i < len(raw.Data); i += raw.Stride {
			v := raw.Data[i]
			if v < lo {
				lo = v
			}
			if v > hi {
				hi = v
			}
		}
		out = append(out, [2]float64{lo, hi})
	}
	return out
}

// Varying is the data set without the columns that are constant, with a note on them; d itself if there are none.
// The kernel is the same without them, and sums of rows say nothing with them.
func (d *Dataset) Varying() *Dataset {
	if len(d.Columns) == 1 {
		return d // check has refused it
	}
	ranges := columnRanges(d.P)
	if d.Q != nil {
		for k, r := range columnRanges(d.Q) {
			ranges[k] = [2]float64{min(ranges[k][0], r[0]), max(ranges[k][1], r[1])}
		}
	}
	var keep []int
	var names, gone []string
	for k, r := range ranges {
		if r[0] != r[1] || holes(d.P, k) || d.Q != nil && holes(d.Q, k) {
			keep, names = append(keep, k), append(names, d.Columns[k])
		} else {
			value := cmp.Or(d.Write(d.Columns[k], r[0]), fmt.Sprintf("%.6g", r[0]))
			if d.Categories != nil && d.Categories[k] != nil {
				value = d.Categories[k].Names[int(r[0])]
			}
			gone = append(gone, fmt.Sprintf("%s (always %s)", d.Columns[k], value))
		}
	}
	if len(gone) == 0 || len(keep) == 0 {
		return d
	}
	out := *d
	out.Columns, out.P, out.Q = names, chosen(d.P, keep), chosen(d.Q, keep)
	if d.Categories != nil {
		out.Categories = pickedOf(d.Categories, keep)
		if !slices.ContainsFunc(out.Categories, func(c *Category) bool { return c != nil }) {
			out.Categories = nil
		}
	}
	notes := slices.Clone(d.Notes)
	if len(notes) > 0 && notes[0] == usedColumns(d.Columns) {
		notes[0] = usedColumns(names)
	}
	out.Notes = append(notes, fmt.Sprintf("Left out constant columns: %s.", strings.Join(gone, ", ")))
	return &out
}

// varying leaves out the columns that are constant over all tables, with a note on them, but not all columns.
func varying(tables []*frame.Frame) []string {
	first := tables[0]
	var keep []int
	var gone []string
	ranges := columnRanges(first.Data)
	for _, t := range tables[1:] {
		for k, r := range columnRanges(t.Data) {
			ranges[k] = [2]float64{min(ranges[k][0], r[0]), max(ranges[k][1], r[1])}
		}
	}
	for k, r := range ranges {
		if r[0] != r[1] || slices.ContainsFunc(tables, func(t *frame.Frame) bool { return holes(t.Data, k) }) {
			keep = append(keep, k)
		} else {
			gone = append(gone, fmt.Sprintf("%s (always %s)", first.Names[k], first.Types[k].Format(r[0])))
		}
	}
	if len(gone) == 0 || len(keep) == 0 {
		return nil
	}
	for _, t := range tables {
		t.Keep(keep...)
	}
	return []string{fmt.Sprintf("Left out constant columns: %s.", strings.Join(gone, ", "))}
}

// holes reports whether a column misses a value.
func holes(x *mat.Dense, column int) bool {
	n, _ := x.Dims()
	for i := range n {
		if v := x.At(i, column); v != v {
			return true
		}
	}
	return false
}

// chosen copies some columns; nil of nil.
func chosen(x *mat.Dense, columns []int) *mat.Dense {
	if x == nil {
		return nil
	}
	n, _ := x.Dims()
	out := mat.NewDense(n, len(columns), nil)
	for i := range n {
		from, to := x.RawRowView(i), out.RawRowView(i)
		for k, j := range columns {
			to[k] = from[j]
		}
	}
	return out
}

// equalRows reports whether all rows of all samples are the same.
func equalRows(samples ...*mat.Dense) bool {
	first := samples[0].RawRowView(0)
	for _, rows := range samples {
		n, _ := rows.Dims()
		for i := range n {
			if !slices.Equal(rows.RawRowView(i), first) {
				return false
			}
		}
	}
	return true
}

// Values between these bounds do not overflow, underflow or run out of digits, in results or in
// pictures.
const (
	largest     = 1e290  // of a value
	leastSpread = 1e-290 // of a column that is not constant
	leastDigits = 1e-12  // of a column's spread over its largest value
)

// checkSize rejects rows with values that are too large; ranges has the range of each column.
func checkSize(from string, columns []string, rows *mat.Dense, ranges [][2]float64) error {
	if !slices.ContainsFunc(ranges, func(r [2]float64) bool { return r[0] < -largest || r[1] > largest }) {
		return nil
	}
	n, _ := rows.Dims()
	for i := range n {
		for k, v := range rows.RawRowView(i) {
			if math.Abs(v) > largest {
				return fmt.Errorf("%s: row %d, column %q: %g is too large, want at most ±%g; divide "+
					"the column by a power of ten", from, i+1, columns[k], v, largest)
			}
		}
	}
	return nil
}

// checkSpread rejects columns that are nearly constant over all samples; ranges has the column
// ranges of each sample.
func checkSpread(from string, columns []string, ranges ...[][2]float64) error {
	var wrong []error
	for k, name := range columns {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, of := range ranges {
			if of == nil { // no rows
				continue
			}
			lo, hi = min(lo, of[k][0]), max(hi, of[k][1])
		}
		switch spread, size := hi-lo, math.Max(math.Abs(lo), math.Abs(hi)); {
		case spread == 0, lo > hi: // there is no value
		case spread < leastSpread:
			wrong = append(wrong, fmt.Errorf("%s: the range of column %q is %.3g, want at least %g; "+
				"multiply the column by a power of ten", from, name, spread, leastSpread))
		case spread < leastDigits*size:
			wrong = append(wrong, fmt.Errorf("%s: the range of column %q is only %.3g at values of %.3g, "+
				"want at least %g of the values; subtract a constant from the column", from, name, spread,
				size, leastDigits))
		}
	}
	return frame.Join(wrong...)
}

// Pooled returns all rows, P before Q.
func (d *Dataset) Pooled() *mat.Dense {
	if d.Q == nil {
		return d.P
	}
	var all mat.Dense
	all.Stack(d.P, d.Q)
	return &all
}

// Hash tells data sets and pseudo-inputs apart in checkpoints and records.
func Hash(list ...*mat.Dense) string {
	h := sha256.New()
	for _, m := range list {
		if m != nil {
			one := (&frame.Frame{Data: m}).Hash()
			h.Write(one[:])
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// Inexact reports whether rows are not exchangeable, so that no test of them is exact.
func (d *Dataset) Inexact() bool { return d.Units != "" || d.Ordered }
