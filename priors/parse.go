package priors

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// family is one kind of prior that Parse knows.
type family struct {
	name   string
	params []string
	make   func(p []float64) Prior
}

// families lists the known kinds in alphabetical order.
func families() []family {
	return []family{
		{"beta", []string{"a", "b"}, func(p []float64) Prior { return Beta{p[0], p[1]} }},
		{"exponential", []string{"rate"}, func(p []float64) Prior { return Exponential{p[0]} }},
		{"flat", nil, func([]float64) Prior { return Flat{} }},
		{"gamma", []string{"shape", "rate"}, func(p []float64) Prior { return Gamma{p[0], p[1]} }},
		{"half_cauchy", []string{"scale"}, func(p []float64) Prior { return HalfCauchy{p[0]} }},
		{"half_normal", []string{"scale"}, func(p []float64) Prior { return HalfNormal{p[0]} }},
		{"inv_gamma", []string{"shape", "scale"},
			func(p []float64) Prior { return InvGamma{p[0], p[1]} }},
		{"lognormal", []string{"mu", "sigma"},
			func(p []float64) Prior { return LogNormal{p[0], p[1]} }},
		{"normal", []string{"mean", "sd"}, func(p []float64) Prior { return Normal{p[0], p[1]} }},
		{"student_t", []string{"df", "location", "scale"},
			func(p []float64) Prior { return StudentT{p[0], p[1], p[2]} }},
		{"uniform", []string{"lo", "hi"}, func(p []float64) Prior { return Uniform{p[0], p[1]} }},
	}
}

// Parse reads a prior such as gamma(1,1), half-normal(2.5) or flat. Case and spaces do not matter,
// nor do hyphens and underscores in the name. Parse(p.String()) is p for every valid p here.
func Parse(s string) (Prior, error) {
	name, rest, opened := strings.Cut(strings.TrimSpace(s), "(")
	f, err := find(name)
	if err != nil {
		return nil, err
	}
	var args []string
	if opened {
		inside, trailing, closed := strings.Cut(rest, ")")
		if !closed {
			return nil, fmt.Errorf("priors: %s has no closing parenthesis", quote(s))
		}
		if trailing != "" {
			return nil, fmt.Errorf("priors: %s goes on after its closing parenthesis", quote(s))
		}
		if strings.TrimSpace(inside) != "" {
			args = strings.Split(inside, ",")
		}
	}
	if len(args) != len(f.params) {
		return nil, fmt.Errorf("priors: %s: got %d in %s", f.usage(), len(args), quote(s))
	}
	values := make([]float64, len(args))
	for i, a := range args {
		a = strings.TrimSpace(a)
		if values[i], err = strconv.ParseFloat(a, 64); errors.Is(err, strconv.ErrRange) {
			return nil, fmt.Errorf("priors: %s: %s %s is too large", f.name, f.params[i], quote(a))
		} else if err != nil {
			return nil, fmt.Errorf("priors: %s: %s %s is not a number", f.name, f.params[i], quote(a))
		}
	}
	p := f.make(values)
	if err := p.Check(); err != nil {
		return nil, err
	}
	return p, nil
}

// quote quotes s for an error message, shortened if it is long.
func quote(s string) string {
	const limit = 80
	if len(s) > limit {
		s = s[:limit] + "..."
	}
	return strconv.Quote(s)
}

// find returns the family of that name.
func find(name string) (family, error) {
	fold := strings.NewReplacer("_", "", "-", "", " ", "", "\t", "")
	key := strings.ToLower(fold.Replace(name))
	if key == "inversegamma" {
		key = "invgamma"
	}
	var known []string
	for _, f := range families() {
		if fold.Replace(f.name) == key {
			return f, nil
		}
		known = append(known, f.name)
	}
	return family{}, fmt.Errorf("priors: unknown prior %s, want one of %s",
		quote(strings.TrimSpace(name)), strings.Join(known, ", "))
}

// usage says what the family takes: gamma takes shape and rate: gamma(shape, rate).
func (f family) usage() string {
	n := len(f.params)
	if n == 0 {
		return f.name + " takes no parameters"
	}
	list := f.params[n-1]
	if n > 1 {
		list = strings.Join(f.params[:n-1], ", ") + " and " + list
	}
	return fmt.Sprintf("%s takes %s: %s(%s)", f.name, list, f.name, strings.Join(f.params, ", "))
}
