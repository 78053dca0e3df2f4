// Package table reads the tables of regressions.
package table

import (
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/formula"
	"bayeskernel/frame"
)

// Source is a table, and how it is read.
type Source struct {
	Path    string
	Columns []string // nil for all
	Missing string   // drop or error: what to do with rows in which a value is missing
	Levels  string   // the order of levels, as nuts fit -levels takes it
}

// Read reads it.
func (s Source) Read(con *cli.Console) (*frame.Frame, error) {
	o := frame.Options{Missing: frame.DropMissing, Remedies: frame.Remedies{Missing: "-na drop"}, Columns: s.Columns}
	if s.Missing == "error" {
		o.Missing = frame.ErrorOnMissing
	}
	t, err := con.Read(s.Path, o, "take fewer rows")
	if err != nil {
		return nil, err
	}
	var named []string
	for _, part := range strings.Split(s.Levels, ";") {
		column, _, _ := strings.Cut(part, "=")
		named = append(named, strings.TrimSpace(column))
	}
	if err := input.Slips([]*frame.Frame{t}, named, "-levels "); err != nil {
		return nil, err
	}
	for _, part := range strings.Split(s.Levels, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		column, list, ok := strings.Cut(part, "=")
		column = strings.TrimSpace(column)
		if c, known := t.Column(column); known && !ok && c.Kind == frame.Category {
			continue // all of its values, in the order of text
		}
		c, known := t.Column(column)
		switch {
		case ok && !known:
			return nil, cli.Usagef("-levels %q: there is no column %q in %s", part, column, s.Path)
		case ok && c.Kind != frame.Category:
			return nil, cli.Usagef("-levels %q: %s has numbers, whose order is theirs; want a column of text", part, column)
		case !ok:
			return nil, cli.Usagef("-levels %q: want COLUMN=LEVEL,LEVEL,... with a column of text", part)
		}
		var order []string
		for _, l := range strings.Split(list, ",") {
			order = append(order, strings.TrimSpace(l))
		}
		if err := t.Order(column, order); err != nil {
			return nil, cli.Usagef("-levels: %v", err)
		}
	}
	return t, nil
}

// Check says what is wrong with -family and -prior, before data are read.
func Check(family, priors string) error {
	if err := formula.CheckFamily(family); err != nil {
		return cli.Usagef("-family: %s", strings.TrimPrefix(err.Error(), "formula: "))
	}
	for _, p := range Priors(priors) {
		if _, err := formula.ParsePrior(p); err != nil {
			return cli.Usagef("-prior: %s", strings.TrimPrefix(err.Error(), "prior: "))
		}
	}
	return nil
}

// Priors are those of a list with semicolons.
func Priors(list string) []string {
	var out []string
	for _, p := range strings.Split(list, ";") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}
