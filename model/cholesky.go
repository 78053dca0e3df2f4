package model

import "bayeskernel/engine"

// Cholesky returns the lower triangular L with positive diagonal and L L' = a. Of a it looks at the
// lower triangle alone. Where a is not positive definite the values of L are NaN, which counts as
// outside the support.
func (a Mat) Cholesky() Mat {
	where := caller()
	if !a.square("Cholesky", where) {
		return brokenMat(a.model(), a.rows, a.cols, where)
	}
	return Mat{Expr{a.e.about().m.apply("Cholesky", engine.Cholesky{N: a.rows}, a.e.node.N, false,
		where, a.e.node)}, a.rows, a.cols}
}

// Solve returns x with a x = b for a lower triangular a, such as a Cholesky factor. It does not look
// above the diagonal.
func (a Mat) Solve(b Expr) Expr {
	where := caller()
	if b.node == nil || !a.square("Solve", where) {
		return Expr{model2("Solve", where, a.e, b).brokenNode(where)}
	}
	if b.node.N != a.rows {
		if !b.about().broken {
			a.e.about().m.failAt(where, "Solve: %s from %s and %s of %s do not match", plural(b.node.N,
				"value"),
				labelOf(b.node), plural(a.rows, "row"), labelOf(a.e.node))
		}
		return Expr{a.e.about().m.brokenNode(where)}
	}
	return Expr{a.e.about().m.apply("Solve", engine.Solve{N: a.rows}, a.rows, false, where, a.e.node,
		b.node)}
}
