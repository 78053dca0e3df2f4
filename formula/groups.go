package formula

import (
	"fmt"
	"slices"
)

// group reads a term of groups.
func (r *Regression) group(g group) error {
	inner := &expansion{src: r.Formula.Text, bit: map[string]int{}}
	s, err := inner.expand(g.terms, true)
	if err != nil {
		return err
	}
	if len(inner.rest) > 0 || len(inner.bars) > 0 {
		return &Error{r.Formula.Text, g.terms.at, fmt.Sprintf("%s cannot vary over groups", g.terms)}
	}
	e := &expanded{sum: s, vars: inner.vars}
	e.terms = s.sorted()
	out := Group{Name: g.by.String(), Correlated: g.correlated}
	if out.Design, out.z, err = newDesign(r.Formula.Text, e, r.data); err != nil {
		return err
	}
	if out.z == nil {
		return &Error{r.Formula.Text, g.terms.at, "nothing varies over " + out.Name}
	}
	if out.rows, err = r.labels(g.by); err != nil {
		return err
	}
	out.Levels = slices.Compact(slices.Sorted(slices.Values(out.rows)))
	if len(out.Levels) < 2 {
		return &Error{r.Formula.Text, g.by.at, fmt.Sprintf("%s has one value, %q, want at least 2 groups", out.Name, out.Levels[0])}
	}
	for _, o := range r.Groups {
		for _, a := range o.Design.Names {
			if o.Name == out.Name && slices.Contains(out.Design.Names, a) {
				return &Error{r.Formula.Text, g.by.at, fmt.Sprintf("%s varies over %s twice", a, out.Name)}
			}
		}
	}
	r.Groups = append(r.Groups, out)
	return nil
}

// labels are the groups of the rows.
func (r *Regression) labels(n *node) ([]string, error) {
	if n.kind == operator {
		a, err := r.labels(n.args[0].bare())
		if err != nil {
			return nil, err
		}
		b, err := r.labels(n.args[1].bare())
		if err != nil {
			return nil, err
		}
		for i := range a {
			a[i] += ":" + b[i]
		}
		return a, nil
	}
	in := r.reader()
	c, ok := r.data.Column(n.text)
	if !ok {
		return nil, in.fail(n, "%s has no column %q%s", r.data.Source, n.text, didYouMean(n.text, r.data.Names))
	}
	out := c.Texts()
	for i, s := range out {
		if s == "" {
			return nil, in.fail(n, "%s: the value of %s is missing in row %d", r.data.Source, n.text, i+1)
		}
	}
	return out, nil
}
