package formula

import (
	"fmt"
	"slices"
	"strings"
)

// prior finds the prior of a parameter, or else of its class.
func (r *Regression) prior(class, name string) Prior {
	var of Prior
	for _, p := range r.Priors {
		if p.Of == name {
			return p
		}
		if p.Of == class {
			of = p
		}
	}
	return of
}

// choosePriors puts those that were asked for before the defaults.
func choosePriors(r *Regression, asked []string) ([]Prior, error) {
	var out []Prior
	known := r.parameters()
	for _, text := range asked {
		p, err := ParsePrior(text)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(known, p.Of) {
			return nil, fmt.Errorf("prior: %s is no parameter of this model, which has %s%s", p.Of, strings.Join(known, ", "),
				didYouMean(p.Of, known))
		}
		if (p.dist == "lkj") != (p.Of == "cor") {
			return nil, fmt.Errorf("prior: %s: correlations have the prior lkj, and nothing else has", p)
		}
		if err := p.covers(); err != nil {
			return nil, err
		}
		for _, o := range out {
			if o.Of == p.Of {
				return nil, fmt.Errorf("prior: %s has two priors, %s and %s", p.Of, o.Text, p.Text)
			}
		}
		out = append(out, p)
	}
	for _, p := range defaultPriors(r.family, r.Y, r.offset) {
		if slices.Contains(known, p.Of) && !slices.ContainsFunc(out, func(o Prior) bool { return o.Of == p.Of }) {
			out = append(out, p)
		}
	}
	return out, nil
}

// covers refuses a prior that leaves out values that the parameter may take.
func (p Prior) covers() error {
	coefficient := p.Of == "Intercept" || p.Of == "b" || strings.HasPrefix(p.Of, "b_") || strings.HasPrefix(p.Of, "bs_")
	switch on := priorDists[p.dist].on; {
	case coefficient && on != everywhere:
		return fmt.Errorf("prior: %s leaves out values of %s, which may be any number: want one that does not, such as normal(0, 5)", p, p.Of)
	case !coefficient && p.Of != "zi" && p.Of != "cor" && on == between:
		return fmt.Errorf("prior: %s leaves out values of %s, which may be any positive number: want one that does not, such as exponential(1)",
			p, p.Of)
	}
	return nil
}

// parameters are the classes and the names that may have a prior of their own.
func (r *Regression) parameters() []string {
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if r.Design.Intercept {
		add("Intercept")
	}
	if len(r.slopes())+len(r.Smooths) > 0 {
		add("b")
	}
	for _, of := range r.predictors {
		if of != "" && r.Design.Intercept {
			add("b_" + of + "Intercept")
		}
		for _, s := range r.slopes() {
			add("b_" + of + s)
		}
		for _, s := range r.Smooths {
			add("sds")
			add("bs_" + of + s.Name + "_1")
			add("sds_" + of + s.Name + "_1")
		}
	}
	if len(r.Groups) > 0 {
		add("sd")
	}
	for _, g := range r.Groups {
		add("sd_" + g.Name)
		if g.together() {
			add("cor")
		}
		for _, of := range r.predictors {
			for _, a := range g.Design.Names {
				add("sd_" + g.Name + "__" + of + short(a))
			}
		}
	}
	return append(out, r.family.extra...)
}

// groupPrior is the prior of the standard deviation of a coefficient that varies.
func (r *Regression) groupPrior(g *Group, name string) Prior {
	if p := r.prior(name, name); p.Of == name {
		return p
	}
	return r.prior("sd", "sd_"+g.Name)
}
