package input

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"

	"gonum.org/v1/gonum/mat"
)

// Covariate is a column that a test is given.
type Covariate struct {
	Name   string
	Values []float64 // one for each row: those of P before those of Q
	Text   bool      // the file has text there: the values are numbers of categories
	names  []string  // of these categories
}

// Covariates are columns of the same rows.
type Covariates []Covariate

// Names lists them.
func (c Covariates) Names() string {
	var out []string
	for _, one := range c {
		out = append(out, one.Name)
	}
	return cli.AndList(out)
}

// given adds the columns of -given to those that are read; other is what else names columns.
func given(o *frame.Options, list string, other map[string]string) ([]string, error) {
	names := Split(list)
	if len(names) == 0 {
		return nil, nil
	}
	for k, name := range names {
		if slices.Contains(names[:k], name) {
			return nil, cli.Usagef("-given names column %s twice", name)
		}
		for flag, columns := range other {
			if slices.Contains(Split(columns), name) {
				return nil, cli.Usagef("column %s is in -given and in -%s, want it in one", name, flag)
			}
		}
	}
	if o.Columns != nil {
		o.Columns = append(slices.Clone(o.Columns), names...)
	}
	return names, nil
}

// takeGiven takes the named columns out of a table. Chosen says that the columns were asked for, so that
// these are the last.
func takeGiven(t *frame.Frame, names []string, chosen bool) (Covariates, error) {
	var out Covariates
	_, all := t.Data.Dims()
	taken := map[int]bool{}
	for k, name := range names {
		j := slices.Index(t.Names, name)
		if chosen { // whether asked for by name or by number
			j = all - len(names) + k
		}
		if j < 0 {
			return nil, fmt.Errorf("%s: -given: there is no column %s, only %s", t.Source, name,
				cli.Shorten(strings.Join(t.Names, ", "), 80))
		}
		taken[j] = true
		one := Covariate{Name: t.Names[j], Values: mat.Col(nil, j, t.Data)}
		if x := t.Types[j]; x.Kind == frame.Category {
			one.Text, one.names = true, x.Levels
		}
		out = append(out, one)
	}
	if len(taken) == all {
		return nil, fmt.Errorf("%s: -given names all columns, want one left to test", t.Source)
	}
	var left []int
	for j := range all {
		if !taken[j] {
			left = append(left, j)
		}
	}
	t.Keep(left...)
	return out, nil
}

// stack joins the covariates of two samples. Categories go by their names, since each file numbers its
// own.
func (c Covariates) stack(more Covariates) Covariates {
	var out Covariates
	for k, a := range c {
		b := more[k]
		one := Covariate{Name: a.Name, Text: a.Text || b.Text}
		if !one.Text {
			one.Values = slices.Concat(a.Values, b.Values)
			out = append(out, one)
			continue
		}
		for _, part := range []Covariate{a, b} {
			for i := range part.Values {
				name := part.name(i)
				at := slices.Index(one.names, name)
				if at < 0 {
					at, one.names = len(one.names), append(one.names, name)
				}
				one.Values = append(one.Values, float64(at))
			}
		}
		out = append(out, one)
	}
	return out
}

// name is the value of row i as the file has it.
func (c Covariate) name(i int) string {
	if c.Text {
		return c.names[int(c.Values[i])]
	}
	return strconv.FormatFloat(c.Values[i], 'g', -1, 64)
}

// of picks the values of the rows of a table with each of the labels in turn.
func (c Covariates) of(t *frame.Frame, levels ...string) Covariates {
	var out Covariates
	for _, one := range c {
		var values []float64
		for _, level := range levels {
			values = append(values, ofLevel(t, one.Values, level)...)
		}
		out = append(out, Covariate{one.Name, values, one.Text, one.names})
	}
	return out
}
