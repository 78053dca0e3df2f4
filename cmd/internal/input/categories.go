package input

import (
	"fmt"
	"math"
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

// rowsPerCategory is the smallest mean number of rows per category. With fewer, no test is
// informative.
const rowsPerCategory = 10

// categorize finds the categorical columns: those of text, and those the user named.
func (d *Dataset) categorize(t *frame.Frame, named []string) error {
	d.Categories = make([]*Category, len(d.Columns))
	n, _ := d.P.Dims()
	most := max(2, n/rowsPerCategory)
	for _, name := range named {
		j := slices.Index(d.Columns, name)
		if j < 0 {
			return fmt.Errorf("-categories: there is no column %s, only %s", name,
				strings.Join(d.Columns, ", "))
		}
		d.Categories[j] = &Category{Names: d.values(j)}
	}
	for j, c := range t.Categories {
		if c != nil {
			d.Categories[j] = &Category{Names: c.Names, Text: true}
		}
	}
	for j, c := range d.Categories {
		if c == nil || len(c.Names) <= most {
			continue
		}
		what := ""
		if c.Text {
			what = fmt.Sprintf("text (%q in line %d) and ", t.Categories[j].Text, t.Categories[j].At)
		}
		return fmt.Errorf("%s: column %q has %s%d different values in %s, want at most %d "+
			"(the larger of 2 and a tenth of the rows) for categories; leave it out by -drop", t.Source,
			d.Columns[j], what, len(c.Names), cli.Plural(n, "row"), most)
	}
	return nil
}

// values are the distinct numbers of a column, as names.
func (d *Dataset) values(j int) []string {
	list := slices.DeleteFunc(mat.Col(nil, j, d.P), math.IsNaN)
	slices.Sort(list)
	var out []string
	for _, v := range slices.Compact(list) {
		out = append(out, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return out
}

// categoryNotes say which columns are categorical.
func (d *Dataset) categoryNotes() []string {
	var out []string
	for j, c := range d.Categories {
		if c == nil {
			continue
		}
		const most = 6
		names := strings.Join(c.Names[:min(most, len(c.Names))], ", ")
		if len(c.Names) > most {
			names += ", …"
		}
		why := "as -categories says"
		if c.Text {
			why = "as it is text"
		}
		out = append(out, fmt.Sprintf("Column %s holds %d categories, %s: %s.", d.Columns[j],
			len(c.Names), why, names))
	}
	return out
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
