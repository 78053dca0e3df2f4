package input

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"

	"gonum.org/v1/gonum/mat"
)

// mostGroups is the largest number of unnamed groups that are compared pair by pair.
const mostGroups = 12

// groups returns the labels to compare; named is set if the user chose them.
func groups(t *frame.Frame, named bool) ([]string, error) {
	var names []string
	for _, l := range t.Levels() {
		names = append(names, l.Name)
	}
	if k := len(names); k < 2 || k > mostGroups && !named {
		advice := ""
		if k > 2 {
			advice = "; name those to compare, as in -label column=a,b"
		}
		return nil, fmt.Errorf("%s: column %q has %s (%s), want 2 to %d to tell samples apart%s",
			t.Source, t.Label, cli.Plural(k, "distinct label"),
			cli.Shorten(strings.Join(names, ", "), 60), mostGroups, advice)
	}
	return names, nil
}

// Label is the column with the group labels.
func (d *Dataset) Label() string { return d.labelled.Label }

// Pair is the data set of two of the groups.
func (d *Dataset) Pair(a, b string) (*Dataset, error) {
	return d.pair(d.Labels[slices.Index(d.Groups, a)], d.Labels[slices.Index(d.Groups, b)], a, b)
}

// pair is the data set of two labels, under these names.
func (d *Dataset) pair(a, b, pName, qName string) (*Dataset, error) {
	t := d.labelled
	levels, parts, err := t.Split()
	if err != nil {
		return nil, err
	}
	rows := map[string]*mat.Dense{}
	for k, level := range levels {
		rows[level] = parts[k]
	}
	p := &Dataset{P: rows[a], Q: rows[b], Units: d.Units, Columns: d.Columns, Indicators: d.Indicators, PName: pName, QName: qName, Notes: d.Notes,
		Categories: d.Categories, dated: d.dated, pairs: d.pairs, where: t.Source, Source: fmt.Sprintf("%s by %s", t.Source, t.Label)}
	numbers := make([]int, len(t.Labels))
	for i := range numbers {
		numbers[i] = t.Row(i)
	}
	var blocks []string
	var weights [][]float64
	for k, level := range []string{a, b} {
		p.from[k] = fmt.Sprintf("%s: label %q of column %q", t.Source, level, t.Label)
		p.ids[k], p.numbers[k] = ofLevel(t, t.Groups, level), ofLevel(t, numbers, level)
		blocks = append(blocks, p.ids[k]...)
		weights = append(weights, ofLevel(t, t.Weights, level))
	}
	p.Blocks, p.Given = blockNumbers(blocks), d.Given.of(t, a, b)
	if t.Weights != nil {
		if p.Weights, err = newRowWeights(t.Weight, weights, p.from); err != nil {
			return nil, err
		}
	}
	if p.pairs != "" {
		if err := p.pairUp(); err != nil {
			return nil, err
		}
	}
	return p, p.check()
}

// Grouped are the rows of all groups, in the order of Dataset.Groups.
type Grouped struct {
	Samples []*mat.Dense
	Blocks  []int       // of the rows of all samples in turn; nil without -blocks
	Weights [][]float64 // of the rows of each sample; nil without -weights
	Given   Covariates  // of the rows of all samples in turn; nil without -given
}

// Grouped divides the rows into those of the groups.
func (d *Dataset) Grouped() (*Grouped, error) {
	t := d.labelled
	levels, parts, err := t.Split()
	if err != nil {
		return nil, err
	}
	g := &Grouped{Samples: parts, Given: d.Given.of(t, levels...)}
	var blocks []string
	for k, level := range levels {
		if n, _ := parts[k].Dims(); n < 2 {
			return nil, fmt.Errorf("%s: label %q of column %q: found %s, want at least 2", t.Source, level, t.Label,
				cli.Plural(n, "row"))
		}
		blocks = append(blocks, ofLevel(t, t.Groups, level)...)
		if t.Weights != nil {
			g.Weights = append(g.Weights, ofLevel(t, t.Weights, level))
		}
	}
	g.Blocks = blockNumbers(blocks)
	if !exchangeable(t.Groups, t.Labels) {
		return nil, fmt.Errorf("%s: column %q: each value is in one group of %s alone, want values with rows of "+
			"several, which are exchanged with each other", t.Source, t.Group, t.Label)
	}
	return g, nil
}

// exchangeable reports whether some block has rows of two labels. Without blocks all rows are of one.
func exchangeable(blocks, labels []string) bool {
	of := map[string]string{}
	for i, b := range blocks {
		if l, ok := of[b]; ok && l != labels[i] {
			return true
		}
		of[b] = labels[i]
	}
	return blocks == nil
}

// ofLevel picks the elements of the rows with a label; nil if there are none.
func ofLevel[T any](t *frame.Frame, all []T, level string) []T {
	var out []T
	for i, v := range all {
		if t.Labels[i] == level {
			out = append(out, v)
		}
	}
	return out
}
