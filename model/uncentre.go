package model

import "bayeskernel/engine"

// withoutCentring returns the program in which no parameter is centred whose centring is learned: the
// one that the option NonCentred would have made.
func (p *Program) withoutCentring() (*Program, error) {
	c := &cloner{from: p.m, notCentred: map[*parameter]bool{}}
	for _, e := range p.effects {
		c.notCentred[e.q] = true
	}
	m, err := c.clone()
	if err != nil {
		return nil, err
	}
	return m.Compile(func(q *Program) { q.off, q.held, q.again = p.off, p.held, true })
}

// copyNotCentred copies a parameter as location + scale z, as Model.nonCentred declares it.
func (c *cloner) copyNotCentred(m *Model, n *engine.Node, parameters map[*parameter]*parameter) error {
	q := about(n).param
	u := q.dist.(*engine.Univariate)
	for _, a := range u.Args { // constants come after the parameter that they are for
		if c.node[a] == nil {
			if err := c.copyNode(m, a, parameters); err != nil {
				return err
			}
		}
	}
	r := *q
	parameters[q] = &r
	z := copyOf(n)
	about(z).param, about(z).what = &r, "the standardised "+about(n).what
	if about(z).over != nil {
		about(z).over = c.factor[about(n).over]
	}
	r.node = m.add(z, *about(z))
	r.shift, r.scale = c.node[u.Args[u.Family.Location]], c.node[u.Args[u.Family.Scale]]
	v := Expr{r.shift}.Add(Expr{r.scale}.Mul(Expr{r.node}))
	v.about().what, v.about().where, v.about().over = about(n).what, about(n).where, about(z).over
	c.node[n], r.of = v.node, v.node
	return nil
}

// notCentred gives the copy of a parameter the distribution of what is sampled.
func (r *parameter) notCentred(m *Model) {
	r.node = r.of.Args[1].Args[1] // of location + scale z
	u := r.prior.(*engine.Univariate)
	std := *u
	std.Args = append([]*engine.Node(nil), u.Args...)
	std.Args[u.Family.Location], std.Args[u.Family.Scale] = m.constant(0), m.constant(1)
	r.dist = &std
}
