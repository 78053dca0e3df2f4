package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"bayeskernel/internal/rows"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"
)

// Verdict is the first sentence: whether the samples differ, at which p, and where.
func (r *Result) Verdict() string {
	pair := r.Names[0] + " and " + r.Names[1]
	if r.data.same() {
		return fmt.Sprintf("%s hold the same %d rows in the same order, so there is nothing to compare: look "+
			"whether the same rows were given twice.", pair, r.Rows[0])
	}
	if alone := r.onlyAlone(); alone != "" {
		return fmt.Sprintf("%s differ in %s on its own (corrected for the number of columns), although the test of all "+
			"columns together does not reject at level %s (%s).", pair, alone, short(r.Test.Alpha), r.evidence())
	}
	if !r.Test.Reject && r.data.o.Ordered {
		return fmt.Sprintf("Whether %s differ is not known: their rows are not in random order, so that the bins of the test are not "+
			"alike (%s). Put the rows in random order.", pair, r.evidence())
	}
	if !r.Test.Reject {
		return fmt.Sprintf("%s cannot be told apart at level %s (%s). This does not show that they "+
			"are the same.", pair, short(r.Test.Alpha), r.evidence())
	}
	text := fmt.Sprintf("%s differ (%s)", pair, r.evidence())
	return r.placed(text) + r.saw()
}

// onlyAlone lists the columns that differ on their own, corrected for their number, where all together do not.
func (r *Result) onlyAlone() string {
	if r.Test.Reject {
		return ""
	}
	var names []string
	for _, c := range r.ByColumn {
		if c.Corrected <= r.Test.Alpha {
			names = append(names, c.Name)
		}
	}
	return list(names, mostColumns)
}

// saw is a sentence on what the strongest statistic of the test saw; "" for tests with one kind of statistic.
func (r *Result) saw() string {
	text := ""
	if seen := r.Test.Sight; seen != nil {
		one := *seen
		if k := one.Column; k >= 0 && k < len(r.ByColumn) && seen.View != kerneltest.Columns && r.ByColumn[k].Corrected > r.Test.Alpha {
			one.Column = -1 // it is not known to differ
		}
		text = " The test saw it most clearly in " + one.Words(r.Columns) + "."
	}
	if r.Rule != nil {
		text += " " + r.Rule.String()
	}
	return text
}

// placed adds to a verdict where the samples differ.
func (r *Result) placed(text string) string {
	if where := r.regions(); where != "" {
		return text + ": " + where + "."
	}
	if len(r.data.categories()) > 0 {
		return text + ", but no single column does on its own."
	}
	if r.Witness == nil || r.Witness.Likely.At == nil {
		return text + ". No place can be named."
	}
	s := r.Witness.Likely
	return fmt.Sprintf("%s. No place is certain: it is most likely around %s, with more of %s there (no "+
		"guarantee).", text, r.data.point(s), s.More)
}

// evidence says what the test found.
func (r *Result) evidence() string {
	kind := "exact test"
	if r.data.o.Inexact {
		kind = "permutation test"
	}
	for _, s := range r.data.samples {
		if s.weights != nil {
			kind = "permutation test" // how exact it is depends on the weights
		}
	}
	if r.Test.Null != statistic.Permutation {
		kind = fmt.Sprintf("approximate test, null %v", r.Test.Null)
	}
	return kind + ", " + PWords(r.Test)
}

// PWords is the p-value of a test in words.
func PWords(t *kerneltest.Result) string {
	text := "p = " + short(t.P)
	if t.Null == statistic.Permutation && t.AtLeast == 0 && !t.Stopped {
		text += fmt.Sprintf(", the smallest that %d permutations can give", t.Permutations)
	}
	return text
}

// regions says where each sample has more; "" if no place is named.
func (r *Result) regions() string {
	w := r.Witness
	if len(r.data.categories()) > 0 {
		if levels := r.levelsAlone(); levels != "" && r.data.dim == 1 {
			return levels
		} else if levels != "" {
			return r.mostly() + " (" + levels + ")"
		}
		return r.mostly()
	}
	if w == nil {
		return ""
	}
	if r.data.dim > 2 && !r.data.o.Together {
		return r.mostly()
	}
	var parts []string
	for _, sign := range []int{1, -1} {
		where := w.intervals(r.data, sign)
		if w.Places != nil && r.data.dim > 1 {
			where = w.named(r.data, sign)
		}
		if where != "" {
			parts = append(parts, "more of "+r.data.more(sign)+" "+where)
		}
	}
	return strings.Join(parts, ", and ")
}

// mostColumns is the number of columns that a sentence names.
const mostColumns = 6

// mostly names the columns that differ on their own, or else the strongest pair: a point of many
// coordinates says little. The order of the columns is that of the data, as half of the rows might put
// another one first; only where some are left out the clearest are named.
func (r *Result) mostly() string {
	var clear []Column
	for _, c := range r.ByColumn {
		if c.Corrected <= r.Test.Alpha {
			clear = append(clear, c)
		}
	}
	if len(clear) > mostColumns+1 {
		slices.SortStableFunc(clear, func(a, b Column) int {
			return cmp.Or(cmp.Compare(a.Corrected, b.Corrected), cmp.Compare(b.Test.Statistic, a.Test.Statistic))
		})
	}
	var names []string
	for _, c := range clear {
		names = append(names, c.Name)
	}
	switch {
	case len(names) == 1:
		return names[0] + " differs on its own"
	case len(names) > 1:
		return list(names, mostColumns) + " differ on their own"
	case len(r.Pairs) > 0:
		return fmt.Sprintf("most in %s with %s, but no single column does on its own", r.Pairs[0].Columns[0],
			r.Pairs[0].Columns[1])
	}
	return ""
}

// intervals lists those of one sign: between 1 and 2. Those that touch in the digits of a sentence
// are one, and those that are a point there are left out if there are others.
func (w *Witness) intervals(d *data, sign int) string {
	var ends [][2]string
	for _, v := range w.Where {
		if v.Sign != sign {
			continue
		}
		from, to := d.coordinate(0, v.From), d.coordinate(0, v.To)
		if n := len(ends); n > 0 && ends[n-1][1] == from {
			ends[n-1][1] = to
			continue
		}
		ends = append(ends, [2]string{from, to})
	}
	var out, near []string
	for _, e := range ends {
		if e[0] == e[1] {
			near = append(near, "at "+e[0])
		} else {
			out = append(out, "between "+e[0]+" and "+e[1])
		}
	}
	if len(out) == 0 {
		out = near
	}
	return list(out, mostIntervals)
}

// mostIntervals is the number of intervals of a sample that a sentence lists.
const mostIntervals = 6

// named lists the places of one sign.
func (w *Witness) named(d *data, sign int) string {
	var out []string
	for _, p := range w.Places {
		if p.Sign != sign {
			continue
		}
		text := d.point(p)
		if len(p.At) > 1 {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		return ""
	}
	return "near " + list(out, mostPlaces)
}

// mostCoordinates is the number of columns of a point that a sentence lists.
const mostCoordinates = 4

// point writes a point: x = 1, y = 2.
func (d *data) point(p Place) string {
	var out []string
	for a, v := range p.At {
		if a == mostCoordinates && len(p.At) > mostCoordinates+1 {
			out = append(out, "…")
			break
		}
		out = append(out, p.Columns[a]+" = "+d.coordinate(slices.Index(d.columns, p.Columns[a]), v))
	}
	return strings.Join(out, ", ")
}

// coordinate writes a value of a column.
func (d *data) coordinate(a int, v float64) string {
	if d.o.Write != nil {
		if text := d.o.Write(d.columns[a], v); text != "" {
			return text
		}
	}
	return Coordinate(d.pooled, d.dim, a, v)
}

// Coordinate writes a value of column a of rows, one after the other, with as many digits as show three of the range
// of most of its values, and more where it would otherwise be 0 and all of them are on one side of that.
func Coordinate(data []float64, dim, a int, v float64) string {
	lo, hi := rows.Range(data, dim, a)
	if !(hi > lo) {
		return short(v)
	}
	power := math.Floor(math.Log10(bulk(data, dim, a, hi-lo))) - 2
	rounded := nearestStep(v, power)
	for rounded == 0 && v != 0 && (lo > 0 || hi < 0) {
		power--
		rounded = nearestStep(v, power)
	}
	switch {
	case rounded == 0:
		return "0"
	case math.Abs(rounded) >= 1e9 || power < -6:
		digits := math.Floor(math.Log10(math.Abs(rounded))) - power + 1
		return strconv.FormatFloat(rounded, 'g', int(max(1, min(digits, 17))), 64)
	}
	text := strconv.FormatFloat(rounded, 'f', int(max(0, -power)), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// nearestStep rounds to a multiple of a power of ten.
func nearestStep(v, power float64) float64 {
	step := math.Pow(10, power)
	return math.Round(v/step) * step
}

// bulk is how far most values of a column are apart, from the 10% to the 90% quantile of some thousand of them: a
// value far away leaves it as it is. Where most are equal it is the range.
func bulk(data []float64, dim, a int, whole float64) float64 {
	const most = 5000
	n := len(data) / dim
	var some []float64
	for i := 0; i < n; i += (n + most - 1) / most {
		some = append(some, data[i*dim+a])
	}
	slices.Sort(some)
	if tenth := len(some) / 10; some[len(some)-1-tenth] > some[tenth] {
		return some[len(some)-1-tenth] - some[tenth]
	}
	return whole
}

// short writes a number for a sentence.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// list joins words with commas and "and", and says how many are left out.
func list(words []string, most int) string {
	if more := len(words) - most; more > 1 {
		words = append(words[:most:most], fmt.Sprintf("%d more", more))
	}
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

// String is the verdict above a short table.
func (r *Result) String() string {
	var b strings.Builder
	b.WriteString(r.Verdict() + "\n\n" + r.Test.String())
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "rows\t%s %d, %s %d\n", r.Names[0], r.Rows[0], r.Names[1], r.Rows[1])
	if w := r.Witness; w != nil {
		for _, v := range w.Where {
			fmt.Fprintf(t, "more of %s\tfrom %s to %s\n", v.More, r.data.coordinate(0, v.From),
				r.data.coordinate(0, v.To))
		}
		for _, p := range w.Places {
			fmt.Fprintf(t, "more of %s\tnear %s\n", p.More, r.data.point(p))
		}
	}
	for _, c := range r.ByColumn {
		fmt.Fprintf(t, "%s alone\tp = %s, corrected %s\n", c.Name, short(c.Test.P), short(c.Corrected))
	}
	for _, p := range r.Pairs {
		fmt.Fprintf(t, "%s and %s\t%s sd above the null mean\n", p.Columns[0], p.Columns[1],
			short(p.Strength))
	}
	t.Flush() // to a builder, which cannot fail
	for _, n := range r.Notes[len(r.Test.Notes):] {
		b.WriteString("Note: " + n + "\n")
	}
	return b.String()
}

// Sentence says where the embedding is largest.
func (d *Description) Sentence() string {
	f := d.Embedding.Shown
	top := 0
	for j, v := range f.Mean {
		if v > f.Mean[top] {
			top = j
		}
	}
	b := d.Embedding.Band
	return fmt.Sprintf("The mean embedding of %s is largest at %s, where it is %s (sd %s, %.6g%% "+
		"band from %s to %s).", d.Name, d.data.point(Place{Columns: d.Columns,
		At: f.Points.RawRowView(top)}),
		short(f.Mean[top]), short(f.SD[top]), 100*b.Level, short(b.Lower[top]), short(b.Upper[top]))
}

// String is the sentence above a short table.
func (d *Description) String() string {
	var b strings.Builder
	b.WriteString(d.Sentence() + "\n\n")
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "rows\t%d\n", d.Rows)
	var theta []string
	for _, v := range d.Embedding.Theta {
		theta = append(theta, short(v))
	}
	fmt.Fprintf(t, "kernel\t%s, theta %s\n", d.Embedding.Kernel, strings.Join(theta, ", "))
	t.Flush()
	for _, n := range d.Notes {
		b.WriteString("Note: " + n + "\n")
	}
	return b.String()
}
