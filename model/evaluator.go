package model

import "math"

// Program is a compiled model. It is safe to share.
type Program struct {
	m        *Model
	free     int // unconstrained coordinates
	density  *Density
	called   []string // what each of its terms is, in messages
	priors   int      // so many of these, the first, are of parameters
	constant float64  // of the log density
	width    int      // recorded values
	// What the draws have, which for programs with other labels is less: names, and the number of
	// values by the name of a parameter or quantity.
	recorded []string
	sizes    map[string]int
	rewrote  []string             // what was rewritten, in words
	off      map[Rewrite]struct{} // rewrites that are not wanted
	held     []int                // observed values that are left out
	// Parameters whose centring is learned, and how many numbers describe it.
	effects     []*effect
	coordinates int
	not         func() (*Program, error) // with none of these centred
}

// boundable is a term of the log density before it is bound to the memory of a chain.
type boundable interface {
	nodes() []*Node // that it needs
	root(c *memory) root
}

// density of values, as declared.
type declaredTerm struct {
	dist distribution
	y    *Node
}

func (d declaredTerm) nodes() []*Node      { return append([]*Node{d.y}, d.dist.arguments()...) }
func (d declaredTerm) root(c *memory) root { return d.dist.bind(c, d.y) }

// addedTerm is an AddLogDensity.
type addedTerm struct{ e *Node }

func (a addedTerm) nodes() []*Node      { return []*Node{a.e} }
func (a addedTerm) root(c *memory) root { return &addedRoot{c.value[a.e.ID], c.adjoint[a.e.ID]} }

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

// evaluator computes wanted nodes from inputs, in the memory of one chain.
type evaluator struct {
	memory
	steps []step
	marks []int // number of steps up to each wanted node
}

// evaluation says what an evaluator computes.
type evaluation struct {
	wanted []*Node
	// inputs are given: their values are written into the memory.
	inputs   []*Node
	subst    map[*Node]*Node // what rewrites put in the place of nodes
	gradient bool
}

func (p *Program) evaluator(o evaluation) *evaluator {
	if o.inputs == nil {
		o.inputs = p.inputs()
	}
	return newEvaluator(p.ids(), o)
}

// inputs are the parameters.
func (p *Program) inputs() []*Node {
	var out []*Node
	for _, q := range p.m.parameters {
		out = append(out, q.node)
	}
	return out
}

// newEvaluator is for nodes with numbers below ids.
func newEvaluator(ids int, o evaluation) *evaluator {
	b := &builder{evaluation: o, e: &evaluator{memory: memory{value: make([][]float64, ids),
		adjoint: make([][]float64, ids)}}, seen: make([]bool, ids), live: make([]bool, ids),
		given: make([]bool, ids)}
	for _, n := range o.inputs {
		b.seen[n.ID], b.live[n.ID], b.given[n.ID] = true, true, true
		b.order = append(b.order, n)
	}
	ends := make([]int, len(o.wanted))
	for k, n := range o.wanted {
		b.visit(n)
		ends[k] = len(b.order)
	}
	b.allocate()
	b.bind(ends)
	return b.e
}

// builder puts nodes in order, arguments first, and gives those that depend on inputs memory.
type builder struct {
	evaluation
	e                 *evaluator
	seen, live, given []bool
	order             []*Node
}

// by is what computes a node.
func (b *builder) by(n *Node) *Node {
	if s := b.subst[n]; s != nil {
		return s
	}
	return n
}

func (b *builder) visit(n *Node) {
	if b.seen[n.ID] {
		return
	}
	b.seen[n.ID] = true
	for _, a := range b.by(n).Args {
		b.visit(a)
		b.live[n.ID] = b.live[n.ID] || b.live[a.ID]
	}
	b.order = append(b.order, n)
}

// part reports whether a node is part of another one's memory.
func (b *builder) part(n *Node) (view, bool) {
	v, ok := n.Op.(view)
	return v, ok && !b.given[n.ID] && b.subst[n] == nil
}

func (b *builder) allocate() {
	size := 0
	for _, n := range b.order {
		if _, part := b.part(n); b.live[n.ID] && !part {
			size += n.N
		}
	}
	values := make([]float64, size)
	if b.gradient {
		b.e.adjoints = make([]float64, size)
	}
	at := 0
	for _, n := range b.order {
		if !b.live[n.ID] {
			b.e.value[n.ID] = n.Value // nil for parameters that are not inputs
			continue
		}
		if v, part := b.part(n); part {
			of := n.Args[0].ID
			b.e.value[n.ID] = b.e.value[of][v.lo:v.hi:v.hi]
			if b.gradient {
				b.e.adjoint[n.ID] = b.e.adjoint[of][v.lo:v.hi:v.hi]
			}
			continue
		}
		b.e.value[n.ID] = values[at : at+n.N : at+n.N]
		if b.gradient {
			b.e.adjoint[n.ID] = b.e.adjoints[at : at+n.N : at+n.N]
		}
		at += n.N
	}
}

func (b *builder) bind(ends []int) {
	next := 0
	mark := func(done int) {
		for ; next < len(ends) && ends[next] <= done; next++ {
			b.e.marks = append(b.e.marks, len(b.e.steps))
		}
	}
	for i, n := range b.order {
		mark(i)
		if _, part := b.part(n); !b.live[n.ID] || b.given[n.ID] || part {
			continue
		}
		by := b.by(n)
		in, din := make([][]float64, len(by.Args)), make([][]float64, len(by.Args))
		for k, a := range by.Args {
			in[k], din[k] = b.e.value[a.ID], b.e.adjoint[a.ID]
		}
		b.e.steps = append(b.e.steps, by.Op.bind(b.e.value[n.ID], b.e.adjoint[n.ID], in, din))
	}
	mark(len(b.order))
}

// ids is the number of nodes.
func (p *Program) ids() int { return len(p.m.graph.Nodes) }

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
		logJ += q.transform.Constrain(c.value[q.node.ID], x[q.x:q.x+q.free])
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
