package model

import (
	"fmt"
	"slices"

	"bayeskernel/engine"
)

// Mat is a matrix of expressions: parameters, or what is computed of them. Matrices of data are a
// Matrix, which Mat turns into this.
type Mat struct {
	e          Expr // by rows
	rows, cols int
}

// MatOf returns the matrix whose values by rows are those of e.
func MatOf(rows, cols int, e Expr) Mat {
	where := caller()
	switch {
	case e.node == nil:
		return Mat{nowhere("MatOf", where), rows, cols}
	case rows < 1 || cols < 1 || e.node.N != rows*cols:
		if !e.about().broken {
			e.about().m.failAt(where, "MatOf: %s from %s for %d rows of %d", plural(e.node.N, "value"),
				labelOf(e.node), rows,
				cols)
		}
		return brokenMat(e.about().m, rows, cols, where)
	}
	return Mat{e, rows, cols}
}

// Mat returns the matrix for the operations on matrices of expressions.
func (a *Matrix) Mat() Mat {
	where := caller()
	if len(a.byColumn) == 0 {
		return brokenMat(a.m, a.rows, a.cols, where)
	}
	v := a.byRow()
	return Mat{Expr{a.m.add(&engine.Node{N: len(v), Value: v, Fixed: true},
		declaration{matrix: a, column: -1, what: "data " + a.name, where: where})}, a.rows, a.cols}
}

// byRow are all values, row by row.
func (a *Matrix) byRow() []float64 {
	v := make([]float64, len(a.byColumn))
	for i := range a.rows {
		for j := range a.cols {
			v[i*a.cols+j] = a.byColumn[j*a.rows+i]
		}
	}
	return v
}

func brokenMat(m *Model, rows, cols int, where string) Mat {
	return Mat{Expr{m.brokenNode(where)}, rows, cols}
}

// Dims returns the numbers of rows and columns.
func (a Mat) Dims() (rows, cols int) { return a.rows, a.cols }

// Values returns the values by rows.
func (a Mat) Values() Expr { return a.e }

// El returns the value in row i and column j, both counted from 0.
func (a Mat) El(i, j int) Expr {
	where := caller()
	if !a.ready() {
		return Expr{a.model().brokenNode(where)}
	}
	if i < 0 || i >= a.rows || j < 0 || j >= a.cols {
		a.e.about().m.failAt(where,
			"El: %s has %d rows of %d, there is no value (%d, %d) (the first is (0, 0))",
			labelOf(a.e.node), a.rows, a.cols, i, j)
		return Expr{a.e.about().m.brokenNode(where)}
	}
	return a.e.El(i*a.cols + j)
}

// Row returns row i, counted from 0.
func (a Mat) Row(i int) Expr {
	where := caller()
	if !a.ready() {
		return Expr{a.model().brokenNode(where)}
	}
	if i < 0 || i >= a.rows {
		a.e.about().m.failAt(where, "Row: %s has %s, there is no row %d (the first is 0)",
			labelOf(a.e.node),
			plural(a.rows, "row"), i)
		return Expr{a.e.about().m.brokenNode(where)}
	}
	return a.e.Slice(i*a.cols, (i+1)*a.cols)
}

// Diag returns the diagonal.
func (a Mat) Diag() Expr {
	where := caller()
	if !a.square("Diag", where) {
		return Expr{a.model().brokenNode(where)}
	}
	at := make([]int, a.rows)
	for i := range at {
		at[i] = i * (a.cols + 1)
	}
	return a.e.At(at)
}

// T returns the transpose.
func (a Mat) T() Mat {
	where := caller()
	if !a.ready() {
		return brokenMat(a.model(), a.cols, a.rows, where)
	}
	at := make([]int, 0, a.e.node.N)
	for j := range a.cols {
		for i := range a.rows {
			at = append(at, i*a.cols+j)
		}
	}
	return Mat{a.e.At(at), a.cols, a.rows}
}

// MatVec returns the product of a and a vector.
func (a Mat) MatVec(b Expr) Expr { return a.times("MatVec", caller(), Mat{b, a.cols, 1}).e }

// Mul returns the product of two matrices.
func (a Mat) Mul(b Mat) Mat { return a.times("Mul", caller(), b) }

func (a Mat) times(name, where string, b Mat) Mat {
	if !a.ready() || b.e.node == nil {
		return brokenMat(model2(name, where, a.e, b.e), a.rows, b.cols, where)
	}
	if a.cols != b.rows || b.e.node.N != b.rows*b.cols {
		if !b.e.about().broken {
			a.e.about().m.failAt(where, "%s: %s of %s and %s of %s do not match", name, plural(a.cols,
				"column"),
				labelOf(a.e.node), plural(b.e.node.N/max(b.cols, 1), "row"), labelOf(b.e.node))
		}
		return brokenMat(a.e.about().m, a.rows, b.cols, where)
	}
	op := engine.Product{N: a.rows, K: a.cols, P: b.cols}
	return Mat{Expr{a.e.about().m.apply(name, op, a.rows*b.cols, false, where, a.e.node, b.e.node)},
		a.rows,
		b.cols}
}

// ScaleRows returns diag(s) a: row i times s[i].
func (a Mat) ScaleRows(s Expr) Mat {
	where := caller()
	if !a.ready() || s.node == nil {
		return brokenMat(model2("ScaleRows", where, a.e, s), a.rows, a.cols, where)
	}
	if s.node.N != a.rows || s.node.Scalar && a.rows != 1 {
		if !s.about().broken {
			a.e.about().m.failAt(where, "ScaleRows: %s from %s for %s of %s", sizeOf(s.node),
				labelOf(s.node),
				plural(a.rows, "row"), labelOf(a.e.node))
		}
		return brokenMat(a.e.about().m, a.rows, a.cols, where)
	}
	at := make([]int, a.e.node.N)
	for i := range at {
		at[i] = i / a.cols
	}
	return Mat{s.At(at).Mul(a.e), a.rows, a.cols}
}

// Of returns the matrix with the row of a that goes with each row of the index.
func (a Mat) Of(in *Index) Mat {
	where := caller()
	if !a.ready() || in == nil {
		return brokenMat(a.model(), a.rows, a.cols, where)
	}
	m := a.e.about().m
	switch {
	case in.m != m:
		m.failAt(where, "Of: the index %s belongs to another model", in.name)
	case in.n != a.rows:
		m.failAt(where, "Of: %s has %s, the index %s chooses from %d", labelOf(a.e.node), plural(a.rows, "row"),
			in.name, in.n)
	case len(in.at) == 0 || slices.Max(in.at) >= a.rows:
		m.brokenNode(where)
	default:
		at := make([]int, 0, len(in.at)*a.cols)
		for _, i := range in.at {
			for j := range a.cols {
				at = append(at, i*a.cols+j)
			}
		}
		return Mat{a.e.At(at), len(in.at), a.cols}
	}
	return brokenMat(m, max(len(in.at), 1), a.cols, where)
}

// AddRow adds a row v to every row of a.
func (a Mat) AddRow(v Expr) Mat {
	return a.spread("AddRow", caller(), "column", v, a.cols, func(k int) int { return k % a.cols })
}

// AddCol adds a column v to every column of a.
func (a Mat) AddCol(v Expr) Mat {
	return a.spread("AddCol", caller(), "row", v, a.rows, func(k int) int { return k / a.cols })
}

// spread adds to value k of a, by rows, the value of v at its place.
func (a Mat) spread(name, where, of string, v Expr, n int, place func(k int) int) Mat {
	if !a.ready() || v.node == nil {
		return brokenMat(model2(name, where, a.e, v), a.rows, a.cols, where)
	}
	if v.node.N != n {
		if !v.about().broken {
			a.e.about().m.failAt(where, "%s: %s from %s for %s of %s", name, sizeOf(v.node), labelOf(v.node),
				plural(n, of), labelOf(a.e.node))
		}
		return brokenMat(a.e.about().m, a.rows, a.cols, where)
	}
	at := make([]int, a.e.node.N)
	for k := range at {
		at[k] = place(k)
	}
	return Mat{a.e.Add(v.At(at)), a.rows, a.cols}
}

// Gram returns a a': of a Cholesky factor the covariance matrix.
func (a Mat) Gram() Mat { return a.Mul(a.T()) }

// Quad returns the quadratic form v' a v.
func (a Mat) Quad(v Expr) Expr { return v.Dot(a.MatVec(v)) }

// ready reports whether there is a matrix; why not is told elsewhere.
func (a Mat) ready() bool { return a.e.node != nil && !a.e.about().broken }

// square is ready for operations on square matrices.
func (a Mat) square(name, where string) bool {
	if !a.ready() {
		return false
	}
	if a.rows != a.cols {
		a.e.about().m.failAt(where, "%s: %s has %d rows of %d, want a square matrix", name,
			labelOf(a.e.node), a.rows,
			a.cols)
		return false
	}
	return true
}

// placeOf is the name of value i of a vector, [3], or matrix, [2,1].
func placeOf(n *engine.Node, i int) string {
	if about(n).cols > 0 {
		return fmt.Sprintf("[%d,%d]", i/about(n).cols+1, i%about(n).cols+1)
	}
	return fmt.Sprintf("[%d]", nth(about(n).places, i)+1)
}

// model is that of the matrix, or one of its own.
func (a Mat) model() *Model {
	if a.e.node == nil {
		return nowhere("a matrix", caller()).about().m
	}
	return a.e.about().m
}

// model2 is the model of two arguments, which is told where one has none.
func model2(name, where string, a, b Expr) *Model {
	if m := model(name, where, a, b); m != nil {
		return m
	}
	for _, e := range []Expr{a, b} {
		if e.node != nil {
			return e.about().m
		}
	}
	return nowhere(name, where).about().m
}
