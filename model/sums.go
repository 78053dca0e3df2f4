package model

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Sum returns the sum of the values.
func (e Expr) Sum() Expr { return toNumber("Sum", sum{1, false}, e) }

// Mean returns the mean of the values.
func (e Expr) Mean() Expr {
	if e.node == nil {
		return nowhere("Mean", caller())
	}
	return toNumber("Mean", sum{1 / float64(e.node.N), true}, e)
}

// LogSumExp returns the log of the sum of the exponentials.
func (e Expr) LogSumExp() Expr { return toNumber("LogSumExp", logSumExp{}, e) }

// Dot returns the dot product of e and b.
func (e Expr) Dot(b Expr) Expr { return e.Mul(b).Sum() }

// CumSum returns the sums of the values up to each.
func (e Expr) CumSum() Expr { return each("CumSum", cumSum{}, e) }

// Softmax returns exp(e) divided by its sum.
func (e Expr) Softmax() Expr { return each("Softmax", softmax{}, e) }

func toNumber(name string, op operation, e Expr) Expr {
	where := caller()
	if e.node == nil {
		return nowhere(name, where)
	}
	return Expr{e.about().m.apply(name, op, 1, true, where, e.node)}
}

type sum struct {
	scale float64
	mean  bool
}

type sumStep struct {
	sum
	out, adj, in, din []float64
}

func (s sum) bind(out, adj []float64, in, din [][]float64) step {
	return &sumStep{s, out, adj, in[0], din[0]}
}

func (s *sumStep) forward() {
	t := 0.0
	for _, v := range s.in {
		t += v
	}
	s.out[0] = s.scale * t
}

func (s *sumStep) backward() {
	a := s.scale * s.adj[0]
	for i := range s.din {
		s.din[i] += a
	}
}

type logSumExp struct{}

type logSumExpStep struct{ out, adj, in, din []float64 }

func (logSumExp) bind(out, adj []float64, in, din [][]float64) step {
	return &logSumExpStep{out, adj, in[0], din[0]}
}

func (s *logSumExpStep) forward() { s.out[0] = logSum(s.in) }

func (s *logSumExpStep) backward() {
	if math.IsInf(s.out[0], 0) {
		return
	}
	for i, v := range s.in {
		s.din[i] += s.adj[0] * math.Exp(v-s.out[0])
	}
}

type cumSum struct{}

type cumSumStep struct{ out, adj, in, din []float64 }

func (cumSum) bind(out, adj []float64, in, din [][]float64) step {
	return &cumSumStep{out, adj, in[0], din[0]}
}

func (s *cumSumStep) forward() {
	t := 0.0
	for i, v := range s.in {
		t += v
		s.out[i] = t
	}
}

func (s *cumSumStep) backward() {
	t := 0.0
	for i := len(s.adj) - 1; i >= 0; i-- {
		t += s.adj[i]
		s.din[i] += t
	}
}

type softmax struct{}

type softmaxStep struct{ out, adj, in, din []float64 }

func (softmax) bind(out, adj []float64, in, din [][]float64) step {
	return &softmaxStep{out, adj, in[0], din[0]}
}

func (s *softmaxStep) forward() {
	top := math.Inf(-1)
	for _, v := range s.in {
		top = max(top, v)
	}
	t := 0.0
	for i, v := range s.in {
		s.out[i] = math.Exp(v - top)
		t += s.out[i]
	}
	for i := range s.out {
		s.out[i] /= t
	}
}

func (s *softmaxStep) backward() {
	t := 0.0
	for i, p := range s.out {
		t += p * s.adj[i]
	}
	for i, p := range s.out {
		s.din[i] += p * (s.adj[i] - t)
	}
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
	if x != nil {
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
	return Expr{a.m.add(&Node{N: a.rows, Value: a.column(j), Fixed: true, Note: &declaration{matrix: a, column: j, what: "column of " + a.name, where: where}})}
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

func (a *Matrix) product() matVec { return matVec{a.rows, a.cols, a.byColumn} }

// matVec is the product of a matrix of data, given column by column, and a vector.
type matVec struct {
	rows, cols int
	x          []float64
}

type matVecStep struct {
	matVec
	out, adj, in, din []float64
}

func (a matVec) bind(out, adj []float64, in, din [][]float64) step {
	return &matVecStep{a, out, adj, in[0], din[0]}
}

func (s *matVecStep) forward() {
	clear(s.out)
	for j, b := range s.in {
		floats.AddScaled(s.out, b, s.x[j*s.rows:(j+1)*s.rows])
	}
}

func (s *matVecStep) backward() {
	for j := range s.din {
		s.din[j] += floats.Dot(s.x[j*s.rows:(j+1)*s.rows], s.adj)
	}
}
