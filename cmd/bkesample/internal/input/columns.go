package input

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/internal/table"

	"gonum.org/v1/gonum/mat"
)

// dropColumns leaves columns out of a table. Without a header they go by number.
func dropColumns(t *table.Table, drop []string) error {
	var keep []int
	left := slices.Clone(drop)
	for k, name := range t.Names {
		asked := func(d string) bool { return d == name || !t.Header && isNumber(d, k, t.Names) }
		if slices.ContainsFunc(drop, asked) {
			left = slices.DeleteFunc(left, asked)
			continue
		}
		keep = append(keep, k)
	}
	switch {
	case len(left) > 0:
		return fmt.Errorf("%s: -drop: there is no column %q among the data, only %s", t.Source, left[0],
			columnList(t.Names))
	case len(keep) == 0:
		return fmt.Errorf("%s: -drop leaves no column of data", t.Source)
	}
	n, _ := t.Data.Dims()
	data := mat.NewDense(n, len(keep), nil)
	var names []string
	for k, at := range keep {
		data.SetCol(k, mat.Col(nil, at, t.Data))
		names = append(names, t.Names[at])
	}
	t.Data, t.Names = data, names
	return nil
}

// isNumber reports whether text is the number of column k of a file without a header, whose columns
// are called x1, x2, ...
func isNumber(text string, k int, names []string) bool {
	return "x"+text == names[k] || len(names) == 1 && text == strconv.Itoa(k+1)
}

// columnList names columns, and not too many.
func columnList(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s, … (%d in all)", strings.Join(names[:most], ", "), len(names))
	}
	return strings.Join(names, ", ")
}

// usedColumns says which columns are data.
func usedColumns(names []string) string {
	if len(names) == 1 {
		return "Column used: " + names[0] + "."
	}
	return "Columns used: " + columnList(names) + "."
}

// countingRows is the fewest rows that make 1, 2, 3, ... look like numbers of rows.
const countingRows = 8

// idNames are what columns that only count are called.
var idNames = []string{"id", "idx", "index", "row", "rowid", "row_id", "rownum", "row_number",
	"rownames", "no", "nr", "number", "obs", "observation", "case", "unnamed: 0"}

// counting returns the columns of tables that only count their rows: 1, 2, 3, ... in the order of
// the file, or consecutive numbers in any order under such a name as id.
func counting(tables []*table.Table) []string {
	var out []string
	names := tables[0].Names
	for k, name := range names {
		named := slices.Contains(idNames, strings.ToLower(name))
		counts := named || len(names) > 1
		for _, t := range tables {
			counts = counts && countsRows(mat.Col(nil, k, t.Data), named)
		}
		if counts {
			out = append(out, name)
		}
	}
	return out
}

// countsRows reports whether values are consecutive whole numbers: in order and from 0 or 1, unless
// the name of the column says that it counts.
func countsRows(values []float64, named bool) bool {
	if len(values) < countingRows || values[0] != math.Trunc(values[0]) ||
		!named && values[0] != 0 && values[0] != 1 {
		return false
	}
	if named {
		slices.Sort(values)
	}
	for i := range values {
		if values[i] != values[0]+float64(i) {
			return false
		}
	}
	return true
}

// headerNotes say what is odd about the names of columns: the order of the second file (of before,
// until it was matched), a header in one file only, names that occur twice.
func headerNotes(tables []*table.Table, before []string) []string {
	var out []string
	first := tables[0]
	if len(tables) == 2 {
		second := tables[1]
		switch {
		case first.Header != second.Header:
			with, without := first.Source, second.Source
			if second.Header {
				with, without = without, with
			}
			out = append(out, fmt.Sprintf("%s has a header and %s has none: their columns belong "+
				"together by their places.", with, without))
		case !slices.Equal(before, second.Names):
			out = append(out, fmt.Sprintf("%s has its columns in another order than %s: they belong "+
				"together by their names.", second.Source, first.Source))
		case first.Header && !slices.Equal(first.Names, second.Names):
			out = append(out, fmt.Sprintf("The columns of %s and %s have different names (%s, and %s): "+
				"they belong together by their places.", first.Source, second.Source,
				columnList(first.Names), columnList(second.Names)))
		}
	}
	for k, name := range first.Names {
		if first.Header && slices.Index(first.Names, name) < k &&
			!slices.Contains(first.Names[k+1:], name) {
			out = append(out, fmt.Sprintf("%s: more than one column is called %q; -columns can choose "+
				"them by number.", first.Source, name))
		}
	}
	return out
}

// warnCounting warns of columns that only count rows.
func warnCounting(con *cli.Console, tables []*table.Table) []string {
	var out []string
	for _, name := range counting(tables) {
		text := fmt.Sprintf("column %q only counts rows, and is used as data: -drop %s leaves it out, "+
			"and -columns says which to use", name, cli.Quote(name))
		con.Warn("warning: %s", text)
		out = append(out, "Warning: "+text+".")
	}
	return out
}
