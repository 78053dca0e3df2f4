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
	name       string
	what       string // values the response may have, in words
	link       link
	valid      func(y float64) bool
	extra      []string // parameters beside the coefficients
	discrete   bool
	counted    bool // wants the number of trials
	categories bool // numbered from 1
	// dist declares the distribution; source is the same in Go, of variables eta, trials, cut and those of extra.
	dist   func(r *declared) model.Dist
	source string
	// stan is the distribution in Stan and its arguments; zeros says that it is that of rows which are not zero for
	// another reason.
	stan, args string
	zeros      bool
	// mean is that of the response, of one trial; nil where the link alone gives it.
	mean func(eta float64, p func(string) float64) float64
	// log is the log density of each row, for rows with weights.
	log func(r *declared, y []float64) model.Expr
}

// link turns the mean into the sum of the terms.
type link int

const (
	identity link = iota
	logLink
	logit
)

func (l link) String() string { return [...]string{"identity", "log", "logit"}[l] }

// inverse turns the sum of the terms into the mean.
func (l link) inverse(eta float64) float64 {
	switch l {
	case logLink:
		return math.Exp(eta)
	case logit:
		return 1 / (1 + math.Exp(-eta))
	}
	return eta
}

// declared is what a family's distribution is made of.
type declared struct {
	m      *model.Model
	eta    model.Expr   // of the only predictor
	etas   []model.Expr // of the second and further categories
	extra  map[string]model.Expr
	trials model.Expr
	counts []float64 // the values of trials
	cut    model.Expr
}

func whole(y float64) bool { return y >= 0 && y == math.Trunc(y) && !math.IsInf(y, 1) }

func anyNumber(float64) bool   { return true }
func positive(y float64) bool  { return y > 0 }
func category(y float64) bool  { return y >= 1 && whole(y) }
func isShare(y float64) bool   { return y > 0 && y < 1 }
func zeroOrOne(y float64) bool { return y == 0 || y == 1 }

// never is the distribution of a count that is always 0: the density of another count is below that of any model.
const never = 1e-300

// zeroInflated is a mixture of zeros and a distribution.
func zeroInflated(r *declared, d model.Dist) model.Dist {
	zi := r.extra["zi"]
	return model.Mix(model.Stack(zi, zi.OneMinus()), model.Poisson(never), d)
}

// notZero is the mean of one that is zero in a share zi.
func notZero(l link) func(float64, func(string) float64) float64 {
	return func(eta float64, p func(string) float64) float64 { return (1 - p("zi")) * l.inverse(eta) }
}

// families are the families that can be asked for.
var families = []*family{
	{name: "gaussian", what: "numbers", link: identity, valid: anyNumber, extra: []string{"sigma"},
		dist:   func(r *declared) model.Dist { return model.Normal(r.eta, r.extra["sigma"]) },
		source: "model.Normal(eta, sigma)", stan: "normal", args: "eta, sigma", log: logNormal},
	{name: "student", what: "numbers", link: identity, valid: anyNumber, extra: []string{"sigma", "nu"},
		dist:   func(r *declared) model.Dist { return model.StudentT(r.extra["nu"], r.eta, r.extra["sigma"]) },
		source: "model.StudentT(nu, eta, sigma)", stan: "student_t", args: "nu, eta, sigma", log: logStudent},
	{name: "lognormal", what: "positive numbers", link: identity, valid: positive, extra: []string{"sigma"},
		dist:   func(r *declared) model.Dist { return model.LogNormal(r.eta, r.extra["sigma"]) },
		source: "model.LogNormal(eta, sigma)", stan: "lognormal", args: "eta, sigma", log: logLogNormal,
		mean: func(eta float64, p func(string) float64) float64 { return math.Exp(eta + p("sigma")*p("sigma")/2) }},
	{name: "gamma", what: "positive numbers", link: logLink, valid: positive, extra: []string{"shape"},
		dist: func(r *declared) model.Dist {
			return model.Gamma(r.extra["shape"], r.extra["shape"].Mul(r.eta.Neg().Exp()))
		},
		source: "model.Gamma(shape, shape.Mul(eta.Neg().Exp()))", stan: "gamma", args: "shape, shape * exp(-eta)", log: logGamma},
	{name: "beta", what: "numbers between 0 and 1", link: logit, valid: isShare, extra: []string{"phi"},
		dist:   func(r *declared) model.Dist { return model.BetaProportion(r.eta.InvLogit(), r.extra["phi"]) },
		source: "model.BetaProportion(eta.InvLogit(), phi)", stan: "beta_proportion", args: "inv_logit(eta), phi", log: logBeta},
	{name: "bernoulli", what: "0 or 1, or one of two names", link: logit, valid: zeroOrOne, discrete: true,
		dist:   func(r *declared) model.Dist { return model.BernoulliLogit(r.eta) },
		source: "model.BernoulliLogit(eta)", stan: "bernoulli_logit", args: "eta", log: logBernoulli},
	{name: "binomial", what: "whole numbers from 0 to the number of trials", link: logit, valid: whole, discrete: true, counted: true,
		dist:   func(r *declared) model.Dist { return model.BinomialLogit(r.trials, r.eta) },
		source: "model.BinomialLogit(trials, eta)", stan: "binomial_logit", args: "trials, eta", log: logBinomial},
	{name: "poisson", what: "whole numbers from 0", link: logLink, valid: whole, discrete: true,
		dist:   func(r *declared) model.Dist { return model.PoissonLog(r.eta) },
		source: "model.PoissonLog(eta)", stan: "poisson_log", args: "eta", log: logPoisson},
	{name: "negbinomial", what: "whole numbers from 0", link: logLink, valid: whole, extra: []string{"shape"}, discrete: true,
		dist:   func(r *declared) model.Dist { return model.NegBinomial2Log(r.eta, r.extra["shape"]) },
		source: "model.NegBinomial2Log(eta, shape)", stan: "neg_binomial_2_log", args: "eta, shape", log: logNegBinomial},
	{name: "zero_inflated_poisson", what: "whole numbers from 0", link: logLink, valid: whole, extra: []string{"zi"}, discrete: true,
		dist:   func(r *declared) model.Dist { return zeroInflated(r, model.PoissonLog(r.eta)) },
		source: "model.PoissonLog(eta)", stan: "poisson_log", args: "eta", zeros: true, mean: notZero(logLink), log: orZero(logPoisson)},
	{name: "zero_inflated_negbinomial", what: "whole numbers from 0", link: logLink, valid: whole, extra: []string{"shape", "zi"}, discrete: true,
		dist:   func(r *declared) model.Dist { return zeroInflated(r, model.NegBinomial2Log(r.eta, r.extra["shape"])) },
		source: "model.NegBinomial2Log(eta, shape)", stan: "neg_binomial_2_log", args: "eta, shape", zeros: true, mean: notZero(logLink),
		log: orZero(logNegBinomial)},
	{name: "zero_inflated_binomial", what: "whole numbers from 0 to the number of trials", link: logit, valid: whole, extra: []string{"zi"},
		discrete: true, counted: true,
		dist:   func(r *declared) model.Dist { return zeroInflated(r, model.BinomialLogit(r.trials, r.eta)) },
		source: "model.BinomialLogit(trials, eta)", stan: "binomial_logit", args: "trials, eta", zeros: true, mean: notZero(logit), log: orZero(logBinomial)},
	{name: "exponential", what: "positive numbers", link: logLink, valid: positive,
		dist:   func(r *declared) model.Dist { return model.Exponential(r.eta.Neg().Exp()) },
		source: "model.Exponential(eta.Neg().Exp())", stan: "exponential", args: "exp(-eta)", log: logExponential},
	{name: "weibull", what: "positive numbers", link: logLink, valid: positive, extra: []string{"shape"},
		dist: func(r *declared) model.Dist {
			shape := r.extra["shape"]
			return model.Weibull(shape, r.eta.Sub(shape.Inv().Shift(1).Lgamma()).Exp())
		},
		source: "model.Weibull(shape, eta.Sub(shape.Inv().Shift(1).Lgamma()).Exp())", stan: "weibull",
		args: "shape, exp(eta - lgamma(1 + 1 / shape))", log: logWeibull},
	{name: "cumulative", what: "whole numbers from 1, or names in order", link: logit, valid: category, discrete: true, categories: true,
		dist:   func(r *declared) model.Dist { return model.OrderedLogistic(r.eta, r.cut) },
		source: "model.OrderedLogistic(eta, cut)", stan: "ordered_logistic", args: "eta, Intercept",
		log: logCumulative},
	{name: "categorical", what: "whole numbers from 1, or names", link: logit, valid: category, discrete: true, categories: true,
		dist: func(r *declared) model.Dist {
			return model.CategoricalLogit(model.Columns(append([]model.Expr{r.etas[0].Scale(0)}, r.etas...)...))
		}, log: logCategorical},
}

// Families are the names of the families.
func Families() []string {
	var out []string
	for _, f := range families {
		out = append(out, f.name)
	}
	return out
}

// CheckFamily says what is wrong with a name of a family.
func CheckFamily(name string) error {
	_, err := familyOf(name)
	return err
}

// familyOf finds a family by its name.
func familyOf(name string) (*family, error) {
	name = strings.ToLower(name)
	switch name {
	case "normal":
		name = "gaussian"
	case "ordinal":
		name = "cumulative"
	case "multinomial":
		name = "categorical"
	case "logistic", "logit":
		name = "bernoulli"
	case "negative_binomial", "negbinomial2", "neg_binomial_2", "nb":
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
