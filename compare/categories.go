package compare

import (
	"fmt"
	"math"
	"slices"
)

// Level is a value of a column of categories, and the share of the rows of each sample that have it.
type Level struct {
	Name   string
	Shares [2]float64
}

// categorical reports whether column j holds categories.
func (d *data) categorical(j int) bool { return d.o.Levels != nil && d.o.Levels[j] != nil }

// categories are the columns that hold categories.
func (d *data) categories() (out []int) {
	for j := range d.dim {
		if d.categorical(j) {
			out = append(out, j)
		}
	}
	return out
}

// checkLevels wants values that are places among the names.
func (d *data) checkLevels() error {
	if d.o.Levels == nil {
		return nil
	}
	if len(d.o.Levels) != d.dim {
		return fmt.Errorf("compare: there are levels of %d columns, want %d, nil for those of numbers",
			len(d.o.Levels), d.dim)
	}
	for _, j := range d.categories() {
		for i := j; i < len(d.pooled); i += d.dim {
			if v := d.pooled[i]; v != math.Trunc(v) || v < 0 || int(v) >= len(d.o.Levels[j]) {
				return fmt.Errorf("compare: column %s has the value %v in row %d, want a level from 0 to %d",
					d.columns[j], v, i/d.dim+1, len(d.o.Levels[j])-1)
			}
		}
	}
	return nil
}

// levels are those of column j, with their shares.
func (d *data) levels(j int) []Level {
	out := make([]Level, len(d.o.Levels[j]))
	for l, name := range d.o.Levels[j] {
		out[l].Name = name
	}
	for s, of := range d.samples {
		for i := range of.n {
			w := 1 / float64(of.n)
			if of.weights != nil {
				w = of.weights[i]
			}
			out[int(of.x.At(i, j))].Shares[s] += w
		}
	}
	return out
}

// strongestLevel is the level whose shares differ most, in units of the standard error of their difference.
func (c *Column) strongestLevel(rows [2]int) Level {
	strength := func(l Level) float64 {
		v := 0.0
		for s, p := range l.Shares {
			v += p * (1 - p) / float64(rows[s])
		}
		d := math.Abs(l.Shares[0] - l.Shares[1])
		if d == 0 {
			return 0
		}
		return d / math.Sqrt(v)
	}
	best := c.Levels[0]
	for _, l := range c.Levels[1:] {
		if strength(l) > strength(best) {
			best = l
		}
	}
	return best
}

// level says of a column of categories where it differs most: more of P with feed = casein, 46% against 20%.
func (r *Result) level(c Column) string {
	l := c.strongestLevel(r.Rows)
	more, other := 0, 1
	if l.Shares[1] > l.Shares[0] {
		more, other = 1, 0
	}
	return fmt.Sprintf("more of %s with %s = %s, %.0f%% against %.0f%%", r.Names[more], c.Name, l.Name,
		100*l.Shares[more], 100*l.Shares[other])
}

// levelsAlone says where categories differ, of columns that differ on their own.
func (r *Result) levelsAlone() string {
	var out []string
	for _, c := range r.ByColumn {
		if c.Levels != nil && c.Corrected <= r.Test.Alpha {
			out = append(out, r.level(c))
		}
	}
	return list(out, mostPlaces)
}

// levelsOf are the levels of some columns; nil if none of them holds categories.
func (d *data) levelsOf(columns []int) [][]string {
	if !slices.ContainsFunc(columns, d.categorical) {
		return nil
	}
	out := make([][]string, len(columns))
	for a, j := range columns {
		out[a] = d.o.Levels[j]
	}
	return out
}
