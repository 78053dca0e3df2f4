package model_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/kernels"
	"bayeskernel/model"
)

// said are models that say something once, as a feature: with log likelihoods and predictions of so many rows.
var said = []struct {
	name    string
	rows    int
	declare func(m *model.Model)
}{
	{"zero-inflated counts", 6, func(m *model.Model) {
		p, eta := unit(m, "p"), m.Real("a", model.Normal(0, 1)).Add(six(m).Mul(m.Real("b", model.Normal(0, 1))))
		m.Observe(sixCounts(m), model.Mix(model.Stack(p, p.OneMinus()), model.PointMass(0), model.PoissonLog(eta)))
	}},
	{"zero-inflated, with a probability for each row", 6, func(m *model.Model) {
		p := m.Real("g", model.Normal(0, 1)).Mul(six(m)).InvLogit()
		w := model.Columns(p, p.OneMinus())
		m.Observe(sixCounts(m), model.MixRows(w, model.PointMass(0),
			model.NegBinomial2(positive(m, "mu"), positive(m, "phi"))))
	}},
	{"a hurdle before counts", 6, func(m *model.Model) {
		p := unit(m, "p")
		m.Observe(sixCounts(m), model.Mix(model.Stack(p, p.OneMinus()), model.PointMass(0),
			model.Poisson(positive(m, "rate")).Truncate(1, math.Inf(1))))
	}},
	{"zeros beside amounts", 6, func(m *model.Model) {
		p := unit(m, "p")
		m.Observe(m.Data("y", []float64{0, 1.5, 0, 0.2, 3, 0}), model.Mix(model.Stack(p, p.OneMinus()),
			model.PointMass(0), model.Gamma(positive(m, "shape"), 1)))
	}},
	{"zeros beside values of any sign", 6, func(m *model.Model) {
		p := unit(m, "p")
		m.Observe(m.Data("y", []float64{0, 1.5, 0, -0.2, 3, 0}), model.Mix(model.Stack(p, p.OneMinus()),
			model.PointMass(0), model.Normal(0, positive(m, "sd"))))
	}},
	{"zeros and ones beside shares", 6, func(m *model.Model) {
		w := m.Simplex("w", 3, model.Dirichlet(1))
		m.Observe(m.Data("y", []float64{0, .3, 1, .7, .2, 0}), model.Mix(w, model.PointMass(0), model.PointMass(1),
			model.Beta(positive(m, "a"), positive(m, "b"))))
	}},
	{"partial credit", 6, func(m *model.Model) {
		steps := m.Reals("steps", 3, model.Normal(0, 1))
		m.Observe(sixGrades(m), model.PartialCredit(positive(m, "a").Mul(six(m)), steps))
	}},
	{"ordered categories", 6, func(m *model.Model) {
		m.Observe(sixGrades(m), model.OrderedProbit(m.Real("b", model.Normal(0, 1)).Mul(six(m)),
			m.Ordered("cuts", 3, model.Normal(0, 2))))
	}},
	{"a mixture with truncated parts", 6, func(m *model.Model) {
		w := m.Simplex("w", 2, model.Dirichlet(1))
		m.Observe(m.Data("y", []float64{.3, 1.2, 2, .8, .1, 2.5}), model.Mix(w, model.Normal(positive(m, "mu"), 1).
			Truncate(0, math.Inf(1)), model.Exponential(positive(m, "rate"))))
	}},
	{"a mixture of vectors", 3, func(m *model.Model) {
		w, mu := m.Simplex("w", 2, model.Dirichlet(1)), m.Reals("mu", 4, model.Normal(0, 1))
		l := m.CorrCholesky("L", 2, model.LKJ(2))
		z := m.Latent("z", 3, model.Categorical(w))
		for i := range 3 {
			y := m.Data("y"+string(rune('1'+i)), []float64{.3 + float64(i), -1})
			m.Observe(y, model.MvNormal(model.MatOf(2, 2, mu).Pick(z.Slice(i, i+1)).Row(0), l))
		}
	}},
	{"truncation with ends by row", 6, func(m *model.Model) {
		m.Observe(m.Data("y", []float64{.3, 1.2, 2, .8, .1, 2.5}), model.TruncateAt(model.Weibull(positive(m, "k"), 2),
			0.0, []float64{1, 2, 3, 1, 2, 3}))
	}},
	{"censoring with ends by row", 6, func(m *model.Model) {
		m.Observe(m.Data("y", []float64{1, 1.2, 2, 1, .1, 2.5}), model.CensorAt(model.LogNormal(
			m.Real("mu", model.Normal(0, 1)), positive(m, "sd")), 0.0, []float64{1, 2, 2, 1, 2, 3}))
	}},
	{"truncation at a parameter", 6, func(m *model.Model) {
		m.Observe(m.Data("y", []float64{.3, 1.2, 2, .8, .1, 2.5}), model.TruncateAt(model.Normal(positive(m, "mu"), 1),
			m.Real("lo", model.Normal(0, .1)).Shift(-3), math.Inf(1)))
	}},
	{"beta-binomial and negative binomial", 12, func(m *model.Model) {
		a, b := positive(m, "a"), positive(m, "b")
		m.Observe(sixCounts(m), model.BetaBinomial(5, a, b))
		m.Observe(m.Data("more", []float64{0, 3, 1, 2, 0, 9}), model.NegBinomial(a, b))
	}},
	{"a Bernoulli probit and Pareto", 12, func(m *model.Model) {
		m.Observe(m.Data("y", []float64{0, 1, 1, 0, 1, 0}), model.BernoulliProbit(m.Real("b", model.Normal(0, 1)).Mul(six(m))))
		m.Observe(m.Data("p", []float64{1, 2, 3, 4, 1.5, 2.5}), model.Pareto(.5, positive(m, "shape")))
	}},
	{"functions", 6, func(m *model.Model) {
		a, b := positive(m, "a"), positive(m, "b")
		mean := a.Lgamma().Max(b).Min(m.Const(5)).Add(six(m).Step()).Add(a.Digamma().Abs()).Add(b.PowOf(a))
		m.Observe(sixCounts(m), model.Normal(mean, 1))
	}},
	{"matrices", 6, func(m *model.Model) {
		s := m.Covariance("S", 3, model.Wishart(5, eye(m, 3)))
		r := m.Correlation("R", 3, model.LKJ(2))
		a := s.Add(r).Combine(r, model.Expr.Mul).Each(model.Expr.Square).Add(eye(m, 3))
		mean := a.LeftDivide(eye(m, 3)).Mul(s.Inverse()).Col(1)
		m.Observe(sixCounts(m), model.Normal(model.Stack(mean, a.Row(0)).Add(s.LogDet()), 1))
	}},
	{"unit vectors and sums of zero", 6, func(m *model.Model) {
		u, z := m.UnitVector("u", 3), m.SumToZero("z", 3, model.Normal(0, 1))
		m.Observe(sixCounts(m), model.Normal(model.Stack(u, z), 1))
	}},
	{"sums by groups", 2, func(m *model.Model) {
		_, in := m.Codes("g", 2, []int{1, 2, 1, 1, 2, 2})
		e := m.Reals("e", 6, model.Normal(0, 1))
		m.Observe(m.Data("y", []float64{1, 2}), model.Normal(e.SumBy(in), e.LogSumExpBy(in).Exp()))
	}},
	{"random walk and neighbours", 6, func(m *model.Model) {
		w := m.Reals("w", 6, model.RandomWalk(model.Normal(0, 1), model.Normal(0, positive(m, "sd"))))
		phi := m.Reals("phi", 6, model.ICAR(6, []int{0, 1, 2, 3, 4}, []int{1, 2, 3, 4, 5}))
		m.Observe(sixCounts(m), model.PoissonLog(w.Add(phi)))
	}},
	{"a recurrence of second order", 6, func(m *model.Model) {
		m.Observe(m.Data("y", numbers(6)), model.Autoregression(m.Reals("phi", 2, model.Normal(0, .3)),
			model.Normal(0, 2), model.Normal(0, positive(m, "sd"))))
	}},
	{"a hidden chain with transitions by row", 1, func(m *model.Model) {
		p := m.Real("a", model.Normal(0, 1)).Add(six(m).Mul(m.Real("b", model.Normal(0, 1)))).InvLogit()
		rows := model.Columns(p, p.OneMinus(), p.OneMinus(), p)
		z := m.Latent("z", 6, model.Markov([]float64{.5, .5}, model.MatOf(12, 2, rows.Values())))
		m.Observe(m.Data("y", numbers(6)), model.Normal(m.Ordered("mu", 2, model.Normal(0, 1)).Pick(z), 1))
	}},
	{"a periodic process", 1, func(m *model.Model) {
		k := model.KernelMatrix(six(m), model.Scaled(positive(m, "s"), model.Periodic(2, 1).Times(
			model.Stationary(kernels.RQ{Alpha: 1}, positive(m, "l")))), .1)
		m.Observe(m.Data("y", numbers(6)), model.MvNormal(0, k.Cholesky()))
	}},
	{"rows of a matrix by an index", 6, func(m *model.Model) {
		_, in := m.Codes("g", 2, []int{1, 2, 1, 1, 2, 2})
		b := model.MatOf(2, 3, m.Reals("b", 6, model.Normal(0, 1)))
		m.Observe(m.Data("kind", []float64{1, 3, 2, 2, 1, 3}), model.CategoricalLogit(b.AddRow(m.Reals("a", 3,
			model.Normal(0, 1))).Of(in)))
	}},
	{"a latent that chooses a row", 6, func(m *model.Model) {
		z := m.Latent("z", 6, model.Categorical(m.Simplex("w", 2, model.Dirichlet(1))))
		b := model.MatOf(2, 2, m.Reals("b", 4, model.Normal(0, 1)))
		x := m.Matrix("X", mat.NewDense(6, 2, numbers(12)))
		m.Observe(m.Data("y", numbers(6)), model.Normal(b.Pick(z).Combine(x.Mat(), model.Expr.Mul).SumRows(), 1))
	}},
}

func unit(m *model.Model, name string) model.Expr { return m.Interval(name, 0, 1, model.Beta(2, 2)) }
func positive(m *model.Model, name string) model.Expr {
	return m.Positive(name, model.LogNormal(0, .5))
}
func six(m *model.Model) model.Expr       { return m.Data("x", []float64{.5, -1, 1.5, .2, -.7, 1}) }
func sixCounts(m *model.Model) model.Expr { return m.Data("count", []float64{0, 1, 0, 3, 2, 0}) }

func sixGrades(m *model.Model) model.Expr { return m.Data("grade", []float64{1, 2, 1, 4, 3, 1}) }

func eye(m *model.Model, n int) model.Mat {
	v := make([]float64, n*n)
	for i := range n {
		v[i*n+i] = 1
	}
	return model.MatOf(n, n, m.Values(v))
}

// What can be said: gradients are those by differences, log likelihoods are those of all rows and with the prior
// add up to the log density, and predictions are numbers; simulations for calibration are ready.
func TestSayable(t *testing.T) {
	for _, c := range said {
		t.Run(c.name, func(t *testing.T) {
			m := model.New()
			c.declare(m)
			p := compile(t, m)
			posterior := target(t, p)
			reference, err := p.Reference()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Calibration(); err != nil {
				t.Error(err)
			}
			d := posterior.Dim()
			g, row := make([]float64, d), make([]float64, len(p.Names()))
			for _, x := range points(d) {
				lp := posterior.LogDensity(x, g)
				if math.IsInf(lp, 0) || math.IsNaN(lp) {
					t.Fatalf("log density %v", lp)
				}
				if err := hmc.CheckGradient(posterior, x); err != nil {
					t.Error(err)
				}
				posterior.(hmc.Constrainer).Constrain(row, x)
				run := &draws.Run{Names: p.Names(), Chains: []draws.Chain{{Values: [][]float64{row}}}}
				ll, err := p.LogLik(t.Context(), run)
				if err != nil {
					t.Fatal(err)
				}
				sum := reference.LogDensity(x, g)
				for _, v := range ll.Chains[0].Values[0] {
					sum += v
				}
				if len(ll.Names) != c.rows || !(math.Abs(sum-lp) <= 1e-10*(1+math.Abs(lp))) {
					t.Errorf("%d log likelihoods add up to %v with the prior, want %d and %v", len(ll.Names), sum, c.rows, lp)
				}
				predicted, err := p.Predictive(t.Context(), run, 1)
				if err != nil {
					t.Fatal(err)
				}
				if len(predicted.Names) < c.rows {
					t.Errorf("%d predictions", len(predicted.Names))
				}
				for i, v := range predicted.Chains[0].Values[0] {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%s is predicted as %v", predicted.Names[i], v)
					}
				}
			}
		})
	}
}

// Point masses by hand: beside counts a zero may come from either part, beside continuous values it comes from the
// mass alone. Of 4000 predicted zeros with probability .3 the share is off by more than .04 with one of 3e-8.
func TestPointMass(t *testing.T) {
	for name, c := range map[string]struct {
		y    []float64
		part model.Dist
		at   func(y float64) float64
	}{
		"counts": {[]float64{0, 2}, model.Poisson(1.5), func(y float64) float64 {
			if y == 0 {
				return math.Log(.3 + .7*math.Exp(-1.5))
			}
			return math.Log(.7) - 1.5 + 2*math.Log(1.5) - math.Ln2
		}},
		"normal values": {[]float64{0, 2}, model.Normal(0, 1), func(y float64) float64 {
			if y == 0 {
				return math.Log(.3)
			}
			return math.Log(.7) + normalLog(y, 0, 1)
		}},
	} {
		m := model.New()
		m.Quantity("unused", m.Real("a", model.Normal(0, 1)))
		m.Observe(m.Data("y", c.y), model.Mix(m.Values([]float64{.3, .7}), model.PointMass(0), c.part))
		p := compile(t, m)
		run := &draws.Run{Names: p.Names(), Chains: []draws.Chain{{Values: make([][]float64, 4000)}}}
		for i := range run.Chains[0].Values {
			run.Chains[0].Values[i] = []float64{0, 0}
		}
		ll, err := p.LogLik(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range c.y {
			if got, want := ll.Chains[0].Values[0][i], c.at(y); !(math.Abs(got-want) <= 1e-14) {
				t.Errorf("%s: log density at %v is %v, want %v", name, y, got, want)
			}
		}
		predicted, err := p.Predictive(t.Context(), run, 1)
		if err != nil {
			t.Fatal(err)
		}
		zeros := 0.0
		for _, row := range predicted.Chains[0].Values {
			if row[0] == 0 {
				zeros++
			}
		}
		want := .3
		if name == "counts" {
			want += .7 * math.Exp(-1.5)
		}
		if math.Abs(zeros/4000-want) > .04 {
			t.Errorf("%s: a share of %v zeros, want %v", name, zeros/4000, want)
		}
	}
}

// Rows of matrices and partial credit, by hand.
func TestRowsByHand(t *testing.T) {
	m := model.New()
	a := m.Reals("a", 6, model.Normal(0, 1))
	b, c := m.Reals("b", 3, model.Normal(0, 1)), m.Reals("c", 2, model.Normal(0, 1))
	_, in := m.Codes("g", 2, []int{2, 1, 2})
	rows := model.MatOf(2, 3, a)
	m.Quantity("row", rows.AddRow(b).Values())
	m.Quantity("col", rows.AddCol(c).Values())
	m.Quantity("of", rows.Of(in).Values())
	m.Observe(m.Data("y", []float64{1, 3, 4}), model.PartialCredit(c.El(0).Mul(m.Data("x", []float64{1, 2, -1})), b))
	p := compile(t, m)
	x := points(11)[0]
	row := make([]float64, len(p.Names()))
	target(t, p).(hmc.Constrainer).Constrain(row, x)
	for k := range 6 {
		for name, w := range map[string][2]float64{"row": {row[11+k], x[k] + x[6+k%3]}, "col": {row[17+k], x[k] + x[9+k/3]}} {
			if w[0] != w[1] {
				t.Errorf("%s: value %d is %v, want %v", name, k, w[0], w[1])
			}
		}
	}
	for k, i := range []int{3, 4, 5, 0, 1, 2, 3, 4, 5} {
		if row[23+k] != x[i] {
			t.Errorf("of: value %d is %v, want %v", k, row[23+k], x[i])
		}
	}
	ll, err := p.LogLik(t.Context(), &draws.Run{Names: p.Names(), Chains: []draws.Chain{{Values: [][]float64{row}}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, y := range []int{1, 3, 4} {
		eta := x[9] * []float64{1, 2, -1}[i]
		logit := []float64{0, 0, 0, 0}
		for k := range 3 {
			logit[k+1] = logit[k] + eta - x[6+k]
		}
		if got, want := ll.Chains[0].Values[0][i], math.Log(softmax(logit...)[y-1]); !(math.Abs(got-want) <= 1e-13) {
			t.Errorf("partial credit %d: %v, want %v", i, got, want)
		}
	}
}
