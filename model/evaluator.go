package model

import "math"

// Program is a compiled model. It is safe to share.
type Program struct {
	m       *Model
	free    int                  // unconstrained coordinates
	subst   map[*node]*node      // what rewrites put in the place of nodes, for the density
	terms   []boundable          // of the log density
	width   int                  // recorded values
	rewrote []string             // what was rewritten, in words
	off     map[Rewrite]struct{} // rewrites that are not wanted
}

// boundable is a term of the log density before it is bound to the memory of a chain.
type boundable interface {
	nodes() []*node // that it needs
	root(c *memory) root
}

// density of values, as declared.
type declaredTerm struct {
	dist distribution
	y    *node
}

func (d declaredTerm) nodes() []*node      { return append([]*node{d.y}, d.dist.arguments()...) }
func (d declaredTerm) root(c *memory) root { return d.dist.bind(c, d.y) }

// addedTerm is an AddLogDensity.
type addedTerm struct{ e *node }

func (a addedTerm) nodes() []*node      { return []*node{a.e} }
func (a addedTerm) root(c *memory) root { return &addedRoot{c.value[a.e.id], c.adjoint[a.e.id]} }

type addedRoot struct{ value, adjoint []float64 }

func (a *addedRoot) add() float64 {
	lp := 0.0
	for i, v := range a.value {
		lp += v
		if a.adjoint != nil {
			a.adjoint[i]++
		}
	}
	return lp
}

// evaluator computes wanted nodes from the values of the parameters, in the memory of one chain.
type evaluator struct {
	memory
	steps []step
}

// evaluator makes the steps that lead to the wanted nodes. With subst it follows the rewrites.
func (p *Program) evaluator(wanted []*node, subst map[*node]*node, gradient bool) *evaluator {
	e := &evaluator{memory: memory{value: make([][]float64, p.ids()),
		adjoint: make([][]float64, p.ids())}}
	var order []*node
	seen := make([]bool, p.ids())
	var visit func(n *node)
	visit = func(n *node) {
		if seen[n.id] {
			return
		}
		seen[n.id] = true
		by := n
		if s := subst[n]; s != nil {
			by = s
		}
		for _, a := range by.args {
			visit(a)
		}
		order = append(order, n)
	}
	for _, q := range p.m.parameters { // in their order, so that their values are one after the other
		visit(q.node)
	}
	for _, n := range wanted {
		visit(n)
	}
	size := 0
	for _, n := range order {
		if _, part := n.op.(view); !n.fixed && !part {
			size += n.n
		}
	}
	values := make([]float64, size)
	if gradient {
		e.adjoints = make([]float64, size)
	}
	at := 0
	for _, n := range order {
		if n.fixed {
			e.value[n.id] = n.value
			continue
		}
		if v, part := n.op.(view); part {
			e.value[n.id] = e.value[n.args[0].id][v.lo:v.hi:v.hi]
			if gradient {
				e.adjoint[n.id] = e.adjoint[n.args[0].id][v.lo:v.hi:v.hi]
			}
			continue
		}
		e.value[n.id] = values[at : at+n.n : at+n.n]
		if gradient {
			e.adjoint[n.id] = e.adjoints[at : at+n.n : at+n.n]
		}
		at += n.n
	}
	for _, n := range order {
		if _, part := n.op.(view); n.fixed || n.param != nil || part {
			continue
		}
		by := n
		if s := subst[n]; s != nil {
			by = s
		}
		in, din := make([][]float64, len(by.args)), make([][]float64, len(by.args))
		for k, a := range by.args {
			in[k], din[k] = e.value[a.id], e.adjoint[a.id]
		}
		e.steps = append(e.steps, by.op.bind(e.value[n.id], e.adjoint[n.id], in, din))
	}
	return e
}

// ids is the number of nodes.
func (p *Program) ids() int { return len(p.m.nodes) }

// forward computes all values from those of the parameters.
func (e *evaluator) forward() {
	for _, s := range e.steps {
		s.forward()
	}
}

// backward carries the adjoints to the parameters.
func (e *evaluator) backward() {
	for i := len(e.steps) - 1; i >= 0; i-- {
		e.steps[i].backward()
	}
}

// transform writes the values of the parameters at x and returns log |det J|.
func (p *Program) transform(c *memory, x []float64) float64 {
	logJ := 0.0
	for _, q := range p.m.parameters {
		logJ += q.transform.Constrain(c.value[q.node.id], x[q.x:q.x+q.free])
	}
	return logJ
}

func allFinite(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
