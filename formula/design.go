package formula

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/frame"
	"bayeskernel/internal/spelling"

	"gonum.org/v1/gonum/mat"
)

// Term is a term of a design matrix.
type Term struct {
	Label    string   // as R writes it
	From, To int      // its columns
	Uses     []string // the columns of the table
}

// Design makes rows of a design matrix of the rows of tables.
type Design struct {
	Names     []string // of its columns, as R calls them
	Terms     []Term
	Intercept bool // the first column is 1

	src   string
	plan  *expanded
	full  []term // of each term: the factors that are coded by all their levels
	state *learned
}

// NewDesign learns the design of the terms of a formula, and makes the matrix of the first table. A formula
// with nothing on its right side has no matrix.
func (f *Formula) NewDesign(t *frame.Frame) (*Design, *mat.Dense, error) {
	e, err := f.expand(t.Names)
	if err != nil {
		return nil, nil, err
	}
	return newDesign(f.Text, e, t)
}

func newDesign(src string, e *expanded, t *frame.Frame) (*Design, *mat.Dense, error) {
	d := &Design{src: src, plan: e, Intercept: e.intercept, state: newLearned()}
	x, err := d.rows(t, true)
	return d, x, err
}

// Rows are the rows of the matrix of another table, coded as those of the first.
func (d *Design) Rows(t *frame.Frame) (*mat.Dense, error) { return d.rows(t, false) }

func (d *Design) rows(t *frame.Frame, first bool) (*mat.Dense, error) {
	n, _ := t.Data.Dims()
	r := &reading{src: d.src, table: t, rows: n, from: d.state, first: first}
	values := make([]*value, len(d.plan.vars))
	for k, v := range d.plan.vars {
		var err error
		if values[k], err = r.value(v); err != nil {
			return nil, err
		}
		if l := values[k].levels; first && len(l) == 1 {
			return nil, r.fail(v, "%s: %s is %q in every row", t.Source, v, l[0])
		}
	}
	if first {
		d.layOut(values)
	}
	if len(d.Names) == 0 {
		return nil, nil
	}
	x := mat.NewDense(n, len(d.Names), nil)
	at := 0
	if d.Intercept {
		for i := range n {
			x.Set(i, 0, 1)
		}
		at = 1
	}
	for k, t := range d.plan.terms {
		for _, c := range product(values, t, d.full[k], n) {
			x.SetCol(at, c)
			at++
		}
	}
	return x, nil
}

// layOut codes the terms and names the columns.
func (d *Design) layOut(values []*value) {
	factors := term(0)
	for k, v := range values {
		if v.levels != nil {
			factors |= 1 << k
		}
	}
	if d.Intercept {
		d.Names = []string{"(Intercept)"}
	}
	for k, t := range d.plan.terms {
		d.full = append(d.full, coding(d.plan.terms, k, d.Intercept, factors))
		names := []string{""}
		var label, uses []string
		for v, x := range values {
			if t&(1<<v) == 0 {
				continue
			}
			n := d.plan.vars[v]
			n.names(func(c *node) {
				if !slices.Contains(uses, c.text) {
					uses = append(uses, c.text)
				}
			})
			label = append(label, n.String())
			var next []string
			for _, suffix := range x.suffixes(d.full[k]&(1<<v) != 0) {
				for _, before := range names {
					if before != "" {
						before += ":"
					}
					next = append(next, before+n.String()+suffix)
				}
			}
			names = next
		}
		d.Terms = append(d.Terms, Term{Label: strings.Join(label, ":"), From: len(d.Names), To: len(d.Names) + len(names),
			Uses: uses})
		d.Names = append(d.Names, names...)
	}
}

// suffixes follow the name of a variable in those of its columns.
func (v *value) suffixes(full bool) []string {
	switch {
	case v.levels != nil && full:
		return v.levels
	case v.levels != nil:
		return v.levels[1:]
	case v.names != nil:
		return v.names
	}
	return []string{""}
}

// coded are the columns of a variable.
func (v *value) coded(full bool) [][]float64 {
	if v.levels == nil {
		return v.columns
	}
	begin := 1
	if full {
		begin = 0
	}
	out := make([][]float64, len(v.levels)-begin)
	for k := range out {
		out[k] = make([]float64, len(v.columns[0]))
	}
	for i, x := range v.columns[0] {
		if k := int(x) - begin; k >= 0 {
			out[k][i] = 1
		}
	}
	return out
}

// product are the columns of a term: those of its first variable run fastest.
func product(values []*value, t, full term, n int) [][]float64 {
	var out [][]float64
	for k, v := range values {
		if t&(1<<k) == 0 {
			continue
		}
		columns := v.coded(full&(1<<k) != 0)
		if out == nil {
			out = columns
			continue
		}
		var next [][]float64
		for _, c := range columns {
			for _, o := range out {
				both := make([]float64, n)
				for i := range both {
					both[i] = o[i] * c[i]
				}
				next = append(next, both)
			}
		}
		out = next
	}
	return out
}

// didYouMean suggests a word.
func didYouMean(typed string, words []string) string {
	best, least := "", 1+max(1, len(typed)/3)
	for _, w := range words {
		if d := spelling.Distance([]rune(typed), []rune(w)); d < least {
			best, least = w, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
