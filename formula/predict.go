package formula

import (
	"context"
	"fmt"
	"slices"

	"bayeskernel/draws"
	"bayeskernel/frame"
	"bayeskernel/model"

	"gonum.org/v1/gonum/mat"
)

// Predictors are the columns of a table that predictions need: those of the formula without the response.
func (f *Formula) Predictors() []string {
	var out []string
	mark := func(n *node) {
		if n.text != "." && !slices.Contains(out, n.text) {
			out = append(out, n.text)
		}
	}
	if n := f.Additions["trials"]; n != nil {
		n.names(mark)
	}
	f.right.names(mark)
	return out
}

// Predict draws responses for the rows of another table, one for each draw of the program in run, not of what
// Report makes of it. Groups that the first table does not have get effects drawn from their distribution.
// Responses are not censored. Those in categories are numbers from 1, in the order of Categories.
func (r *Regression) Predict(ctx context.Context, run *draws.Run, t *frame.Frame, seed uint64) (*draws.Run, error) {
	n, _ := t.Data.Dims()
	d, err := r.newData(t, n)
	if err != nil {
		return nil, err
	}
	other := *r
	if moved := r.nesting() != nil; moved || r.censored != nil {
		other.censored, other.apart, other.Groups = nil, true, slices.Clone(r.Groups)
		if other.rows, err = other.compile(nil); err != nil {
			return nil, err
		}
		if moved { // new levels need effects of their own
			if run, err = columnsOf(run, other.rows.Names()); err != nil {
				return nil, err
			}
		}
	}
	if len(d.Matrices) == 0 && len(r.Groups) == 0 && r.offset == nil && r.trials == nil {
		return other.alike(ctx, run, n, seed)
	}
	if other.rows, err = other.rows.WithData(d); err != nil {
		return nil, err
	}
	return other.Predictive(ctx, run, seed)
}

// columnsOf are the columns of a run with these names.
func columnsOf(run *draws.Run, names []string) (*draws.Run, error) {
	at := make([]int, len(names))
	for k, name := range names {
		if at[k] = slices.Index(run.Names, name); at[k] < 0 {
			return nil, fmt.Errorf("formula: the run has no parameter %q of this model", name)
		}
	}
	out := &draws.Run{Names: names, Seed: run.Seed, Chains: make([]draws.Chain, len(run.Chains))}
	for c := range run.Chains {
		out.Chains[c].Stats = run.Chains[c].Stats
		err := run.Chains[c].Each(func(_ int, row []float64) error {
			values := make([]float64, len(at))
			for k, a := range at {
				values[k] = row[a]
			}
			out.Chains[c].Values = append(out.Chains[c].Values, values)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Fresh are the levels of a group in another table that the first does not have.
func (r *Regression) Fresh(g Group, t *frame.Frame) ([]string, error) {
	e, err := r.Formula.expand(r.data.Names)
	if err != nil {
		return nil, err
	}
	other := *r
	other.data = t
	var out []string
	for k := range r.Groups {
		if r.Groups[k].Name != g.Name {
			continue
		}
		rows, err := other.labels(e.groups[k].by)
		if err != nil {
			return nil, err
		}
		for _, l := range rows {
			if !slices.Contains(g.Levels, l) && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
		break
	}
	return out, nil
}

// Categories are those of a response in categories, in order; nil otherwise.
func (r *Regression) Categories() []string {
	if !r.family.categories {
		return nil
	}
	var out []string
	for k := range r.categories() {
		out = append(out, r.category(k+1))
	}
	return out
}

// Beyond says of which smooth terms another table has rows outside the range of the first, and how many.
func (r *Regression) Beyond(t *frame.Frame) ([]string, error) {
	other := *r
	other.data = t
	var out []string
	for _, s := range r.Smooths {
		x, err := s.values(&other)
		if err != nil {
			return nil, err
		}
		lo, hi, n := s.basis.knots[0], s.basis.knots[len(s.basis.knots)-1], 0
		for _, v := range x {
			if v < lo || v > hi {
				n++
			}
		}
		said := fmt.Sprintf("%s lies outside %.4g to %.4g, the range of the fit, in %d of %d rows: the curve goes on as a straight line there.", s.of,
			lo, hi, n, len(x))
		if n > 0 && !slices.Contains(out, said) {
			out = append(out, said)
		}
	}
	return out, nil
}

// alike predicts rows that do not differ, as those of an intercept alone.
func (r *Regression) alike(ctx context.Context, run *draws.Run, n int, seed uint64) (*draws.Run, error) {
	out := &draws.Run{Chains: make([]draws.Chain, len(run.Chains)), Seed: seed}
	for i := range n {
		out.Names = append(out.Names, fmt.Sprintf("y[%d]", i))
	}
	for have := 0; have < n; have += len(r.Y) {
		some, err := r.Predictive(ctx, run, seed+uint64(have))
		if err != nil {
			return nil, err
		}
		take := min(len(r.Y), n-have)
		for c := range some.Chains {
			if out.Chains[c].Values == nil {
				out.Chains[c].Values = make([][]float64, len(some.Chains[c].Values))
				out.Chains[c].Stats = make([]draws.Stat, len(some.Chains[c].Values))
			}
			for i, row := range some.Chains[c].Values {
				out.Chains[c].Values[i] = append(out.Chains[c].Values[i], row[:take]...)
			}
		}
	}
	return out, nil
}

// newData codes a table as the data of the program are coded.
func (r *Regression) newData(t *frame.Frame, n int) (model.NewData, error) {
	d := model.NewData{Values: map[string][]float64{"y": slices.Repeat(r.response0()[:1], n)}, Labels: map[string][]string{},
		Matrices: map[string]mat.Matrix{}}
	other := *r
	other.data = t
	if slopes := r.slopes(); len(slopes) > 0 {
		x, err := r.Design.Rows(t)
		if err != nil {
			return d, err
		}
		x = r.coded(x, len(slopes))
		for _, of := range r.predictors {
			d.Matrices["X"+under(of)] = x
		}
	}
	in := other.reader()
	in.from, in.first = r.Design.state, false
	for _, s := range r.Smooths {
		line, bends, err := s.at(&other)
		if err != nil {
			return d, err
		}
		for _, of := range r.predictors {
			d.Values["line_"+of+s.Name], d.Matrices["Z_"+of+s.Name] = line, bends
		}
	}
	if r.offset != nil {
		sum := make([]float64, n)
		e, err := r.Formula.expand(r.data.Names)
		if err != nil {
			return d, err
		}
		for _, o := range e.rest {
			if o.text != "offset" {
				continue
			}
			v, _, err := in.numbers(o.args[0])
			if err != nil {
				return d, err
			}
			for i := range sum {
				sum[i] += v[i]
			}
		}
		for _, of := range r.predictors {
			d.Values["offset"+under(of)] = scaled(sum, 1/r.size)
		}
	}
	if r.trials != nil {
		v, _, err := in.numbers(r.Formula.Additions["trials"])
		if err != nil {
			return d, err
		}
		d.Values["trials"] = v
		for i := range d.Values["y"] {
			d.Values["y"][i] = 0
		}
	}
	e, err := r.Formula.expand(r.data.Names)
	if err != nil {
		return d, err
	}
	for k, g := range r.Groups {
		rows, err := other.labels(e.groups[k].by)
		if err != nil {
			return d, err
		}
		d.Labels[g.dimension()] = rows
		z, err := g.Design.Rows(t)
		if err != nil {
			return d, err
		}
		if z != nil {
			z = minusRow(divideColumns(z, g.per), g.origin)
		}
		for j, name := range g.Design.Names {
			for _, of := range r.predictors {
				if name != "(Intercept)" {
					d.Values["Z_"+g.Name+"_"+of+short(name)] = mat.Col(nil, j, z)
				}
			}
		}
	}
	return d, nil
}

// coded takes the means of the first table from columns, and divides them by what those of the first table are
// divided by.
func (r *Regression) coded(x *mat.Dense, slopes int) *mat.Dense {
	n, d := x.Dims()
	without := func(x *mat.Dense, n int) *mat.Dense {
		out := mat.NewDense(n, slopes, nil)
		for j := range slopes {
			for i := range n {
				v := x.At(i, j+d-slopes)
				if r.means != nil {
					v -= r.means[j]
				}
				out.Set(i, j, v)
			}
		}
		return out
	}
	out := without(x, n)
	if prior := r.prior("b", "b"); prior.dist == "flat" && !r.separately() {
		first, _ := r.X.Dims()
		per := scaleColumns(without(r.X, first))
		for j, s := range per {
			for i := range n {
				out.Set(i, j, out.At(i, j)*s)
			}
		}
		return out
	}
	return divideColumns(out, r.per)
}
