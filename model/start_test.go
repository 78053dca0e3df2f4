package model_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

// A start where the density is 0, or where something is not a number, names the distribution.
func TestStartNamesTheDensity(t *testing.T) {
	for want, declare := range map[string]func(m *model.Model){
		"log density is -Inf (the density is 0 of y ~ uniform(-1, a) at start_test.go:": func(m *model.Model) {
			a := m.Real("a", model.Normal(0, 1))
			m.Observe(m.Data("y", []float64{0.5, 50}), model.Uniform(-1, a))
		},
		"the density is 0 of b ~ uniform(100, a + 100) at start_test.go:": func(m *model.Model) {
			a := m.Real("a", model.Normal(0, 1))
			b := m.Real("b", model.Uniform(100, a.Shift(100)))
			m.Observe(m.Data("y", []float64{0.5}), model.Normal(b, 1))
		},
		"(the density is not a number of AddLogDensity of an expression, computed at start_test.go:": func(m *model.Model) {
			a := m.Real("a", model.Normal(0, 1))
			m.AddLogDensity(a.Square().Neg().Shift(-1).Log())
		},
	} {
		m := model.New()
		declare(m)
		p := compile(t, m)
		_, err := nuts.Sample(context.Background(), p.Target, nuts.Config{Settings: hmc.Settings{
			Chains: 1, Warmup: 10, Draws: 10, Start: hmc.Start{Radius: 0.01}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\nwant %s", err, want)
		}
	}
	m := model.New()
	m.Observe(m.Data("y", []float64{1}), model.Normal(m.Real("a", model.Normal(0, 1)).Exp(), 1))
	target := targetOf(t, m)
	for x, want := range map[float64]string{0: "", math.Inf(1): "parameter a is [+Inf]"} {
		if got := target.(hmc.Explainer).Explain([]float64{x}); got != want {
			t.Errorf("at %v: %q, want %q", x, got, want)
		}
	}
}

// What has a flat prior cannot be drawn, and says so.
func TestFlatPriors(t *testing.T) {
	m := model.New()
	beta := m.Real("beta", model.Flat())
	m.Observe(m.Data("y", []float64{1}), model.Normal(beta, 1))
	p := compile(t, m)
	_, prior := p.Prior(t.Context(), 3, 1)
	_, calibration := p.Calibration()
	_, reference := p.Reference()
	for _, err := range []error{prior, calibration, reference} {
		if err == nil || !strings.Contains(err.Error(),
			"parameter beta has a flat prior, there is nothing to draw from") {
			t.Errorf("error %v", err)
		}
	}
}
