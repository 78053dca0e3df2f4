package model

import "bayeskernel/engine"

// Inverse returns the inverse of a square matrix. Where it is singular the values are NaN, which counts
// as outside the support.
func (a Mat) Inverse() Mat {
	where := caller()
	if !a.square("Inverse", where) {
		return brokenMat(a.model(), a.rows, a.cols, where)
	}
	return Mat{Expr{a.e.about().m.apply("Inverse", engine.Inverse{N: a.rows}, a.e.node.N, false, where,
		a.e.node)}, a.rows, a.cols}
}

// LogDet returns the log of the size of the determinant of a square matrix.
func (a Mat) LogDet() Expr {
	where := caller()
	if !a.square("LogDet", where) {
		return Expr{a.model().brokenNode(where)}
	}
	return Expr{a.e.about().m.apply("LogDet", engine.LogDet{N: a.rows}, 1, true, where, a.e.node)}
}

// LeftDivide returns x with a x = b for a square matrix a: see Solve for one that is triangular.
func (a Mat) LeftDivide(b Mat) Mat {
	where := caller()
	if b.e.node == nil || !a.square("LeftDivide", where) {
		return brokenMat(model2("LeftDivide", where, a.e, b.e), a.rows, b.cols, where)
	}
	if b.rows != a.rows {
		if !b.e.about().broken {
			a.e.about().m.failAt(where, "LeftDivide: %s of %s and %s of %s do not match", plural(a.rows, "row"),
				labelOf(a.e.node), plural(b.rows, "row"), labelOf(b.e.node))
		}
		return brokenMat(a.e.about().m, a.rows, b.cols, where)
	}
	op := engine.LeftDivide{N: a.rows, P: b.cols}
	return Mat{Expr{a.e.about().m.apply("LeftDivide", op, a.rows*b.cols, false, where, a.e.node,
		b.e.node)}, a.rows, b.cols}
}

// Each returns the matrix of a function of each value, such as Expr.Exp. The function gets all values
// as a vector, by rows, and returns as many.
func (a Mat) Each(f func(Expr) Expr) Mat {
	where := caller()
	if !a.ready() {
		return brokenMat(a.model(), a.rows, a.cols, where)
	}
	return a.shaped("Each", where, f(a.e))
}

// Combine returns the matrix of a function of the values of a and b in the same place, such as Expr.Mul.
func (a Mat) Combine(b Mat, f func(a, b Expr) Expr) Mat {
	where := caller()
	if !a.ready() || b.e.node == nil {
		return brokenMat(model2("Combine", where, a.e, b.e), a.rows, a.cols, where)
	}
	if a.rows != b.rows || a.cols != b.cols {
		if !b.e.about().broken {
			a.e.about().m.failAt(where, "Combine: %d rows of %d from %s and %d of %d from %s do not match",
				a.rows, a.cols, labelOf(a.e.node), b.rows, b.cols, labelOf(b.e.node))
		}
		return brokenMat(a.e.about().m, a.rows, a.cols, where)
	}
	return a.shaped("Combine", where, f(a.e, b.e))
}

// shaped is the matrix of values that a function returned.
func (a Mat) shaped(name, where string, e Expr) Mat {
	if e.node == nil || e.node.N != a.e.node.N {
		if e.node == nil || !e.about().broken {
			a.e.about().m.failAt(where, "%s: the function returns %s for %s", name, plural(e.Len(), "value"),
				plural(a.e.node.N, "value"))
		}
		return brokenMat(a.e.about().m, a.rows, a.cols, where)
	}
	return Mat{e, a.rows, a.cols}
}

// Add returns a + b.
func (a Mat) Add(b Mat) Mat { return a.Combine(b, Expr.Add) }

// Col returns column j, counted from 0.
func (a Mat) Col(j int) Expr {
	where := caller()
	if !a.ready() {
		return Expr{a.model().brokenNode(where)}
	}
	if j < 0 || j >= a.cols {
		a.e.about().m.failAt(where, "Col: %s has %s, there is no column %d (the first is 0)",
			labelOf(a.e.node), plural(a.cols, "column"), j)
		return Expr{a.e.about().m.brokenNode(where)}
	}
	at := make([]int, a.rows)
	for i := range at {
		at[i] = i*a.cols + j
	}
	return a.e.At(at)
}

// SumRows returns the sum of each row.
func (a Mat) SumRows() Expr {
	return a.byRows("SumRows", func(at []int, n int) engine.Operation { return engine.GroupSum{At: at, N: n} })
}

// LogSumExpRows returns LogSumExp of each row.
func (a Mat) LogSumExpRows() Expr {
	return a.byRows("LogSumExpRows", func(at []int, n int) engine.Operation {
		return engine.GroupLogSumExp{At: at, N: n}
	})
}

func (a Mat) byRows(name string, op func(at []int, n int) engine.Operation) Expr {
	where := caller()
	if !a.ready() {
		return Expr{a.model().brokenNode(where)}
	}
	at := make([]int, a.e.node.N)
	for i := range at {
		at[i] = i / a.cols
	}
	return Expr{a.e.about().m.apply(name, op(at, a.rows), a.rows, false, where, a.e.node)}
}

// Columns returns the matrix with these columns, of one value for each row; numbers are the same in all
// rows.
func Columns(es ...Expr) Mat {
	where := caller()
	m := model("Columns", where, es...)
	if m == nil {
		return Mat{nowhere("Columns", where), 1, max(len(es), 1)}
	}
	nodes := make([]*engine.Node, len(es))
	for j, e := range es {
		nodes[j] = e.node
	}
	rows := longest(nodes)
	for _, e := range es {
		if !e.node.Scalar && e.node.N != rows {
			if !e.about().broken {
				m.failAt(where, "Columns: %s from %s for %s", plural(e.node.N, "value"), labelOf(e.node),
					plural(rows, "row"))
			}
			return brokenMat(m, rows, len(es), where)
		}
	}
	out := Stack(es...).At(sideBySide(nodes))
	out.about().beside = true
	return Mat{out, rows, len(es)}
}

// longest is the number of values of the first vector, 1 without one.
func longest(nodes []*engine.Node) int {
	for _, n := range nodes {
		if !n.Scalar {
			return n.N
		}
	}
	return 1
}

// sideBySide are the places in a stack of vectors, row by row; single values stand in every row.
func sideBySide(nodes []*engine.Node) []int {
	rows, from := longest(nodes), 0
	at := make([]int, rows*len(nodes))
	for j, n := range nodes {
		for i := range rows {
			at[i*len(nodes)+j] = from
			if !n.Scalar {
				at[i*len(nodes)+j] += i
			}
		}
		from += n.N
	}
	return at
}
