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
