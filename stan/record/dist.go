package record

import (
	"math"
	"slices"
	"strings"

	"bayeskernel/engine"
	"bayeskernel/internal/density"
)

// families are the distributions of single values by their names in the language.
var families = familyTable()

func familyTable() map[string]*density.Family {
	out := map[string]*density.Family{}
	for _, f := range density.All() {
		switch f.Name {
		case "flat", "half_normal", "half_cauchy", "bernoulli_probit":
		default:
			out[f.Name] = f
		}
	}
	return out
}

// familyNumbers are the places of the families among the parts of the tables.
var familyNumbers = func() map[string]int {
	out := map[string]int{}
	for k, p := range tables.Families {
		if p.Tail == engine.Whole {
			out[p.Family.Name] = k
		}
	}
	return out
}()

// family records the log densities, or log probabilities, of a distribution of single values, and returns
// their sum.
func (c *run) family(f *density.Family, tail engine.Tail, args []Value) Real {
	if len(args) != len(f.Params)+1 {
		panic(faultf("%s has %d arguments, want %d", f.Name, len(args)-1, len(f.Params)))
	}
	n := 1
	for _, a := range args {
		if !isScalar(a) {
			n = len(scalars(a))
			break
		}
	}
	lists := make([][]Real, len(args))
	for k, a := range args {
		s := scalars(a)
		if !isScalar(a) && len(s) != n {
			what := "the values have"
			if k > 0 {
				what = sprintf("its %s has", f.Params[k-1].Name)
			}
			panic(faultf("%s of sizes that do not match: %s %d values, others %d", f.Name, what, len(s), n))
		}
		lists[k] = s
	}
	terms, one := make([]Real, n), make([]Real, len(args))
	for i := range n {
		for k, s := range lists {
			one[k] = s[min(i, len(s)-1)]
		}
		terms[i] = c.t.density(familyNumbers[f.Name]+int(tail), one)
		if math.IsNaN(terms[i].V) {
			panic(rejectf("%s: %s", f.Name, outside(f, one)))
		}
		// Of counts, Stan rejects no value of a distribution function: below all of them nothing is likely.
		if math.IsInf(terms[i].V, -1) && !(f.Discrete && tail != engine.Whole) {
			c.unsupported(f, one, i, n)
		}
	}
	return c.t.sum(terms)
}

// bounded are the distributions that reject values outside of their support; those of others have density 0.
var bounded = map[string]bool{"bernoulli": true, "bernoulli_logit": true, "binomial": true, "binomial_logit": true,
	"poisson": true, "poisson_log": true, "neg_binomial": true, "neg_binomial_2": true, "neg_binomial_2_log": true,
	"exponential": true, "lognormal": true, "weibull": true, "chi_square": true, "beta": true, "beta_proportion": true}

// unsupported notes that value i of n lies outside of the support, where it does. Data there are rejected by the
// distributions that do so; a parameter just has density 0.
func (c *run) unsupported(f *density.Family, args []Real, i, n int) {
	var p density.Params
	for k, a := range args[1:] {
		p[k] = a.V
	}
	v := args[0].V
	lo, hi := f.Support(&p)
	want := ""
	switch {
	case v >= lo && v <= hi:
		return
	case math.IsInf(hi, 1):
		want = sprintf("at least %v", lo)
	default:
		want = sprintf("from %v to %v", lo, hi)
	}
	which := "the value"
	if n > 1 {
		which = sprintf("value %d", i+1)
	}
	c.outside = sprintf("%s: %s is %v, want %s", f.Name, which, v, want)
	if bounded[f.Name] && fixed(args[:1]) {
		panic(rejectf("%s", c.outside))
	}
}

// outside says which argument of a family is outside of its domain.
func outside(f *density.Family, args []Real) string {
	for k, p := range f.Params {
		if v := args[k+1].V; !p.Domain.Contains(v) {
			return sprintf("the %s is %v, want %v", p.Name, v, p.Domain)
		}
	}
	if math.IsNaN(args[0].V) {
		return "the value is not a number"
	}
	return "the density is not a number"
}

// suffixes of functions that are densities or probabilities.
var suffixes = []string{"_lpdf", "_lpmf", "_lupdf", "_lupmf", "_lcdf", "_lccdf", "_cdf_log", "_ccdf_log", "_cdf", "_log"}

// density computes a function name_suffix of the library; ok is false if there is no such distribution.
func (c *run) density(name, suffix string, args []Value) (Value, bool) {
	if name == "std_normal" && len(args) == 1 {
		name, args = "normal", append(args, 0, 1)
	}
	c.suits(name, args)
	if f := families[name]; f != nil {
		switch suffix {
		case "_lpdf", "_lpmf", "_lupdf", "_lupmf", "_log":
			return c.family(f, engine.Whole, args), true
		}
	}
	if strings.Contains(suffix, "cdf") && hasTail(name) {
		switch suffix {
		case "_lcdf", "_cdf_log":
			return c.tail(name, lower, args), true
		case "_lccdf", "_ccdf_log":
			return c.tail(name, upper, args), true
		}
		return c.t.exp(c.tail(name, lower, args)), true
	}
	if joint := joints[name]; joint != nil && !strings.Contains(suffix, "cdf") {
		return joint(c, args), true
	}
	return nil, false
}

// truncate is the log of the probability of the range from lo to hi, each nil if there is no limit: for arguments that
// are vectors the sum over their elements.
func (c *run) truncate(name string, args []Value, lo, hi Value) Real {
	f, tail := families[name], c.tail
	counts := name != "std_normal" && (f == nil || f.Discrete)
	switch {
	case c.p.functions[name+"_lpmf"] != nil:
		tail, counts = c.ownTail, true
	case c.p.functions[name+"_lpdf"] != nil || c.p.functions[name+"_log"] != nil:
		tail, counts = c.ownTail, false
	case !hasTail(name):
		panic(faultf("%s cannot be truncated: its distribution function is not here", name))
	case lo != nil && hi != nil:
		if k := slices.IndexFunc(args, func(a Value) bool { return !isScalar(a) }); k >= 0 {
			var terms []Real
			for i := range scalars(args[k]) {
				row := slices.Clone(args)
				for j, a := range args {
					if !isScalar(a) {
						row[j] = scalars(a)[i]
					}
				}
				terms = append(terms, c.truncate(name, row, lo, hi))
			}
			return c.t.sum(terms)
		}
	}
	at := func(side tailOf, y Value) Real { return tail(name, side, append([]Value{y}, args...)) }
	if lo != nil && counts {
		lo = c.t.operate("-", lo, 1)
	}
	switch {
	case lo == nil && hi == nil:
		return constant(0)
	case hi == nil:
		return at(upper, lo)
	case lo == nil:
		return at(lower, hi)
	}
	c.chose = true
	if above := at(upper, lo); above.V < -math.Ln2 {
		return c.t.binary(binaryOps["log_diff_exp"], above, at(upper, hi))
	}
	return c.t.binary(binaryOps["log_diff_exp"], at(lower, hi), at(lower, lo))
}

// ownTail is tail for a distribution function of the program, which may be the probability, its log, or the log of the
// complement.
func (c *run) ownTail(name string, side tailOf, args []Value) Real {
	own, other, of := "_lcdf", "_lccdf", "log"
	if side == upper {
		own, other, of = other, own, "log1m"
	}
	for _, how := range [][2]string{{own, ""}, {other, "log1m_exp"}, {"_cdf", of}} {
		v, ok := c.userCall(name+how[0], args)
		switch {
		case ok && how[1] == "":
			return real(v)
		case ok:
			return c.t.unary(unaryOps[how[1]], real(v))
		}
	}
	panic(faultf("%s cannot be truncated: the program has no %s_lcdf", name, name))
}
