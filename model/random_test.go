package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/model"
)

// Random regressions, with and without rewrites: numbers, indexed and weighted terms, matrices, rows
// that repeat each other, columns that depend on each other, one standard deviation or many.
func TestRewritesOfRandomRegressions(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			checkGradient(t, func(m *model.Model) {
				r := rand.New(rand.NewPCG(12, seed))
				n := 12 + r.IntN(30)
				data := func() []float64 {
					v, few := make([]float64, n), r.IntN(2) == 0
					for i := range v {
						if v[i] = r.NormFloat64(); few {
							v[i] = float64(r.IntN(2))
						}
					}
					return v
				}
				a, b := m.Real("a", model.Normal(0, 1)), m.Reals("b", 3, model.Normal(0, 1))
				s := m.Positive("s", model.LogNormal(0, 0.3))
				groups := make([]int, n)
				for i := range groups {
					groups[i] = 1 + r.IntN(4)
				}
				f, in := m.Codes("group", 4, groups)
				g := f.Reals("g", model.Normal(a, s), []model.Option{model.NonCentred, model.Centred}[r.IntN(2)])
				x := mat.NewDense(n, 3, nil)
				for j := range 2 {
					x.SetCol(j, data())
				}
				for i := range n {
					x.Set(i, 2, x.At(i, 0)-2*x.At(i, 1))
				}
				terms := []model.Expr{a, b.El(0).Mul(m.Data("x0", data())), g.Of(in), m.Data("x1", data()),
					m.Matrix("X", x).MatVec(b), g.Of(in).Mul(m.Data("x2", data())), b.El(1).Square(),
					m.Data("x3", data()).Div(m.Const(2)).Mul(b.El(2).Scale(3)), b.El(0).Neg().Shift(1)}
				mean := m.Values(data())
				for range 1 + r.IntN(5) {
					e := terms[r.IntN(len(terms))]
					if r.IntN(2) == 0 {
						mean = mean.Add(e)
					} else {
						mean = mean.Sub(e.Scale(0.5))
					}
				}
				y := m.Data("y", data())
				switch r.IntN(5) {
				case 0:
					m.Observe(y, model.Normal(mean, g.Of(in).Exp().Sqrt()))
				case 1:
					m.Observe(y, model.StudentT(4, mean, s))
				default:
					m.Observe(y, model.Normal(mean, s))
				}
				weighed(m, b)
				weighed(m, g)
			}, 0.8)
		})
	}
}

// Sums of sums of the same expression would have 2^60 terms.
func TestSumsOfThemselves(t *testing.T) {
	m := model.New()
	e := m.Real("a", model.Normal(0, 1)).Mul(m.Data("x", numbers(4)))
	for range 60 {
		e = e.Add(e).Scale(0.5)
	}
	m.Observe(m.Data("y", numbers(4)), model.Normal(e, 1))
	targetOf(t, m)
}

// Random declarations, most of them wrong: Compile reports errors, or the model has a log density,
// the same in a copy, draws and predictions. None panics.
func TestRandomDeclarations(t *testing.T) {
	good, drawn := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(13, seed))
		m := model.New()
		strange := []model.Expr{{}, model.New().Const(1)}
		es := []model.Expr{m.Real("a", model.Normal(0, 1)), m.Data("x", numbers(3))}
		pick := func() model.Expr {
			if r.IntN(40) == 0 {
				return strange[r.IntN(2)]
			}
			return es[r.IntN(len(es))]
		}
		mats := []model.Mat{{}, model.MatOf(2, 2, m.Values(identity(2)))}
		for k := range 1 + r.IntN(5) {
			name := fmt.Sprint("e", k)
			size := r.IntN(6) - r.IntN(12)/11
			a, b := pick(), pick()
			l := mats[r.IntN(len(mats))]
			dists := []model.Dist{model.Normal(a, 1), model.Normal(a, b), model.Gamma(a.Exp(), 2),
				model.Poisson(2), model.Flat(), model.Beta(a, 1), model.Uniform(0, 1), model.Dirichlet(1),
				model.MvNormal(a, l), model.LKJ(1), model.Categorical(a), model.Multinomial(2, l),
				model.Normal(0, 1).Truncate(0, 1), model.Mix(a, model.Normal(0, 1), model.Cauchy(b, 1)), {},
				model.Normal(0, 1), model.MvStudentT(a, b, l), model.Normal(0, 1).Censor(1, 0), model.Wishart(a, l),
				model.InvWishart(5, l), model.RandomWalk(model.Normal(0, 1), model.Normal(a, 1)),
				model.Autoregression(a, model.Normal(b, 1), model.StudentT(3, a, 1)),
				model.ICAR(3, []int{0, 1}, []int{1, size})}
			d := dists[r.IntN(len(dists))]
			switch r.IntN(31) {
			case 0:
				es = append(es, m.Real(name, d))
			case 1:
				es = append(es, m.Reals(name, size, d, model.NonCentred))
			case 2:
				es = append(es, m.Positives(name, size, d))
			case 3:
				es = append(es, m.Ordered(name, size, d))
			case 4:
				es = append(es, m.Simplex(name, size, d))
			case 5:
				mats = append(mats, m.CorrCholesky(name, size, d))
			case 6:
				m.Observe(a, d)
			case 7:
				es = append(es, m.Between(name, a, b, d))
			case 8:
				es = append(es, a.Add(b).Exp(), model.Stack(a, b))
			case 9:
				es = append(es, a.El(size), a.Slice(0, size), a.At([]int{size, 0}))
			case 10:
				es = append(es, model.Recur(size, a, b, pick()))
			case 11:
				f, in := m.Factor(name, []string{"p", "q", "p"})
				es = append(es, a.Of(in), f.Reals(name+"v", d))
				es = append(es, f.Effects(name+"b", b, l)...)
			case 12:
				mats = append(mats, model.MatOf(size, 2, a), l.Cholesky(), l.T(), l.Gram())
			case 13:
				es = append(es, l.Solve(a), l.MatVec(b), l.Quad(a), l.Diag(), l.El(size, 0), l.Row(size))
			case 14:
				mats = append(mats, l.ScaleRows(a), l.Mul(mats[r.IntN(len(mats))]),
					model.Matern32(a, b, 1, 0.1), model.SquaredExponential(m.Matrix(name, nil), 1, 1, b))
			case 15:
				es = append(es, model.HiddenMarkov(a, l, mats[r.IntN(len(mats))]))
			case 16:
				m.AddLogDensity(a)
			case 17:
				m.Quantity(name, a)
			case 18:
				es = append(es, m.Predict(name, size, d))
			case 19:
				es = append(es, a.Sum(), a.Mean(), a.LogSumExp(), a.Softmax(), a.Dot(b), a.CumSum())
			case 20:
				es = append(es, m.Missing(name, []float64{1, math.NaN(), 2}), m.Data(name, nil))
			case 21:
				es = append(es, m.Custom(2*a.Len()-1, newPullback, model.Stack(a, a), b))
			case 22:
				es = append(es, m.Predict(name, size, model.Conditional(l, a, m.Data(name+"x", numbers(3)))))
			case 24:
				mats = append(mats, m.Covariance(name, size, d), m.Correlation(name+"r", size, d))
			case 25:
				es = append(es, m.UnitVector(name, size), m.SumToZero(name+"z", size, d))
			case 26:
				m.Density(name, a, d)
			case 27:
				mats = append(mats, l.Inverse(), l.LeftDivide(mats[r.IntN(len(mats))]),
					l.Add(mats[r.IntN(len(mats))]), l.Each(model.Expr.Sum), l.Each(model.Expr.Exp),
					model.Columns(a, b))
			case 28:
				es = append(es, l.LogDet(), l.Col(size), l.SumRows(), l.LogSumExpRows())
			case 29:
				_, in := m.Factor(name, []string{"p", "q", "p"})
				es = append(es, a.SumBy(in), a.LogSumExpBy(in))
			case 30:
				es = append(es, a.Max(b), a.Min(b), a.Step(), a.Lgamma(), a.Digamma())
			case 23:
				k := model.Matern52(m.Data(name+"x", numbers(3)), 1, a, 0.1)
				es = append(es, model.ConditionalMean(k, b, m.Data(name+"y", numbers(2))))
				mats = append(mats, k)
			}
		}
		for i, e := range es { // so that all are used
			m.Quantity(fmt.Sprint("q", i), e)
		}
		p, err := m.Compile()
		if err != nil {
			continue
		}
		good++
		g, err := p.Target()
		if err != nil {
			t.Fatal(err)
		}
		x, grad := make([]float64, g.Dim()), make([]float64, g.Dim())
		for i := range x {
			x[i] = r.NormFloat64()
		}
		lp := g.LogDensity(x, grad)
		q, err := p.With("x", numbers(3))
		if err != nil {
			t.Fatalf("%v\nwith the same data: %v", p, err)
		}
		if other := target(t, q).LogDensity(x, grad); other != lp && !math.IsNaN(lp) {
			t.Errorf("%v: log density %v, with the same data %v", p, lp, other)
		}
		if run, err := p.Prior(t.Context(), 2, seed); err == nil {
			drawn++
			_, _ = q.Predictive(t.Context(), run, 1)
			_, _ = q.LogLik(t.Context(), run)
		}
	}
	if drawn < 100 {
		t.Errorf("%d of 3000 random models have prior draws, want some", drawn)
	}
	if good < 100 {
		t.Errorf("%d of 3000 random models compile, want some", good)
	}
}
