package stan_test

import (
	"math"
	"strings"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/stan"
	"bayeskernel/stein"
)

var _ stein.Model = (*stan.Model)(nil)

func bound(t *testing.T, program, data string) *stan.Model {
	t.Helper()
	p, err := stan.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	d, err := stan.ParseData([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Bind(d, stan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Residuals are normal quantiles of R's distribution functions at .2, 1.3 and 9, as in the tests of package model, however the
// program says it; densities of parameters, and those that are parts of something else, have none.
func TestResiduals(t *testing.T) {
	const head = "data { vector[3] y; matrix[3, 1] x; } parameters { real<lower=0> a; } transformed parameters { real b = 2 * a; } model { a ~ normal(0, 5); "
	gamma := []float64{-2.14561794867002, 0.023419115335726, 4.23883441886631}
	for body, c := range map[string]struct {
		at   float64
		want []float64
	}{
		"y ~ gamma(2.5, a);":                       {1.7, gamma},
		"for (i in 1:3) y[i] ~ gamma(2.5, a);":     {1.7, gamma},
		"target += gamma_lpdf(y | 2.5, a);":        {1.7, gamma},
		"y ~ normal(1, a) T[0, ];":                 {2, []float64{-1.6246136533953, -0.350145758288064, 3.91181113595646}},
		"y ~ normal_id_glm(x, 1, [0.5]', a);":      {2, []float64{(.2 - 1.5) / 2, (1.3 - 2) / 2, (9 - 2.5) / 2}},
		"y ~ student_t(4, 1, a); a ~ gamma(1, 1);": {2, []float64{-0.372397034646843, 0.140804677484739, 2.40595865954537}},
	} {
		m := bound(t, head+body+" }", `{"y": [0.2, 1.3, 9], "x": [[1], [2], [3]]}`)
		got, err := m.Residuals([]float64{c.at, 2 * c.at})
		if err != nil {
			t.Errorf("%s %v", body, err)
			continue
		}
		if n, _ := got.Dims(); n != 3 {
			t.Errorf("%s %d residuals", body, n)
			continue
		}
		for i, want := range c.want {
			if v := got.At(i, 0); !(math.Abs(v-want) < 1e-10*math.Max(1, math.Abs(want))) {
				t.Errorf("%s residual %d is %.15g, want %.15g", body, i+1, v, want)
			}
		}
	}
	for body, want := range map[string]string{
		"target += log_sum_exp(normal_lpdf(y | 0, a), normal_lpdf(y | 1, a));": "no statement",
		"3 ~ poisson(a);": "not continuous",
		"y ~ multi_normal(y, add_diag(x * x', 1));": "the distribution function of multi_normal is not here",
	} {
		m := bound(t, head+body+" }", `{"y": [0.2, 1.3, 9], "x": [[1], [2], [3]]}`)
		if _, err := m.Residuals([]float64{1, 2}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s error %v, want %q", body, err, want)
		}
	}
}

// A density that rests on a differential equation says so.
func TestApproximate(t *testing.T) {
	for text, want := range map[string]bool{
		"parameters { real a; } model { a ~ normal(0, 1); }": false,
		`functions { vector f(real t, vector y, real a) { return -a * y; } }
		parameters { real<lower=0> a; } model { 1 ~ normal(ode_rk45(f, [1]', 0, {1.0}, a)[1, 1], 1); }`: true,
	} {
		m := bound(t, text, "{}")
		of, err := m.Target()
		if err != nil {
			t.Fatal(err)
		}
		of.LogDensity(make([]float64, m.Dim()), make([]float64, m.Dim()))
		if a, ok := of.(hmc.Approximator); !ok || a.Approximate() != want {
			t.Errorf("%s: approximate %v, want %v", text, !want, want)
		}
	}
}
