package record

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// The distribution functions of counts below the support, and counts truncated there: the probability of a range is
// the sum of those of its values.
func TestCountsBelowTheirSupport(t *testing.T) {
	for _, d := range []string{"poisson(%s)", "poisson_log(%s)", "bernoulli(%s)", "bernoulli_logit(%s)", "binomial(4, %s)",
		"neg_binomial(2, %s)", "neg_binomial_2(%s, 2)", "beta_binomial(4, %s, 2)", "beta_neg_binomial(2, %s, 3)",
		"discrete_range(0, 6)"} {
		of := strings.ReplaceAll(d, "%s", "0.7")
		name, args, _ := strings.Cut(strings.TrimSuffix(of, ")"), "(")
		for suffix, want := range map[string]float64{"_lcdf": math.Inf(-1), "_lccdf": 0, "_cdf": 0} {
			if got := valueOf(t, name+suffix+"(-1 | "+args+")"); got != want && !(math.Abs(got-want) < 1e-15) {
				t.Errorf("%s%s of -1 is %v, want %v", of, suffix, got, want)
			}
		}
		s := 0.0
		for k := range 2 {
			s += math.Exp(valueOf(t, fmt.Sprintf("%s_lpmf(%d | %s)", name, k, args)))
		}
		at := func(cut string) float64 {
			p := written(t, "parameters { real<lower=0, upper=1> th; } model { 1 ~ "+strings.ReplaceAll(d, "%s", "th")+cut+"; }", nil)
			lp, err := p.LogDensity([]float64{math.Log(.7 / .3)}, make([]float64, 1))
			if err != nil {
				t.Fatalf("%s %s: %v", d, cut, err)
			}
			slopesAgree(t, p, 2, 0.5, 1e-6)
			return lp
		}
		whole := at("")
		for cut, want := range map[string]float64{"T[0, 1]": -math.Log(s), "T[0, ]": 0, "T[ , 1]": -math.Log(s)} {
			if got := at(cut) - whole; !(math.Abs(got-want) < 1e-12) {
				t.Errorf("%s %s adds %v, want %v", d, cut, got, want)
			}
		}
	}
	if got := valueOf(t, "log_diff_exp(poisson_lcdf(0 | 2), poisson_lcdf(-1 | 2))"); !(math.Abs(got+2) < 1e-14) {
		t.Errorf("the log probability of 0 is %v, want -2", got)
	}
}

// accepts holds a term against a rule: a chain that goes to and fro between points rejects those, and only those, at
// which the rule is broken. The parameters are the elements of a.
func accepts(t *testing.T, term string, points [][]float64, rule func(a []float64) bool) {
	t.Helper()
	p := written(t, fmt.Sprintf("parameters { vector[%d] a; } model { target += %s; a ~ normal(0, 1); }", len(points[0]), term), nil)
	chain, grad := p.NewChain(), make([]float64, len(points[0]))
	for range 2 {
		for _, a := range points {
			lp := chain.LogDensity(a, grad)
			if fresh, err := p.LogDensity(a, grad); math.IsInf(lp, -1) == rule(a) || (err == nil) != rule(a) {
				t.Errorf("%s at %v: replayed %v, fresh %v %v", term, a, lp, fresh, err)
			}
		}
	}
}

// Cutpoints that do not increase are rejected, whatever the category.
func TestCutpointsIncrease(t *testing.T) {
	points := [][]float64{{-1, 0, 2}, {-1, 2, 0}, {-1, 0, 1}, {1, 0, 2}, {-1, -1, 3}, {3, 2, 1}, {-2, -1, 0}}
	increase := func(a []float64) bool { return a[0] < a[1] && a[1] < a[2] }
	for k := range 4 {
		for _, call := range []string{"ordered_logistic_lpmf(%d | 0.3, a)", "ordered_probit_lpmf(%d | 0.3, a)",
			"ordered_logistic_lpmf({%d, 1} | [0.3, 1], {a, [0, 1, 2]'})", "ordered_logistic_glm_lpmf(%d | [[1.0, 2]], [0.2, 0.1]', a)"} {
			accepts(t, fmt.Sprintf(call, k+1), points, increase)
		}
	}
}
