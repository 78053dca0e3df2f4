package frame

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Level is a label and the number of its rows.
type Level struct {
	Name string
	Rows int
}

// ParseLabel splits what a flag says of labels, such as Species=setosa,virginica, into
// Options.Label and Options.Levels. Labels that hold commas are put in double quotes.
func ParseLabel(s string) (column string, levels []string, err error) {
	column, rest, some := strings.Cut(s, "=")
	column = strings.TrimSpace(column)
	if column == "" {
		return "", nil, fmt.Errorf("labels: %q names no column, want COLUMN or COLUMN=LABEL,LABEL", s)
	}
	if !some {
		return column, nil, nil
	}
	r := csv.NewReader(strings.NewReader(rest))
	r.TrimLeadingSpace = true
	list, rerr := r.Read()
	if rerr != nil {
		return "", nil, fmt.Errorf("labels: %q is no list of labels, want COLUMN=LABEL,LABEL", s)
	}
	for _, name := range list {
		name = clean([]byte(name))
		if name == "" {
			return "", nil, fmt.Errorf("labels: %q has an empty label, want COLUMN=LABEL,LABEL", s)
		}
		if slices.Contains(levels, name) {
			return "", nil, fmt.Errorf("labels: %q names %q twice", s, name)
		}
		levels = append(levels, name)
	}
	return column, levels, nil
}

// Levels returns the labels that occur: in the order of Options.Levels, or else in the order of
// their values if all of them are numbers, and by alphabet otherwise.
func (t *Frame) Levels() []Level {
	count := make(map[string]int)
	for _, s := range t.Labels {
		count[s]++
	}
	names := t.levels
	if len(names) == 0 {
		for s := range count {
			names = append(names, s)
		}
		sortLevels(names)
	}
	var levels []Level
	for _, s := range names {
		if count[s] > 0 {
			levels = append(levels, Level{s, count[s]})
		}
	}
	return levels
}

// Split returns the rows of each label, in the order of the table. The levels are those of Levels.
func (t *Frame) Split() (levels []string, parts []*mat.Dense, err error) {
	if t.Labels == nil {
		return nil, nil, errors.New(printable(t.Source) + ": no column of labels was read")
	}
	_, d := t.Data.Dims()
	all := t.Levels()
	at := make(map[string]int, len(all)) // index of the level
	data := make([][]float64, len(all))
	for k, s := range all {
		at[s.Name] = k
		data[k] = make([]float64, 0, s.Rows*d)
	}
	for i, s := range t.Labels {
		k := at[s]
		data[k] = append(data[k], t.Data.RawRowView(i)...)
	}
	for k, s := range all {
		levels = append(levels, s.Name)
		parts = append(parts, mat.NewDense(s.Rows, d, data[k]))
	}
	return levels, parts, nil
}

// sortLevels sorts by value if all levels are numbers. Different spellings of a number are
// different levels, and go by alphabet among themselves.
func sortLevels(levels []string) {
	value := make(map[string]float64, len(levels))
	for _, s := range levels {
		if v, k := parse([]byte(s)); k == isNumber {
			value[s] = v
		}
	}
	slices.SortFunc(levels, func(a, b string) int {
		if len(value) == len(levels) {
			if c := cmp.Compare(value[a], value[b]); c != 0 {
				return c
			}
		}
		return cmp.Compare(a, b)
	})
}

// unknownLevels says which of the labels that were asked for do not occur in a column.
func unknownLevels(where string, levels map[string]bool, rows map[string]int) error {
	var unknown []string
	for s := range levels {
		if rows[s] == 0 {
			unknown = append(unknown, s)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	sortLevels(unknown)
	var known []string
	for s := range rows {
		known = append(known, s)
	}
	sortLevels(known)
	var listed []string
	for _, s := range known[:min(len(known), 8)] {
		listed = append(listed, fmt.Sprintf("%s (%s)", quote([]byte(s)), plural(rows[s], "row")))
	}
	if len(known) > len(listed) {
		listed = append(listed, fmt.Sprintf("... (%d in all)", len(known)))
	}
	var wrong []error
	for _, s := range unknown {
		wrong = append(wrong, fmt.Errorf("%s has no label %s, only %s%s", where,
			quote([]byte(s)), strings.Join(listed, ", "), didYouMean(s, known)))
	}
	return Join(wrong...)
}
