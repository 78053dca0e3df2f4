package tests

import (
	"fmt"

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
	if d.Q == nil || len(d.Columns) < 2 {
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
	f := GroupsPicture(title, []string{d.PName, d.QName}, []*mat.Dense{d.P, d.Q}, d.Columns, order, facts)
	if facts != nil {
		f.Caption += fmt.Sprintf(" The columns that overlap least come first. P is the probability that a random row of "+
			"%s exceeds one of %s.", d.PName, d.QName)
	}
	return []page.Figure{f}
}
