package record

import (
	"math"
	"strings"

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

// univariate is the sum of the log densities of values with arguments of their own or in common. Its
// arguments are the values, then each parameter in turn.
type univariate struct {
	f    *density.Family
	n    int   // terms
	size []int // of the values and each parameter: 1 or n
	g    []density.Grad
	lp   func(f *density.Family, y float64, a *density.Params, g, work *density.Grad) float64
}

func (u *univariate) Forward(in, out []float64) bool {
	if u.g == nil {
		u.g = make([]density.Grad, u.n)
	}
	var a density.Params
	var work density.Grad
	lp := 0.0
	for i := range u.n {
		at := 0
		y := 0.0
		for k, size := range u.size {
			v := in[at]
			if size > 1 {
				v = in[at+i]
			}
			at += size
			if k == 0 {
				y = v
				continue
			}
			if !u.f.Params[k-1].Domain.Contains(v) {
				return false
			}
			a[k-1] = v
		}
		if math.IsNaN(y) {
			return false
		}
		l := u.lp(u.f, y, &a, &u.g[i], &work)
		if math.IsInf(l, -1) {
			u.g[i] = density.Grad{}
		}
		lp += l
	}
	out[0] = lp
	return true
}

func (u *univariate) Backward(_, _, dout, din []float64) {
	for i := range u.n {
		at := 0
		for k, size := range u.size {
			j := at
			if size > 1 {
				j += i
			}
			din[j] += dout[0] * u.g[i][k]
			at += size
		}
	}
}

func logDensity(f *density.Family, y float64, a *density.Params, g, work *density.Grad) float64 {
	return f.LogDensity(y, a, g, work)
}

func logBelow(f *density.Family, y float64, a *density.Params, g, _ *density.Grad) float64 {
	return f.Below(y, a, g)
}

func logAbove(f *density.Family, y float64, a *density.Params, g, _ *density.Grad) float64 {
	return f.Above(y, a, g)
}

// family records the log density, or log probability, of a distribution of single values.
func (c *run) family(f *density.Family, lp func(*density.Family, float64, *density.Params, *density.Grad, *density.Grad) float64,
	args []Value) Real {
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
	u := &univariate{f: f, n: n, lp: lp}
	var in []Real
	for k, a := range args {
		s := scalars(a)
		if !isScalar(a) && len(s) != n {
			what := "the values have"
			if k > 0 {
				what = sprintf("its %s has", f.Params[k-1].Name)
			}
			panic(faultf("%s of sizes that do not match: %s %d values, others %d", f.Name, what, len(s), n))
		}
		if n == 0 {
			return constant(0)
		}
		u.size = append(u.size, len(s))
		in = append(in, s...)
	}
	out, ok := c.t.call(u, in, 1)
	if !ok {
		panic(rejectf("%s: an argument is outside of its domain", f.Name))
	}
	return out[0]
}

// suffixes of functions that are densities or probabilities.
var suffixes = []string{"_lpdf", "_lpmf", "_lupdf", "_lupmf", "_lcdf", "_lccdf", "_cdf_log", "_ccdf_log", "_cdf", "_log"}

// density computes a function name_suffix of the library; ok is false if there is no such distribution.
func (c *run) density(name, suffix string, args []Value) (Value, bool) {
	if name == "std_normal" && len(args) == 1 {
		name, args = "normal", append(args, 0, 1)
	}
	if f := families[name]; f != nil {
		switch suffix {
		case "_lpdf", "_lpmf", "_lupdf", "_lupmf", "_log":
			return c.family(f, logDensity, args), true
		}
		if f.Below == nil {
			panic(faultf("the distribution function of %s is not here", name))
		}
		switch suffix {
		case "_lcdf", "_cdf_log":
			return c.family(f, logBelow, args), true
		case "_lccdf", "_ccdf_log":
			return c.family(f, logAbove, args), true
		case "_cdf":
			return c.t.exp(c.family(f, logBelow, args)), true
		}
	}
	if joint := joints[name]; joint != nil && !strings.Contains(suffix, "cdf") {
		return joint(c, args), true
	}
	return nil, false
}

// truncate is the log of the probability of the range from lo to hi, each nil if there is no limit.
func (c *run) truncate(name string, args []Value, lo, hi Value) Real {
	if name == "std_normal" {
		name, args = "normal", []Value{0, 1}
	}
	f := families[name]
	if f == nil || f.Below == nil {
		panic(faultf("%s cannot be truncated: its distribution function is not here", name))
	}
	at := func(lp func(*density.Family, float64, *density.Params, *density.Grad, *density.Grad) float64, y Value) Real {
		return c.family(f, lp, append([]Value{y}, args...))
	}
	if lo != nil && f.Discrete {
		lo = c.t.operate("-", lo, 1)
	}
	switch {
	case lo == nil && hi == nil:
		return constant(0)
	case hi == nil:
		return at(logAbove, lo)
	case lo == nil:
		return at(logBelow, hi)
	}
	if above := at(logAbove, lo); above.V < -math.Ln2 {
		return c.t.binary(binaryOps["log_diff_exp"], above, at(logAbove, hi))
	}
	return c.t.binary(binaryOps["log_diff_exp"], at(logBelow, hi), at(logBelow, lo))
}
