package model

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// NewData is what takes the place of data in predictions: values of data, labels of the rows of a factor,
// matrices, by their names. What is not named stays as it is.
type NewData struct {
	Values   map[string][]float64
	Labels   map[string][]string
	Matrices map[string]mat.Matrix
}

// WithData returns the program of the same model with other data, for predictions, or the log likelihood,
// at new data. The draws of one program are draws of the other. What the rows have may be of another
// number of rows than what was observed, if all is: Predictive then draws values for these rows. Labels
// that are new get parameters of their own, which Predictive draws from their distribution.
func (p *Program) WithData(d NewData) (*Program, error) {
	c := &cloner{data: map[*node][]float64{}, index: map[*Index]*Index{}, matrix: map[*Matrix]*Matrix{}}
	for name, values := range d.Values {
		at := slices.IndexFunc(p.m.data, func(n *node) bool { return n.what == "data "+name })
		if at < 0 {
			return nil, fmt.Errorf("model: there is no data %s", name)
		}
		c.data[p.m.data[at]] = values
	}
	for name, labels := range d.Labels {
		at := slices.IndexFunc(p.m.indices, func(in *Index) bool { return in.name == name })
		if at < 0 {
			return nil, fmt.Errorf("model: there is no factor %s", name)
		}
		c.index[p.m.indices[at]] = p.m.indices[at].relabelled(labels)
	}
	for name, x := range d.Matrices {
		at := slices.IndexFunc(p.m.matrices, func(a *Matrix) bool { return a.name == name })
		if at < 0 {
			return nil, fmt.Errorf("model: there is no matrix %s", name)
		}
		other := New()
		b := other.Matrix(name, x)
		if err := other.wrong; len(err) > 0 {
			return nil, fmt.Errorf("model: %s", err[0])
		}
		if want := p.m.matrices[at].cols; b.cols != want {
			return nil, fmt.Errorf("model: data %s have %s, want %d as before", name,
				plural(b.cols, "column"), want)
		}
		c.matrix[p.m.matrices[at]] = b
	}
	return p.exchange(c)
}

// With is WithData for the values of one name.
func (p *Program) With(name string, values []float64) (*Program, error) {
	return p.WithData(NewData{Values: map[string][]float64{name: values}})
}

// WithLabels is WithData for the labels of one factor.
func (p *Program) WithLabels(factor string, labels []string) (*Program, error) {
	return p.WithData(NewData{Labels: map[string][]string{factor: labels}})
}

// WithMatrix is WithData for one matrix, which must have as many columns as the one before.
func (p *Program) WithMatrix(name string, x mat.Matrix) (*Program, error) {
	return p.WithData(NewData{Matrices: map[string]mat.Matrix{name: x}})
}

// relabelled is the index of rows with other labels, new ones after those that the factor has.
func (in *Index) relabelled(labels []string) *Index {
	f := &Factor{m: in.m, name: in.name, labels: in.over.Labels(), at: map[string]int{}}
	for k, s := range f.labels {
		f.at[s] = k
	}
	out := &Index{m: in.m, name: in.name, over: f}
	for _, s := range labels {
		k, ok := f.at[s]
		if !ok {
			k = len(f.labels)
			f.at[s] = k
			f.labels = append(f.labels, s)
		}
		out.at = append(out.at, k)
	}
	out.n = len(f.labels)
	return out
}

// exchange compiles a copy of the model with other data and indices.
func (p *Program) exchange(c *cloner) (*Program, error) {
	c.from, c.node, c.factor = p.m, map[*node]*node{}, map[*Factor]*Factor{}
	m, err := c.clone()
	if err != nil {
		return nil, err
	}
	q, err := m.Compile(func(q *Program) { q.off = p.off })
	if err != nil {
		return nil, err
	}
	q.recorded, q.sizes = p.recorded, p.sizes
	return q, nil
}

// cloner copies a model.
type cloner struct {
	from   *Model
	data   map[*node][]float64
	index  map[*Index]*Index
	node   map[*node]*node
	factor map[*Factor]*Factor
	matrix map[*Matrix]*Matrix
	// notCentred are parameters that are centred and are not to be in the copy.
	notCentred map[*parameter]bool
}

func (c *cloner) clone() (*Model, error) {
	m := New()
	for name, where := range c.from.names {
		m.names[name] = where
	}
	for _, f := range c.from.factors {
		g := *f
		for old, by := range c.index {
			if old.over == f {
				g = *by.over
			}
		}
		g.m = m
		c.factor[f] = &g
		m.factors = append(m.factors, &g)
	}
	for _, a := range c.from.matrices {
		b := a
		if by := c.matrix[a]; by != nil {
			b = by
		}
		m.matrices = append(m.matrices, b)
	}
	for _, in := range c.from.indices {
		j := in
		if by := c.index[in]; by != nil {
			j = by
		}
		k := *j
		k.m, k.over = m, c.factor[in.over]
		m.indices = append(m.indices, &k)
	}
	parameters := map[*parameter]*parameter{}
	for _, n := range c.from.nodes[:c.from.declared] { // and none that rewrites made
		if c.node[n] != nil {
			continue // it was needed earlier
		}
		if err := c.copyNode(m, n, parameters); err != nil {
			return nil, err
		}
	}
	to := func(n *node) *node { return c.node[n] }
	for _, q := range c.from.parameters {
		r := parameters[q]
		r.node, r.of = to(q.node), to(q.of)
		r.prior = q.prior.mapped(to)
		r.dist = r.prior // one and the same, unless the parameter is not centred: see terms
		if q.dist != q.prior {
			r.dist = q.dist.mapped(to)
		}
		switch {
		case c.notCentred[q]:
			r.notCentred(m)
		case q.shift != nil:
			r.shift, r.scale = to(q.shift), to(q.scale)
		}
		if q.jacobian != nil {
			r.jacobian = to(q.jacobian)
		}
		m.place(r)
	}
	for _, r := range c.from.records {
		m.records = append(m.records, record{r.name, to(r.node), r.parameter})
	}
	for _, d := range c.from.data {
		m.data = append(m.data, to(d))
	}
	for _, d := range c.from.densities {
		m.densities = append(m.densities, to(d))
	}
	for _, o := range c.from.observations {
		y := to(o.y)
		q := &observation{name: o.name, y: y, n: y.n, dist: o.dist.mapped(to), where: o.where}
		if n := impliedRows(q.dist); n > 0 && n != y.n && y.op == nil && c.data[o.y] == nil {
			// The predictors are new, and what was observed says nothing of their rows.
			q.y, q.n = nil, n
			m.predictions = append(m.predictions, q)
			continue
		}
		if err := q.dist.forValues(y, o.name); err != nil {
			return nil, fmt.Errorf("model: %v", err)
		}
		m.observations = append(m.observations, q)
	}
	for _, o := range c.from.predictions {
		q := &observation{name: o.name, n: o.n, dist: o.dist.mapped(to), where: o.where}
		if n := impliedRows(q.dist); n > 0 {
			q.n = n
		}
		if o.drawn != nil {
			q.drawn = to(o.drawn)
			q.drawn.predicted = q
		}
		m.predictions = append(m.predictions, q)
	}
	return m, nil
}

// impliedRows is the number of values that the arguments of a distribution of single values are for, 0 if
// they are numbers or it is of vectors.
func impliedRows(d distribution) int {
	switch d := d.(type) {
	case *conditionalOf:
		return d.op.m
	case joint:
		return 0
	}
	args := d.arguments()
	switch d := d.(type) {
	case *mixtureOf:
		if d.rows > 0 {
			return d.rows
		}
		args = args[1:] // the weights are for the parts
	case *ordinalOf:
		args = args[:1] // the cutpoints are for the categories
	}
	for _, a := range args {
		if !a.scalar {
			return a.n
		}
	}
	return 0
}

// copyNode copies a node and computes it anew if it depends on data alone.
func (c *cloner) copyNode(m *Model, n *node, parameters map[*parameter]*parameter) error {
	if c.notCentred[n.param] {
		return c.copyNotCentred(m, n, parameters)
	}
	k := *n
	k.args = make([]*node, len(n.args))
	for i, a := range n.args {
		k.args[i] = c.node[a]
	}
	if n.over != nil {
		k.over = c.factor[n.over]
	}
	if q := n.param; q != nil {
		r := *q
		parameters[q] = &r
		k.param = &r
		if k.over != nil {
			k.n = len(k.over.labels)
		}
	}
	if o := n.predicted; o != nil {
		if rows := impliedRows(o.dist.mapped(func(n *node) *node { return c.node[n] })); rows > 0 {
			k.n = rows
		}
	}
	if v, ok := c.data[n]; ok {
		k.value, k.n = append([]float64(nil), v...), len(v)
		if len(v) == 0 || !allFinite(v) {
			return fmt.Errorf("model: %s: want finite numbers, and at least one", n.what)
		}
	}
	if by := c.matrix[n.matrix]; by != nil {
		k.matrix, k.n = by, by.rows
		if n.column >= 0 {
			k.value = by.column(n.column)
		} else {
			k.value, k.n = by.byRow(), by.rows*by.cols
		}
	}
	if n.op != nil {
		if f, ok := n.op.(*flow); ok {
			k.op = f.mapped(c.node)
		} else if g, ok := n.op.(gather); ok && c.index[g.index] != nil {
			g.at = c.index[g.index].at
			k.op, k.n = g, len(g.at)
		} else if err := c.reshape(&k, n); err != nil {
			return err
		}
		if n.fixed {
			k.value = make([]float64, k.n)
			in := make([][]float64, len(k.args))
			for i, a := range k.args {
				in[i] = a.value
			}
			k.op.bind(k.value, nil, in, make([][]float64, len(k.args))).forward()
		}
	}
	c.node[n] = m.add(&k)
	return nil
}

// reshape gives a node the number of values that follows from its arguments.
func (c *cloner) reshape(n, from *node) error {
	fail := func(want string) error {
		return fmt.Errorf("model: %s: with the new data it has %s for %s", n.where,
			plural(n.args[0].n, "value"), want)
	}
	switch op := n.op.(type) {
	case matVec:
		if by := c.matrix[op.x]; by != nil {
			n.op, n.n = matVec{by}, by.rows
		}
	case binary:
		a, b := n.args[0], n.args[1]
		switch {
		case a.scalar:
			n.n = b.n
		case b.scalar || a.n == b.n:
			n.n = a.n
		default:
			return fmt.Errorf("model: %s: with the new data %s from %s and %d from %s do not match: want new "+
				"values, labels and matrices of as many rows, all at once (WithData)", n.where,
				plural(a.n, "value"), a.label(), b.n, b.label())
		}
	case unary, linear, power, cumSum, softmax:
		n.n = n.args[0].n
	case sum:
		if op.mean {
			n.op = sum{1 / float64(n.args[0].n), true}
		}
	case logSumExp:
	case stack:
		n.n = 0
		for _, a := range n.args {
			n.n += a.n
		}
	case view:
		if n.args[0].n < op.hi {
			return fail("a part that ends at value " + fmt.Sprint(op.hi))
		}
	case gather:
		for _, at := range op.at {
			if at >= n.args[0].n {
				return fail(fmt.Sprintf("value %d", at+1))
			}
		}
	case conditionalMean:
		op.m = n.args[1].n / op.dim
		n.op, n.n = op, op.m
		return sameSizes(n, from, 1)
	default: // its size is part of what it is
		return sameSizes(n, from, -1)
	}
	return nil
}

// sameSizes wants arguments of as many values as before, but for one.
func sameSizes(n, from *node, but int) error {
	for k, a := range n.args {
		if was := from.args[k].n; a.n != was && k != but {
			return fmt.Errorf("model: %s: with the new data it has %s, want %d as before", n.where,
				plural(a.n, "value"), was)
		}
	}
	return nil
}

// mapped implements distribution.
func (u *univariate) mapped(to func(*node) *node) distribution {
	out := *u
	out.args = make([]*node, len(u.args))
	for k, a := range u.args {
		out.args[k] = to(a)
	}
	out.ends = nil
	for _, a := range u.ends {
		out.ends = append(out.ends, to(a))
	}
	return &out
}

func (d *mixtureOf) mapped(to func(*node) *node) distribution {
	out := &mixtureOf{weights: to(d.weights), rows: d.rows}
	for _, u := range d.parts {
		out.parts = append(out.parts, u.mapped(to).(*univariate))
	}
	return out
}
