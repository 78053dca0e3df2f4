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
