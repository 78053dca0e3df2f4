package model_test

import (
	"math"
	"strings"
	"testing"

	"bayeskernel/model"
)

// What could be sampled and is a mistake is told before.
func TestMistakes(t *testing.T) {
	y := []float64{0.5, -1, 2, 0.3}
	for want, declare := range map[string]func(m *model.Model){
		"mistakes_test.go:17: the sd of normal is s, which may be any number from -Inf to +Inf: want a positive number": func(m *model.Model) {
			s := m.Real("s", model.Normal(0, 5))
			m.Observe(m.Data("y", y), model.Normal(0, s))
		},
		"the scale of cauchy is s, which may be any number from -1 to 3": func(m *model.Model) {
			_, in := m.Codes("g", 2, []int{1, 2, 2, 1})
			s := m.Interval("s", -1, 3, model.Uniform(-1, 3))
			m.Observe(m.Data("y", y), model.Cauchy(0, model.Stack(s, m.Positive("u", model.Gamma(2, 1))).Of(in)))
		},
		"the probability of bernoulli is p, which may be any number from 0 to +Inf": func(m *model.Model) {
			m.Observe(m.Data("y", []float64{1, 0}), model.Bernoulli(m.Positive("p", model.Gamma(1, 1))))
		},
		"the sd of normal is s, ": func(m *model.Model) {
			s := m.Real("s", model.Flat())
			w := m.Simplex("w", 2, model.Flat())
			m.Observe(m.Data("y", y), model.Mix(w, model.Normal(0, 1), model.Normal(2, s)))
		},
		"theta: the sd of normal is tau, ": func(m *model.Model) {
			theta := m.Reals("theta", 4, model.Normal(0, m.Real("tau", model.Normal(0, 1))), model.NonCentred)
			m.Observe(m.Data("y", y), model.Normal(theta, 1))
		},
		"same all along a line in a, b, whose distributions are flat": func(m *model.Model) {
			a, b, c := m.Real("a", model.Flat()), m.Real("b", model.Flat()), m.Real("c", model.Flat())
			x := m.Data("x", []float64{1, 5, 2, 9})
			m.Observe(m.Data("y", y), model.StudentT(4, a.Add(b).Add(c.Mul(x)), m.Positive("s", model.Gamma(2, 1))))
		},
		"same all along a line in effect[1], effect[2], mean, whose": func(m *model.Model) {
			g, in := m.Codes("g", 2, []int{1, 2, 2, 1})
			effect := g.Reals("effect", model.Flat()).Of(in)
			m.Observe(m.Counts("y", []int{3, 0, 4, 8}), model.PoissonLog(m.Real("mean", model.Flat()).Add(effect)))
		},
		"Observe: y - mu depends on parameters, want data: say Density": func(m *model.Model) {
			m.Observe(m.Data("y", y).Sub(m.Real("mu", model.Normal(0, 1))), model.Normal(0, 1))
		},
	} {
		m := model.New()
		declare(m)
		if _, err := m.Compile(); err == nil {
			t.Errorf("no error, want %q", want)
		} else if want = strings.TrimPrefix(want, "theta: "); !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want %q", err, want)
		}
	}
}

// None of these is a mistake.
func TestNoMistakes(t *testing.T) {
	y := []float64{0.5, -1, 2, 0.3, 0.1, 4}
	for name, declare := range map[string]func(m *model.Model){
		"a proper part of a sum": func(m *model.Model) {
			a, b := m.Real("a", model.Flat()), m.Real("b", model.Normal(0, 1))
			m.Observe(m.Data("y", y), model.Normal(a.Add(b), 1))
		},
		"years that are not centred": func(m *model.Model) {
			year := m.Data("year", []float64{1996, 1999, 2003, 2004, 2009, 2011})
			a, b, c := m.Real("a", model.Flat()), m.Real("b", model.Flat()), m.Real("c", model.Flat())
			m.Observe(m.Data("y", y), model.Normal(a.Add(b.Mul(year)).Add(c.Mul(year.Square())), 1))
		},
		"small and large predictors": func(m *model.Model) {
			x := m.Data("x", []float64{3e9, 1e9, 2e9, 7e9, 4e9, 1e9})
			a, b := m.Real("a", model.Flat()), m.Real("b", model.Flat())
			m.Observe(m.Data("y", y), model.Normal(a.Add(b.Mul(x)), 1))
		},
		"a series with gaps": func(m *model.Model) {
			x := m.Missing("x", []float64{1, math.NaN(), 2, math.NaN(), 0})
			m.Observe(x.Slice(1, 5), model.Normal(x.Slice(0, 4).Scale(0.5), 1))
		},
		"a probability": func(m *model.Model) {
			m.Observe(m.Data("y", []float64{1, 0}), model.Bernoulli(m.Interval("p", 0, 1, model.Beta(1, 1))))
		},
		"a scale between expressions": func(m *model.Model) {
			s := m.Between("s", m.Const(1), m.Const(2), model.Uniform(1, 2))
			m.Observe(m.Data("y", y), model.Normal(0, s))
		},
	} {
		m := model.New()
		declare(m)
		if _, err := m.Compile(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rows to predict, without any that was observed, leave flat parameters free: that is no mistake.
func TestFlatWithNewData(t *testing.T) {
	m := model.New()
	x := m.Data("x", []float64{1, 2, 4})
	a, b := m.Real("a", model.Flat()), m.Real("b", model.Flat())
	m.Observe(m.Data("y", []float64{1, 0, 2}), model.Normal(a.Add(b.Mul(x)), 1))
	if _, err := compile(t, m).With("x", []float64{3, 5}); err != nil {
		t.Error(err)
	}
	if _, err := compile(t, m).Without([]int{0, 1}); err != nil {
		t.Error(err)
	}
}

// What only looks like a line is none: a column that is far from 0 and hardly varies has an intercept
// and a slope. The same line is found in any units, and under any likelihood.
func TestFlatLines(t *testing.T) {
	far, wide := make([]float64, 12), make([]float64, 12)
	counts := make([]float64, len(far))
	for i := range far {
		far[i], wide[i], counts[i] = 1e6+float64(i%3), 1e4*float64(i*i%7), float64(i%4)
	}
	for name, c := range map[string]struct {
		flat    bool
		declare func(m *model.Model, a, b, c model.Expr)
	}{
		"far": {false, func(m *model.Model, a, b, c model.Expr) {
			m.Observe(m.Data("y", counts), model.Normal(a.Add(b.Mul(m.Data("x", far))), c.Exp()))
		}},
		"far, robust": {false, func(m *model.Model, a, b, c model.Expr) {
			m.Observe(m.Data("y", counts), model.StudentT(4, a.Add(b.Mul(m.Data("x", far))), c.Exp()))
		}},
		"far, and the same once more": {true, func(m *model.Model, a, b, c model.Expr) {
			x := m.Data("x", far)
			m.Observe(m.Data("y", counts), model.Normal(a.Add(b.Mul(x)).Add(c.Mul(x)), 2))
		}},
		"wide, and its half": {true, func(m *model.Model, a, b, c model.Expr) {
			x := m.Data("x", wide)
			m.Observe(m.Data("y", counts), model.StudentT(4, a.Add(b.Mul(x)).Add(c.Mul(x.Scale(0.5))), 2))
		}},
		"a sum of a sum": {true, func(m *model.Model, a, b, c model.Expr) {
			m.Observe(m.Data("y", counts), model.PoissonLog(a.Add(b).Add(c)))
		}},
		"column and constant": {true, func(m *model.Model, a, b, c model.Expr) {
			x := m.Data("x", far)
			m.Observe(m.Data("y", counts), model.Normal(a.Add(b.Mul(x)).Add(c.Mul(x.Sub(m.Const(1e6)))), 2))
		}},
	} {
		m := model.New()
		c.declare(m, m.Real("a", model.Flat()), m.Real("b", model.Flat()), m.Real("c", model.Flat()))
		if _, err := m.Compile(); (err != nil && strings.Contains(err.Error(), "all along a line")) != c.flat {
			t.Errorf("%s: %v", name, err)
		}
	}
}
