package engine

import "fmt"

// Node is a vector in a graph: data, or what an operation computes of other nodes. Its number is its
// place in the order in which everything is computed: arguments come before what needs them.
type Node struct {
	ID     int
	Op     Operation // nil for data, constants and parameters
	Args   []*Node
	N      int  // values
	Scalar bool // a number; a vector may have one value too
	Fixed  bool // depends on no parameter
	Value  []float64
	// Note belongs to the package that made the node: what it was declared as, and where.
	Note any
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
func (g *Graph) Apply(op Operation, n int, scalar bool, args ...*Node) *Node {
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
	n.Op.Bind(n.Value, nil, in, make([][]float64, len(in))).Forward()
}

// DataOf finds the data that y is part of, and where it begins there.
func DataOf(y *Node) (*Node, int) {
	if y == nil {
		return nil, 0
	}
	if v, ok := y.Op.(View); ok {
		d, at := DataOf(y.Args[0])
		return d, at + v.Lo
	}
	if y.Op == nil && y.Fixed {
		return y, 0
	}
	return nil, 0
}

// Mark adds nodes, and all that they are computed from, to used.
func Mark(used map[*Node]bool, nodes ...*Node) {
	for _, n := range nodes {
		if !used[n] {
			used[n] = true
			Mark(used, n.Args...)
		}
	}
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
