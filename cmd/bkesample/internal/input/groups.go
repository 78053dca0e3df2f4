package input

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/internal/table"

	"gonum.org/v1/gonum/mat"
)

// mostGroups is the number of groups that are compared pair by pair without being named.
const mostGroups = 12

// labels is the value of -label: a column, and the groups that were named.
type labels struct {
	column string
	groups []string
}

// parseLabel reads column or column=a,b.
func parseLabel(text string) (labels, error) {
	column, list, named := strings.Cut(text, "=")
	l := labels{column: column}
	if !named {
		return l, nil
	}
	l.groups = split(list)
	if len(l.groups) < 2 || column == "" {
		return l, cli.Usagef("-label is %q, want the groups to compare, as in -label column=a,b", text)
	}
	for i, g := range l.groups {
		if slices.Contains(l.groups[:i], g) {
			return l, cli.Usagef("-label %s names %s twice", text, g)
		}
	}
	return l, nil
}

// choose returns the groups of a table that are compared.
func (l *labels) choose(t *table.Table) ([]string, error) {
	levels, _, err := t.Split()
	if err != nil {
		return nil, err
	}
	for _, g := range l.groups {
		if !slices.Contains(levels, g) {
			return nil, fmt.Errorf("%s: column %q has no label %q, only %s", t.Source, t.Label, g,
				cli.Shorten(strings.Join(levels, ", "), 60))
		}
	}
	if l.groups != nil {
		return l.groups, nil
	}
	if k := len(levels); k < 2 || k > mostGroups {
		advice := ""
		if k > 2 {
			advice = "; name those to compare, as in -label column=a,b"
		}
		return nil, fmt.Errorf("%s: column %q has %s (%s), want 2 to %d to tell samples apart%s",
			t.Source, t.Label, cli.Plural(k, "distinct label"),
			cli.Shorten(strings.Join(levels, ", "), 60), mostGroups, advice)
	}
	return levels, nil
}

// Label is the column that tells groups apart.
func (d *Dataset) Label() string { return d.labelled.Label }

// keepGroups leaves out the rows of other groups.
func keepGroups(t *table.Table, groups []string) {
	var rows, weights []float64
	var names, blocks []string
	for i, label := range t.Labels {
		if !slices.Contains(groups, label) {
			continue
		}
		rows, names = append(rows, t.Data.RawRowView(i)...), append(names, label)
		if t.Groups != nil {
			blocks = append(blocks, t.Groups[i])
		}
		if t.Weights != nil {
			weights = append(weights, t.Weights[i])
		}
	}
	t.Data = mat.NewDense(len(names), len(t.Names), rows)
	t.Labels, t.Groups, t.Weights = names, blocks, weights
}

// Pair is the data set of two of the groups.
func (d *Dataset) Pair(a, b string) (*Dataset, error) {
	t := d.labelled
	p := &Dataset{Columns: d.Columns, PName: a, QName: b, Notes: slices.Clone(d.Notes), where: t.Source,
		Source: fmt.Sprintf("%s by %s", t.Source, t.Label)}
	var blocks []string
	var weights [][]float64
	for k, level := range []string{a, b} {
		p.from[k] = fmt.Sprintf("%s: label %q of column %q", t.Source, level, t.Label)
		var rows []float64
		var own []float64
		for i, label := range t.Labels {
			if label != level {
				continue
			}
			rows = append(rows, t.Data.RawRowView(i)...)
			if t.Groups != nil {
				blocks = append(blocks, t.Groups[i])
			}
			if t.Weights != nil {
				own = append(own, t.Weights[i])
			}
		}
		m := mat.NewDense(len(rows)/len(t.Names), len(t.Names), rows)
		if k == 0 {
			p.P = m
		} else {
			p.Q = m
		}
		weights = append(weights, own)
	}
	p.Blocks = blockNumbers(blocks)
	if t.Weights != nil {
		var err error
		if p.Weights, err = newRowWeights(t.Weight, weights, p.from); err != nil {
			return nil, err
		}
	}
	return p, p.check()
}
