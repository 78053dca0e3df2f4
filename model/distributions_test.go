package model_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"bayeskernel/model"
)

// Observed values and parameters of all kinds of distribution.
func TestDistributionGradients(t *testing.T) {
	const n = 6
	for name, observe := range map[string]func(m *model.Model, v, s, one, pos model.Expr){
		"normal": func(m *model.Model, v, s, _, _ model.Expr) {
			m.Observe(m.Data("y", numbers(n)), model.Normal(v, s))
		},
		"truncated normal": func(m *model.Model, v, s, _, _ model.Expr) {
			m.Observe(m.Data("y", []float64{0, .1, .4, 1, 1.9, 2}), model.Normal(v, s).Truncate(0, 2))
		},
		"truncated above": func(m *model.Model, _, _, one, pos model.Expr) {
			m.Observe(m.Data("y", []float64{0, .1, .4, 1}), model.Logistic(one, pos).Truncate(-1, math.Inf(1)))
		},
		"truncated cauchy": func(m *model.Model, _, _, one, pos model.Expr) {
			m.Observe(m.Data("y", []float64{0, .1, .4, 1}), model.Cauchy(one, pos).Truncate(-1, 3))
		},
		"censored normal": func(m *model.Model, v, s, _, _ model.Expr) {
			m.Observe(m.Data("y", []float64{-1, -1, .4, 1, 2, 2}), model.Normal(v, s).Censor(-1, 2))
		},
		"censored weibull": func(m *model.Model, _, _, _, pos model.Expr) {
			m.Observe(m.Data("y", []float64{.2, 3, 3, 1}), model.Weibull(pos, 1.3).Censor(0, 3))
		},
		"censored exponential": func(m *model.Model, _, s, _, _ model.Expr) {
			m.Observe(m.Data("y", []float64{.2, 3, 3, 1, 2, 3}), model.Exponential(s).Censor(0, 3))
		},
		"truncated lognormal": func(m *model.Model, v, s, _, _ model.Expr) {
			m.Observe(m.Data("y", []float64{.2, 2, 1.5, 1, 2, 3}), model.LogNormal(v, s).Truncate(.1, 4))
		},
		"truncated half normal": func(m *model.Model, _, s, _, pos model.Expr) {
			m.Observe(m.Data("y", []float64{.2, 2, 1.5, 1, 2, 3}), model.HalfNormal(s).Truncate(.1, 4))
			m.Observe(m.Data("w", []float64{.2, 2}), model.HalfCauchy(pos).Truncate(.1, 4))
		},
		"counts cut off": func(m *model.Model, v, s, one, pos model.Expr) {
			inf := math.Inf(1)
			m.Observe(m.Data("a", []float64{1, 2, 1, 3, 1, 4}), model.Poisson(s).Truncate(1, inf))
			m.Observe(m.Data("b", []float64{1, 2, 0, 5, 5, 5}), model.PoissonLog(v).Censor(0, 5))
			m.Observe(m.Data("c", []float64{1, 2, 7, 3}), model.NegBinomial2(pos, pos).Truncate(1, inf))
			m.Observe(m.Data("d", []float64{1, 2, 7, 7}), model.NegBinomial2Log(one, pos).Censor(0, 7))
			m.Observe(m.Data("e", []float64{1, 2, 3, 3}), model.BinomialLogit(8, one).Truncate(1, 6))
		},
		"student t, one scale": func(m *model.Model, v, _, one, pos model.Expr) {
			m.Observe(m.Data("y", []float64{-3, .1, .4, 1e120, 1.9, 2}), model.StudentT(pos, v, pos))
			m.Observe(m.Data("z", numbers(4)), model.StudentT(4, one, pos))
			weighed(m, m.Reals("t", 4, model.StudentT(pos, one, pos)))
		},
		"student t, scales": func(m *model.Model, v, s, one, pos model.Expr) {
			m.Observe(m.Data("y", numbers(n)), model.StudentT(s, v, pos))
			m.Observe(m.Data("z", numbers(n)), model.StudentT(pos, one, s))
			m.Observe(m.Data("w", []float64{-3, -1, .4, 1, 1.9, 2}), model.StudentT(pos, v, s).Truncate(-3, 4))
			m.Observe(m.Data("x", []float64{-3, -1, .4, 1, 4, 4}), model.StudentT(pos, v, s).Censor(-3, 4))
		},
		"real families": func(m *model.Model, v, s, one, pos model.Expr) {
			p := one.InvLogit()
			for i, d := range []model.Dist{model.Gumbel(v, s), model.Gumbel(v, pos).Truncate(-3, 4),
				model.SkewNormal(v, s, one), model.ExpModNormal(v, s, pos),
				model.ExpModNormal(v, pos, s).Censor(-1, 2), model.SkewDoubleExponential(v, s, p),
				model.SkewDoubleExponential(v, s, p).Truncate(-3, 4), model.VonMises(v, s)} {
				m.Observe(m.Data(fmt.Sprint("y", i), []float64{-3, -1, .4, 1.1, 1.9, 2}), d)
			}
			weighed(m, m.Reals("a", n, model.SkewNormal(one, pos, 1.5)))
		},
		"positive families": func(m *model.Model, v, s, one, pos model.Expr) {
			for i, d := range []model.Dist{model.ChiSquare(s), model.InvChiSquare(pos),
				model.ScaledInvChiSquare(s, pos), model.Frechet(pos, s), model.Rayleigh(s),
				model.LogLogistic(s, pos), model.ParetoType2(.05, s, pos), model.Pareto(.09, s),
				model.Gamma(s, pos), model.InvGamma(pos, s)} {
				y := []float64{.1, .7, .4, 1.1, 1.9, 2}
				m.Observe(m.Data(fmt.Sprint("y", i), y), d)
				m.Observe(m.Data(fmt.Sprint("t", i), y), d.Truncate(.1, 3))
				m.Observe(m.Data(fmt.Sprint("c", i), y), d.Censor(.1, 2))
			}
			y := []float64{.1, .7, .4, .2, .9, .25}
			m.Observe(m.Data("b", y), model.BetaProportion(v.InvLogit(), pos).Truncate(.05, .95))
			m.Observe(m.Data("d", y), model.Beta(s, pos).Censor(.1, .9))
		},
		"ordered categories": func(m *model.Model, v, _, one, _ model.Expr) {
			c := m.Ordered("c", 3, model.Normal(0, 2))
			y := []float64{1, 4, 2, 3, 3, 1}
			m.Observe(m.Data("y", y), model.OrderedLogistic(v, c))
			m.Observe(m.Data("z", y), model.OrderedProbit(v, c))
			m.Observe(m.Data("w", y), model.OrderedProbit(one, c))
			m.Observe(m.Data("u", y), model.OrderedLogistic(0, c))
		},
		"mixture with truncated parts": func(m *model.Model, v, s, one, pos model.Expr) {
			w := m.Simplex("w", 2, model.Dirichlet(2))
			m.Observe(m.Data("y", []float64{.1, .7, .4, 1.1, 1.9, 2}), model.Mix(w,
				model.Normal(v, s).Truncate(0, 3), model.TruncateAt(model.Gamma(2, pos), 0, pos.Shift(2))))
		},
		"mixture with weights for each value": func(m *model.Model, v, s, one, pos model.Expr) {
			p := v.InvLogit()
			at := []int{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}
			w := model.MatOf(n, 2, model.Stack(p, p.OneMinus()).At(at))
			m.Observe(m.Data("y", numbers(n)), model.MixRows(w, model.Normal(one, s), model.StudentT(3, -1, pos)))
			m.Observe(m.Data("z", []float64{0, 0, 3, 0, 1, 2}), model.MixRows(w, model.Binomial(0, .5),
				model.Poisson(s).Truncate(0, 9)))
		},
		"ends that are expressions": func(m *model.Model, v, s, one, pos model.Expr) {
			y := []float64{.1, .7, .4, 1.1, 1.9, 2}
			hi := []float64{3, 3, 2, 2, 2.5, 4}
			m.Observe(m.Data("a", y), model.TruncateAt(model.Normal(v, s), -2, hi))
			m.Observe(m.Data("b", y), model.TruncateAt(model.Gamma(s, pos), 0, pos.Shift(2)))
			m.Observe(m.Data("c", y), model.CensorAt(model.StudentT(pos, v, s), one.Scale(.05).Shift(.5), 1.5))
			m.Observe(m.Data("d", y), model.CensorAt(model.Logistic(one, pos), s.Scale(.1), s.Scale(.1).Shift(1)))
			m.Observe(m.Data("e", []float64{1, 2, 1, 3, 1, 4}), model.TruncateAt(model.Poisson(s),
				[]float64{1, 1, 0, 2, 1, 3}, 9))
		},
		"families of counts": func(m *model.Model, v, s, one, pos model.Expr) {
			y := []float64{1, 2, 1, 3, 1, 7}
			for i, d := range []model.Dist{model.BetaBinomial(9, s, pos), model.NegBinomial(s, pos),
				model.NegBinomial2(s, pos)} {
				m.Observe(m.Data(fmt.Sprint("y", i), y), d)
				m.Observe(m.Data(fmt.Sprint("t", i), y), d.Truncate(1, 8))
				m.Observe(m.Data(fmt.Sprint("c", i), y), d.Censor(1, 7))
			}
			m.Observe(m.Data("b", []float64{1, 0, 1, 1, 0, 1}), model.BernoulliProbit(v))
		},
		"mixture of normals": func(m *model.Model, _, _, one, pos model.Expr) {
			w := m.Simplex("w", 3, model.Dirichlet(2))
			m.Observe(m.Data("y", numbers(9)), model.Mix(w, model.Normal(one, 1), model.Normal(1, pos),
				model.Normal(-1, 2)))
		},
		"mixture with vectors": func(m *model.Model, v, s, one, pos model.Expr) {
			w := m.Simplex("w", 3, model.Dirichlet(2))
			m.Observe(m.Data("y", numbers(n)), model.Mix(w, model.Normal(v, s), model.Cauchy(one, s),
				model.StudentT(pos, v, 2)))
		},
		"too many zeros": func(m *model.Model, v, _, one, _ model.Expr) {
			p := one.InvLogit()
			m.Observe(m.Data("y", []float64{0, 0, 0, 3, 1, 0}), model.Mix(model.Stack(p, p.OneMinus()),
				model.Binomial(0, 0.5), model.PoissonLog(v)))
			m.Observe(m.Data("z", []float64{0, 1, 3, 0}), model.Mix(model.Stack(p, p.OneMinus()),
				model.Bernoulli(p), model.Poisson(2)))
		},
		"categorical": func(m *model.Model, v, _, _, _ model.Expr) {
			p := m.Simplex("p", 3, model.Dirichlet([]float64{1, 2, 3}))
			m.Observe(m.Data("y", []float64{1, 3, 3, 2, 1}), model.Categorical(p))
			m.Observe(m.Data("z", []float64{1, 3, 3}), model.CategoricalLogit(v.Slice(0, 3)))
			m.Observe(m.Data("a", []float64{1, 3}), model.CategoricalLogit(model.MatOf(2, 3, v)))
			m.Observe(m.Data("b", []float64{1, 3}), model.Categorical(model.MatOf(2, 3,
				model.Stack(p, v.Slice(0, 3).Softmax()))))
			_, in := m.Factor("species", []string{"x", "y", "x", "z"})
			m.Observe(in.Values(), model.Categorical(p))
		},
		"multinomial": func(m *model.Model, v, _, _, _ model.Expr) {
			p := v.Slice(0, 3).Softmax()
			m.Observe(m.Data("y", []float64{1, 0, 4, 2, 2, 1}), model.Multinomial(5, p))
			m.Observe(m.Data("z", []float64{1, 0, 4, 2, 2, 3}), model.Multinomial([]float64{5, 7},
				model.MatOf(2, 3, model.Stack(p, v.Slice(3, 6).Softmax()))))
		},
		"dirichlet": func(m *model.Model, _, s, _, pos model.Expr) {
			weighed(m, m.Simplex("p", 6, model.Dirichlet(s)))
			m.Quantity("q", m.Simplex("r", 4, model.Dirichlet(pos)))
			m.Observe(m.Data("y", []float64{.1, .2, .7, .3, .3, .4}), model.Dirichlet(s.Slice(0, 3)))
			weighed(m, m.Simplex("t", 3, model.Dirichlet(s.Slice(1, 4))))
		},
		"multivariate normal": func(m *model.Model, v, s, one, _ model.Expr) {
			l := m.CorrCholesky("L", 3, model.LKJ(1.5)).ScaleRows(s.Slice(0, 3))
			m.Observe(m.Data("y", numbers(6)), model.MvNormal(v, l))
			m.Observe(m.Data("z", numbers(9)), model.MvNormal(v.Slice(0, 3), l))
			weighed(m, m.Reals("b", 3, model.MvNormal(one, l)))
		},
		"multivariate t": func(m *model.Model, v, s, _, pos model.Expr) {
			l := m.CorrCholesky("L", 3, model.LKJ(pos)).ScaleRows(s.Slice(0, 3))
			m.Observe(m.Data("y", numbers(6)), model.MvStudentT(pos, v, l))
			weighed(m, m.Reals("b", 3, model.MvStudentT(4, 0, l)))
		},
		"effects": func(m *model.Model, _, s, _, _ model.Expr) {
			county, in := m.Factor("county", []string{"a", "b", "a", "c", "c", "b"})
			l := m.CorrCholesky("L", 3, model.LKJ(2))
			b := county.Effects("b", s.Slice(0, 3), l)
			c := county.Effects("c", s.Slice(0, 3), l, model.Centred)
			mean := b[0].Of(in).Add(b[1].Of(in).Mul(m.Data("x", numbers(6)))).Add(c[2].Of(in))
			m.Observe(m.Data("y", numbers(6)), model.Normal(mean, s))
			for _, e := range append(b, c...) {
				weighed(m, e)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkGradient(t, func(m *model.Model) {
				v, s := m.Reals("v", n, model.Normal(0, 1)), m.Positives("s", n, model.LogNormal(0, .5))
				one, pos := m.Real("one", model.Normal(0, 1)), m.Positive("pos", model.Gamma(3, 2))
				for _, e := range []model.Expr{v, s, one, pos} {
					weighed(m, e)
				}
				observe(m, v, s, one, pos)
			}, 0.8)
		})
	}
}

// at is the log density of a model at 0, less that of its one parameter, normal(0, 1).
func at(t *testing.T, m *model.Model, d model.Dist, y []float64) float64 {
	t.Helper()
	weighed(m, m.Real("a parameter", model.Normal(0, 1)))
	m.Observe(m.Data("y", y), d)
	return targetOf(t, m).LogDensity([]float64{0}, []float64{0}) + math.Log(2*math.Pi)/2
}

// Joint densities against gonum, and counts against their sum.
func TestJointDensities(t *testing.T) {
	close := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
			t.Errorf("%s: log density %v, want %v", name, got, want)
		}
	}
	a := mat.NewDense(3, 3, numbers(9))
	var sigma mat.SymDense
	sigma.SymOuterK(1, a)
	mu, y := []float64{1, -2, 0.5}, []float64{0.3, 0.1, -1}
	values := make([]float64, 9)
	for i := range values {
		values[i] = sigma.At(i/3, i%3)
	}
	m := model.New()
	l := model.MatOf(3, 3, m.Values(values)).Cholesky()
	normal, ok := distmv.NewNormal(mu, &sigma, nil)
	student, ok2 := distmv.NewStudentsT(mu, &sigma, 3.5, nil)
	if !ok || !ok2 {
		t.Fatal("not positive definite")
	}
	close("normal", at(t, m, model.MvNormal(mu, l), y), normal.LogProb(y))
	m = model.New()
	l = model.MatOf(3, 3, m.Values(values)).Cholesky()
	close("t", at(t, m, model.MvStudentT(3.5, mu, l), y), student.LogProb(y))
	alpha, p := []float64{0.7, 2, 5}, []float64{0.2, 0.3, 0.5}
	close("dirichlet", at(t, model.New(), model.Dirichlet(alpha), p),
		distmv.NewDirichlet(alpha, nil).LogProb(p))
	total := 0.0
	for i := range 8 {
		for j := range 8 - i {
			total += math.Exp(at(t, model.New(), model.Multinomial(7, p),
				[]float64{float64(i), float64(j), float64(7 - i - j)}))
		}
	}
	close("multinomial", math.Log(total), 0)
	for _, d := range []func(eta float64, c model.Expr) model.Dist{model.OrderedLogistic[float64],
		model.OrderedProbit[float64]} {
		total := 0.0
		for k := range 4 {
			m := model.New()
			total += math.Exp(at(t, m, d(0.3, m.Values([]float64{-1, 0.2, 3})), []float64{float64(k + 1)}))
		}
		close("ordered", math.Log(total), 0)
	}
	m = model.New()
	close("ordered_logistic", at(t, m, model.OrderedLogistic(0.3, m.Values([]float64{-1, 0.2})), []float64{2}),
		math.Log(1/(1+math.Exp(0.1))-1/(1+math.Exp(1.3))))
	close("categorical", at(t, model.New(), model.Categorical(p), []float64{3, 1, 1}),
		math.Log(0.5*0.2*0.2))
	close("categorical_logit", at(t, model.New(), model.CategoricalLogit([]float64{1, 0, 2}),
		[]float64{3}), 2-math.Log(math.E+1+math.E*math.E))
}

// With two rows the density of a correlation r under LKJ(eta) is that of 2 b - 1 for b ~ beta(eta,
// eta); with n rows it integrates to 1 over the unconstrained coordinates, here on a grid for n = 3:
// the trapezoid rule is exact to rounding for such densities.
func TestLKJ(t *testing.T) {
	for _, eta := range []float64{0.7, 1, 3.2} {
		m := model.New()
		weighed(m, m.CorrCholesky("L", 3, model.LKJ(eta)).Values().Scale(0))
		g := targetOf(t, m)
		const h, reach = 0.25, 12
		x, grad, sum := make([]float64, 3), make([]float64, 3), 0.0
		for x[0] = -reach; x[0] <= reach; x[0] += h {
			for x[1] = -reach; x[1] <= reach; x[1] += h {
				for x[2] = -reach; x[2] <= reach; x[2] += h {
					sum += math.Exp(g.LogDensity(x, grad)) * h * h * h
				}
			}
		}
		// What lies beyond reach is of order exp(-2 eta reach) times a constant.
		if !(math.Abs(sum-1) <= 1e-6) {
			t.Errorf("eta %v: the density integrates to %v", eta, sum)
		}
	}
}
