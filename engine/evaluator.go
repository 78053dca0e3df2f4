package engine

// Operation makes the step of one chain that computes a node.
type Operation interface {
	// Bind returns a step that reads the values of the arguments and writes out. In the reverse
	// pass it reads adj, the derivatives of the log density in out, and adds to din those in the
	// arguments; din[k] is nil where these are not wanted.
	Bind(out, adj []float64, in, din [][]float64) Step
}

// Step is an operation bound to the memory of one chain.
type Step interface {
	Forward()
	Backward()
}

// Root is a term of the log density, bound to the memory of one chain. Its adjoint is 1.
type Root interface {
	// Add returns the term and adds its derivatives to those of its arguments.
	Add() float64
}

// Memory holds the values and adjoints of one chain: those of fixed nodes are shared by all chains,
// and have no adjoints.
type Memory struct {
	Value, Adjoint [][]float64 // by number of node; nil for what is not needed
	Adjoints       []float64   // all of them
}

// Evaluator computes wanted nodes from inputs, in the memory of one chain.
type Evaluator struct {
	Memory
	Steps []Step
	Marks []int // number of steps up to each wanted node
}

// Evaluation says what an evaluator computes.
type Evaluation struct {
	Wanted []*Node
	// Inputs are given: their values are written into the memory.
	Inputs   []*Node
	Subst    map[*Node]*Node // what rewrites put in the place of nodes
	Gradient bool
	// Given has the values and adjoints of inputs whose memory is that of another evaluator.
	Given map[*Node][2][]float64
	// Scratch is the memory of all but these, shared by evaluators that run one after the other.
	Scratch *Scratch
}

// Scratch is memory that an evaluator leaves to the next one. The first to use it needs most.
type Scratch struct{ values, adjoints []float64 }

// of returns n values and adjoints.
func (s *Scratch) of(n int, gradient bool) (values, adjoints []float64) {
	if s == nil || n > len(s.values) {
		values = make([]float64, n)
		if gradient {
			adjoints = make([]float64, n)
		}
		if s != nil {
			s.values, s.adjoints = values, adjoints
		}
		return values, adjoints
	}
	if gradient {
		adjoints = s.adjoints[:n]
	}
	return s.values[:n], adjoints
}

// NewEvaluator is for nodes with numbers below ids.
func NewEvaluator(ids int, o Evaluation) *Evaluator {
	b := &builder{Evaluation: o, e: &Evaluator{Memory: Memory{Value: make([][]float64, ids),
		Adjoint: make([][]float64, ids)}}, seen: make([]bool, ids), live: make([]bool, ids),
		given: make([]bool, ids)}
	for _, n := range o.Inputs {
		b.seen[n.ID], b.live[n.ID], b.given[n.ID] = true, true, true
		b.order = append(b.order, n)
	}
	ends := make([]int, len(o.Wanted))
	for k, n := range o.Wanted {
		b.visit(n)
		ends[k] = len(b.order)
	}
	b.allocate()
	b.bind(ends)
	return b.e
}

// builder puts nodes in order, arguments first, and gives those that depend on inputs memory.
type builder struct {
	Evaluation
	e                 *Evaluator
	seen, live, given []bool
	order             []*Node
}

// by is what computes a node.
func (b *builder) by(n *Node) *Node {
	if s := b.Subst[n]; s != nil {
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
func (b *builder) part(n *Node) (View, bool) {
	v, ok := n.Op.(View)
	return v, ok && !b.given[n.ID] && b.Subst[n] == nil
}

func (b *builder) allocate() {
	size := 0
	for _, n := range b.order {
		if _, part := b.part(n); b.live[n.ID] && !part {
			if _, given := b.Given[n]; !given {
				size += n.N
			}
		}
	}
	values, adjoints := b.Scratch.of(size, b.Gradient)
	b.e.Adjoints = adjoints
	at := 0
	for _, n := range b.order {
		if !b.live[n.ID] {
			b.e.Value[n.ID] = n.Value // nil for parameters that are not inputs
			continue
		}
		if m, given := b.Given[n]; given {
			b.e.Value[n.ID], b.e.Adjoint[n.ID] = m[0], m[1]
			continue
		}
		if v, part := b.part(n); part {
			of := n.Args[0].ID
			b.e.Value[n.ID] = b.e.Value[of][v.Lo:v.Hi:v.Hi]
			if b.Gradient {
				b.e.Adjoint[n.ID] = b.e.Adjoint[of][v.Lo:v.Hi:v.Hi]
			}
			continue
		}
		b.e.Value[n.ID] = values[at : at+n.N : at+n.N]
		if b.Gradient {
			b.e.Adjoint[n.ID] = b.e.Adjoints[at : at+n.N : at+n.N]
		}
		at += n.N
	}
}

func (b *builder) bind(ends []int) {
	next := 0
	mark := func(done int) {
		for ; next < len(ends) && ends[next] <= done; next++ {
			b.e.Marks = append(b.e.Marks, len(b.e.Steps))
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
			in[k], din[k] = b.e.Value[a.ID], b.e.Adjoint[a.ID]
		}
		b.e.Steps = append(b.e.Steps, by.Op.Bind(b.e.Value[n.ID], b.e.Adjoint[n.ID], in, din))
	}
	mark(len(b.order))
}

// Forward computes all values from those of the parameters.
func (e *Evaluator) Forward() {
	for _, s := range e.Steps {
		s.Forward()
	}
}

// Backward carries the adjoints to the parameters.
func (e *Evaluator) Backward() {
	for i := len(e.Steps) - 1; i >= 0; i-- {
		e.Steps[i].Backward()
	}
}
