package tests

import (
	"context"
	"fmt"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/page"
	"bayeskernel/magnitude"

	"gonum.org/v1/gonum/mat"
)

// Dependence is how strong the dependence of two variables is.
type Dependence struct {
	magnitude.Interval
	why  string // there is none
	from string // of which rows it is, if not of all
}

// fewestDependent is the smallest number of rows of which the strength is measured.
const fewestDependent = 6

func newDependence(ctx context.Context, d *input.Pairs, seed uint64) (*Dependence, error) {
	out := &Dependence{}
	n, _ := d.X.Dims()
	switch {
	case d.Blocks != nil:
		out.why = "The strength of the dependence is left out: it would mix differences between blocks with " +
			"dependence within them."
		return out, nil
	case n < fewestDependent:
		out.why = "The strength of the dependence is left out: there are too few rows."
		return out, nil
	}
	var err error
	_, dx := d.X.Dims()
	x, y := spread(d.X, d.Dataset, 0), spread(d.Y, d.Dataset, dx)
	if k := magnitude.DependentRows(x, y); k < n {
		out.from = fmt.Sprintf(", of %d rows drawn at random", k)
	}
	out.Interval, err = magnitude.Dependence(ctx, x, y, magnitude.Options{Seed: seed})
	if err != nil && ctx.Err() == nil {
		out.why, err = "The strength of the dependence is left out: "+cli.WithoutPackages(err.Error())+".", nil
	}
	return out, err
}

// spread gives columns of categories, which begin at one of the data, a column for each category.
func spread(m *mat.Dense, d *input.Dataset, from int) *mat.Dense {
	n, dim := m.Dims()
	if len(d.Discrete(from, from+dim)) == 0 {
		return m
	}
	var columns [][]float64
	for k := range dim {
		values := mat.Col(nil, k, m)
		if d.Categories[from+k] == nil {
			columns = append(columns, values)
			continue
		}
		for level := range d.Categories[from+k].Names {
			one := make([]float64, n)
			for i, v := range values {
				if v == float64(level) {
					one[i] = 1
				}
			}
			columns = append(columns, one)
		}
	}
	out := mat.NewDense(n, len(columns), nil)
	for k, c := range columns {
		out.SetCol(k, c)
	}
	return out
}

const dependenceName = "distance correlation (90% interval)"

// values are for the terminal.
func (d *Dependence) values() report.Values {
	if d == nil || d.why != "" {
		return nil
	}
	return report.Values{{dependenceName, withInterval(d.Interval) + d.from}}
}

func (d *Dependence) record() *SizeRecord {
	if d == nil || d.why != "" {
		return nil
	}
	r := sizeRecord(d.Interval)
	return &r
}

// add adds the strength to a section of the page.
func (d *Dependence) add(to *page.Section) {
	switch {
	case d == nil:
	case d.why != "":
		to.Text = append(to.Text, d.why)
	default:
		to.Text = append(to.Text, "The distance correlation is "+withInterval(d.Interval)+", with a 90% interval"+d.from+". "+
			"It is 0 for independent variables and for no others, and 1 at most. It does not grow with the number of rows.")
	}
}
