package main

import (
	"bayeskernel/internal/table"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// pairFlags say which two variables are read.
type pairFlags struct {
	x, y, na string
}

func (f *pairFlags) define(s *flagSet) {
	s.group("Data")
	s.text(&f.x, "x", "", "the `columns` of the first variable, separated by commas: names, "+
		"or numbers from 1")
	s.text(&f.y, "y", "", "the `columns` of the second variable")
	s.choice(&f.na, "na", "error", []string{"error", "drop"}, "`what` to do with rows in "+
		"which a value is missing: error or drop")
}

// check finds what is wrong with the flags and the number of files.
func (f *pairFlags) check(files []string) error {
	xs, ys := split(f.x), split(f.y)
	switch {
	case len(xs) == 0 || len(ys) == 0:
		return usagef("-x and -y name the columns of the two variables, want both flags")
	case len(files) != 1:
		return usagef("found %s, want exactly one", plural(len(files), "file"))
	}
	for _, c := range xs {
		if slices.Contains(ys, c) {
			return usagef("column %s is in -x and in -y, want each in one", c)
		}
	}
	return nil
}

// pairs are the rows of two variables.
type pairs struct {
	*dataset
	x, y *mat.Dense
}

// load reads the two variables, and with blocks, a column, the groups of their rows.
func (f *pairFlags) load(con *console, file, blocks string) (*pairs, error) {
	xs, ys := split(f.x), split(f.y)
	o := table.Options{Columns: append(slices.Clone(xs), ys...), Group: blocks}
	o.Missing, _ = table.ParseMissing(f.na)
	t, err := openTable(con, file, o)
	if err != nil {
		return nil, err
	}
	n, all := t.Data.Dims()
	if n < 2 {
		return nil, fmt.Errorf("%s: found %s, want at least 2", t.Source, plural(n, "row"))
	}
	if err := checkSize(t.Source, t.Names, t.Data); err != nil {
		return nil, err
	}
	if err := checkSpread(t.Source, t.Names, t.Data); err != nil {
		return nil, err
	}
	x := mat.DenseCopyOf(t.Data.Slice(0, n, 0, len(xs)))
	y := mat.DenseCopyOf(t.Data.Slice(0, n, len(xs), all))
	for _, v := range []struct {
		flag string
		rows *mat.Dense
	}{{"x", x}, {"y", y}} {
		if equalRows(v.rows) {
			return nil, fmt.Errorf("%s: the columns of -%s are the same in all %d rows, want "+
				"at least 2 distinct values", t.Source, v.flag, n)
		}
	}
	data := &dataset{p: x, columns: t.Names, source: sampleName(file), blocks: blockNumbers(t.Groups)}
	if t.Dropped > 0 {
		data.notes = append(data.notes, fmt.Sprintf("%s: left out %s with missing values.", file,
			plural(t.Dropped, "row")))
	}
	return &pairs{dataset: data, x: x, y: y}, nil
}
