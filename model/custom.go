package model

// Computation is a function with a hand-derived derivative. A chain makes one of its own, which may
// hold a workspace.
type Computation interface {
	// Forward writes the values at the arguments in.
	Forward(out []float64, in [][]float64)
	// Pullback adds to din the derivatives in the arguments, given those in out: for argument k and
	// its value i the sum over j of dout[j] d out[j]/d in[k][i]. It is called after Forward with the
	// same arguments. Where din[k] is nil it is not wanted.
	Pullback(din [][]float64, dout, out []float64, in [][]float64)
}

// Custom returns a vector of n values that newComputation's result computes of the arguments. Values
// that are not finite count as outside the support.
func (m *Model) Custom(n int, newComputation func() Computation, args ...Expr) Expr {
	where := caller()
	if n < 1 || newComputation == nil {
		m.failAt(where, "Custom: %s and function nil: %v, want at least one value and a function",
			plural(n, "value"), newComputation == nil)
		return Expr{m.brokenNode(where)}
	}
	nodes := make([]*Node, len(args))
	for k, a := range args {
		if a.node == nil {
			return nowhere("Custom", where)
		}
		nodes[k] = a.node
	}
	return Expr{m.apply("Custom", custom{newComputation}, n, false, where, nodes...)}
}

type custom struct{ make func() Computation }

type customStep struct {
	c        Computation
	out, adj []float64
	in, din  [][]float64
}

func (c custom) bind(out, adj []float64, in, din [][]float64) step {
	return &customStep{c.make(), out, adj, in, din}
}

func (s *customStep) forward()  { s.c.Forward(s.out, s.in) }
func (s *customStep) backward() { s.c.Pullback(s.din, s.adj, s.out, s.in) }
