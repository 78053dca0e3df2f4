package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/model"
)

// Prior is the prior of a parameter, or of all parameters of a class.
type Prior struct {
	Of   string // the class: b, Intercept, sd, cor, sigma, shape, nu, phi; or one parameter, as b_x or sd_g
	Text string // as in Stan: student_t(3, 0, 2.5); (flat) for b

	dist string
	args []float64
}

// support is where the values of a prior lie.
type support int

const (
	everywhere support = iota
	aboveZero
	between // two ends
)

// priorDists are the distributions of priors with the number of their arguments.
var priorDists = map[string]struct {
	args int
	on   support
	dist func(a []float64) model.Dist
}{
	"normal":             {2, everywhere, func(a []float64) model.Dist { return model.Normal(a[0], a[1]) }},
	"student_t":          {3, everywhere, func(a []float64) model.Dist { return model.StudentT(a[0], a[1], a[2]) }},
	"cauchy":             {2, everywhere, func(a []float64) model.Dist { return model.Cauchy(a[0], a[1]) }},
	"double_exponential": {2, everywhere, func(a []float64) model.Dist { return model.DoubleExponential(a[0], a[1]) }},
	"logistic":           {2, everywhere, func(a []float64) model.Dist { return model.Logistic(a[0], a[1]) }},
	"gamma":              {2, aboveZero, func(a []float64) model.Dist { return model.Gamma(a[0], a[1]) }},
	"inv_gamma":          {2, aboveZero, func(a []float64) model.Dist { return model.InvGamma(a[0], a[1]) }},
	"exponential":        {1, aboveZero, func(a []float64) model.Dist { return model.Exponential(a[0]) }},
	"beta":               {2, between, func(a []float64) model.Dist { return model.Beta(a[0], a[1]) }},
	"uniform":            {2, between, func(a []float64) model.Dist { return model.Uniform(a[0], a[1]) }},
	"lognormal":          {2, aboveZero, func(a []float64) model.Dist { return model.LogNormal(a[0], a[1]) }},
	"lkj":                {1, everywhere, func(a []float64) model.Dist { return model.LKJ(a[0]) }},
	"flat":               {0, everywhere, func([]float64) model.Dist { return model.Flat() }},
}

// ParsePrior reads a prior such as b ~ normal(0, 1).
func ParsePrior(text string) (Prior, error) {
	n, err := parse(text)
	if err != nil {
		return Prior{}, fmt.Errorf("prior: %w", err)
	}
	if n.kind != operator || n.text != "~" || len(n.args) != 2 || n.args[0].kind != name {
		return Prior{}, fmt.Errorf("prior: %q is no prior, want one such as b ~ normal(0, 1)", text)
	}
	p := Prior{Of: n.args[0].text}
	d := n.args[1].bare()
	known, ok := priorDists[d.text]
	if !ok || d.kind != call && !(d.kind == name && d.text == "flat") {
		var names []string
		for k := range priorDists {
			names = append(names, k)
		}
		slices.Sort(names)
		return p, fmt.Errorf("prior: %s is no distribution of priors, only %s%s", d, strings.Join(names, ", "), didYouMean(d.text, names))
	}
	if len(d.args) != known.args {
		return p, fmt.Errorf("prior: %s: the number of arguments is %d, want %d", d, len(d.args), known.args)
	}
	p.dist = d.text
	for _, a := range d.args {
		v, ok := constant(a)
		if !ok {
			return p, fmt.Errorf("prior: %s is no number in %s", a, d)
		}
		p.args = append(p.args, v)
	}
	p.Text = d.String()
	if p.dist == "flat" {
		p.Text = "(flat)"
	}
	return p, nil
}

// constant is the value of a number with signs.
func constant(n *node) (float64, bool) {
	n = n.bare()
	switch {
	case n.kind == number:
		return n.num, true
	case n.kind == operator && len(n.args) == 1 && (n.text == "-" || n.text == "+"):
		v, ok := constant(n.args[0])
		if n.text == "-" {
			v = -v
		}
		return v, ok
	}
	return 0, false
}

func newPrior(of, dist string, args ...float64) Prior {
	p := Prior{Of: of, dist: dist, args: args}
	var text []string
	for _, a := range args {
		text = append(text, fmt.Sprint(a))
	}
	p.Text = dist + "(" + strings.Join(text, ", ") + ")"
	if dist == "flat" {
		p.Text = "(flat)"
	}
	return p
}

// declare is the distribution in a model.
func (p Prior) declare() model.Dist { return priorDists[p.dist].dist(p.args) }

// declareIn is that of a parameter in other units.
func (p Prior) declareIn(shift, unit float64) model.Dist {
	p, _ = p.in(shift, unit)
	return p.declare()
}

// in is the prior of (θ - shift)/unit where p is that of θ, and whether there is one.
func (p Prior) in(shift, unit float64) (Prior, bool) {
	a := slices.Clone(p.args)
	switch {
	case p.dist == "flat" || shift == 0 && unit == 1:
	case len(a) > 1 && (p.dist == "normal" || p.dist == "cauchy" || p.dist == "double_exponential" || p.dist == "logistic"):
		a[0], a[1] = (a[0]-shift)/unit, a[1]/unit
	case p.dist == "student_t":
		a[1], a[2] = (a[1]-shift)/unit, a[2]/unit
	case p.dist == "uniform":
		a[0], a[1] = (a[0]-shift)/unit, (a[1]-shift)/unit
	case shift != 0:
		return p, false
	case p.dist == "gamma":
		a[1] *= unit
	case p.dist == "inv_gamma":
		a[1] /= unit
	case p.dist == "exponential":
		a[0] *= unit
	case p.dist == "lognormal":
		a[0] -= math.Log(unit)
	default:
		return p, false
	}
	p.args = a
	return p, true
}

// String is the prior as a line.
func (p Prior) String() string { return p.Of + " ~ " + p.Text }

// defaultPriors are those of brms 2.18: flat for coefficients, and weak ones in the units of the response, on the
// scale of the sum of the terms. Its median and its median absolute deviation are to one place.
func defaultPriors(f *family, y, offset []float64) []Prior {
	location, scale := 0.0, 2.5
	if f.link != logit && f.name != "categorical" {
		linked := slices.Clone(y)
		for i, v := range linked {
			if f.link == logLink || f.name == "lognormal" {
				if v == 0 {
					v = .1
				}
				linked[i] = math.Log(v)
			}
		}
		middle := median(linked)
		location = tenths(middle)
		for i, v := range linked {
			linked[i] = math.Abs(v - middle)
		}
		scale = math.Max(scale, tenths(1.4826*median(linked)))
		if offset != nil {
			sum := 0.0
			for _, v := range offset {
				sum += v
			}
			location -= sum / float64(len(offset))
		}
	}
	return []Prior{newPrior("b", "flat"), newPrior("Intercept", "student_t", 3, location, scale),
		newPrior("sd", "student_t", 3, 0, scale), newPrior("sds", "student_t", 3, 0, scale), newPrior("cor", "lkj", 1),
		newPrior("sigma", "student_t", 3, 0, scale), newPrior("shape", "gamma", .01, .01), newPrior("phi", "gamma", .01, .01),
		newPrior("nu", "gamma", 2, .1), newPrior("zi", "beta", 1, 1)}
}

// median is the middle of some values.
func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	if n == 0 {
		return math.NaN()
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}

// tenths rounds to one place, as R does.
func tenths(v float64) float64 { return math.RoundToEven(v*10)/10 + 0 }
