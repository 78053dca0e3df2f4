package model

// operation makes the step of one chain that computes a node.
type operation interface {
	// bind returns a step that reads the values of the arguments and writes out. In the reverse
	// pass it reads adj, the derivatives of the log density in out, and adds to din those in the
	// arguments; din[k] is nil where these are not wanted.
	bind(out, adj []float64, in, din [][]float64) step
}

// step is an operation bound to the memory of one chain.
type step interface {
	forward()
	backward()
}

// root is a term of the log density, bound to the memory of one chain. Its adjoint is 1.
type root interface {
	// add returns the term and adds its derivatives to those of its arguments.
	add() float64
}

// memory holds the values and adjoints of one chain: those of fixed nodes are shared by all chains,
// and have no adjoints.
type memory struct {
	value, adjoint [][]float64 // by number of node; nil for what is not needed
	adjoints       []float64   // all of them
}

// Graph is a list of nodes, arguments before what needs them.
type Graph struct{ Nodes []*Node }

// Add appends a node and numbers it.
func (g *Graph) Add(n *Node) *Node {
	n.ID = len(g.Nodes)
	g.Nodes = append(g.Nodes, n)
	return n
}

// Apply adds a node that is computed of others: at once where these depend on no parameter. A number
// has n = 1.
func (g *Graph) Apply(op operation, n int, scalar bool, args ...*Node) *Node {
	out := &Node{Op: op, N: n, Scalar: scalar, Args: args, Fixed: true}
	for _, a := range args {
		out.Fixed = out.Fixed && a.Fixed
	}
	if out.Fixed {
		out.Compute()
	}
	return g.Add(out)
}

// Compute sets the value of a node whose arguments have one.
func (n *Node) Compute() {
	n.Value = make([]float64, n.N)
	in := make([][]float64, len(n.Args))
	for k, a := range n.Args {
		in[k] = a.Value
	}
	n.Op.bind(n.Value, nil, in, make([][]float64, len(in))).forward()
}
