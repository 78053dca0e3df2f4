package power

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// WriteRates writes a table in Markdown, its columns aligned so that it can be read as it is. It
// has a row for each method and a column for each problem, or the reverse where there are more
// problems than methods, and in it the power, its Wilson interval of the given level and the
// number of replicates. Methods and problems are in the order of their first rates.
func WriteRates(w io.Writer, rates []Rate, level float64) error {
	var methods, problems []string
	cells := make(map[[2]string]string)
	for _, r := range rates {
		if !slices.Contains(methods, r.Method) {
			methods = append(methods, r.Method)
		}
		if !slices.Contains(problems, r.Problem) {
			problems = append(problems, r.Problem)
		}
		lo, hi := r.Interval(level)
		cell := fmt.Sprintf("%.3f [%.3f, %.3f] of %d", r.Power(), lo, hi, r.Replicates)
		if r.Failed > 0 {
			cell += fmt.Sprintf(", %d failed", r.Failed)
		}
		cells[[2]string{r.Method, r.Problem}] = cell
	}
	across := len(problems) > len(methods)
	corner, left, top := "method", methods, problems
	if across {
		corner, left, top = "problem", problems, methods
	}
	rows := [][]string{append([]string{corner}, top...)}
	for _, l := range left {
		row := []string{l}
		for _, t := range top {
			id := [2]string{l, t}
			if across {
				id = [2]string{t, l}
			}
			row = append(row, cells[id])
		}
		rows = append(rows, row)
	}
	return writeTable(w, rows)
}

// WriteComparisons writes a table in Markdown, a row for each comparison.
func WriteComparisons(w io.Writer, all []Comparison) error {
	rows := [][]string{{"problem", "A", "B", "data sets", "only A", "only B", "power A - B", "p"}}
	for _, c := range all {
		rows = append(rows, []string{c.Problem, c.A, c.B, fmt.Sprint(c.Replicates),
			fmt.Sprint(c.OnlyA), fmt.Sprint(c.OnlyB),
			fmt.Sprintf("%+.3f ± %.3f", c.Difference, c.SE), fmt.Sprintf("%.2g", c.P)})
	}
	return writeTable(w, rows)
}

// oneCell keeps a name from ending its cell or its line.
func oneCell(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '|':
			return '/'
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		}
		return r
	}, text)
}

// writeTable writes rows with cells padded to equal width. The first row is the head.
func writeTable(w io.Writer, rows [][]string) error {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for j, cell := range row {
			widths[j] = max(widths[j], utf8.RuneCountInString(cell), 3)
		}
	}
	var b strings.Builder
	line := func(row []string, pad string) {
		for j, cell := range row {
			fill := strings.Repeat(pad, widths[j]-utf8.RuneCountInString(cell))
			fmt.Fprintf(&b, "| %s%s ", oneCell(cell), fill)
		}
		b.WriteString("|\n")
	}
	line(rows[0], " ")
	line(make([]string, len(widths)), "-")
	for _, row := range rows[1:] {
		line(row, " ")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
