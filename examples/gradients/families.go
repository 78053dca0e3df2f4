package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"bayeskernel/model"
)

// rows is the number of observations of each family.
const rows = 10_000

// argument is one argument of a family: the kind of number it is, and whether it differs from row to
// row in a regression.
type argument byte

const (
	real     argument = 'r' // of the linear predictor
	positive argument = 'p'
	unit     argument = 'u'
	trials   argument = 't' // data
	lower    argument = 'l' // a small constant: the lower end of pareto
	degrees  argument = 'd' // a positive number, never by rows
)

// family is a distribution of single values in this module and in Stan. The predictor is the place of
// the argument that a regression is of.
type family struct {
	name      string
	args      string // of arguments
	predictor int
	data      string // y, yp (positive), yu (unit), yc (counts), yb (0 or 1), yn (of trials)
	dist      func(a []model.Expr) model.Dist
	stan      string // its statement where it is not y ~ name(arguments)
}

func one(f func(a model.Expr) model.Dist) func([]model.Expr) model.Dist {
	return func(a []model.Expr) model.Dist { return f(a[0]) }
}

func two(f func(a, b model.Expr) model.Dist) func([]model.Expr) model.Dist {
	return func(a []model.Expr) model.Dist { return f(a[0], a[1]) }
}

func three(f func(a, b, c model.Expr) model.Dist) func([]model.Expr) model.Dist {
	return func(a []model.Expr) model.Dist { return f(a[0], a[1], a[2]) }
}

type e = model.Expr

// families are those that Stan 2.21 has too, or can say.
var families = []family{
	{name: "normal", args: "rp", data: "y", dist: two(model.Normal[e, e])},
	{name: "student_t", args: "drp", predictor: 1, data: "y", dist: three(model.StudentT[e, e, e])},
	{name: "cauchy", args: "rp", data: "y", dist: two(model.Cauchy[e, e])},
	{name: "logistic", args: "rp", data: "y", dist: two(model.Logistic[e, e])},
	{name: "double_exponential", args: "rp", data: "y", dist: two(model.DoubleExponential[e, e])},
	{name: "gumbel", args: "rp", data: "y", dist: two(model.Gumbel[e, e])},
	{name: "skew_normal", args: "rpr", data: "y", dist: three(model.SkewNormal[e, e, e])},
	{name: "exp_mod_normal", args: "rpp", data: "y", dist: three(model.ExpModNormal[e, e, e])},
	{name: "von_mises", args: "rp", data: "y", dist: two(model.VonMises[e, e])},
	{name: "half_normal", args: "p", data: "yp", dist: one(model.HalfNormal[e]),
		stan: "yp ~ normal(0, %[1]s); target += n * log(2)"},
	{name: "half_cauchy", args: "p", data: "yp", dist: one(model.HalfCauchy[e]),
		stan: "yp ~ cauchy(0, %[1]s); target += n * log(2)"},
	{name: "lognormal", args: "rp", data: "yp", dist: two(model.LogNormal[e, e])},
	{name: "gamma", args: "pp", predictor: 1, data: "yp", dist: two(model.Gamma[e, e])},
	{name: "inv_gamma", args: "pp", predictor: 1, data: "yp", dist: two(model.InvGamma[e, e])},
	{name: "chi_square", args: "p", data: "yp", dist: one(model.ChiSquare[e])},
	{name: "inv_chi_square", args: "p", data: "yp", dist: one(model.InvChiSquare[e])},
	{name: "scaled_inv_chi_square", args: "pp", predictor: 1, data: "yp",
		dist: two(model.ScaledInvChiSquare[e, e])},
	{name: "exponential", args: "p", data: "yp", dist: one(model.Exponential[e])},
	{name: "weibull", args: "pp", predictor: 1, data: "yp", dist: two(model.Weibull[e, e])},
	{name: "frechet", args: "pp", predictor: 1, data: "yp", dist: two(model.Frechet[e, e])},
	{name: "rayleigh", args: "p", data: "yp", dist: one(model.Rayleigh[e])},
	{name: "pareto", args: "lp", predictor: 1, data: "yp", dist: two(model.Pareto[e, e])},
	{name: "pareto_type_2", args: "lpp", predictor: 1, data: "yp",
		dist: three(model.ParetoType2[e, e, e])},
	{name: "beta", args: "pp", data: "yu", dist: two(model.Beta[e, e])},
	{name: "beta_proportion", args: "up", data: "yu", dist: two(model.BetaProportion[e, e])},
	{name: "bernoulli", args: "u", data: "yb", dist: one(model.Bernoulli[e])},
	{name: "bernoulli_logit", args: "r", data: "yb", dist: one(model.BernoulliLogit[e])},
	{name: "bernoulli_probit", args: "r", data: "yb", dist: one(model.BernoulliProbit[e]),
		stan: "yb ~ bernoulli(Phi(%[1]s))"},
	{name: "binomial", args: "tu", predictor: 1, data: "yn", dist: two(model.Binomial[e, e])},
	{name: "binomial_logit", args: "tr", predictor: 1, data: "yn", dist: two(model.BinomialLogit[e, e])},
	{name: "beta_binomial", args: "tpp", predictor: 1, data: "yn",
		dist: three(model.BetaBinomial[e, e, e])},
	{name: "poisson", args: "p", data: "yc", dist: one(model.Poisson[e])},
	{name: "poisson_log", args: "r", data: "yc", dist: one(model.PoissonLog[e])},
	{name: "neg_binomial", args: "pp", predictor: 1, data: "yc", dist: two(model.NegBinomial[e, e])},
	{name: "neg_binomial_2", args: "pp", data: "yc", dist: two(model.NegBinomial2[e, e])},
	{name: "neg_binomial_2_log", args: "rp", data: "yc", dist: two(model.NegBinomial2Log[e, e])},
}

// joint are distributions that are not of single values with numbers for arguments.
var joint = []struct{ name, stan string }{
	{"ordered_logistic", "yk ~ ordered_logistic(a + b * x, cuts)"},
	{"ordered_probit", "for (i in 1:n) yk[i] ~ ordered_probit(a + b * x[i], cuts)"},
	{"categorical_logit", "for (i in 1:n) yk[i] ~ categorical_logit(cuts4 * (a + b * x[i]))"},
	{"mixture of 2 normals", "for (i in 1:n) target += log_mix(u, normal_lpdf(y[i] | a, p[1]), " +
		"normal_lpdf(y[i] | b, p[2]))"},
	{"mixture of 3 normals", "for (i in 1:n) { vector[3] l = log(w); l[1] += normal_lpdf(y[i] | a, p[1]); " +
		"l[2] += normal_lpdf(y[i] | b, p[2]); l[3] += normal_lpdf(y[i] | c, p[3]); " +
		"target += log_sum_exp(l); }"},
	{"mixture of 2 student_t", "for (i in 1:n) target += log_mix(u, student_t_lpdf(y[i] | 4, a, p[1]), " +
		"student_t_lpdf(y[i] | 4, b, p[2]))"},
	{"mixture of regressions", "for (i in 1:n) target += log_mix(u, normal_lpdf(y[i] | a + b * x[i], p[1]), " +
		"normal_lpdf(y[i] | b + a * x[i], p[2]))"},
	{"mixture of 2 poisson", "for (i in 1:n) target += log_mix(u, poisson_lpmf(yc[i] | p[1]), " +
		"poisson_lpmf(yc[i] | p[2]))"},
	{"truncated normal", "for (i in 1:n) y[i] ~ normal(a + b * x[i], p[1]) T[-20, 20]"},
	{"truncated gamma", "for (i in 1:n) yp[i] ~ gamma(p[1], p[2]) T[0.00001, ]"},
	{"truncated poisson", "for (i in 1:n) (yc[i] + 1) ~ poisson(exp(a + b * x[i])) T[1, ]"},
	{"censored normal", "for (i in 1:n) if (y[i] >= 1) target += normal_lccdf(1 | a + b * x[i], p[1]); " +
		"else y[i] ~ normal(a + b * x[i], p[1])"},
	{"multi_normal", "ym ~ multi_normal_cholesky(rep_vector(a, 4), L)"},
	{"dirichlet", "for (i in 1:1000) ys[i] ~ dirichlet(p4)"},
	{"multinomial", "for (i in 1:1000) yt[i] ~ multinomial(softmax(cuts4 * a))"},
	{"lkj_corr_cholesky", "L10 ~ lkj_corr_cholesky(2)"},
}

// variants of a family: all arguments numbers; the predictor by rows; all by rows.
const variants = 3

var variantNames = [variants]string{"numbers", "one by rows", "all by rows"}

// arguments returns the arguments in Stan for a variant, and false where it is the same as the one
// before.
func (f family) arguments(variant int) (args []any, ok bool) {
	byRows := 0
	for k, kind := range []byte(f.args) {
		varies := variant == 2 || variant == 1 && k == f.predictor
		reals, positives := []string{"a", "b", "c"}, []string{"p[1]", "p[2]", "p[3]"}
		line := []string{"(a + b * x)", "(c + d * x)", "(d + c * x)"}[k]
		s := ""
		switch argument(kind) {
		case real:
			s = reals[k]
		case positive:
			s = positives[k]
			if varies {
				line = "exp" + line
			}
		case unit:
			s = "u"
			if varies {
				line = "inv_logit" + line
			}
		case trials:
			s, varies = "trials", false
		case lower:
			s, varies = "0.001", false
		case degrees:
			s, varies = "p[3]", false
		}
		if varies {
			byRows++
			s = line
		}
		args = append(args, s)
	}
	return args, variant == 0 || byRows == variant || variant == 2 && byRows > 1
}

// familiesProgram is the Stan program of all families: data say which, and which variant.
func familiesProgram() string {
	var s strings.Builder
	s.WriteString(`data {
  int n; int which; int variant;
  vector[n] x; vector[n] y; vector<lower=0>[n] yp; vector<lower=0, upper=1>[n] yu;
  int yc[n]; int yb[n]; int yn[n]; int yk[n]; int trials[n];
  vector[4] ym[1000]; simplex[4] ys[1000]; int yt[1000, 4];
}
parameters {
  real a; real b; real c; real d; vector<lower=0>[3] p; real<lower=0, upper=1> u;
  simplex[3] w; ordered[3] cuts; vector<lower=0>[4] p4; cholesky_factor_corr[4] L; cholesky_factor_corr[10] L10;
}
model {
  vector[4] cuts4 = append_row(cuts, 0);
`)
	for k, f := range families {
		for v := range variants {
			args, ok := f.arguments(v)
			if !ok {
				continue
			}
			form := f.stan
			if form == "" {
				form = f.data + " ~ " + f.name + "(" + strings.Repeat("%s, ", len(args)-1) + "%s)"
			}
			fmt.Fprintf(&s, "  if (which == %d && variant == %d) { %s; }\n", k, v, fmt.Sprintf(form, args...))
		}
	}
	for k, j := range joint {
		fmt.Fprintf(&s, "  if (which == %d) { %s; }\n", len(families)+k, j.stan)
	}
	s.WriteString("}\n")
	return s.String()
}

// sample is made-up data of all kinds, with the family that Stan's program is to time.
type sample struct {
	N       int         `json:"n"`
	Which   int         `json:"which"`
	Variant int         `json:"variant"`
	X       []float64   `json:"x"`
	Y       []float64   `json:"y"`
	Yp      []float64   `json:"yp"`
	Yu      []float64   `json:"yu"`
	Yc      []float64   `json:"yc"`
	Yb      []float64   `json:"yb"`
	Yn      []float64   `json:"yn"`
	Yk      []float64   `json:"yk"`
	Trials  []float64   `json:"trials"`
	Ym      [][]float64 `json:"ym"`
	Ys      [][]float64 `json:"ys"`
	Yt      [][]int     `json:"yt"`
}

func newSample(n int) *sample {
	r := rand.New(rand.NewPCG(1, 2))
	s := &sample{N: n}
	for range n {
		x := r.NormFloat64()
		y := 0.3 + 0.4*x + r.NormFloat64()
		s.X, s.Y, s.Yp = append(s.X, x), append(s.Y, y), append(s.Yp, 0.01+math.Exp(y/2))
		s.Yu = append(s.Yu, 1/(1+math.Exp(-y)))
		s.Yc = append(s.Yc, math.Floor(math.Exp(0.5+y/2)))
		b := 0.0
		if y > 0.3 {
			b = 1
		}
		s.Yb = append(s.Yb, b)
		s.Trials, s.Yn = append(s.Trials, float64(10+r.IntN(10))), append(s.Yn, float64(r.IntN(11)))
		s.Yk = append(s.Yk, float64(1+r.IntN(4)))
	}
	for range 1000 {
		var v, w []float64
		var c []int
		sum := 0.0
		for range 4 {
			v, c = append(v, r.NormFloat64()), append(c, 1+r.IntN(9))
			w = append(w, r.ExpFloat64()+0.01)
			sum += w[len(w)-1]
		}
		for k := range w {
			w[k] /= sum
		}
		s.Ym, s.Ys, s.Yt = append(s.Ym, v), append(s.Ys, w), append(s.Yt, c)
	}
	return s
}
