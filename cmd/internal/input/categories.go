package input

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"

	"gonum.org/v1/gonum/mat"
)

// Category is a column of categories.
type Category struct {
	Names []string // of the values, in their order
	Text  bool     // the file has text there
}

// fewCategories is the number of categories that a column of text may have in any case, and rowsPerCategory the
// mean number of rows from which on more are taken for categories.
const (
	fewCategories   = 5
	rowsPerCategory = 10
)

// categoriesOf are the columns of a table that hold categories; nil if none does.
func categoriesOf(t *frame.Frame) []*Category {
	out, some := make([]*Category, len(t.Types)), false
	for k, x := range t.Types {
		if x.Kind == frame.Category {
			out[k], some = &Category{Names: x.Levels, Text: x.Text != ""}, true
		}
	}
	if !some {
		return nil
	}
	return out
}

// Levels are the names of the categories of each column, nil for one of numbers; nil if all are numbers.
func (d *Dataset) Levels() [][]string {
	if d.Categories == nil {
		return nil
	}
	out := make([][]string, len(d.Columns))
	for k, c := range d.Categories {
		if c != nil {
			out[k] = c.Names
		}
	}
	return out
}

// Discrete are the columns that hold categories, from number from to number to-1, counted from there.
func (d *Dataset) Discrete(from, to int) (out []int) {
	for k := from; k < to && d.Categories != nil; k++ {
		if d.Categories[k] != nil {
			out = append(out, k-from)
		}
	}
	return out
}

// aDate is a date in an order that countries differ in.
var aDate = regexp.MustCompile(`^[0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{2}|[0-9]{4})$`)

// likeDates reports whether most texts are such dates.
func likeDates(levels []string) bool {
	dates := 0
	for _, s := range levels {
		if aDate.MatchString(s) {
			dates++
		}
	}
	return dates > 3*len(levels)/4
}

// tooMany refuses columns of categories with so many that hardly two rows share one.
func tooMany(tables []*frame.Frame) error {
	n := 0
	for _, t := range tables {
		rows, _ := t.Data.Dims()
		n += rows
	}
	t := tables[0]
	for k, x := range t.Types {
		if most := max(2, n/2); x.Kind == frame.Category && len(x.Levels) > most {
			what := ""
			if x.Text != "" {
				what = fmt.Sprintf("text (%q in line %d) and ", x.Text, x.At)
			}
			do := "leave it out by -drop"
			if likeDates(x.Levels) {
				do = "write dates as 2023-10-17, which are read, or " + do
			}
			return fmt.Errorf("%s: column %q has %s%d different values in %s, want at most %d for categories; %s",
				sources(tables), t.Names[k], what, len(x.Levels), cli.Plural(n, "row"), most, do)
		}
	}
	return nil
}

// fewestSlips is the number of numbers that a column must have for text in it to be a slip.
const fewestSlips = 5

// Slips refuses columns of numbers with some text in them, unless they are named as categories, or the
// numbers are few, small and whole, and most of them occur often: 4, 6, 8 and rotary are names. Flag says, before the
// name of a column, how it is named.
func Slips(tables []*frame.Frame, named []string, flag string) error {
	for _, t := range tables {
		rows, _ := t.Data.Dims()
		for k, x := range t.Types {
			var numbers []float64
			for _, level := range x.Levels {
				if v, err := strconv.ParseFloat(level, 64); err == nil {
					numbers = append(numbers, v)
				}
			}
			names := !amounts(numbers) && rows >= oftenNamed*len(x.Levels)
			if x.Text != "" && len(numbers) >= fewestSlips && 2*len(numbers) > len(x.Levels) && !names &&
				!slices.Contains(named, t.Names[k]) {
				return fmt.Errorf("%s: line %d, column %q: %q is not a number, as most values are; %s%s takes "+
					"all for names", t.Source, x.At, t.Names[k], x.Text, flag, cli.Quote(t.Names[k]))
			}
		}
	}
	return nil
}

// oftenNamed is how many rows a name has, on average.
const oftenNamed = 5

// Whole numbers that are more than so many, or larger, are amounts beyond doubt.
const (
	mostNamed = 7
	mostCode  = 20
)

// amounts reports whether these values, each once, are more than names would be, or larger, or not whole.
func amounts(values []float64) bool {
	return len(values) > mostNamed || slices.ContainsFunc(values, func(v float64) bool {
		return v != math.Trunc(v) || math.Abs(v) > mostCode
	})
}

// numbersOrNames asks in one line about columns of few whole numbers, and of such as codes have. Columns that have
// another part, such as covariates, are no amounts.
func numbersOrNames(tables []*frame.Frame, other []string) []string {
	var columns, said []string
	for k, name := range tables[0].Names {
		if slices.Contains(other, name) {
			continue
		}
		values, few := map[float64]bool{}, true
		for _, t := range tables {
			if few = few && t.Types[k].Kind == frame.Whole; !few {
				break
			}
			for i := range t.Data.RawMatrix().Rows {
				if v := t.Data.At(i, k); v == v {
					values[v] = true
				}
				if few = len(values) <= mostNamed; !few {
					break
				}
			}
		}
		if at := slices.IndexFunc(tables, func(t *frame.Frame) bool { return t.Types[k].Zero != "" }); at >= 0 {
			columns = append(columns, name)
			said = append(said, fmt.Sprintf("%s has values such as %s", name, tables[at].Types[k].Zero))
			continue
		}
		if !few || len(values) < 3 {
			continue
		}
		list := slices.Sorted(maps.Keys(values))
		if list[0] < 0 || list[len(list)-1] > mostCode {
			continue
		}
		var words []string
		for _, v := range list {
			words = append(words, strconv.FormatFloat(v, 'g', -1, 64))
		}
		columns = append(columns, name)
		said = append(said, fmt.Sprintf("%s has the values %s", name, strings.Join(words, ", ")))
	}
	if len(columns) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: used as amounts; if they are names, add -categories %s.", strings.Join(said, "; "),
		strings.Join(columns, ","))}
}

// categoryNotes say which columns are categorical.
func (d *Dataset) categoryNotes() []string {
	var out []string
	for j, c := range d.Categories {
		if c == nil || len(c.Names) < 2 { // a column that is always the same is left out
			continue
		}
		const most = 6
		names := strings.Join(c.Names[:min(most, len(c.Names))], ", ")
		if len(c.Names) > most {
			names += ", …"
		}
		out = append(out, fmt.Sprintf("%s (%s)", d.Columns[j], names))
	}
	if out == nil {
		return nil
	}
	return []string{"Used as categories: " + cli.AndList(out) + "."}
}

// Numbers returns an error if a column is categorical; need is what requires numbers.
func (d *Dataset) Numbers(need, advice string) error {
	for j, c := range d.Categories {
		if c != nil {
			return fmt.Errorf("%s: %s is for numbers, and column %q holds categories: %s", d.where, need,
				d.Columns[j], strings.ReplaceAll(advice, "COLUMN", d.Columns[j]))
		}
	}
	return nil
}

// indicators replaces columns of categories by one column for each category, which is 1/sqrt(2) in its rows and 0
// in others: rows of different categories are then at distance 1.
func indicators(tables []*frame.Frame) []string {
	var names []string
	for k, x := range tables[0].Types {
		if x.Kind == frame.Category {
			names = append(names, tables[0].Names[k])
		}
	}
	if names == nil {
		return nil
	}
	for _, t := range tables {
		n, _ := t.Data.Dims()
		var columns [][]float64
		var called []string
		var types []frame.Type
		for k, x := range t.Types {
			values := mat.Col(nil, k, t.Data)
			if x.Kind != frame.Category {
				columns, called, types = append(columns, values), append(called, t.Names[k]), append(types, x)
				continue
			}
			for l, level := range x.Levels {
				column := make([]float64, n)
				for i, v := range values {
					if v == float64(l) {
						column[i] = math.Sqrt2 / 2
					}
				}
				columns = append(columns, column)
				called = append(called, t.Names[k]+" = "+level)
				types = append(types, frame.Type{Kind: frame.Number})
			}
		}
		data := mat.NewDense(n, len(columns), nil)
		for k, c := range columns {
			data.SetCol(k, c)
		}
		t.Data, t.Names, t.Types = data, called, types
	}
	return []string{fmt.Sprintf("Categories become a column for each value, in which its rows stand out: %s.",
		cli.AndList(names))}
}
