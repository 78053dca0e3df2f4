package input

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Two columns of one sample, or one of both samples, in which rows that follow each other are alike make a note: of
// independent rows one in a million does.
const (
	fewestSerial, mostSerial = 40, 1_000_000 // rows that are looked at
	leastSerial              = 0.5           // correlation of a row with the one before
)

// series says in which columns rows that follow each other are alike in both samples, as those of a time series are,
// without being in order.
func (d *Dataset) series() []string {
	if d.P == nil || d.Q == nil || d.Blocks != nil {
		return nil
	}
	return serial(d.alike(d.P, d.Q), "If the rows are in the order of time they depend on one another: p-values are then too small, and "+
		"intervals too narrow.")
}

// series says so of two variables, if that is so of columns of both.
func (p *Pairs) series(t *mat.Dense) []string {
	_, xs := p.X.Dims()
	all := p.alike(t)
	first := slices.ContainsFunc(all, func(a alike) bool { return a.column < xs })
	last := slices.ContainsFunc(all, func(a alike) bool { return a.column >= xs })
	if p.Blocks != nil || !first || !last {
		return nil
	}
	return serial(all, "If the rows are in the order of time they depend on one another, and p is too small: two series that have nothing to do "+
		"with each other often look dependent.")
}

// Series says so of a table of one sample, if that is so of two columns. Advice is what to do.
func (d *Dataset) Series(advice string) []string {
	all := d.alike(d.P)
	if len(all) < 2 {
		return nil
	}
	return serial(all, "If the rows are in the order of time they depend on one another, and links are found between series that have nothing to do "+
		"with each other"+advice+".")
}

// alike is a column whose rows are like the one before.
type alike struct {
	column      int
	name        string
	correlation float64 // the least of the samples
}

// alike lists the columns of numbers that are so in all samples.
func (d *Dataset) alike(samples ...*mat.Dense) (out []alike) {
	for k, name := range d.Columns {
		if d.Categories != nil && d.Categories[k] != nil {
			continue
		}
		weakest := math.Inf(1)
		for _, sample := range samples {
			if n, _ := sample.Dims(); n < fewestSerial || n > mostSerial {
				return nil
			}
			weakest = min(weakest, followed(mat.Col(nil, k, sample)))
		}
		if weakest > leastSerial {
			out = append(out, alike{k, name, weakest})
		}
	}
	return out
}

// serial is a note on such columns; none if there are none.
func serial(of []alike, then string) []string {
	if len(of) == 0 {
		return nil
	}
	var names []string
	for _, a := range of {
		names = append(names, fmt.Sprintf("%s (correlation %.2f)", a.name, a.correlation))
	}
	return []string{fmt.Sprintf("Rows that follow each other are alike in %s. %s", cli.AndList(names), then)}
}

// followed is the correlation of values with those before them; 0 where they are mostly in order, up or down, and where
// values five rows apart are as near to each other: then groups of rows stand together, as those of a table that is
// sorted by one of its columns.
func followed(x []float64) float64 {
	const far, nearer = 5, 0.5
	near, apart := 0.0, 0.0
	for i := far; i < len(x); i++ {
		near += (x[i] - x[i-1]) * (x[i] - x[i-1])
		apart += (x[i] - x[i-far]) * (x[i] - x[i-far])
	}
	if !(near < nearer*apart) {
		return 0
	}
	turns := 0
	for i := 2; i < len(x); i++ {
		if (x[i]-x[i-1])*(x[i-1]-x[i-2]) < 0 {
			turns++
		}
	}
	if 5*turns < len(x) {
		return 0
	}
	return rows.Lagged(x)
}
