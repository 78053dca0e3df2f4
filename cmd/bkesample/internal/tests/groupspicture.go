package tests

import (
	"cmp"
	"fmt"
	"slices"

	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"

	"gonum.org/v1/gonum/mat"
)

// GroupsPicture draws two groups or more as data, column by column in an order, nil for that of the
// data. Facts, if not nil, has a line for each column.
func GroupsPicture(title string, names []string, rows []*mat.Dense, columns []string, order []int,
	facts []string) page.Figure {
	f := figure.Groups{Title: title, Names: names}
	for i := range columns {
		k := i
		if order != nil {
			k = order[i]
		}
		c := figure.GroupColumn{Label: columns[k]}
		if facts != nil {
			c.Fact = facts[k]
		}
		for _, of := range rows {
			c.Values = append(c.Values, mat.Col(nil, k, of))
		}
		f.Columns = append(f.Columns, c)
	}
	return page.Figure{Draw: f, Heading: "The data", File: "groups", What: "the data of the groups",
		Caption: "Each column: the density of each group, drawn to one height; its median, middle half and middle " +
			"80%; and its rows where they are few."}
}

// Picture draws the columns of two samples, those that overlap least first; none for a single
// column, whose data the witness stands below.
func (s *Sizes) Picture(title string, d *input.Dataset) []page.Figure {
	kept := numeric(d)
	if d.Q == nil || len(d.Columns) < 2 || len(kept) == 0 {
		return nil
	}
	var order []int
	var facts []string
	if s != nil && s.Result != nil {
		order = s.order
		for _, c := range s.Result.Columns {
			facts = append(facts, fmt.Sprintf("overlap %s, P %s", report.Short(c.Overlap.Estimate),
				report.Short(c.Exceeds.Estimate)))
		}
	}
	f := GroupsPicture(title, []string{d.PName, d.QName}, []*mat.Dense{ofColumns(d.P, kept),
		ofColumns(d.Q, kept)}, picked(d.Columns, kept), order, facts)
	if facts != nil {
		f.Caption += fmt.Sprintf(" The columns that overlap least come first. P is the probability that a random row of "+
			"%s exceeds one of %s", d.PName, d.QName)
		if s.ties {
			f.Caption += ", where equal values count half"
		}
		f.Caption += "."
	}
	return []page.Figure{f}
}

// groupsPicture draws all groups, the columns that any two of them overlap least in first.
func (p *Pairs) groupsPicture() []page.Figure {
	kept := numeric(p.Data)
	if len(kept) == 0 {
		return nil
	}
	names, columns := p.Data.Groups, picked(p.Data.Columns, kept)
	rows := make([]*mat.Dense, len(names))
	least := make([]float64, len(columns))
	for k := range least {
		least[k] = 1
	}
	for _, t := range p.Tests {
		rows[slices.Index(names, t.Names[0])], rows[slices.Index(names, t.Names[1])] = ofColumns(t.Data.P, kept),
			ofColumns(t.Data.Q, kept)
		if s := t.Sizes; s != nil && s.Result != nil {
			for k, c := range s.Result.Columns {
				least[k] = min(least[k], c.Overlap.Estimate)
			}
		}
	}
	order := make([]int, len(columns))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(least[a], least[b]) })
	return []page.Figure{GroupsPicture("Groups of "+p.Data.Label(), names, rows, columns, order, nil)}
}

// sizes is a table of the page: how large the differences of pairs are, in the columns where they
// overlap least.
func (p *Pairs) sizes() []page.Table {
	const most = 3 // columns of a pair
	t := page.Table{Head: []string{"", "column", "difference of means", "P(first > second)", "overlap"},
		Words: []int{1}, Heading: "How large the differences are: the first group minus the second, with 90% intervals"}
	for _, one := range p.Tests {
		s := one.Sizes
		if s == nil || s.Result == nil {
			continue
		}
		for _, k := range s.order[:min(most, len(s.order))] {
			c := s.Result.Columns[k]
			t.Rows = append(t.Rows, []string{one.Names[0] + ", " + one.Names[1], c.Name, withInterval(c.Mean),
				withInterval(c.Exceeds), withInterval(c.Overlap)})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Note = "Each interval holds for its number, its pair and its column alone."
	if len(p.Data.Columns) > most {
		t.Note += fmt.Sprintf(" Of each pair the %d columns that overlap least are shown; summary.json has all.", most)
	}
	return []page.Table{t}
}
