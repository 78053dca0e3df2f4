package tests

import (
	"context"

	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/page"
	"bayeskernel/magnitude"
)

// Dependence is how strong the dependence of two variables is.
type Dependence struct {
	magnitude.Interval
	why string // there is none
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
	out.Interval, err = magnitude.Dependence(ctx, d.X, d.Y, magnitude.Options{Seed: seed})
	return out, err
}

const dependenceName = "distance correlation (90% interval)"

// values are for the terminal.
func (d *Dependence) values() report.Values {
	if d == nil || d.why != "" {
		return nil
	}
	return report.Values{{dependenceName, withInterval(d.Interval)}}
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
		to.Text = append(to.Text, "The distance correlation is "+withInterval(d.Interval)+", with a 90% interval. "+
			"It is 0 for independent variables and for no others, and 1 at most. It does not grow with the number of rows.")
	}
}
