package model

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
	"bayeskernel/priors"
)

// Dist is a distribution whose parameters may be expressions.
type Dist struct{ d declared }

// declared is a distribution before it is known to which model it belongs.
type declared interface {
	name() string
	in(m *Model, of, where string) distribution // nil where something is wrong, which m is told
}

// distribution is one in a model.
type distribution interface {
	name() string
	arguments() []*Node
	// forParameter and forValues say why a parameter, or observed values, cannot have it.
	forParameter(p Place) error
	forValues(y *Node, name string) error
	// mapped returns the distribution with other nodes for its arguments.
	mapped(to func(*Node) *Node) distribution
	// bind makes the term of the density of values; with y nil, one that can only draw.
	bind(c *memory, y *Node) term
}

// Place is what a distribution is told of the parameter that has it: its values, the transform that
// makes them of unconstrained coordinates, and their support.
type Place struct {
	N         int
	Transform priors.Transform
	Lo, Hi    float64
	Moved     bool // the values are shift + scale times what the transform makes
}

// joint is a distribution of vectors: values that have a density together.
type joint interface {
	distribution
	// densities returns how many of them n values have.
	densities(n int) int
}

// term is the log density of values, bound to the memory of one chain.
type term interface {
	root
	// pointwise writes the log density of each value; of values that have no density of their own,
	// that of all into the first, and it returns how many it wrote.
	pointwise(out []float64) int
	// draw writes values drawn from the distribution.
	draw(r *rand.Rand, out []float64)
}

func (d Dist) name() string {
	if d.d == nil {
		return "no distribution"
	}
	return d.d.name()
}

func (d Dist) in(m *Model, of, where string) distribution {
	if d.d == nil {
		m.failAt(where, "%s: it has no distribution", of)
		return nil
	}
	out := d.d.in(m, of, where)
	if out == nil {
		return nil
	}
	for _, a := range out.arguments() {
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
	cut  *cut
	ends []argument // of cut, where they are not constants: two
}

// cut is a truncated or censored range.
type cut struct {
	lo, hi   float64
	censored bool // values at an end stand for all beyond it
}

func (d family) name() string { return d.f.Name }

func (d family) in(m *Model, of, where string) distribution {
	u := &univariate{family: d.f, cut: d.cut}
	for k, a := range d.args {
		n := a.in(m, where)
		if about(n).broken {
			return nil
		}
		if n.Fixed && n.Value != nil {
			for i, v := range n.Value {
				if p := d.f.Params[k]; !p.Domain.Contains(v) {
					m.failAt(where, "%s: the %s of %s is %v%s, want %v", of, p.Name, d.f.Name, v,
						atRow(n, i), p.Domain)
					return nil
				}
			}
		}
		if d.f.Params[k].Domain == density.Count && !n.Fixed {
			m.failAt(where, "%s: the %s of %s depends on parameters, want data", of, d.f.Params[k].Name,
				d.f.Name)
			return nil
		}
		u.args = append(u.args, n)
	}
	for _, a := range d.ends {
		n := a.in(m, where)
		if about(n).broken {
			return nil
		}
		u.ends = append(u.ends, n)
	}
	if d.cut != nil && !(d.cut.lo < d.cut.hi) {
		m.failAt(where, "%s: %s cut off at (%v, %v), want the first end below the second", of, d.f.Name,
			d.cut.lo, d.cut.hi)
		return nil
	}
	return u
}

func atRow(n *Node, i int) string {
	if n.Scalar {
		return ""
	}
	return fmt.Sprintf(" in row %d", i+1)
}

// Truncate returns the distribution given that values lie between lo and hi, of which one may be
// infinite.
func (d Dist) Truncate(lo, hi float64) Dist { return d.cutOff(&cut{lo, hi, false}) }

// Censor returns the distribution of values of which only lo is known where they are below lo, and
// hi where they are above hi.
func (d Dist) Censor(lo, hi float64) Dist { return d.cutOff(&cut{lo, hi, true}) }

// TruncateAt is Dist.Truncate with ends that are expressions, or one for each value.
func TruncateAt[A, B Arg](d Dist, lo A, hi B) Dist {
	return d.cutOff(&cut{math.Inf(-1), math.Inf(1), false}, argumentOf(lo), argumentOf(hi))
}

// CensorAt is Dist.Censor with ends that are expressions, or one for each value.
func CensorAt[A, B Arg](d Dist, lo A, hi B) Dist {
	return d.cutOff(&cut{math.Inf(-1), math.Inf(1), true}, argumentOf(lo), argumentOf(hi))
}

func (d Dist) cutOff(c *cut, ends ...argument) Dist {
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

func (r refused) in(m *Model, of, where string) distribution {
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

// univariate is a distribution of single values in a model.
type univariate struct {
	family *density.Family
	args   []*Node
	cut    *cut
	ends   []*Node // of cut, where they are not constants: two
}

func (u *univariate) name() string { return u.family.Name }

func (u *univariate) arguments() []*Node {
	return append(u.args[:len(u.args):len(u.args)], u.ends...)
}

// constant reports whether no argument depends on parameters.
func (u *univariate) constant() bool {
	for _, a := range u.args {
		if !a.Fixed {
			return false
		}
	}
	return true
}

// sizes wants numbers or n values.
func (u *univariate) sizes(n int, name string) error {
	for k, a := range u.args {
		if !a.Scalar && a.N != n {
			return fmt.Errorf("the %s of %s has %s and %s %s", u.family.Params[k].Name, u.name(),
				plural(a.N, "value"), name, plural(n, "value"))
		}
	}
	for _, a := range u.ends {
		if !a.Scalar && a.N != n {
			return fmt.Errorf("an end of %s has %s and %s %s", u.name(), plural(a.N, "value"), name,
				plural(n, "value"))
		}
	}
	return nil
}

func (u *univariate) forParameter(p Place) error {
	if u.family.Discrete {
		return fmt.Errorf("a parameter cannot have the discrete %s: sum it out, with Mix", u.name())
	}
	if u.cut != nil && u.cut.censored {
		return fmt.Errorf("a parameter cannot have a censored %s", u.name())
	}
	if u.ends != nil {
		return fmt.Errorf("a parameter cannot have a %s truncated at expressions: say Between", u.name())
	}
	if err := u.sizes(p.N, "the parameter"); err != nil {
		return err
	}
	switch p.Transform.(type) {
	case priors.Simplex:
		return u.flat("a simplex, want dirichlet or flat")
	case priors.CorrCholesky:
		return u.flat("a Cholesky factor, want lkj_corr_cholesky or flat")
	}
	return u.confine(p)
}

// flat refuses all other distributions for values that are not free of each other.
func (u *univariate) flat(of string) error {
	if u.family.Name == "flat" {
		return nil
	}
	return fmt.Errorf("%s is no distribution of %s", u.name(), of)
}

// confine truncates the distribution where the support of the parameter is narrower than its own.
func (u *univariate) confine(p Place) error {
	if u.family.Name == "flat" {
		return nil
	}
	if u.cut != nil && u.family.Below == nil {
		return u.needsConstant(u.cut.lo, u.cut.hi)
	}
	for i := range p.N {
		var a density.Params
		known := true
		for k, n := range u.args {
			if !n.Fixed || n.Value == nil {
				known = false
				continue
			}
			a[k] = n.Value[i%n.N]
		}
		if !known && u.family.Name == "uniform" {
			return nil // its ends are those of Between
		}
		lo, hi := u.family.Support(&a)
		if u.cut != nil {
			lo, hi = max(lo, u.cut.lo), min(hi, u.cut.hi)
		}
		if !p.Moved && (lo > p.Lo || hi < p.Hi) {
			return fmt.Errorf("%s is confined to (%v, %v) and the parameter to (%v, %v): declare it with "+
				"a support within that of its distribution", u.name(), lo, hi, p.Lo, p.Hi)
		}
		if p.Lo > lo || p.Hi < hi {
			if !u.constant() || u.family.Below == nil {
				return u.needsConstant(p.Lo, p.Hi)
			}
			u.cut = &cut{lo: p.Lo, hi: p.Hi}
			return nil
		}
	}
	return nil
}

func (u *univariate) needsConstant(lo, hi float64) error {
	if u.family.Below == nil {
		return fmt.Errorf("%s cannot be cut off at (%v, %v): its distribution function is not here",
			u.name(), lo, hi)
	}
	return fmt.Errorf("%s cut off at (%v, %v) needs a constant that depends on its parameters: say "+
		"Truncate", u.name(), lo, hi)
}

func (u *univariate) forValues(y *Node, name string) error {
	if err := u.sizes(y.N, name); err != nil {
		return err
	}
	if u.family.Name == "flat" {
		return fmt.Errorf("%s has a flat distribution, want one that says something", name)
	}
	if u.cut != nil && u.family.Below == nil {
		return fmt.Errorf("%s: %v", name, u.needsConstant(u.cut.lo, u.cut.hi))
	}
	if u.family.Discrete {
		if err := dataOnly(y, name, u.name()); err != nil {
			return err
		}
	}
	if !y.Fixed || y.Value == nil {
		return nil
	}
	for i, v := range y.Value {
		if err := u.supports(i, v); err != nil {
			return fmt.Errorf("%s[%d] is %v, want %v: outside the support of %s", name, i+1, v, err,
				u.name())
		}
	}
	return nil
}

// supports says what value i would have to be, nil where v is.
func (u *univariate) supports(i int, v float64) error {
	if u.family.Discrete && v != math.Floor(v) {
		return errors.New("a whole number")
	}
	var a density.Params
	for k, n := range u.args {
		a[k] = math.NaN()
		if n.Fixed && n.Value != nil {
			a[k] = n.Value[i%n.N]
		}
	}
	lo, hi := u.family.Support(&a)
	if u.cut != nil && !u.cut.censored {
		lo, hi = max(lo, u.cut.lo), min(hi, u.cut.hi)
		for k, n := range u.ends {
			if n.Fixed && n.Value != nil && k == 0 {
				lo = max(lo, n.Value[i%n.N])
			} else if n.Fixed && n.Value != nil {
				hi = min(hi, n.Value[i%n.N])
			}
		}
	}
	if v < lo || v > hi {
		return fmt.Errorf("a value from %v to %v", lo, hi)
	}
	return nil
}
