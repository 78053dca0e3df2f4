package frame

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Keep leaves out all columns but these, which stand in increasing order.
func (f *Frame) Keep(columns ...int) {
	if len(columns) == len(f.Names) {
		return
	}
	n, _ := f.Data.Dims()
	data := mat.NewDense(n, len(columns), nil)
	names, header, types := []string{}, []string{}, []Type{}
	for a, k := range columns {
		data.SetCol(a, mat.Col(nil, k, f.Data))
		names, header, types = append(names, f.Names[k]), append(header, f.header[k]), append(types, f.Types[k])
	}
	f.Data, f.Names, f.header, f.Types = data, names, header, types
}

// Complete leaves out the rows in which a value is missing, and counts them in Dropped.
func (f *Frame) Complete() {
	some := 0
	for _, t := range f.Types {
		some += t.Missing
	}
	if some == 0 {
		return
	}
	var rows []int
	n, _ := f.Data.Dims()
	for i := range n {
		whole := true
		for _, v := range f.Data.RawRowView(i) {
			whole = whole && v == v
		}
		if whole {
			rows = append(rows, i)
		}
	}
	f.Dropped += n - len(rows)
	f.pick(rows)
}

// mostRepeated is the largest number of rows that Repeat makes.
const mostRepeated = 10_000_000

// Repeat has each row as often as column k says, which is taken out.
func (f *Frame) Repeat(k int) error {
	var rows []int
	n, d := f.Data.Dims()
	for i := range n {
		v := f.Data.At(i, k)
		switch {
		case v != math.Trunc(v) || v < 0: // NaN too
			return prefix(f.Source, fmt.Errorf("row %d, column %s: the number of rows is %v, want a whole number",
				i+1, quote([]byte(f.Names[k])), v))
		case float64(len(rows))+v > mostRepeated:
			return prefix(f.Source, fmt.Errorf("column %s asks for more than %d rows", quote([]byte(f.Names[k])),
				mostRepeated))
		}
		for range int(v) {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return prefix(f.Source, fmt.Errorf("column %s is 0 in all rows", quote([]byte(f.Names[k]))))
	}
	var left []int
	for j := range d {
		if j != k {
			left = append(left, j)
		}
	}
	f.pick(rows)
	if len(left) > 0 {
		f.Keep(left...)
	}
	return nil
}

// pick has these rows.
func (f *Frame) pick(rows []int) {
	_, d := f.Data.Dims()
	data := make([]float64, 0, len(rows)*d)
	for _, i := range rows {
		data = append(data, f.Data.RawRowView(i)...)
	}
	f.Data = new(mat.Dense)
	if len(rows) > 0 {
		f.Data = mat.NewDense(len(rows), d, data)
	}
	f.Rows = f.numbers(rows)
	f.Labels, f.Groups, f.Weights = of(f.Labels, rows), of(f.Groups, rows), of(f.Weights, rows)
}

// Row is the number in the file of a row of Data.
func (f *Frame) Row(i int) int {
	if f.Rows == nil {
		return i + 1
	}
	return f.Rows[i]
}

func (f *Frame) numbers(rows []int) (out []int) {
	for _, i := range rows {
		out = append(out, f.Row(i))
	}
	return out
}

// of picks elements; nil stays nil.
func of[T any](all []T, rows []int) []T {
	if all == nil {
		return nil
	}
	out := make([]T, len(rows))
	for a, i := range rows {
		out[a] = all[i]
	}
	return out
}

// Order puts some levels of a column of text first, in this order; the others follow in theirs.
func (f *Frame) Order(column string, levels []string) error {
	k := slices.Index(f.Names, column)
	if k < 0 || f.Types[k].Kind != Category {
		return fmt.Errorf("%s: there is no column of text called %q", printable(f.Source), column)
	}
	before := f.Types[k].Levels
	var order []string
	for _, l := range levels {
		switch {
		case !slices.Contains(before, l):
			return fmt.Errorf("%s: column %q has no value %q, only %s%s", printable(f.Source), column, l, list(before),
				didYouMean(l, before))
		case slices.Contains(order, l):
			return fmt.Errorf("%s: the value %q of column %q is named twice", printable(f.Source), l, column)
		}
		order = append(order, l)
	}
	named := places(order)
	for _, l := range before {
		if _, ok := named[l]; !ok {
			order = append(order, l)
		}
	}
	place := places(order)
	at := make([]float64, len(before))
	for i, l := range before {
		at[i] = place[l]
	}
	n, _ := f.Data.Dims()
	for i := range n {
		if v := f.Data.At(i, k); v == v {
			f.Data.Set(i, k, at[int(v)])
		}
	}
	f.Types = slices.Clone(f.Types)
	f.Types[k].Levels = order
	return nil
}
