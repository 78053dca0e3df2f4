package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/model"
)

// family is a distribution of the response, whose mean is a function of the sum of the terms.
type family struct {
	name  string
	what  string // values the response may have, in words
	link  link
	valid func(y float64) bool
	extra []string // parameters beside the coefficients
	// dist declares the distribution.
	dist func(r *declared) model.Dist
	stan func() string // the statement about y, of eta and the others
}

// link turns the mean into the sum of the terms.
type link int

const (
	identity link = iota
	logLink
	logit
)

func (l link) String() string { return [...]string{"identity", "log", "logit"}[l] }

// declared is what a family's distribution is made of.
type declared struct {
	eta    model.Expr
	extra  map[string]model.Expr
	trials model.Expr
	cut    model.Expr
}

func whole(y float64) bool { return y >= 0 && y == math.Trunc(y) }

// families are the families that can be asked for.
var families = []*family{
	{name: "gaussian", what: "numbers", link: identity, valid: func(float64) bool { return true }, extra: []string{"sigma"},
		dist: func(r *declared) model.Dist { return model.Normal(r.eta, r.extra["sigma"]) },
		stan: func() string { return "normal(eta, sigma)" }},
	{name: "student", what: "numbers", link: identity, valid: func(float64) bool { return true }, extra: []string{"sigma", "nu"},
		dist: func(r *declared) model.Dist { return model.StudentT(r.extra["nu"], r.eta, r.extra["sigma"]) },
		stan: func() string { return "student_t(nu, eta, sigma)" }},
	{name: "lognormal", what: "positive numbers", link: identity, valid: func(y float64) bool { return y > 0 }, extra: []string{"sigma"},
		dist: func(r *declared) model.Dist { return model.LogNormal(r.eta, r.extra["sigma"]) },
		stan: func() string { return "lognormal(eta, sigma)" }},
	{name: "gamma", what: "positive numbers", link: logLink, valid: func(y float64) bool { return y > 0 }, extra: []string{"shape"},
		dist: func(r *declared) model.Dist {
			return model.Gamma(r.extra["shape"], r.extra["shape"].Mul(r.eta.Neg().Exp()))
		},
		stan: func() string { return "gamma(shape, shape * exp(-eta))" }},
	{name: "beta", what: "numbers between 0 and 1", link: logit, valid: func(y float64) bool { return y > 0 && y < 1 }, extra: []string{"phi"},
		dist: func(r *declared) model.Dist { return model.BetaProportion(r.eta.InvLogit(), r.extra["phi"]) },
		stan: func() string { return "beta_proportion(inv_logit(eta), phi)" }},
	{name: "bernoulli", what: "0 or 1, or one of two names", link: logit, valid: func(y float64) bool { return y == 0 || y == 1 },
		dist: func(r *declared) model.Dist { return model.BernoulliLogit(r.eta) },
		stan: func() string { return "bernoulli_logit(eta)" }},
	{name: "binomial", what: "whole numbers from 0 to the number of trials", link: logit, valid: whole,
		dist: func(r *declared) model.Dist { return model.BinomialLogit(r.trials, r.eta) },
		stan: func() string { return "binomial_logit(trials, eta)" }},
	{name: "poisson", what: "whole numbers from 0", link: logLink, valid: whole,
		dist: func(r *declared) model.Dist { return model.PoissonLog(r.eta) },
		stan: func() string { return "poisson_log(eta)" }},
	{name: "negbinomial", what: "whole numbers from 0", link: logLink, valid: whole, extra: []string{"shape"},
		dist: func(r *declared) model.Dist { return model.NegBinomial2Log(r.eta, r.extra["shape"]) },
		stan: func() string { return "neg_binomial_2_log(eta, shape)" }},
	{name: "exponential", what: "positive numbers", link: logLink, valid: func(y float64) bool { return y > 0 },
		dist: func(r *declared) model.Dist { return model.Exponential(r.eta.Neg().Exp()) },
		stan: func() string { return "exponential(exp(-eta))" }},
	{name: "weibull", what: "positive numbers", link: logLink, valid: func(y float64) bool { return y > 0 }, extra: []string{"shape"},
		dist: func(r *declared) model.Dist {
			shape := r.extra["shape"]
			return model.Weibull(shape, r.eta.Sub(shape.Inv().Shift(1).Lgamma()).Exp())
		},
		stan: func() string { return "weibull(shape, exp(eta - lgamma(1 + 1 / shape)))" }},
	{name: "cumulative", what: "whole numbers from 1, or names in order", link: logit, valid: func(y float64) bool { return y >= 1 && whole(y) },
		dist: func(r *declared) model.Dist { return model.OrderedLogistic(r.eta, r.cut) },
		stan: func() string { return "ordered_logistic(eta, Intercept)" }},
}

// Families are the names of the families.
func Families() []string {
	var out []string
	for _, f := range families {
		out = append(out, f.name)
	}
	return out
}

// familyOf finds a family by its name.
func familyOf(name string) (*family, error) {
	name = strings.ToLower(name)
	switch name {
	case "normal":
		name = "gaussian"
	case "ordinal":
		name = "cumulative"
	case "negative_binomial", "negbinomial2", "neg_binomial_2":
		name = "negbinomial"
	case "student_t":
		name = "student"
	}
	k := slices.IndexFunc(families, func(f *family) bool { return f.name == name })
	if k < 0 {
		return nil, fmt.Errorf("formula: there is no family %q, only %s%s", name, strings.Join(Families(), ", "),
			didYouMean(name, Families()))
	}
	return families[k], nil
}
