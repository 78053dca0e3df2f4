package model_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/model"
)

// decay declares y' = -rate (y - level(t)), where the level is declared outside.
func decay(m *model.Model, rate, level, start model.Expr, stiff bool) model.Mat {
	return m.ODE(model.ODE{Start: start, From: 0.5, Times: []float64{0.5, 1, 2, 4}, Stiff: stiff, RelTol: 1e-10,
		AbsTol: 1e-10, Rate: func(t, y model.Expr) model.Expr {
			return rate.Neg().Mul(y.Sub(level.Mul(t.Scale(.1).Exp())))
		}})
}

// The gradient goes through the equations: through the start, a number and a vector from outside, data
// and time.
func TestODEGradient(t *testing.T) {
	for _, stiff := range []bool{false, true} {
		checkGradient(t, func(m *model.Model) {
			rate, level := m.Positive("rate", model.LogNormal(0, .3)), m.Reals("level", 2, model.Normal(1, 1))
			start := m.Reals("start", 2, model.Normal(3, 1))
			y := decay(m, rate, level.Add(m.Values([]float64{0, 1})), start, stiff)
			m.Observe(m.Data("y", []float64{3, 2, 1.5, 1.4, 1.1, 1.3, 1, 1.2}), model.Normal(y.Values(), .5))
			fixed := decay(m, rate.Scale(2), level, m.Values([]float64{1, 2}), stiff)
			m.Quantity("end", fixed.Row(3))
			weighed(m, fixed.Row(3))
		}, 0.8)
	}
}

// With a constant level the solution is level + (start - level) exp(-rate (t - t0)), in copies of the
// model as well.
func TestODESolution(t *testing.T) {
	m := model.New()
	rate := m.Positive("rate", model.LogNormal(0, .3))
	x := m.Data("x", []float64{1})
	y := m.ODE(model.ODE{Start: x.Scale(5), Times: []float64{1, 3}, RelTol: 1e-10, AbsTol: 1e-10,
		Rate: func(_, y model.Expr) model.Expr { return rate.Neg().Mul(y.Sub(x)) }})
	m.Observe(m.Data("y", []float64{3, 2}), model.Normal(y.Values(), 1))
	m.Quantity("solution", y.Values())
	p, err := m.Compile()
	if err != nil {
		t.Fatal(err)
	}
	q, err := p.With("x", []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range []*model.Program{p, q} {
		g, err := p.Target()
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, 3)
		g.(hmc.Constrainer).Constrain(dst, []float64{math.Log(.8)})
		level := float64(k + 1)
		for i, at := range []float64{1, 3} {
			if want := level + 4*level*math.Exp(-.8*at); !(math.Abs(dst[i+1]-want) <= 1e-8) {
				t.Errorf("level %v at %v: %v, want %v", level, at, dst[i+1], want)
			}
		}
	}
}

// Where the explicit method gives up on stiff equations, the reason says what to do.
func TestODEStiff(t *testing.T) {
	of := func(stiff bool) hmc.Target {
		m := model.New()
		rate := m.Positive("rate", model.LogNormal(0, 1))
		y := m.ODE(model.ODE{Start: m.Values([]float64{1, 0, 0}), Times: []float64{40}, Stiff: stiff, MaxSteps: 10_000,
			Rate: func(_, y model.Expr) model.Expr {
				a, b, c := y.El(0), y.El(1), y.El(2)
				first, third := rate.Neg().Mul(a).Add(b.Mul(c).Scale(1e4)), b.Mul(b).Scale(3e7)
				return model.Stack(first, first.Add(third).Neg(), third)
			}})
		m.Observe(m.Data("y", []float64{.7}), model.Normal(y.El(0, 0), .1))
		return targetOf(t, m)
	}
	x, grad := []float64{math.Log(.04)}, []float64{0}
	g := of(false)
	if lp := g.LogDensity(x, grad); !math.IsInf(lp, -1) {
		t.Errorf("the explicit method: log density %v, want -Inf", lp)
	}
	if why := g.(hmc.Explainer).Explain(x); !strings.Contains(why, "stiff") {
		t.Errorf("the reason is %q, want a word on stiffness", why)
	}
	if lp := of(true).LogDensity(x, grad); math.IsInf(lp, 0) || math.IsNaN(lp) {
		t.Errorf("the implicit method: log density %v", lp)
	}
}

func TestODEErrors(t *testing.T) {
	rate := func(_, y model.Expr) model.Expr { return y }
	for want, declare := range map[string]func(m *model.Model){
		"time 2 is 1, want one from 3 on": func(m *model.Model) {
			m.ODE(model.ODE{Start: m.Values([]float64{1}), Times: []float64{3, 1}, Rate: rate})
		},
		"there are no times": func(m *model.Model) { m.ODE(model.ODE{Start: m.Values([]float64{1}), Rate: rate}) },
		"the rate has 1 value and the start 2": func(m *model.Model) {
			m.ODE(model.ODE{Start: m.Values([]float64{1, 2}), Times: []float64{1},
				Rate: func(t, _ model.Expr) model.Expr { return t }})
		},
		"there is no rate": func(m *model.Model) {
			m.ODE(model.ODE{Start: m.Values([]float64{1}), Times: []float64{1}})
		},
		"the state of an ODE is used outside its rate": func(m *model.Model) {
			var leaked model.Expr
			a := m.Real("a", model.Normal(0, 1))
			m.ODE(model.ODE{Start: m.Values([]float64{1}), Times: []float64{1},
				Rate: func(_, y model.Expr) model.Expr { leaked = y.Mul(a); return leaked }})
			m.Quantity("q", leaked)
		},
	} {
		m := model.New()
		declare(m)
		if _, err := m.Compile(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func ExampleModel_ODE() {
	m := model.New()
	rate := m.Positive("rate", model.LogNormal(0, 1))
	y := m.ODE(model.ODE{
		Start: m.Values([]float64{10}),
		Times: []float64{1, 2, 3},
		Rate:  func(_, y model.Expr) model.Expr { return rate.Neg().Mul(y) },
	})
	m.Observe(m.Data("y", []float64{6.2, 3.5, 2.3}), model.LogNormal(y.Values().Log(), 0.1))
	p, err := m.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Names())
	// Output: [rate]
}
