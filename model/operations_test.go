package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/hmc"
	"bayeskernel/model"
)

// pullback is a Computation: the products of neighbours of a times b.
type pullback struct{}

func (pullback) Forward(out []float64, in [][]float64) {
	for i := range out {
		out[i] = in[0][i] * in[0][i+1] * in[1][0]
	}
}

func (pullback) Pullback(din [][]float64, dout, _ []float64, in [][]float64) {
	a, b := in[0], in[1][0]
	for i, d := range dout {
		if din[0] != nil {
			din[0][i] += d * a[i+1] * b
			din[0][i+1] += d * a[i] * b
		}
		if din[1] != nil {
			din[1][0] += d * a[i] * a[i+1]
		}
	}
}

// Every operation, in a log density that depends on each of its values in another way.
func TestOperations(t *testing.T) {
	type exprs struct{ v, w, p, q, s, u, x model.Expr } // vectors of 5, positive, in (0,1), a number...
	for name, of := range map[string]func(m *model.Model, a exprs) model.Expr{
		"Add":          func(_ *model.Model, a exprs) model.Expr { return a.v.Add(a.w) },
		"Add number":   func(_ *model.Model, a exprs) model.Expr { return a.v.Add(a.s) },
		"number Add":   func(_ *model.Model, a exprs) model.Expr { return a.s.Add(a.v) },
		"numbers Add":  func(_ *model.Model, a exprs) model.Expr { return a.s.Add(a.u) },
		"Sub":          func(_ *model.Model, a exprs) model.Expr { return a.v.Sub(a.w) },
		"Sub number":   func(_ *model.Model, a exprs) model.Expr { return a.v.Sub(a.s) },
		"number Sub":   func(_ *model.Model, a exprs) model.Expr { return a.s.Sub(a.v) },
		"Mul":          func(_ *model.Model, a exprs) model.Expr { return a.v.Mul(a.w) },
		"Mul self":     func(_ *model.Model, a exprs) model.Expr { return a.v.Mul(a.v) },
		"Mul number":   func(_ *model.Model, a exprs) model.Expr { return a.v.Mul(a.s) },
		"number Mul":   func(_ *model.Model, a exprs) model.Expr { return a.s.Mul(a.v) },
		"Mul data":     func(_ *model.Model, a exprs) model.Expr { return a.x.Mul(a.v) },
		"Div":          func(_ *model.Model, a exprs) model.Expr { return a.v.Div(a.p) },
		"Div number":   func(_ *model.Model, a exprs) model.Expr { return a.v.Div(a.u) },
		"number Div":   func(_ *model.Model, a exprs) model.Expr { return a.s.Div(a.p) },
		"Scale":        func(_ *model.Model, a exprs) model.Expr { return a.v.Scale(-2.5) },
		"Shift":        func(_ *model.Model, a exprs) model.Expr { return a.v.Shift(3) },
		"Neg":          func(_ *model.Model, a exprs) model.Expr { return a.v.Neg() },
		"OneMinus":     func(_ *model.Model, a exprs) model.Expr { return a.v.OneMinus() },
		"Exp":          func(_ *model.Model, a exprs) model.Expr { return a.v.Exp() },
		"Expm1":        func(_ *model.Model, a exprs) model.Expr { return a.v.Expm1() },
		"Log":          func(_ *model.Model, a exprs) model.Expr { return a.p.Log() },
		"Log1p":        func(_ *model.Model, a exprs) model.Expr { return a.p.Log1p() },
		"Sqrt":         func(_ *model.Model, a exprs) model.Expr { return a.p.Sqrt() },
		"Square":       func(_ *model.Model, a exprs) model.Expr { return a.v.Square() },
		"Inv":          func(_ *model.Model, a exprs) model.Expr { return a.p.Inv() },
		"Abs":          func(_ *model.Model, a exprs) model.Expr { return a.p.Shift(-30).Abs() },
		"InvLogit":     func(_ *model.Model, a exprs) model.Expr { return a.v.InvLogit() },
		"Logit":        func(_ *model.Model, a exprs) model.Expr { return a.q.Logit() },
		"Softplus":     func(_ *model.Model, a exprs) model.Expr { return a.v.Softplus() },
		"Tanh":         func(_ *model.Model, a exprs) model.Expr { return a.v.Tanh() },
		"Sin":          func(_ *model.Model, a exprs) model.Expr { return a.v.Sin() },
		"Cos":          func(_ *model.Model, a exprs) model.Expr { return a.v.Cos() },
		"Phi":          func(_ *model.Model, a exprs) model.Expr { return a.v.Phi() },
		"Pow":          func(_ *model.Model, a exprs) model.Expr { return a.p.Pow(2.3) },
		"PowOf":        func(_ *model.Model, a exprs) model.Expr { return a.p.PowOf(a.v) },
		"PowOf number": func(_ *model.Model, a exprs) model.Expr { return a.p.PowOf(a.s) },
		"number PowOf": func(_ *model.Model, a exprs) model.Expr { return a.u.PowOf(a.v) },
		"El":           func(_ *model.Model, a exprs) model.Expr { return a.v.El(3) },
		"Slice":        func(_ *model.Model, a exprs) model.Expr { return a.v.Slice(1, 4) },
		"At":           func(_ *model.Model, a exprs) model.Expr { return a.v.At([]int{4, 0, 4, 2}) },
		"Stack":        func(_ *model.Model, a exprs) model.Expr { return model.Stack(a.s, a.v, a.x, a.v) },
		"Of": func(m *model.Model, a exprs) model.Expr {
			_, in := m.Codes("place", 5, []int{5, 1, 1, 3, 2, 2, 5})
			return a.v.Of(in)
		},
		"Sum":       func(_ *model.Model, a exprs) model.Expr { return a.v.Sum() },
		"Mean":      func(_ *model.Model, a exprs) model.Expr { return a.v.Square().Mean() },
		"LogSumExp": func(_ *model.Model, a exprs) model.Expr { return a.v.LogSumExp() },
		"Dot":       func(_ *model.Model, a exprs) model.Expr { return a.v.Dot(a.w) },
		"CumSum":    func(_ *model.Model, a exprs) model.Expr { return a.v.CumSum() },
		"Softmax":   func(_ *model.Model, a exprs) model.Expr { return a.v.Softmax() },
		"MatVec of data": func(m *model.Model, a exprs) model.Expr {
			return m.Matrix("design", mat.NewDense(3, 5, numbers(15))).MatVec(a.v)
		},
		"Recur":         func(_ *model.Model, a exprs) model.Expr { return model.Recur(6, a.s, a.v, a.q) },
		"Recur numbers": func(_ *model.Model, a exprs) model.Expr { return model.Recur(9, 1, a.s, a.q.El(0)) },
		"Custom":        func(m *model.Model, a exprs) model.Expr { return m.Custom(4, newPullback, a.v, a.s) },
		"Custom data":   func(m *model.Model, a exprs) model.Expr { return m.Custom(4, newPullback, a.x, a.s) },
		"a chain": func(_ *model.Model, a exprs) model.Expr {
			return a.v.Slice(1, 5).Mul(a.w.Slice(0, 4)).Add(a.p.Slice(0, 4).Log()).Slice(1, 3).Exp().Sum()
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkGradient(t, func(m *model.Model) {
				a := exprs{v: m.Reals("v", 5, model.Normal(0, 1)), w: m.Reals("w", 5, model.Normal(1, 2)),
					p: m.Positives("p", 5, model.Gamma(2, 1)), q: m.Intervals("q", 5, 0, 1, model.Beta(2, 3)),
					s: m.Real("s", model.Normal(0, 1)), u: m.Positive("u", model.LogNormal(0, 1)),
					x: m.Data("x", numbers(5))}
				weighed(m, of(m, a))
				for _, e := range []model.Expr{a.v, a.w, a.p, a.q, a.s, a.u} {
					weighed(m, e)
				}
			}, 1)
		})
	}
}

func newPullback() model.Computation { return pullback{} }

// weighed adds a density in which every value has a weight of its own.
func weighed(m *model.Model, e model.Expr) {
	w := make([]float64, e.Len())
	for i := range w {
		w[i] = 0.3 + 0.17*float64(i%7)
	}
	m.AddLogDensity(e.Mul(m.Values(w)).Scale(0.3).Sin())
}

// Matrices of parameters.
func TestMatrices(t *testing.T) {
	for name, of := range map[string]func(m *model.Model, a, l model.Mat, v, s model.Expr) model.Expr{
		"MatVec":   func(_ *model.Model, a, _ model.Mat, v, _ model.Expr) model.Expr { return a.MatVec(v) },
		"Mul":      func(_ *model.Model, a, l model.Mat, _, _ model.Expr) model.Expr { return a.Mul(l).Values() },
		"Mul self": func(_ *model.Model, a, _ model.Mat, _, _ model.Expr) model.Expr { return a.Mul(a).Values() },
		"T":        func(_ *model.Model, a, _ model.Mat, _, _ model.Expr) model.Expr { return a.T().Row(1) },
		"Gram":     func(_ *model.Model, _, l model.Mat, _, _ model.Expr) model.Expr { return l.Gram().Values() },
		"Quad":     func(_ *model.Model, a, _ model.Mat, v, _ model.Expr) model.Expr { return a.Quad(v) },
		"Diag":     func(_ *model.Model, a, _ model.Mat, _, _ model.Expr) model.Expr { return a.Diag() },
		"El":       func(_ *model.Model, a, _ model.Mat, _, _ model.Expr) model.Expr { return a.El(2, 1) },
		"Solve":    func(_ *model.Model, _, l model.Mat, v, _ model.Expr) model.Expr { return l.Solve(v) },
		"Solve data": func(m *model.Model, _, l model.Mat, _, _ model.Expr) model.Expr {
			return l.Solve(m.Values(numbers(4)))
		},
		"ScaleRows": func(_ *model.Model, a, _ model.Mat, _, s model.Expr) model.Expr {
			return a.ScaleRows(s).Values()
		},
		"Cholesky": func(m *model.Model, a, _ model.Mat, _, _ model.Expr) model.Expr {
			positive := a.Gram().Values().Add(model.MatOf(4, 4, m.Values(identity(4))).Values())
			return model.MatOf(4, 4, positive).Cholesky().Values()
		},
		"data Mat": func(m *model.Model, a, _ model.Mat, _, _ model.Expr) model.Expr {
			return m.Matrix("x", mat.NewDense(2, 4, numbers(8))).Mat().Mul(a).Values()
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkGradient(t, func(m *model.Model) {
				a := model.MatOf(4, 4, m.Reals("a", 16, model.Normal(0, 1)))
				l := m.CorrCholesky("L", 4, model.LKJ(2))
				v, s := m.Reals("v", 4, model.Normal(0, 1)), m.Positives("s", 4, model.HalfNormal(1))
				weighed(m, of(m, a, l, v, s))
				weighed(m, a.Values())
				weighed(m, l.Values())
				weighed(m, v)
				weighed(m, s)
			}, 0.8)
		})
	}
}

func identity(n int) []float64 {
	v := make([]float64, n*n)
	for i := range n {
		v[i*n+i] = 1
	}
	return v
}

// The values of matrix operations against gonum.
func TestMatrixValues(t *testing.T) {
	m := model.New()
	weighed(m, m.Real("a parameter", model.Normal(0, 1)))
	an, vn := numbers(16), numbers(4)
	a, v := mat.NewDense(4, 4, an), mat.NewVecDense(4, vn)
	e := model.MatOf(4, 4, m.Data("a", an))
	x := m.Data("v", vn)
	var gram, l mat.Dense
	gram.Mul(a, a.T())
	var sym mat.SymDense
	sym.SymOuterK(1, a)
	var c mat.Cholesky
	if !c.Factorize(&sym) {
		t.Fatal("not positive definite")
	}
	var tri mat.TriDense
	c.LTo(&tri)
	l.CloneFrom(&tri)
	var av, solved mat.VecDense
	av.MulVec(a, v)
	if err := solved.SolveVec(&l, v); err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]struct {
		got  model.Expr
		want []float64
	}{
		"Gram":     {e.Gram().Values(), gram.RawMatrix().Data},
		"Cholesky": {e.Gram().Cholesky().Values(), l.RawMatrix().Data},
		"MatVec":   {e.MatVec(x), av.RawVector().Data},
		"Solve":    {e.Gram().Cholesky().Solve(x), solved.RawVector().Data},
		"Quad":     {e.Quad(x), []float64{mat.Dot(v, &av)}},
	} {
		for i, got := range valuesOf(t, m, name, k.got) {
			if !(math.Abs(got-k.want[i]) <= 1e-12*(1+math.Abs(k.want[i]))) {
				t.Errorf("%s: value %d is %v, want %v", name, i, got, k.want[i])
			}
		}
	}
}

// valuesOf records an expression of data.
func valuesOf(t *testing.T, m *model.Model, name string, e model.Expr) []float64 {
	t.Helper()
	m.Quantity(name, e)
	g := targetOf(t, m)
	c := g.(hmc.Constrainer)
	out := make([]float64, len(c.Names()))
	c.Constrain(out, make([]float64, g.Dim()))
	return out[len(out)-e.Len():]
}

// Kernel matrices.
func TestKernels(t *testing.T) {
	for name, of := range map[string]func(m *model.Model, s, l, j model.Expr) model.Mat{
		"SE": func(m *model.Model, s, l, j model.Expr) model.Mat {
			return model.SquaredExponential(m.Data("x", numbers(6)), s, l, j)
		},
		"Matern 3/2": func(m *model.Model, s, l, j model.Expr) model.Mat {
			return model.Matern32(m.Data("x", numbers(6)), s, l, j)
		},
		"Matern 5/2": func(m *model.Model, s, l, j model.Expr) model.Mat {
			return model.Matern52(m.Matrix("x", mat.NewDense(6, 2, numbers(12))), s, l, j)
		},
		"fixed jitter": func(m *model.Model, s, l, _ model.Expr) model.Mat {
			return model.Matern52(m.Matrix("x", mat.NewDense(6, 3, numbers(18))), s, l, 0.1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkGradient(t, func(m *model.Model) {
				s, l := m.Positive("s", model.HalfNormal(1)), m.Positive("l", model.InvGamma(3, 2))
				j := m.Positive("j", model.HalfNormal(1))
				k := of(m, s, l, j)
				weighed(m, k.Values())
				z := m.Reals("z", 6, model.Normal(0, 1))
				f := k.Cholesky().MatVec(z)
				m.Observe(m.Data("y", wholes(6, 4)), model.PoissonLog(f))
				weighed(m, j)
			}, 0.7)
		})
	}
}

func TestHiddenMarkov(t *testing.T) {
	checkGradient(t, func(m *model.Model) {
		const states, n = 3, 7
		first := m.Simplex("first", states, model.Dirichlet(1))
		var rows []model.Expr
		for i := range states {
			rows = append(rows, m.Simplex(string(rune('a'+i)), states, model.Dirichlet(2)).Log())
		}
		mu := m.Ordered("mu", states, model.Normal(0, 2))
		y := m.Data("y", numbers(n))
		var emission []model.Expr
		for i := range n {
			emission = append(emission, y.El(i).Sub(mu).Square().Scale(-0.5))
		}
		m.AddLogDensity(model.HiddenMarkov(first.Log(), model.MatOf(states, states, model.Stack(rows...)),
			model.MatOf(n, states, model.Stack(emission...))))
	}, 1)
}

// The likelihood of a hidden Markov chain against the sum over all 3^6 paths.
func TestHiddenMarkovPaths(t *testing.T) {
	const k, n = 3, 6
	r := rand.New(rand.NewPCG(6, 1))
	logs := func(rows, cols int, normal bool) []float64 {
		out := make([]float64, rows*cols)
		for i := range rows {
			sum := 0.0
			for j := range cols {
				out[i*cols+j] = r.Float64() + 0.05
				sum += out[i*cols+j]
			}
			for j := range cols {
				if !normal {
					sum = 1
				}
				out[i*cols+j] = math.Log(out[i*cols+j] / sum)
			}
		}
		return out
	}
	initial, transition, emission := logs(1, k, true), logs(k, k, true), logs(n, k, false)
	for i := range k {
		emission[2*k+i] -= 900 // beyond the range of doubles
	}
	total := 0.0
	for path := range 729 {
		lp, before := 900.0, -1
		for i, code := 0, path; i < n; i, code = i+1, code/k {
			s := code % k
			if before < 0 {
				lp += initial[s]
			} else {
				lp += transition[before*k+s]
			}
			lp += emission[i*k+s]
			before = s
		}
		total += math.Exp(lp)
	}
	m := model.New()
	a := m.Real("a", model.Normal(0, 1))
	zero := a.Sub(a)
	m.AddLogDensity(model.HiddenMarkov(m.Values(initial).Add(zero), model.MatOf(k, k, m.Values(transition)),
		model.MatOf(n, k, m.Values(emission))))
	x, g := []float64{0}, []float64{0}
	got := targetOf(t, m).LogDensity(x, g) + math.Log(2*math.Pi)/2
	if want := math.Log(total) - 900; math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("log likelihood %v, by all paths %v", got, want)
	}
}
