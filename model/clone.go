package model

import (
	"fmt"
	"slices"

	"bayeskernel/engine"

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
	c := &cloner{data: map[*engine.Node][]float64{}, index: map[*Index]*Index{},
		matrix: map[*Matrix]*Matrix{}}
	for name, values := range d.Values {
		at := slices.IndexFunc(p.m.data, func(n *engine.Node) bool { return about(n).what == "data "+name })
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
	c.from = p.m
	m, err := c.clone()
	if err != nil {
		return nil, err
	}
	q, err := m.Compile(func(q *Program) { q.off, q.again = p.off, true })
	if err != nil {
		return nil, err
	}
	q.recorded, q.sizes = p.recorded, p.sizes
	return q, nil
}

// cloner copies a model.
type cloner struct {
	from   *Model
	data   map[*engine.Node][]float64
	index  map[*Index]*Index
	node   map[*engine.Node]*engine.Node
	factor map[*Factor]*Factor
	places map[*Index]*Index // of the copy, by those of the original
	matrix map[*Matrix]*Matrix
	// latents of the copy, by those of the original
	latents map[*latent]*latent
	// notCentred are parameters that are centred and are not to be in the copy.
	notCentred map[*parameter]bool
}

func (c *cloner) clone() (*Model, error) {
	m := New()
	c.node, c.factor = map[*engine.Node]*engine.Node{}, map[*Factor]*Factor{}
	c.places, c.latents = map[*Index]*Index{}, map[*latent]*latent{}
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
		c.places[in] = &k
	}
	parameters := map[*parameter]*parameter{}
	for _, n := range c.from.graph.Nodes[:c.from.declared] { // and none that rewrites made
		if c.node[n] != nil {
			continue // it was needed earlier
		}
		if err := c.copyNode(m, n, parameters); err != nil {
			return nil, err
		}
	}
	to := func(n *engine.Node) *engine.Node { return c.node[n] }
	for _, q := range c.from.parameters {
		r := parameters[q]
		r.node, r.of = to(q.node), to(q.of)
		r.prior = q.prior.Mapped(to)
		r.dist = r.prior // one and the same, unless the parameter is not centred: see terms
		if q.dist != q.prior {
			r.dist = q.dist.Mapped(to)
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
	for _, o := range c.from.factored {
		q := &observation{name: o.name, y: to(o.y), dist: o.dist.Mapped(to), where: o.where}
		q.n = q.y.N
		if err := q.dist.ForValues(q.y, q.name); err != nil {
			return nil, fmt.Errorf("model: %v", err)
		}
		m.factored = append(m.factored, q)
	}
	for _, o := range c.from.observations {
		y := to(o.y)
		q := &observation{name: o.name, y: y, n: y.N, dist: o.dist.Mapped(to), where: o.where}
		if wrong := impossibleIn(q.dist); wrong != "" {
			return nil, fmt.Errorf("model: %s: %s", o.name, wrong)
		}
		if n := engine.ImpliedRows(q.dist); n > 0 && n != y.N && y.Op == nil && c.data[o.y] == nil {
			// The predictors are new, and what was observed says nothing of their rows.
			q.y, q.n = nil, n
			m.predictions = append(m.predictions, q)
			continue
		}
		if err := q.dist.ForValues(y, o.name); err != nil {
			return nil, fmt.Errorf("model: %v", err)
		}
		m.observations = append(m.observations, q)
	}
	for _, o := range c.from.predictions {
		q := &observation{name: o.name, n: o.n, dist: o.dist.Mapped(to), where: o.where}
		if n := engine.ImpliedRows(q.dist); n > 0 {
			q.n = n
		}
		if o.drawn != nil {
			q.drawn = to(o.drawn)
			about(q.drawn).predicted = q
		}
		m.predictions = append(m.predictions, q)
	}
	return m, nil
}

// copyNode copies a node and computes it anew if it depends on data alone.
func (c *cloner) copyNode(m *Model, n *engine.Node, parameters map[*parameter]*parameter) error {
	if c.notCentred[about(n).param] {
		return c.copyNotCentred(m, n, parameters)
	}
	k := copyOf(n)
	k.Args = make([]*engine.Node, len(n.Args))
	for i, a := range n.Args {
		k.Args[i] = c.node[a]
	}
	if about(n).over != nil {
		about(k).over = c.factor[about(n).over]
	}
	if in := about(n).index; in != nil {
		about(k).index = c.places[in]
	}
	if in := about(n).groups; in != nil {
		about(k).groups = c.places[in]
	}
	if q := about(n).param; q != nil {
		r := *q
		parameters[q] = &r
		about(k).param = &r
		if about(k).over != nil {
			k.N = len(about(k).over.labels)
		}
	}
	if l := about(n).latent; l != nil {
		c.copyLatent(m, l, k)
	}
	if o := about(n).predicted; o != nil && o.dist == nil {
		c.copyChance(n, k)
	} else if o != nil {
		d := o.dist.Mapped(func(n *engine.Node) *engine.Node { return c.node[n] })
		if rows := engine.ImpliedRows(d); rows > 0 {
			k.N = rows
		}
	}
	if v, ok := c.data[n]; ok {
		k.Value, k.N = append([]float64(nil), v...), len(v)
		if len(v) == 0 || !allFinite(v) {
			return fmt.Errorf("model: %s: want finite numbers, and at least one", about(n).what)
		}
	}
	if by := c.matrix[about(n).matrix]; by != nil {
		about(k).matrix, k.N = by, by.rows
		if about(n).column >= 0 {
			k.Value = by.column(about(n).column)
		} else {
			k.Value, k.N = by.byRow(), by.rows*by.cols
		}
	}
	if n.Op != nil {
		if f, ok := n.Op.(*engine.Flow); ok {
			k.Op = f.Mapped(c.node)
		} else if in := c.index[about(n).index]; in != nil {
			k.Op, k.N = engine.Gather{At: in.at}, len(in.at)
		} else if in := c.index[about(n).groups]; in != nil {
			k.N = in.n
			if k.Args[0].N != len(in.at) {
				return fmt.Errorf("model: %s: with the new data %s and %s of the index %s do not match",
					about(n).where, plural(k.Args[0].N, "value"), plural(len(in.at), "row"), in.name)
			}
			if k.Op = (engine.GroupSum{At: in.at, N: in.n}); isLogSum(n.Op) {
				k.Op = engine.GroupLogSumExp{At: in.at, N: in.n}
			}
		} else if err := c.reshape(k, n); err != nil {
			return err
		}
		if n.Fixed {
			k.Compute()
		}
	}
	c.node[n] = m.add(k, *about(k))
	return nil
}

// copyLatent gives the copy k the latent l with a distribution of the copied arguments.
func (c *cloner) copyLatent(m *Model, l *latent, k *engine.Node) {
	r := *l
	r.node, r.chance = k, nil
	r.dist = l.dist.Mapped(func(n *engine.Node) *engine.Node { return c.node[n] })
	if rows := engine.ImpliedRows(r.dist); rows > 0 {
		k.N = rows
	}
	about(k).latent = &r
	c.latents[l] = &r
	m.latents = append(m.latents, &r)
}

// copyChance makes the copy k one of posterior probabilities.
func (c *cloner) copyChance(n, k *engine.Node) {
	for l, r := range c.latents {
		for _, a := range l.chance {
			if a.node == n {
				k.N = r.node.N
				r.chance = append(r.chance, &chance{k, a.state})
			}
		}
	}
}

func isLogSum(op engine.Operation) bool {
	_, is := op.(engine.GroupLogSumExp)
	return is
}

// copyOf is a node like n, with a declaration of its own.
func copyOf(n *engine.Node) *engine.Node {
	k, d := *n, *about(n)
	k.Note = &d
	return &k
}

// reshape gives a node the number of values that follows from its arguments.
func (c *cloner) reshape(n, from *engine.Node) error {
	fail := func(want string) error {
		return fmt.Errorf("model: %s: with the new data it has %s for %s", about(n).where,
			plural(n.Args[0].N, "value"), want)
	}
	switch op := n.Op.(type) {
	case engine.MatVec:
		if by := c.matrix[about(from).times]; by != nil {
			n.Op, n.N = by.product(), by.rows
			about(n).times = by
		}
	case engine.Pick:
		if was := from.Args[0].N; n.Args[0].N != was {
			return fail(fmt.Sprintf("%d states", was))
		}
		n.N = n.Args[1].N
		for _, a := range n.Args[2:] {
			n.N = max(n.N, a.N)
		}
		n.N *= op.Width
	case engine.If:
		n.N = 1
		for _, a := range n.Args {
			if n.N = max(n.N, a.N); !a.Scalar && a.N != n.N {
				return fail("values of another number")
			}
		}
	case engine.Binary, engine.Indicator, engine.Extreme:
		a, b := n.Args[0], n.Args[1]
		switch {
		case a.Scalar:
			n.N = b.N
		case b.Scalar || a.N == b.N:
			n.N = a.N
		default:
			return fmt.Errorf("model: %s: with the new data %s from %s and %d from %s do not match: want new "+
				"values, labels and matrices of as many rows, all at once (WithData)", about(n).where,
				plural(a.N, "value"), labelOf(a), b.N, labelOf(b))
		}
	case engine.Unary, engine.Linear, engine.Power, engine.CumSum, engine.Softmax:
		n.N = n.Args[0].N
	case engine.Sum:
		if op.Mean {
			n.Op = engine.Sum{Scale: 1 / float64(n.Args[0].N), Mean: true}
		}
	case engine.LogSumExp:
	case engine.Stack:
		n.N = 0
		for _, a := range n.Args {
			n.N += a.N
		}
	case engine.View:
		if n.Args[0].N < op.Hi {
			return fail("a part that ends at value " + fmt.Sprint(op.Hi))
		}
	case engine.Gather:
		if about(n).beside {
			parts := n.Args[0].Args
			for _, a := range parts {
				if !a.Scalar && a.N != longest(parts) {
					return fail("columns of one length, found " + fmt.Sprint(a.N) + " in " + labelOf(a))
				}
			}
			op.At = sideBySide(parts)
			n.Op, n.N = op, len(op.At)
			return nil
		}
		for _, at := range op.At {
			if at >= n.Args[0].N {
				return fail(fmt.Sprintf("value %d", at+1))
			}
		}
	case engine.ConditionalMean:
		op.M = n.Args[1].N / op.Dim
		n.Op, n.N = op, op.M
		return sameSizes(n, from, 1)
	default: // its size is part of what it is
		return sameSizes(n, from, -1)
	}
	return nil
}

// sameSizes wants arguments of as many values as before, but for one.
func sameSizes(n, from *engine.Node, but int) error {
	for k, a := range n.Args {
		if was := from.Args[k].N; a.N != was && k != but {
			return fmt.Errorf("model: %s: with the new data it has %s, want %d as before", about(n).where,
				plural(a.N, "value"), was)
		}
	}
	return nil
}
