package model

import "bayeskernel/engine"

// Recur returns a vector of n values of which the first is given and each later one is linear in
// the one before:
//
//	h[0] = first,  h[t] = add[t-1] + factor[t-1] h[t-1].
//
// Add and factor are numbers, or vectors of n-1 values.
func Recur[A Arg](n int, first A, add, factor Expr) Expr {
	where := caller()
	m := model("Recur", where, add, factor)
	if m == nil {
		return nowhere("Recur", where)
	}
	f := argumentOf(first).in(m, where)
	switch {
	case n < 2:
		m.failAt(where, "Recur: n is %d, want at least 2", n)
	case !f.Scalar:
		m.failAt(where, "Recur: the first value has %s, want a number", sizeOf(f))
	case !add.node.Scalar && add.node.N != n-1:
		m.failAt(where, "Recur: what is added has %s, want a number or %d values", sizeOf(add.node), n-1)
	case !factor.node.Scalar && factor.node.N != n-1:
		m.failAt(where, "Recur: the factor has %s, want a number or %d values", sizeOf(factor.node), n-1)
	default:
		return Expr{m.apply("Recur", engine.Recur{}, n, false, where, f, add.node, factor.node)}
	}
	return Expr{m.brokenNode(where)}
}
