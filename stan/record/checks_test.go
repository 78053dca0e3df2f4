package record

import (
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"bayeskernel/stan/syntax"
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

// Arguments whose sizes do not go together are refused with the place of the call, as are values that functions do not
// take where these are data.
func TestSizesOfArguments(t *testing.T) {
	const m, s, wide = "[[1, 0.2], [0.2, 1]]", "[[1, 0.2], [0.3, 1]]", "[[1, 2, 3], [4, 5, 6]]"
	for call, want := range map[string]string{
		"diag_pre_multiply([1, 2, 3], " + m + ")":                              "diag_pre_multiply: argument 2 is matrix[2, 2], want 3 rows",
		"diag_post_multiply(" + m + ", [1]')":                                  "diag_post_multiply: argument 2 is vector[1], want 2 elements",
		"quad_form_diag(" + m + ", [1, 2, 3]')":                                "quad_form_diag: argument 2 is vector[3], want 2 elements",
		"add_diag(" + m + ", [1, 2, 3]')":                                      "add_diag of matrix[2, 2] and vector[3], want 2 elements for the diagonal",
		"rows_dot_product(" + m + ", " + wide + ")":                            "rows_dot_product: argument 2 is matrix[2, 3], want 2 columns",
		"columns_dot_product([1, 2]', [1]')":                                   "columns_dot_product: argument 2 is vector[1], want 2 rows",
		"inverse(" + wide + ")":                                                "inverse: argument 1 is matrix[2, 3], want a square matrix",
		"eigenvalues_sym(" + wide + ")":                                        "eigenvalues_sym: argument 1 is matrix[2, 3], want a square matrix",
		"eigenvectors_sym(" + s + ")":                                          "eigenvectors_sym: argument 1 is not symmetric: the elements [1, 2] and [2, 1] are 0.2 and 0.3",
		"symmetrize_from_lower_tri(" + wide + ")":                              "symmetrize_from_lower_tri: argument 1 is matrix[2, 3], want a square matrix",
		"trace_quad_form(" + m + ", [1, 2, 3]')":                               "trace_quad_form: argument 2 is vector[3], want 2 rows",
		"rank([1, 2]', 3)":                                                     "rank of element 3 of vector[2], want 1 to 2",
		"one_hot_vector(2, 3)":                                                 "the place 3 of a one among 2 numbers, want 1 to 2",
		"linspaced_vector(-1, 0, 1)":                                           "a size is -1, want at least 0",
		"rep_array(1, -1)":                                                     "a size is -1, want at least 0",
		"rep_matrix(1, -1, -1)":                                                "a size is -1, want at least 0",
		"gp_exp_quad_cov({[1, 2]', [1]'}, 1, 1)":                               "gp_exp_quad_cov: x[2] is vector[1], want 2 elements",
		"gp_periodic_cov({[1, 2]'}, {[1]'}, 1, 1, 1)":                          "gp_periodic_cov: x2[1] is vector[1], want 2 elements",
		"log_mix([0.3, 0.7]', {[1, 2]', [1, 2, 3]'})":                          "log_mix: lps[2] is vector[3], want 2 elements",
		"log_mix([0.3, 0.7]', [1, 2, 3]')":                                     "log_mix: lps is vector[3], want 2 elements",
		"log_mix([0.3, 1.7]', [1, 2]')":                                        "log_mix: theta[2] is 1.7, want a number from 0 to 1",
		"hmm_marginal(" + wide + ", " + m + ", [1, 0, 0]')":                    "hmm_marginal: rho is vector[3], want 2 elements",
		"hmm_marginal(" + m + ", " + m + ", [1, 0]')":                          "the values of the probabilities of a hidden Markov model add up to 1.2, want 1",
		"multi_normal_prec_lpdf([1, 2]' | [1]', " + m + ")":                    "multi_normal_prec: mu is vector[1], want 2 elements",
		"multi_normal_lpdf({[1, 2]', [1, 3]'} | {[0, 0]'}, " + m + ")":         "multi_normal: mu is array[] vector of 1, want 2 elements",
		"multinomial_lpmf({1, 2, 3} | [0.3, 0.7]')":                            "multinomial: theta is vector[2], want 3 elements",
		"multinomial_lpmf({1, -2} | [0.3, 0.7]')":                              "multinomial: y[2] is -2, want at least 0",
		"normal_id_glm_lpdf([1, 2]' | " + m + ", [1]', [1, 2]', 1)":            "normal_id_glm: alpha is vector[1], want 2 elements",
		"categorical_logit_glm_lpmf({1, 2} | " + m + ", [1]', " + m + ")":      "categorical_logit_glm: beta is matrix[2, 2], want 1 column",
		"ordered_logistic_lpmf({1, 2} | [1]', [0, 1]')":                        "ordered_logistic: eta is vector[1], want 2 elements",
		"wiener_lpdf([1, 2]' | 1, [0.1]', 0.5, 0)":                             "wiener: tau is vector[1], want 2 elements",
		"wishart_lpdf(" + m + " | 1, " + m + ")":                               "the degrees of freedom are 1, want more than 1 for matrices of 2 by 2",
		"inv_wishart_lpdf(" + m + " | 0.5, " + m + ")":                         "the degrees of freedom are 0.5, want more than 1 for matrices of 2 by 2",
		"lkj_corr_lpdf([[1.1, 0.2], [0.2, 1]] | 1)":                            "lkj_corr: y[1, 1] is 1.1, want 1: a correlation matrix",
		"lkj_corr_cholesky_lpdf([[1, 0.2], [0, 1]] | 1)":                       "lkj_corr_cholesky: L[1, 2] is 0.2, want 0: a lower triangle",
		"gp_dot_prod_cov({1.0, 2}, -1)":                                        "gp_dot_prod_cov: sigma is -1, want a number of at least 0",
		"gp_matern52_cov({[1, 2]'}, 1, {1, 0.0})":                              "gp_matern52_cov: length_scale[2] is 0, want a positive number",
		"hmm_marginal(rep_matrix(1, 2, 0), [[0.8, 0.2], [0.2, 0.8]], [1, 0]')": "hmm_marginal: log_omega is matrix[2, 0], want at least 1 column",
		"ordered_probit_lpmf(1 | 0, [1, 1]')":                                  "cutpoint 1 is 1 and cutpoint 2 is 1, want cutpoints that increase",
	} {
		tree, err := syntax.Parse("transformed data {\n  print(" + call + "); }")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := BindPrinting(tree, nil, 1, func(string) {}); err == nil || err.Error() != "2:9: "+want {
			t.Errorf("%s: %v, want %q", call, err, want)
		}
	}
	// Nothing of an empty data set is refused.
	if got := valueOf(t, "ordered_logistic_lpmf(segment({1}, 1, 0) | segment([1]', 1, 0), [0, 1]')"); !(math.Abs(got) < 1e-15) {
		t.Errorf("no values have the log probability %v, want 0", got)
	}
}

// What no check foresees is an error that names the function and its place.
func TestLastResort(t *testing.T) {
	defer func() {
		err, ok := recover().(*Error)
		if !ok || err.Error() != "3:4: f(int, vector[2]) fails for arguments of these sizes or values: runtime error: index out of range [1] with length 1" {
			t.Errorf("%v", err)
		}
	}()
	defer atCall(syntax.Pos{Line: 3, Col: 4}, "f", []Value{1, make(Vector, 2)})
	x := make([]int, 1)
	x[len(x)]++
}

// Covariances reject magnitudes, lengths and periods that are not positive, wherever the parameters stray.
func TestCovariancesOfNoScale(t *testing.T) {
	points := [][]float64{{.5, .7}, {-.5, .7}, {.5, -.7}, {.9, .4}, {-.9, -.4}}
	positive := func(a []float64) bool { return a[0] > 0 && a[1] > 0 }
	for _, name := range []string{"cov_exp_quad", "gp_exp_quad_cov", "gp_matern32_cov", "gp_matern52_cov", "gp_exponential_cov"} {
		accepts(t, "sum("+name+"({0.1, 0.5}, a[1], a[2]))", points, positive)
	}
	accepts(t, "sum(gp_periodic_cov({0.1, 0.5}, a[1], 1, a[2]))", points, positive)
	accepts(t, "sum(gp_periodic_cov({0.1, 0.5}, 1, a[1], a[2]))", points, positive)
	accepts(t, "sum(gp_dot_prod_cov({0.1, 0.5}, a[1]))", points, func(a []float64) bool { return a[0] >= 0 })
	accepts(t, "wishart_lpdf([[2, 0.2], [0.2, 1]] | a[1] + 1.2, [[1, 0.1], [0.1, 1]])", points, func(a []float64) bool { return a[0] > -.2 })
	accepts(t, "log_mix(a, [-1, -2]')", points, positive)
}

// Covariances have derivatives in the points, those of a point and itself included.
func TestCovariancesOfParameters(t *testing.T) {
	for _, call := range []string{"gp_exp_quad_cov(x, 1.3, 0.7)", "gp_matern32_cov(x, 1.3, 0.7)", "gp_matern52_cov(x, 1.3, 0.7)",
		"gp_exponential_cov(x, 1.3, 0.7)", "gp_periodic_cov(x, 1.3, 0.7, 2.5)", "gp_dot_prod_cov(x, 1.3)"} {
		p := written(t, `parameters { vector[4] u; } model { array[4] real x = to_array_1d(u); matrix[4, 4] K = `+call+`;
target += sum(K .* K) + K[1, 2]; u ~ normal(0, 1); }`, nil)
		slopesAgree(t, p, 3, 1, 1e-6)
	}
	p := written(t, `parameters { array[3] vector[2] x; vector<lower=0>[2] l; } model {
target += sum(square(gp_exponential_cov(x, 1.3, l))) + sum(gp_matern32_cov(x, x, 1, l)); x[1] ~ normal(0, 1); }`, nil)
	slopesAgree(t, p, 3, 1, 1e-6)
}

// Truncated densities of vectors are those of their elements, and a truncated density of the program is one of the
// library of which it has the distribution function.
func TestTruncated(t *testing.T) {
	at := func(text string) float64 {
		t.Helper()
		p := written(t, text, nil)
		slopesAgree(t, p, 2, 0.5, 1e-6)
		lp, err := p.LogDensity([]float64{0.3}, make([]float64, 1))
		if err != nil {
			t.Fatal(err)
		}
		return lp
	}
	const head = "transformed data { array[2] int n = {2, 3}; vector[2] y = [1, 2.5]'; } parameters { real x; } model { "
	for text, same := range map[string]string{
		"y ~ normal([x, 1]', 1.5) T[0, 3];":    "for (i in 1:2) y[i] ~ normal([x, 1][i], 1.5) T[0, 3];",
		"y ~ normal(x, [1.5, 1]') T[-9, 2.6];": "for (i in 1:2) y[i] ~ normal(x, [1.5, 1][i]) T[-9, 2.6];",
		"n ~ poisson([exp(x), 2]') T[1, 4];":   "for (i in 1:2) n[i] ~ poisson([exp(x), 2][i]) T[1, 4];",
		"y ~ normal(x, 1.5) T[0, 3];":          "for (i in 1:2) y[i] ~ normal(x, 1.5) T[0, 3];",
	} {
		if got, want := at(head+text+" }"), at(head+same+" }"); !(math.Abs(got-want) < 1e-12) {
			t.Errorf("%s has the density %v, want %v", text, got, want)
		}
	}
	const normal = "functions { real own_lpdf(real y, real m) { return normal_lpdf(y | m, 2); } "
	const counts = "functions { real own_lpmf(int y, real m) { return poisson_lpmf(y | exp(m)); } "
	for functions, same := range map[string]string{
		normal + "real own_lcdf(real y, real m) { return normal_lcdf(y | m, 2); } ":   "normal(x, 2)",
		normal + "real own_lccdf(real y, real m) { return normal_lccdf(y | m, 2); } ": "normal(x, 2)",
		normal + "real own_cdf(real y, real m) { return normal_cdf(y | m, 2); } ":     "normal(x, 2)",
		counts + "real own_lcdf(int y, real m) { return poisson_lcdf(y | exp(m)); } ": "poisson(exp(x))",
	} {
		for _, cut := range []string{"T[1, 4]", "T[1, ]", "T[ , 4]"} {
			got, want := at(functions+"} parameters { real x; } model { 2 ~ own(x) "+cut+"; }"), at(head+"2 ~ "+same+" "+cut+"; }")
			if !(math.Abs(got-want) < 1e-12) {
				t.Errorf("%s%s: the density is %v, want %v", functions, cut, got, want)
			}
		}
	}
}

// Parameters that have no values, or too many, and variables of a size below 0, or that the memory cannot hold, are
// wrong at their place.
func TestSizesOfVariables(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(4e9))
	for text, want := range map[string]string{
		"transformed data { int n = 0; }\nparameters { simplex[n] s; }": "2:25: a simplex of size 0, want at least 1",
		"transformed data {\n  vector[-1] s; }":                         "2:10: a size is -1, want at least 0",
		"transformed data {\n  vector[1000000000] s; }":                 "2:22: a vector of 1000000000 numbers takes 16 GB of memory, want at most 0.8 GB, a fifth of what the run may use",
		"data { array[2147483647, 2147483647] cov_matrix[2147483647] s; }": "1:61: a cov_matrix of 2.126764789e+37 numbers takes " +
			"3.4e+29 GB of memory, want at most 0.8 GB, a fifth of what the run may use",
		"parameters { vector[30000000] x; real y; }": "1:31: the program has 30000000 parameters with those of x, want at most 20000000",
	} {
		tree, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Bind(tree, nil, 1); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
