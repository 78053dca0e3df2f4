package model

import (
	"fmt"
	"math"

	"bayeskernel/engine"

	"bayeskernel/internal/density"
)

// Dist is a distribution whose parameters may be expressions.
type Dist struct{ d declared }

// declared is a distribution before it is known to which model it belongs.
type declared interface {
	name() string
	in(m *Model, of, where string) engine.Distribution // nil where something is wrong, which m is told
}

func (d Dist) name() string {
	if d.d == nil {
		return "no distribution"
	}
	return d.d.name()
}

func (d Dist) in(m *Model, of, where string) engine.Distribution {
	if d.d == nil {
		m.failAt(where, "%s: it has no distribution", of)
		return nil
	}
	out := d.d.in(m, of, where)
	if out == nil {
		return nil
	}
	for _, a := range out.Arguments() {
		if about(a).broken {
			return nil
		}
	}
	return out
}

// family is a univariate distribution with its arguments.
type family struct {
	f    *density.Family
	args []argument
	cut  *engine.Cut
	ends []argument // of cut, where they are not constants: two
}

func (d family) name() string { return d.f.Name }

// impossible says which known value of argument k is outside of what the family takes, "" for none.
func impossible(f *density.Family, k int, n *engine.Node) string {
	if !n.Fixed {
		return ""
	}
	for i, v := range n.Value {
		if p := f.Params[k]; !p.Domain.Contains(v) {
			return fmt.Sprintf("the %s of %s is %v%s, want %v", p.Name, f.Name, v, atRow(n, i), p.Domain)
		}
	}
	return ""
}

// partsOf are the univariate distributions of which one is made; none of one of vectors.
func partsOf(d engine.Distribution) []*engine.Univariate {
	switch d := d.(type) {
	case *engine.Univariate:
		return []*engine.Univariate{d}
	case *engine.Mixture:
		return d.Parts
	}
	return nil
}

// impossibleIn is impossible for all arguments of a distribution, or of the parts of a mixture.
func impossibleIn(d engine.Distribution) string {
	for _, u := range partsOf(d) {
		for k, a := range u.Args {
			if wrong := impossible(u.Family, k, a); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

func (d family) in(m *Model, of, where string) engine.Distribution {
	u := &engine.Univariate{Family: d.f, Cut: d.cut}
	for k, a := range d.args {
		n := a.in(m, where)
		if about(n).broken {
			return nil
		}
		if wrong := impossible(d.f, k, n); wrong != "" {
			m.failAt(where, "%s: %s", of, wrong)
			return nil
		}
		if d.f.Params[k].Domain == density.Count && !n.Fixed && !about(n).states {
			m.failAt(where, "%s: the %s of %s depends on parameters, want data", of, d.f.Params[k].Name,
				d.f.Name)
			return nil
		}
		u.Args = append(u.Args, n)
	}
	for _, a := range d.ends {
		n := a.in(m, where)
		if about(n).broken {
			return nil
		}
		u.Ends = append(u.Ends, n)
	}
	if d.cut != nil && !(d.cut.Lo < d.cut.Hi) {
		m.failAt(where, "%s: %s cut off at (%v, %v), want the first end below the second", of, d.f.Name,
			d.cut.Lo, d.cut.Hi)
		return nil
	}
	return u
}

func atRow(n *engine.Node, i int) string {
	if n.Scalar {
		return ""
	}
	return fmt.Sprintf(" in row %d", i+1)
}

// Truncate returns the distribution given that values lie between lo and hi, of which one may be
// infinite.
func (d Dist) Truncate(lo, hi float64) Dist {
	return d.cutOff(&engine.Cut{Lo: lo, Hi: hi})
}

// Censor returns the distribution of values of which only lo is known where they are below lo, and
// hi where they are above hi.
func (d Dist) Censor(lo, hi float64) Dist {
	return d.cutOff(&engine.Cut{Lo: lo, Hi: hi, Censored: true})
}

// TruncateAt is Dist.Truncate with ends that are expressions, or one for each value.
func TruncateAt[A, B Arg](d Dist, lo A, hi B) Dist {
	return d.cutOff(&engine.Cut{Lo: math.Inf(-1), Hi: math.Inf(1)}, argumentOf(lo), argumentOf(hi))
}

// CensorAt is Dist.Censor with ends that are expressions, or one for each value.
func CensorAt[A, B Arg](d Dist, lo A, hi B) Dist {
	return d.cutOff(&engine.Cut{Lo: math.Inf(-1), Hi: math.Inf(1), Censored: true}, argumentOf(lo),
		argumentOf(hi))
}

func (d Dist) cutOff(c *engine.Cut, ends ...argument) Dist {
	f, ok := d.d.(family)
	if !ok || f.cut != nil {
		return Dist{refused{d, "cannot be cut off"}}
	}
	f.cut, f.ends = c, ends
	return Dist{f}
}

// refused is what a distribution that cannot be had leaves.
type refused struct {
	of  Dist
	why string
}

func (r refused) name() string { return r.of.name() }

func (r refused) in(m *Model, of, where string) engine.Distribution {
	m.failAt(where, "%s: %s %s", of, r.name(), r.why)
	return nil
}

// Normal has a mean and a standard deviation.
func Normal[A, B Arg](mean A, sd B) Dist { return two(density.Normal(), mean, sd) }

// StudentT has degrees of freedom, a location and a scale.
func StudentT[A, B, C Arg](df A, location B, scale C) Dist {
	return three(density.StudentT(), df, location, scale)
}

// Cauchy has a location and a scale.
func Cauchy[A, B Arg](location A, scale B) Dist { return two(density.Cauchy(), location, scale) }

// Logistic has a location and a scale.
func Logistic[A, B Arg](location A, scale B) Dist {
	return two(density.Logistic(), location, scale)
}

// DoubleExponential is Laplace's distribution: it has a location and a scale.
func DoubleExponential[A, B Arg](location A, scale B) Dist {
	return two(density.DoubleExponential(), location, scale)
}

// HalfNormal has a scale.
func HalfNormal[A Arg](scale A) Dist { return one(density.HalfNormal(), scale) }

// HalfCauchy has a scale.
func HalfCauchy[A Arg](scale A) Dist { return one(density.HalfCauchy(), scale) }

// LogNormal has the mean and the standard deviation of the log.
func LogNormal[A, B Arg](mean A, sd B) Dist { return two(density.LogNormal(), mean, sd) }

// Gamma has a shape and a rate.
func Gamma[A, B Arg](shape A, rate B) Dist { return two(density.Gamma(), shape, rate) }

// InvGamma has a shape and a scale.
func InvGamma[A, B Arg](shape A, scale B) Dist { return two(density.InvGamma(), shape, scale) }

// Exponential has a rate.
func Exponential[A Arg](rate A) Dist { return one(density.Exponential(), rate) }

// Weibull has a shape and a scale.
func Weibull[A, B Arg](shape A, scale B) Dist { return two(density.Weibull(), shape, scale) }

// Beta has two shapes.
func Beta[A, B Arg](a A, b B) Dist { return two(density.Beta(), a, b) }

// Uniform has two ends.
func Uniform[A, B Arg](lo A, hi B) Dist { return two(density.Uniform(), lo, hi) }

// Flat has density 1 everywhere. It is improper: there is nothing to draw from.
func Flat() Dist { return Dist{family{f: density.Flat()}} }

// Bernoulli has a probability of 1.
func Bernoulli[A Arg](p A) Dist { return one(density.Bernoulli(), p) }

// BernoulliLogit has the log odds of 1.
func BernoulliLogit[A Arg](logOdds A) Dist { return one(density.BernoulliLogit(), logOdds) }

// Binomial has a number of trials, which is data, and a probability.
func Binomial[A, B Arg](trials A, p B) Dist { return two(density.Binomial(), trials, p) }

// BinomialLogit has a number of trials, which is data, and the log odds.
func BinomialLogit[A, B Arg](trials A, logOdds B) Dist {
	return two(density.BinomialLogit(), trials, logOdds)
}

// Poisson has a rate.
func Poisson[A Arg](rate A) Dist { return one(density.Poisson(), rate) }

// PoissonLog has the log of the rate.
func PoissonLog[A Arg](logRate A) Dist { return one(density.PoissonLog(), logRate) }

// NegBinomial2 has a mean and a precision phi: its variance is mean + mean²/phi.
func NegBinomial2[A, B Arg](mean A, phi B) Dist { return two(density.NegBinomial2(), mean, phi) }

// NegBinomial2Log has the log of the mean, and a precision.
func NegBinomial2Log[A, B Arg](logMean A, phi B) Dist {
	return two(density.NegBinomial2Log(), logMean, phi)
}

func one[A Arg](f *density.Family, a A) Dist {
	return Dist{family{f: f, args: []argument{argumentOf(a)}}}
}

func two[A, B Arg](f *density.Family, a A, b B) Dist {
	return Dist{family{f: f, args: []argument{argumentOf(a), argumentOf(b)}}}
}
