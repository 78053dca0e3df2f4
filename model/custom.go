package model

import "bayeskernel/engine"

// Computation is a function with a hand-derived derivative. A chain makes one of its own, which may
// hold a workspace.
type Computation = engine.Computation

// Custom returns a vector of n values that newComputation's result computes of the arguments. Values
// that are not finite count as outside the support.
func (m *Model) Custom(n int, newComputation func() Computation, args ...Expr) Expr {
	where := caller()
	if n < 1 || newComputation == nil {
		m.failAt(where, "Custom: %s and function nil: %v, want at least one value and a function",
			plural(n, "value"), newComputation == nil)
		return Expr{m.brokenNode(where)}
	}
	nodes := make([]*engine.Node, len(args))
	for k, a := range args {
		if a.node == nil {
			return nowhere("Custom", where)
		}
		nodes[k] = a.node
	}
	return Expr{m.apply("Custom", engine.Custom{Make: newComputation}, n, false, where, nodes...)}
}
