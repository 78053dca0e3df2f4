package model

import "bayeskernel/engine"

// HiddenMarkov returns the log likelihood of a sequence that hidden states generate, the sum over all
// their paths. With K states and T values, initial has the logs of the K probabilities of the first
// state, transition those of the K x K of the next state (column) after each (row), and emission
// the log density of each value (T rows) in each state (K columns). The probabilities must add up
// to 1. Give the result to AddLogDensity.
func HiddenMarkov(initial Expr, transition, emission Mat) Expr {
	where := caller()
	m := model("HiddenMarkov", where, initial, transition.e, emission.e)
	if m == nil {
		return nowhere("HiddenMarkov", where)
	}
	k := transition.rows
	switch {
	case initial.about().broken || transition.e.about().broken || emission.e.about().broken:
	case transition.cols != k:
		m.failAt(where, "HiddenMarkov: the transitions have %d rows of %d, want a square matrix", k,
			transition.cols)
	case initial.node.N != k:
		m.failAt(where, "HiddenMarkov: %s of initial states and %d states in the transitions",
			plural(initial.node.N, "value"), k)
	case emission.cols != k:
		m.failAt(where, "HiddenMarkov: the emissions have %s and the transitions %s",
			plural(emission.cols, "state"), plural(k, "state"))
	default:
		op := engine.HiddenMarkov{States: k, Lengths: []int{emission.rows}, Logs: true}
		return Expr{m.apply("HiddenMarkov", op, 1, true, where, initial.node, transition.e.node,
			emission.e.node)}
	}
	return Expr{m.brokenNode(where)}
}
