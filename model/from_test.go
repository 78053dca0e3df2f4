package model_test

import (
	"math"
	"testing"

	"bayeskernel/model"
	"bayeskernel/priors"
)

// Each prior that Parse reads has the same density in a model, the Jacobian aside.
func TestFrom(t *testing.T) {
	for _, s := range []string{"beta(2,3)", "exponential(0.5)", "flat", "gamma(2,0.1)",
		"half_cauchy(2)", "half_normal(2)", "inv_gamma(3,2)", "lognormal(1,0.5)", "normal(1,2)",
		"student_t(3,1,2)", "uniform(0.1,0.9)"} {
		p, err := priors.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := p.Support()
		m := model.New()
		m.Quantity("twice", m.Interval("a", lo, hi, model.From(p)).Scale(2))
		target := targetOf(t, m)
		x, grad := []float64{0.3}, make([]float64, 1)
		transform := priors.Interval{Lo: lo, Hi: hi}
		v := make([]float64, 1)
		want := transform.Constrain(v, x)
		want += p.LogDensity(v[0])
		if got := target.LogDensity(x, grad); !(math.Abs(got-want) <= 1e-14*(1+math.Abs(want))) {
			t.Errorf("%s: log density %v, want %v", s, got, want)
		}
	}
	m := model.New()
	m.Real("a", model.From(other{priors.Normal{SD: 1}}))
	_, err := m.Compile()
	wantErrors(t, err, "a: From: model_test.other is no distribution of package priors")
}

type other struct{ priors.Prior }
