package model

import (
	"math"
	"slices"

	"bayeskernel/engine"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Sum returns the sum of the values.
func (e Expr) Sum() Expr { return toNumber("Sum", engine.Sum{Scale: 1, Mean: false}, e) }

// Mean returns the mean of the values.
func (e Expr) Mean() Expr {
	if e.node == nil {
		return nowhere("Mean", caller())
	}
	return toNumber("Mean", engine.Sum{Scale: 1 / float64(e.node.N), Mean: true}, e)
}

// LogSumExp returns the log of the sum of the exponentials.
func (e Expr) LogSumExp() Expr { return toNumber("LogSumExp", engine.LogSumExp{}, e) }

// SumBy returns the sum of the values of each label of an index.
func (e Expr) SumBy(in *Index) Expr {
	return e.by("SumBy", in, func(at []int, n int) engine.Operation { return engine.GroupSum{At: at, N: n} })
}

// LogSumExpBy returns LogSumExp of the values of each label of an index.
func (e Expr) LogSumExpBy(in *Index) Expr {
	return e.by("LogSumExpBy", in, func(at []int, n int) engine.Operation {
		return engine.GroupLogSumExp{At: at, N: n}
	})
}

func (e Expr) by(name string, in *Index, op func(at []int, n int) engine.Operation) Expr {
	where := caller()
	if e.node == nil || in == nil {
		return nowhere(name, where)
	}
	m := e.about().m
	switch {
	case e.about().broken:
	case in.m != m:
		m.failAt(where, "%s: the index %s belongs to another model", name, in.name)
	case in.n < 1 || slices.Max(append([]int{-1}, in.at...)) >= in.n: // told where it was declared
	case e.node.N != len(in.at) || e.node.Scalar:
		m.failAt(where, "%s: %s from %s and %s of the index %s do not match", name, sizeOf(e.node),
			labelOf(e.node), plural(len(in.at), "row"), in.name)
	default:
		out := m.apply(name, op(in.at, in.n), in.n, false, where, e.node)
		about(out).over = in.over
		about(out).groups = in
		return Expr{out}
	}
	return Expr{m.brokenNode(where)}
}

// Dot returns the dot product of e and b.
func (e Expr) Dot(b Expr) Expr { return e.Mul(b).Sum() }

// CumSum returns the sums of the values up to each.
func (e Expr) CumSum() Expr { return each("CumSum", engine.CumSum{}, e) }

// Softmax returns exp(e) divided by its sum.
func (e Expr) Softmax() Expr { return each("Softmax", engine.Softmax{}, e) }

func toNumber(name string, op engine.Operation, e Expr) Expr {
	where := caller()
	if e.node == nil {
		return nowhere(name, where)
	}
	return Expr{e.about().m.apply(name, op, 1, true, where, e.node)}
}

// Matrix is a matrix of data, such as the predictors of a regression.
type Matrix struct {
	m          *Model
	name       string
	rows, cols int
	byColumn   []float64
}

// Matrix declares a matrix of data.
func (m *Model) Matrix(name string, x mat.Matrix) *Matrix {
	where := caller()
	r, c := 0, 0
	if !rows.Nil(x) {
		r, c = x.Dims()
	}
	a := &Matrix{m: m, name: name, rows: r, cols: c, byColumn: make([]float64, r*c)}
	m.declareName(name, where)
	if r == 0 || c == 0 {
		m.failAt(where, "data %s: it is empty, want rows and columns", name)
		return a
	}
	for j := range c {
		for i := range r {
			v := x.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				m.failAt(where, "data %s: row %d of column %d is %v, want a finite number", name, i+1,
					j+1, v)
				return a
			}
			a.byColumn[j*r+i] = v
		}
	}
	m.matrices = append(m.matrices, a)
	return a
}

// Dims returns the numbers of rows and columns.
func (a *Matrix) Dims() (rows, cols int) { return a.rows, a.cols }

// Col returns column j, counted from 0.
func (a *Matrix) Col(j int) Expr {
	where := caller()
	if j < 0 || j >= a.cols {
		a.m.failAt(where, "Col: %s has %s, there is no column %d (the first is 0)", a.name,
			plural(a.cols, "column"), j)
		return Expr{a.m.brokenNode(where)}
	}
	return Expr{a.m.add(&engine.Node{N: a.rows, Value: a.column(j), Fixed: true},
		declaration{matrix: a, column: j, what: "column of " + a.name, where: where})}
}

func (a *Matrix) column(j int) []float64 { return a.byColumn[j*a.rows : (j+1)*a.rows] }

// MatVec returns the product of a matrix of data and a vector.
func (a *Matrix) MatVec(b Expr) Expr {
	where := caller()
	if b.node == nil {
		return nowhere("MatVec", where)
	}
	if b.about().m != a.m {
		a.m.failAt(where, "MatVec: %s belongs to another model", labelOf(b.node))
		return Expr{a.m.brokenNode(where)}
	}
	if b.node.N != a.cols {
		if !b.about().broken {
			a.m.failAt(where, "MatVec: %s from %s and %s of %s do not match", plural(b.node.N, "value"),
				labelOf(b.node), plural(a.cols, "column"), a.name)
		}
		return Expr{a.m.brokenNode(where)}
	}
	out := a.m.apply("MatVec", a.product(), a.rows, false, where, b.node)
	about(out).times = a
	return Expr{out}
}

func (a *Matrix) product() engine.MatVec {
	return engine.MatVec{Rows: a.rows, Cols: a.cols, X: a.byColumn}
}
