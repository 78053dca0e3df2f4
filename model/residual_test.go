package model_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/model"
	"bayeskernel/stein"
)

var _ stein.Model = (*model.Program)(nil)

// Residuals are normal quantiles of R's distribution functions, qnorm(pgamma(y, ...)), at y = .2, 1.3, 9; those of the beta
// distribution at .2, .5, .97. The parameter is a location or scale whose value is that of the draw.
func TestResiduals(t *testing.T) {
	y, shares := []float64{.2, 1.3, 9}, []float64{.2, .5, .97}
	for name, c := range map[string]struct {
		y    []float64
		dist func(m *model.Model, a model.Expr) model.Dist
		at   float64
		want []float64
	}{
		"normal": {y, func(m *model.Model, a model.Expr) model.Dist { return model.Normal(1, a) }, 2, []float64{-.4, .15, 4}},
		"gamma": {y, func(m *model.Model, a model.Expr) model.Dist { return model.Gamma(2.5, a) }, 1.7,
			[]float64{-2.14561794867002, 0.023419115335726, 4.23883441886631}},
		"weibull": {y, func(m *model.Model, a model.Expr) model.Dist { return model.Weibull(1.5, a) }, 2,
			[]float64{-1.86446799994365, -0.233000602951911, 3.8029527494032}},
		"lognormal": {y, func(m *model.Model, a model.Expr) model.Dist { return model.LogNormal(.3, a) }, .8,
			[]float64{-2.38679739054262, -0.0470446694156361, 2.37153072167028}},
		"student": {y, func(m *model.Model, a model.Expr) model.Dist { return model.StudentT(4, 1, a) }, 2,
			[]float64{-0.372397034646843, 0.140804677484739, 2.40595865954537}},
		"exponential": {y, func(m *model.Model, a model.Expr) model.Dist { return model.Exponential(a) }, 1.7,
			[]float64{-0.558563941883979, 1.22812167096845, 5.04512033591508}},
		"beta": {shares, func(m *model.Model, a model.Expr) model.Dist { return model.BetaProportion(.3, a) }, 5,
			[]float64{-0.370964335095274, 0.992530293445244, 4.24850395609085}},
		"truncated": {y, func(m *model.Model, a model.Expr) model.Dist {
			return model.Normal(1, a).Truncate(0, math.Inf(1))
		}, 2,
			[]float64{-1.6246136533953, -0.350145758288064, 3.91181113595646}},
		"mixture": {y, func(m *model.Model, a model.Expr) model.Dist {
			return model.Mix(m.Data("w", []float64{.3, .7}), model.Normal(-1, 1), model.Normal(4, a))
		}, 2,
			[]float64{-0.566341901079023, -0.361833144810099, 2.62387644914074}},
		// 1.3 given .2, and 9 given 1.3, half of which it keeps: (1.3 - .1)/2, (9 - .65)/2.
		"autoregression": {y, func(m *model.Model, a model.Expr) model.Dist {
			return model.Autoregression(m.Const(.5), model.Normal(0, 1), model.Normal(0, a))
		}, 2, []float64{.2, .6, 4.175}},
	} {
		m := model.New()
		a := m.Positive("a", model.HalfNormal(5))
		m.Observe(m.Data("y", c.y), c.dist(m, a))
		p := compile(t, m)
		got, err := p.Residuals([]float64{c.at})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, want := range c.want {
			if v := got.At(i, 0); !(math.Abs(v-want) < 1e-10*math.Max(1, math.Abs(want))) {
				t.Errorf("%s: the residual of %v is %.15g, want %.15g", name, c.y[i], v, want)
			}
		}
	}
}

func TestResidualErrors(t *testing.T) {
	for want, f := range map[string]func(m *model.Model, a model.Expr){
		"not continuous": func(m *model.Model, a model.Expr) { m.Observe(m.Data("y", []float64{1, 2}), model.Poisson(a)) },
		"censored": func(m *model.Model, a model.Expr) {
			m.Observe(m.Data("y", []float64{1, 2}), model.Normal(0, a).Censor(0, 2))
		},
		"nothing was observed": func(m *model.Model, a model.Expr) { m.Quantity("b", a) },
	} {
		m := model.New()
		f(m, m.Positive("a", model.HalfNormal(5)))
		if _, err := compile(t, m).Residuals(make([]float64, len(compile(t, m).Names()))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Masses of modes far apart, to which the gradient of the density is blind, are seen in residuals.
func TestFitSeesMasses(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	y := make([]float64, 200)
	for i := range y {
		y[i] = r.NormFloat64()
		if r.Float64() < .8 {
			y[i] += 12
		}
	}
	for _, share := range []float64{.5, .2} {
		m := model.New()
		sd := m.Positive("sd", model.HalfNormal(5))
		m.Observe(m.Data("y", y), model.Mix(m.Data("w", []float64{share, 1 - share}), model.Normal(0, sd), model.Normal(12, sd)))
		g, err := stein.Fit(t.Context(), compile(t, m), [][]float64{{1}}, stein.Fitting{})
		if err != nil {
			t.Fatal(err)
		}
		if g.Fits() != (share == .2) {
			t.Errorf("share %v for .2: p = %v", share, g.P)
		}
	}
}

// Data of a replicate are from the model with the parameters of the draw: its residuals there are standard normal. The mean of
// 2000 and their variance are within 4 standard errors (probability .9999).
func TestReplicate(t *testing.T) {
	y := make([]float64, 2000)
	for i := range y {
		y[i] = float64(i%7) + .5
	}
	m := model.New()
	rate := m.Positive("rate", model.HalfNormal(5))
	m.Observe(m.Data("y", y), model.Gamma(2.5, rate))
	q, err := compile(t, m).Replicate([]float64{.7}, 9)
	if err != nil {
		t.Fatal(err)
	}
	e, err := q.Residuals([]float64{.7})
	if err != nil {
		t.Fatal(err)
	}
	mean, square := 0.0, 0.0
	for i := range y {
		mean += e.At(i, 0) / 2000
		square += e.At(i, 0) * e.At(i, 0) / 2000
	}
	if math.Abs(mean) > 4/math.Sqrt(2000) || math.Abs(square-1) > 4*math.Sqrt(2./2000) {
		t.Errorf("residuals have mean %v and mean square %v", mean, square)
	}
}
