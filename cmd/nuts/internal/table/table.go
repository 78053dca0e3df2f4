// Package table reads the tables of regressions.
package table

import (
	"fmt"
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

// Regression is what the flags of a command that takes a formula and a table say of the model.
type Regression struct {
	Family, Priors, Levels, Missing string
}

// Define defines the flags.
func (r *Regression) Define(s *cli.FlagSet) {
	s.Group("Regression")
	s.Text(&r.Family, "family", "gaussian", "`name` of the distribution of the response: "+strings.Join(formula.Families(), ", "))
	s.List(&r.Priors, "prior", "; ", "`priors` in the place of defaults, separated by semicolons: 'b ~ normal(0, 1); sigma ~ exponential(1)'")
	s.Text(&r.Levels, "levels", "", "the `order` of the levels of columns of text, separated by semicolons: 'size=small,medium,large'. The first is "+
		"what others are compared with. A name alone takes a column of numbers with some text for names")
	s.Group("Data")
	s.Choice(&r.Missing, "na", "drop", []string{"drop", "error"}, "`what` to do with rows in which a value is missing: drop (leave "+
		"them out and say how many) or error")
}

// Model reads the table at path and makes the model of a formula. One that is to be drawn from, and not
// fitted, has parameters as they are declared, and no prior that is flat.
func (r *Regression) Model(con *cli.Console, text, path string, drawn bool) (*frame.Frame, *formula.Regression, error) {
	if err := formula.CheckFamily(r.Family); err != nil {
		return nil, nil, cli.Usagef("-family: %s", strings.TrimPrefix(err.Error(), "formula: "))
	}
	o := formula.Options{Family: r.Family, Plain: drawn}
	for _, p := range strings.Split(r.Priors, ";") {
		if p = strings.TrimSpace(p); p == "" {
			continue
		}
		if _, err := formula.ParsePrior(p); err != nil {
			return nil, nil, cli.Usagef("-prior: %s", strings.TrimPrefix(err.Error(), "prior: "))
		}
		o.Priors = append(o.Priors, p)
	}
	f, err := formula.Parse(text)
	if err != nil {
		return nil, nil, cli.Usagef("%v", err)
	}
	src := Source{Path: path, Missing: r.Missing, Levels: r.Levels}
	if !f.Dot() {
		src.Columns = f.Columns()
	}
	t, err := src.Read(con)
	if err != nil {
		return nil, nil, err
	}
	reg, err := f.Model(t, o)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range reg.Priors {
		if drawn && strings.Contains(p.String(), "(flat)") {
			return nil, nil, fmt.Errorf("the prior %s is flat, and cannot be drawn from: give another, as -prior '%s ~ normal(0, 1)'", p.Of, p.Of)
		}
	}
	return t, reg, nil
}
