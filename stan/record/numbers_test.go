package record

import (
	"math"
	"strings"
	"testing"

	"bayeskernel/stan/syntax"
)

// valueOf evaluates an expression of no parameters.
func valueOf(t *testing.T, text string) float64 {
	t.Helper()
	p := written(t, "parameters { real x; } model { target += "+text+"; x ~ normal(0, 1); }", nil)
	lp, err := p.LogDensity([]float64{0}, make([]float64, 1))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return lp + math.Log(2*math.Pi)/2
}

// Values far out, computed with 50 digits by mpmath.
func TestFarValues(t *testing.T) {
	for text, want := range map[string]float64{
		"std_normal_log_qf(-745)":             -38.4819489643302,
		"std_normal_log_qf(-800)":             -39.8846948382567,
		"std_normal_log_qf(-1000)":            -44.6157477319694,
		"std_normal_log_qf(-1e-17)":           8.4937932241096,
		"lbeta(1e15, 2.5)":                    -86.0622581168038,
		"lbeta(1e10, 1)":                      -23.025850929940457,
		"lchoose(1e15, 3.0)":                  101.824569715504,
		"skew_normal_lcdf(20 | 0, 1, -2)":     0,
		"skew_normal_lccdf(-20 | 0, 1, 2)":    0,
		"skew_normal_lcdf(38 | 0, 1, 2)":      0,
		"skew_normal_lcdf(0.5 | 0, 1, -80)":   0,
		"skew_normal_lcdf(0 | 0, 1, 0)":       -math.Ln2,
		"weibull_lpdf(0 | 1, 2)":              -math.Ln2,
		"poisson_lpmf(0 | 0)":                 0,
		"trigamma(-0.3)":                      13.94516026780572,
		"binomial_lpmf(3 | 1000000000, 2e-9)": -1.7123179265482191,
		"sum(mdivide_right_tri_low([2.1, 0.7], [[2.1, 9], [0.3, 1.3]]))": 1 - .3/1.3*.7/2.1 + .7/1.3,
	} {
		if got := valueOf(t, text); !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
}

// The derivatives of all functions of one number and of two are those of differences, at places within their
// domains.
func TestSlopes(t *testing.T) {
	near := func(got, want, size float64) bool { return math.Abs(got-want) <= 2e-5*max(1, math.Abs(size)) }
	slope := func(f func(h float64) float64) float64 {
		const h = 1e-5
		return (f(-2*h) - 8*f(-h) + 8*f(h) - f(2*h)) / (12 * h)
	}
	usable := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	tried := 0
	for _, f := range allUnaries() {
		for _, x := range []float64{-2.3, -.7, -.2, .15, .3, .6, .9, 1.4, 3.2} {
			v := f.F(x)
			if !usable(v) || !usable(f.F(x-2e-5)) || !usable(f.F(x+2e-5)) {
				continue
			}
			tried++
			if got, want := f.D(x, v), slope(func(h float64) float64 { return f.F(x + h) }); !near(got, want, want) {
				t.Errorf("%s at %v: slope %v, want %v", f.Name, x, got, want)
			}
		}
	}
	whole := ofWholeOrder
	for _, f := range allBinaries() {
		for _, x := range []float64{-1.3, .4, .8, 1, 2.6, 7} {
			for _, y := range []float64{-.6, .3, .7, 1.9, 2.2, 5.5} {
				if whole[f.Name] && x != 1 || f.Name == "fmod" && (y < 0 || math.Abs(math.Remainder(x, y)) < 1e-3) || x < 0 && f.Name == "pow" {
					continue
				}
				v := f.F(x, y)
				if !usable(v) || !usable(f.F(x-2e-5, y)) && !whole[f.Name] || !usable(f.F(x+2e-5, y)) && !whole[f.Name] ||
					!usable(f.F(x, y-2e-5)) || !usable(f.F(x, y+2e-5)) {
					continue
				}
				tried++
				dx, dy := f.D(x, y, v)
				if want := slope(func(h float64) float64 { return f.F(x+h, y) }); !whole[f.Name] && !near(dx, want, want) {
					t.Errorf("%s at %v and %v: slope in the first %v, want %v", f.Name, x, y, dx, want)
				}
				if want := slope(func(h float64) float64 { return f.F(x, y+h) }); !near(dy, want, want) {
					t.Errorf("%s at %v and %v: slope in the second %v, want %v", f.Name, x, y, dy, want)
				}
			}
		}
	}
	if tried < 500 {
		t.Errorf("%d places were tried", tried)
	}
}

// Forms of calls that say the same in another way: a row for all observations, one observation for all rows, a
// length for each column, cutpoints for each observation, and arrays.
func TestSameInOtherWords(t *testing.T) {
	for text, same := range map[string]string{
		"bernoulli_logit_glm_lpmf({1, 0} | [1, 2], .3, [.1, .2]')":                     "bernoulli_logit_lpmf({1, 0} | .8)",
		"bernoulli_logit_glm_lpmf(1 | [[1, 2], [3, 4]], [.3, .1]', [.1, .2]')":         "bernoulli_logit_lpmf({1, 1} | [.8, 1.2]')",
		"binomial_logit_glm_lpmf({1, 2} | 4, [[1, 2], [3, 4]], .3, [.1, .2]')":         "binomial_logit_lpmf({1, 2} | 4, [.8, 1.4]')",
		"poisson_log_glm_lpmf({1, 3} | [1, 2], .3, [.1, .2]')":                         "poisson_log_lpmf({1, 3} | .8)",
		"neg_binomial_2_log_glm_lpmf(2 | [[1, 2], [3, 4]], .3, [.1, .2]', 3)":          "neg_binomial_2_log_lpmf({2, 2} | [.8, 1.4]', 3)",
		"normal_id_glm_lpdf([1, 2]' | [1, 2], .3, [.1, .2]', 2)":                       "normal_lpdf([1, 2] | .8, 2)",
		"normal_id_glm_lpdf(1 | [[1, 2], [3, 4]], .3, [.1, .2]', 2)":                   "normal_lpdf(1 | [.8, 1.4], 2)",
		"categorical_logit_glm_lpmf({1, 2} | [1, 2], [.3, .1]', [[.1, .2], [.3, .4]])": "categorical_logit_lpmf({1, 2} | [1, 1.1]')",
		"categorical_logit_glm_lpmf(2 | [[1, 2], [0, 1]], [.3, .1]', [[.1, .2], [.3, .4]])": "categorical_logit_lpmf(2 | [1, 1.1]') + " +
			"categorical_logit_lpmf(2 | [.6, .5]')",
		"ordered_logistic_glm_lpmf({1, 3} | [[1, 2], [3, 4]], [.1, .2]', [-1, 1]')":     "ordered_logistic_lpmf({1, 3} | [.5, 1.1], [-1, 1]')",
		"ordered_logistic_lpmf({1, 3} | [.5, 1.1], {[-1, 1]', [0, 2]'})":                "ordered_logistic_lpmf(1 | .5, [-1, 1]') + ordered_logistic_lpmf(3 | 1.1, [0, 2]')",
		"ordered_probit_lpmf(2 | .5, {[-1, 1]', [0, 2]'})":                              "ordered_probit_lpmf(2 | .5, [-1, 1]') + ordered_probit_lpmf(2 | .5, [0, 2]')",
		"sum(gp_matern32_cov({[1, 2]', [3, 5]'}, 1.5, {1.0, 2.0}))":                     "sum(gp_matern32_cov({[1, 1]', [3, 2.5]'}, 1.5, 1))",
		"sum(gp_matern52_cov({[1, 2]', [3, 5]'}, {[0, 1]'}, 1.5, [1, 2]'))":             "sum(gp_matern52_cov({[1, 1]', [3, 2.5]'}, {[0, .5]'}, 1.5, 1))",
		"sum(gp_exponential_cov({[1, 2]', [3, 5]'}, 1.5, [1, 2]'))":                     "sum(gp_exponential_cov({[1, 1]', [3, 2.5]'}, 1.5, 1))",
		"sum(abs({-1, 2})) + sum(to_int({1.5, -2.5}))":                                  "3 + 1 - 2",
		"sum(choose({3, 4}, 2)) + sum(choose(5, {1, 2})) + sum(choose({4, 5}, {2, 3}))": "3 + 6 + 5 + 10 + 6 + 10",
	} {
		if got, want := valueOf(t, text), valueOf(t, same); !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
}

// A statement that adds -Inf to the density is named by its place.
func TestExplain(t *testing.T) {
	for text, want := range map[string]string{
		"parameters { real x; }\nmodel { x ~ normal(0, 1);\n  4 ~ poisson(0); }": "3:3: this adds -Inf",
		"parameters { real x; } model { x ~ normal(0, -1); }":                    "1:36: normal: the sd is -1, want a positive number",
		"parameters { real x; } model { x ~ normal(0, 1); }":                     "",
	} {
		p := written(t, text, nil)
		if got := p.Explain([]float64{.3}); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// What is wrong with data is said of the element, in words of JSON.
func TestDataInWords(t *testing.T) {
	for text, c := range map[string]struct {
		data Data
		want string
	}{
		"data { array[2] int<upper=5> k; }":       {Data{"k": []any{1.0, 6.0}}, "k[2] is 6, want at most 5"},
		"data { matrix<lower=0>[2, 2] m; }":       {Data{"m": []any{[]any{1.0, 2.0}, []any{-3.0, 4.0}}}, "m[2, 1] is -3, want at least 0"},
		"data { real s; }":                        {Data{"s": nil}, "s is null, want a number"},
		"data { real s; } // as text":             {Data{"s": "1.5"}, `s is the text "1.5", want a number`},
		"data { vector[3] y; } // with a gap":     {Data{"y": []any{1.0, 2.0, nil}}, "y[3] is null, want a number"},
		"data { array[2, 2] int k; }":             {Data{"k": []any{[]any{1.0, 2.0}, []any{3.0, "x"}}}, `k[2, 2] is the text "x", want a number`},
		"data { matrix[2, 2] m; } // of text":     {Data{"m": []any{[]any{1.0, "a"}, []any{3.0, 4.0}}}, `m[1, 2] is the text "a", want a number`},
		"data { array[1] matrix[1, 2] m; }":       {Data{"m": []any{[]any{[]any{1.0, nil}}}}, "m[1, 1, 2] is null, want a number"},
		"data { int n; simplex[n] s; }":           {Data{"n": 0.0}, "1:26: a simplex of size 0, want at least 1"},
		"data { cov_matrix[2] S; }":               {Data{"S": []any{[]any{1.0, 2.0}, []any{2.0, 1.0}}}, "S: the matrix is not positive definite"},
		"data { array[2] vector<upper=1>[1] v; }": {Data{"v": []any{[]any{1.0}, []any{2.0}}}, "v is 2, want at most 1"},
	} {
		tree, err := syntax.Parse(text + "\nparameters { real x; } model { x ~ normal(0, 1); }")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Bind(tree, c.data, 1); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", text, err, c.want)
		}
	}
}
