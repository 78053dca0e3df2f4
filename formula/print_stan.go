package formula

import (
	"fmt"
	"regexp"
	"strings"
)

// StanProgram writes the regression as a program in Stan, whose data are ProgramData. Its log density is that of Program but
// for a constant.
func (r *Regression) StanProgram() string {
	var w textLines
	w.add("// %s, %s", strings.Join(strings.Fields(r.Formula.Text), " "), r.Family)
	w.block("data", func() { r.stanData(&w) })
	if len(r.slopes()) > 0 && r.Design.Intercept {
		w.block("transformed data", func() {
			w.add("vector[K] means;")
			w.add("matrix[N, K] Xc;")
			w.add("for (k in 1:K) {")
			w.add("  means[k] = mean(X[, k]);")
			w.add("  Xc[, k] = X[, k] - means[k];")
			w.add("}")
		})
	}
	w.block("parameters", func() { r.stanParameters(&w) })
	w.block("model", func() {
		for k, of := range r.predictors {
			r.stanSum(&w, r.suffixesOf()[k], of)
		}
		r.stanPriors(&w)
		r.stanRows(&w)
	})
	if r.Design.Intercept || len(r.Groups) > 0 {
		w.block("generated quantities", func() { r.stanQuantities(&w) })
	}
	return w.String()
}

func (l *textLines) block(name string, f func()) {
	l.add("%s {", name)
	l.indent = "  "
	f()
	l.indent = ""
	l.add("}")
}

func (r *Regression) stanData(w *textLines) {
	w.add("int<lower=1> N;")
	switch {
	case r.family.categories:
		w.add("int<lower=2> ncat;")
		w.add("array[N] int<lower=1, upper=ncat> y;")
	case r.family.discrete:
		w.add("array[N] int y;")
	default:
		w.add("vector[N] y;")
	}
	if s := r.slopes(); len(s) > 0 {
		w.add("int<lower=1> K;")
		w.add("matrix[N, K] X; // %s", strings.Join(s, ", "))
	}
	if r.offset != nil {
		w.add("vector[N] offsets;")
	}
	if r.trials != nil {
		w.add("array[N] int trials;")
	}
	if r.censored != nil {
		w.add("array[N] int<lower=0, upper=1> cens; // 1: y or more")
	}
	if r.weights != nil {
		w.add("vector<lower=0>[N] weights;")
	}
	for k, g := range r.Groups {
		w.add("int<lower=1> J_%d; // levels of %s", k+1, g.Name)
		w.add("array[N] int<lower=1, upper=J_%d> g_%d;", k+1, k+1)
		w.add("int<lower=1> M_%d;", k+1)
		w.add("matrix[N, M_%d] Z_%d; // %s", k+1, k+1, strings.Join(g.Design.Names, ", "))
	}
	for k, s := range r.Smooths {
		w.add("vector[N] line_%d; // of %s", k+1, s.Label)
		w.add("int<lower=1> D_%d;", k+1)
		w.add("matrix[N, D_%d] B_%d;", k+1, k+1)
	}
}

func (r *Regression) stanParameters(w *textLines) {
	for _, x := range r.suffixesOf() {
		if len(r.slopes()) > 0 {
			w.add("vector[K] b%s;", x)
		}
		switch {
		case r.Family == "cumulative":
			w.add("ordered[ncat - 1] Intercept;")
		case r.Design.Intercept:
			w.add("real Intercept%s; // where the columns of X have their means", x)
		}
		for k := range r.Smooths {
			w.add("real bs_%d%s;", k+1, x)
		}
	}
	for _, e := range r.family.extra {
		if e == "zi" {
			w.add("real<lower=0, upper=1> zi;")
		} else {
			w.add("real<lower=0> %s;", e)
		}
	}
	for _, x := range r.suffixesOf() {
		for k, g := range r.Groups {
			if g.together() {
				w.add("vector<lower=0>[M_%d] sd_%d%s;", k+1, k+1, x)
				w.add("cholesky_factor_corr[M_%d] L_%d%s;", k+1, k+1, x)
				w.add("array[M_%d] vector[J_%d] z_%d%s;", k+1, k+1, k+1, x)
				continue
			}
			for j := range g.Design.Names {
				w.add("real<lower=0> sd_%d_%d%s;", k+1, j+1, x)
				w.add("vector[J_%d] z_%d_%d%s;", k+1, k+1, j+1, x)
			}
		}
		for k := range r.Smooths {
			w.add("real<lower=0> sds_%d%s;", k+1, x)
			w.add("vector[D_%d] zs_%d%s;", k+1, k+1, x)
		}
	}
}

// stanSum adds up the terms of a predictor.
func (r *Regression) stanSum(w *textLines, x, of string) {
	var parts []string
	if r.offset != nil {
		parts = append(parts, "offsets")
	}
	if len(r.slopes()) > 0 {
		m := "X"
		if r.Design.Intercept {
			m = "Xc"
		}
		parts = append(parts, m+" * b"+x)
	}
	for k := range r.Smooths {
		parts = append(parts, fmt.Sprintf("line_%d * bs_%d%s", k+1, k+1, x), fmt.Sprintf("B_%d * (sds_%d%s * zs_%d%s)", k+1, k+1, x, k+1, x))
	}
	if len(parts) == 0 {
		parts = []string{"rep_vector(0, N)"}
	}
	if r.Design.Intercept && r.Family != "cumulative" {
		parts = append(parts, "Intercept"+x)
	}
	w.add("vector[N] eta%s = %s;", x, strings.Join(parts, " + "))
	for k, g := range r.Groups {
		for j := range g.Design.Names {
			var z string
			if g.together() {
				var sum []string
				for l := range j + 1 {
					sum = append(sum, fmt.Sprintf("L_%d%s[%d, %d] * z_%d%s[%d]", k+1, x, j+1, l+1, k+1, x, l+1))
				}
				z = fmt.Sprintf("sd_%d%s[%d] * (%s)", k+1, x, j+1, strings.Join(sum, " + "))
			} else {
				z = fmt.Sprintf("sd_%d_%d%s * z_%d_%d%s", k+1, j+1, x, k+1, j+1, x)
			}
			w.add("vector[J_%d] r_%d_%d%s = %s;", k+1, k+1, j+1, x, z)
			w.add("eta%s += Z_%d[, %d] .* r_%d_%d%s[g_%d];", x, k+1, j+1, k+1, j+1, x, k+1)
		}
	}
}

// stanPrior writes a prior, cut where the parameter is bounded.
func (w *textLines) stanPrior(name string, p Prior, ends string) {
	switch p.dist {
	case "flat":
	case "normal", "student_t", "cauchy", "double_exponential", "logistic":
		w.add("%s ~ %s%s;", name, p.stanWord(), ends)
	case "beta":
		w.add("%s ~ %s;", name, p.stanWord())
	default:
		if ends == " T[0, 1]" {
			w.add("%s ~ %s%s;", name, p.stanWord(), ends)
			return
		}
		w.add("%s ~ %s;", name, p.stanWord())
	}
}

const above0 = " T[0, ]"

func (r *Regression) stanPriors(w *textLines) {
	for p, of := range r.predictors {
		x := r.suffixesOf()[p]
		if s := r.slopes(); r.separately() {
			for j := range s {
				w.stanPrior(fmt.Sprintf("b%s[%d]", x, j+1), r.prior("b", "b_"+of+s[j]), "")
			}
		} else if len(s) > 0 {
			w.stanPrior("b"+x, r.prior("b", "b"), "")
		}
		if r.Design.Intercept {
			w.stanPrior("Intercept"+x, r.prior("Intercept", "b_"+of+"Intercept"), "")
		}
		for k, s := range r.Smooths {
			w.stanPrior(fmt.Sprintf("bs_%d%s", k+1, x), r.prior("b", "bs_"+of+s.Name+"_1"), "")
		}
	}
	for _, e := range r.family.extra {
		if e == "zi" {
			w.stanPrior(e, r.prior(e, e), " T[0, 1]")
		} else {
			w.stanPrior(e, r.prior(e, e), above0)
		}
	}
	for p, of := range r.predictors {
		x := r.suffixesOf()[p]
		for k := range r.Groups {
			g := &r.Groups[k]
			for j, a := range g.Design.Names {
				prior := r.groupPrior(g, "sd_"+g.Name+"__"+of+short(a))
				if g.together() {
					w.stanPrior(fmt.Sprintf("sd_%d%s[%d]", k+1, x, j+1), prior, above0)
					w.add("z_%d%s[%d] ~ std_normal();", k+1, x, j+1)
				} else {
					w.stanPrior(fmt.Sprintf("sd_%d_%d%s", k+1, j+1, x), prior, above0)
					w.add("z_%d_%d%s ~ std_normal();", k+1, j+1, x)
				}
			}
			if g.together() {
				w.add("L_%d%s ~ %s;", k+1, x, r.prior("cor", "cor").stanWord())
			}
		}
		for k, s := range r.Smooths {
			w.stanPrior(fmt.Sprintf("sds_%d%s", k+1, x), r.prior("sds", "sds_"+of+s.Name+"_1"), above0)
			w.add("zs_%d%s ~ std_normal();", k+1, x)
		}
	}
}

// ofRow makes arguments those of a row.
var ofRow = regexp.MustCompile(`\b(eta|trials)\b`)

// stanRows writes the likelihood.
func (r *Regression) stanRows(w *textLines) {
	f := r.family
	kind := "lpdf"
	if f.discrete {
		kind = "lpmf"
	}
	row := ofRow.ReplaceAllString(f.args, "$1[n]")
	density := fmt.Sprintf("%s_%s(y[n] | %s)", f.stan, kind, row)
	switch {
	case r.Family == "categorical":
		var etas []string
		for _, x := range r.suffixesOf() {
			etas = append(etas, "eta"+x+"[n]")
		}
		w.add("for (n in 1:N) {")
		if r.weights != nil {
			w.add("  target += weights[n] * categorical_logit_lpmf(y[n] | [0, %s]');", strings.Join(etas, ", "))
		} else {
			w.add("  y[n] ~ categorical_logit([0, %s]');", strings.Join(etas, ", "))
		}
		w.add("}")
	case f.zeros:
		times, open, end := "", "", ""
		if r.weights != nil {
			times, open, end = "weights[n] * ", "(", ")"
		}
		w.add("for (n in 1:N) {")
		w.add("  if (y[n] == 0) {")
		w.add("    target += %slog_sum_exp(log(zi), log1m(zi) + %s);", times, density)
		w.add("  } else {")
		w.add("    target += %s%slog1m(zi) + %s%s;", times, open, density, end)
		w.add("  }")
		w.add("}")
	case r.censored != nil:
		w.add("for (n in 1:N) {")
		w.add("  if (cens[n] == 1) {")
		w.add("    target += %s_lccdf(y[n] | %s);", f.stan, row)
		w.add("  } else {")
		w.add("    target += %s;", density)
		w.add("  }")
		w.add("}")
	case r.weights != nil:
		w.add("for (n in 1:N) {")
		w.add("  target += weights[n] * %s;", density)
		w.add("}")
	default:
		w.add("y ~ %s(%s);", f.stan, f.args)
	}
}

func (r *Regression) stanQuantities(w *textLines) {
	for _, x := range r.suffixesOf() {
		switch {
		case r.Family == "cumulative" && len(r.slopes()) > 0:
			w.add("vector[ncat - 1] b_Intercept = Intercept + dot_product(means, b);")
		case r.Family == "cumulative":
			w.add("vector[ncat - 1] b_Intercept = Intercept;")
		case r.Design.Intercept && len(r.slopes()) > 0:
			w.add("real b_Intercept%s = Intercept%s - dot_product(means, b%s);", x, x, x)
		case r.Design.Intercept:
			w.add("real b_Intercept%s = Intercept%s;", x, x)
		}
		for k, g := range r.Groups {
			if g.together() {
				w.add("corr_matrix[M_%d] cor_%d%s = multiply_lower_tri_self_transpose(L_%d%s);", k+1, k+1, x, k+1, x)
			}
		}
	}
}
