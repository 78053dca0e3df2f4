package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/hmc"
	"bayeskernel/model"
)

// rewritten are models that every rewrite has something to do in.
func rewritten() map[string]*model.Model {
	r := rand.New(rand.NewPCG(11, 12))
	const n = 60
	x, y, count, binary, trials := make([]float64, n), make([]float64, n), make([]float64, n),
		make([]float64, n), make([]float64, n)
	group, item, coarse := make([]string, n), make([]int, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = r.NormFloat64(), r.NormFloat64()
		binary[i], trials[i] = float64(r.IntN(2)), float64(3+r.IntN(4))
		count[i] = float64(r.IntN(3))
		group[i], item[i], coarse[i] = fmt.Sprint(i/12), r.IntN(4), float64(r.IntN(2))
	}
	all := map[string]*model.Model{}
	eta := func(m *model.Model, x []float64) model.Expr {
		g, in := m.Factor("group", group)
		a := g.Reals("a", model.Normal(m.Real("mu", model.Normal(0, 1)), m.Positive("sd",
			model.HalfNormal(1))), model.NonCentred)
		b := g.Reals("b", model.Normal(0, 1))
		return a.Of(in).Add(b.Of(in).Mul(m.Data("x", x)))
	}
	for name, x := range map[string][]float64{"": x, ", equal rows": coarse} {
		m := model.New()
		m.Observe(m.Data("y", binary), model.BernoulliLogit(eta(m, x)))
		all["bernoulli"+name] = m
		m = model.New()
		m.Observe(m.Data("y", count), model.PoissonLog(eta(m, x)))
		all["poisson"+name] = m
		m = model.New()
		m.Observe(m.Data("y", count), model.BinomialLogit(trials, eta(m, x)))
		all["binomial"+name] = m
		m = model.New()
		m.Observe(m.Data("y", count), model.BinomialLogit(7, eta(m, x)))
		all["binomial of 7"+name] = m
		m = model.New()
		m.Observe(m.Data("y", y), model.Normal(eta(m, x), m.Positive("s", model.HalfNormal(1))))
		all["normal"+name] = m
	}
	m := model.New()
	b, c := m.Reals("b", 4, model.Normal(0, 1)), m.Reals("c", 4, model.Normal(0, 1))
	a := m.Positives("scale", n, model.LogNormal(0, 1))
	m.Observe(m.Data("y", binary), model.BernoulliLogit(a.Mul(b.At(item).Sub(c.At(item)))))
	all["discrimination"] = m

	m = model.New()
	design := mat.NewDense(n, 3, nil)
	for i := range n {
		design.SetRow(i, []float64{1, x[i], coarse[i]})
	}
	b = m.Reals("b", 3, model.Normal(0, 1))
	m.Observe(m.Data("y", y), model.Normal(m.Matrix("x", design).MatVec(b).Add(
		m.Data("offset", x).Scale(0.5)), m.Positive("s", model.HalfNormal(1))))
	all["regression"] = m

	m = model.New()
	series := m.Data("y", y)
	mu, f := m.Real("mu", model.Normal(0, 1)), m.Interval("f", -1, 1, model.Uniform(-1, 1))
	s := m.Positive("s", model.HalfNormal(1))
	m.Observe(series, model.Normal(model.Recur(n, mu, series.Slice(0, n-1).Mul(f).Add(mu), f.Neg()), s))
	all["linear recurrence"] = m

	m = model.New()
	series = m.Data("y", y[:n-1]) // another number of steps, for there are two at a time
	mu, f = m.Real("mu", model.Normal(0, 1)), m.Interval("f", -1, 1, model.Uniform(-1, 1))
	s = m.Positive("s", model.HalfNormal(1))
	h := model.Recur(n-1, 2, s.Add(s.Mul(series.Sub(mu).Square().Slice(0, n-2))), f.Square())
	m.Observe(series, model.Normal(mu, h.Sqrt()))
	all["odd recurrence"] = m

	m = model.New()
	series = m.Data("y", y)
	mu, s = m.Real("mu", model.Normal(0, 1)), m.Positive("s", model.HalfNormal(1))
	w := m.Interval("w", 0, 1, model.Beta(2, 2))
	shock := series.Slice(3, n).Sub(mu).Slice(0, n-4).Square()
	m.Observe(series.Slice(3, n), model.Normal(mu, model.Recur(n-3, s, s.Add(w.Mul(shock)), w).Sqrt()))
	all["recurrence of squares"] = m

	m = model.New()
	v, u := m.Reals("v", n, model.Normal(0, 1)), m.Reals("u", n, model.Normal(0, 1))
	k, s := m.Real("k", model.Normal(0, 1)), m.Positive("s", model.HalfNormal(1))
	mean := v.Mul(u).Add(k).Add(u.Add(k.Mul(v))).Add(k.Add(k.Mul(u).Exp())).Add(v.Add(v.Mul(k).Tanh()))
	m.Observe(m.Data("y", y), model.Normal(mean, s))
	all["products"] = m

	for parts := 2; parts <= 3; parts++ {
		m = model.New()
		mus := m.Ordered("mu", parts, model.Normal(0, 2))
		weights := m.Simplex("w", parts, model.Flat())
		var d []model.Dist
		for i := range parts {
			d = append(d, model.Normal(mus.El(i), 0.5+float64(i)))
		}
		m.Observe(m.Data("y", y), model.Mix(weights, d...))
		all[fmt.Sprintf("mixture of %d", parts)] = m
	}
	return all
}

// Rewrites change no density and no gradient beyond rounding, and gradients agree with differences.
func TestRewritesKeepTheDensity(t *testing.T) {
	every := []model.Rewrite{model.Regressions, model.EqualRows, model.Sums, model.Variances}
	for name, m := range rewritten() {
		phrase := "as one"
		switch {
		case strings.Contains(name, "equal rows"):
			phrase = "60 rows with equal predictors as 10"
		case name == "regression":
			phrase = "60 rows on 3 columns by QR"
		case strings.Contains(name, "recurrence"):
			phrase = "what a recurrence adds, as part of it"
		case strings.Contains(name, "mixture"):
			phrase = ""
		}
		if s := compile(t, m).String(); !strings.Contains(s, phrase) {
			t.Errorf("%s: want %q in\n%s", name, phrase, s)
		}
		if s := compile(t, m, model.Without(every...)).String(); strings.Contains(s, "rewritten") {
			t.Errorf("%s without rewrites: %s", name, s)
		}
		want := gradientHolds(t, m, model.Without(every...))
		for i, off := range append([][]model.Rewrite{{}}, every[:1], every[1:2], every[2:3], every[3:]) {
			got := gradientHolds(t, m, model.Without(off...))
			equalDensity(t, fmt.Sprintf("%s, case %d", name, i), got, want)
		}
	}
}

func equalDensity(t *testing.T, name string, got, want hmc.Target) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 3))
	d := want.Dim()
	x, g, h := make([]float64, d), make([]float64, d), make([]float64, d)
	for range 20 {
		for i := range x {
			x[i] = 1.5 * r.NormFloat64()
		}
		a, b := got.LogDensity(x, g), want.LogDensity(x, h)
		if math.IsInf(a, -1) && math.IsInf(b, -1) {
			continue
		}
		if !(math.Abs(a-b) <= 1e-10*(1+math.Abs(b))) {
			t.Errorf("%s: log density %v, want %v", name, a, b)
		}
		for i := range g {
			if !(math.Abs(g[i]-h[i]) <= 1e-10*(1+math.Abs(h[i])+1e-3*math.Abs(b))) {
				t.Errorf("%s: gradient %d is %v, want %v", name, i, g[i], h[i])
			}
		}
	}
}

// Far out, densities of counts are those of the formulas one by one, and nothing is NaN.
func TestCountsFarOut(t *testing.T) {
	y := []float64{0, 1, 1, 0, 1, 0, 1, 1, 0, 0}
	x := []float64{1, 2, -1, 0.5, -2, 0, 1, 3, -3, 0.1}
	for name, d := range map[string]func(model.Expr) model.Dist{
		"bernoulli": func(e model.Expr) model.Dist { return model.BernoulliLogit(e) },
		"poisson":   func(e model.Expr) model.Dist { return model.PoissonLog(e) },
		"binomial":  func(e model.Expr) model.Dist { return model.BinomialLogit(3, e) },
	} {
		m := model.New()
		m.Observe(m.Data("y", y), d(m.Real("b", model.Flat()).Mul(m.Data("x", x))))
		target, err := compile(t, m).Target()
		if err != nil {
			t.Fatal(err)
		}
		g := make([]float64, 1)
		for _, b := range []float64{0, 1e-300, 1, 30, -30, 200, -200, 1e5, -1e5, 1e200, 1e308} {
			want := 0.0
			for i, v := range y {
				e := b * x[i]
				switch name {
				case "poisson":
					want += v*e - math.Exp(e)
				case "bernoulli":
					want += v*e - max(e, 0) - math.Log1p(math.Exp(-math.Abs(e)))
				default:
					want += v*e - 3*(max(e, 0)+math.Log1p(math.Exp(-math.Abs(e)))) +
						math.Log([]float64{1, 3}[int(v)])
				}
			}
			got := target.LogDensity([]float64{b}, g)
			if math.IsNaN(got) || math.IsInf(got, 1) {
				t.Errorf("%s at %v: log density %v", name, b, got)
			}
			if want > -1e300 && !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
				t.Errorf("%s at %v: log density %v, want %v", name, b, got, want)
			}
			if want > -1e300 && (math.IsNaN(g[0]) || math.IsInf(g[0], 0)) {
				t.Errorf("%s at %v: gradient %v", name, b, g[0])
			}
		}
	}
}

// Exponentials of values far apart are not taken relative to the largest.
func TestExpOfFarApart(t *testing.T) {
	m := model.New()
	x := make([]float64, 20)
	for i := range x {
		x[i] = float64(i)*70 - 700
	}
	m.Quantity("e", m.Real("b", model.Normal(0, 1)).Mul(m.Data("x", x)).Exp())
	target, err := compile(t, m).Target()
	if err != nil {
		t.Fatal(err)
	}
	v := make([]float64, 21)
	for _, b := range []float64{1, 0.01, -1, 1.1} {
		target.(hmc.Constrainer).Constrain(v, []float64{b})
		for i, e := range v[1:] {
			want := math.Exp(b * x[i])
			if e != want && !(math.Abs(e-want) <= 3e-13*want) {
				t.Errorf("exp(%v) is %v, want %v", b*x[i], e, want)
			}
		}
	}
}

// The log of a product is the sum of logs, also of numbers far from 1.
func TestVariancesFarFromOne(t *testing.T) {
	for _, scale := range []float64{1e-150, 1e-20, 1, 1e20, 1e150} {
		m := model.New()
		n := 30
		y := make([]float64, n)
		c := make([]float64, n)
		for i := range c {
			c[i] = scale * float64(1+i)
		}
		s := m.Positive("s", model.LogNormal(0, 1))
		m.Observe(m.Data("y", y), model.Normal(0, s.Mul(m.Data("c", c))))
		target, err := compile(t, m).Target()
		if err != nil {
			t.Fatal(err)
		}
		got := target.LogDensity([]float64{0.3}, make([]float64, 1))
		want := -0.3*0.3/2 - 0.5*math.Log(2*math.Pi)
		for _, v := range c {
			want -= 0.3 + math.Log(v) + 0.5*math.Log(2*math.Pi)
		}
		if !(math.Abs(got-want) <= 1e-11*math.Abs(want)) {
			t.Errorf("standard deviations of %v: log density %v, want %v", scale, got, want)
		}
	}
}

// Data that are lognormal have the density of their logs and the Jacobian of these.
func TestObservedLogNormal(t *testing.T) {
	y := []float64{0.5, 1, 3.5}
	m := model.New()
	mean, sd := m.Reals("mean", 3, model.Flat()), m.Positive("sd", model.Flat())
	m.Observe(m.Data("y", y), model.LogNormal(mean, sd))
	target := gradientHolds(t, m)
	x, want := []float64{0.1, -0.2, 0.3, -0.5}, -0.5 // the Jacobian of sd
	for i, v := range y {
		z := (math.Log(v) - x[i]) / math.Exp(-0.5)
		want += -z*z/2 + 0.5 - math.Log(v) - math.Log(2*math.Pi)/2
	}
	if got := target.LogDensity(x, make([]float64, 4)); !(math.Abs(got-want) <= 1e-13) {
		t.Errorf("log density %v, want %v", got, want)
	}
}

// An expression that is used twice, forty times over, is looked at once.
func TestSharedExpressions(t *testing.T) {
	m := model.New()
	e := m.Reals("v", 3, model.Normal(0, 1)).Scale(0.5)
	for range 40 {
		e = e.Mul(e).Tanh()
	}
	m.Observe(m.Data("y", []float64{1, 2, 3}), model.Normal(e, 1))
	gradientHolds(t, m)
}
