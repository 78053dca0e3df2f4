package record

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"bayeskernel/engine"
	"bayeskernel/internal/density"
)

// tailOf is a side of a distribution.
type tailOf = engine.Tail

const (
	lower = engine.Below
	upper = engine.Above
)

// tail is the log of the probability of at most or of more than a value, summed over values.
func (c *run) tail(name string, side tailOf, args []Value) Real {
	if name == "std_normal" {
		name, args = "normal", append(args[:1:1], 0, 1)
	}
	f := families[name]
	if f != nil && f.Below != nil {
		return c.family(f, side, args)
	}
	g := tails[name]
	if g == nil {
		panic(faultf("the distribution function of %s is not here", name))
	}
	lists, n := make([][]Real, len(args)), 1
	for k, a := range args {
		lists[k] = scalars(a)
		if !isScalar(a) {
			n = len(lists[k])
		}
	}
	var terms []Real
	for i := range n {
		at := func(k int) Real { return lists[k][min(i, len(lists[k])-1)] }
		terms = append(terms, g(c, side, at))
	}
	return c.t.sum(terms)
}

// hasTail reports whether a distribution has a distribution function.
func hasTail(name string) bool {
	f := families[name]
	return name == "std_normal" || f != nil && f.Below != nil || tails[name] != nil
}

// tails are the distribution functions that package density does not have. A value and its parameters are
// those of at.
var tails = map[string]func(c *run, side tailOf, at func(k int) Real) Real{
	"skew_normal": func(c *run, side tailOf, at func(k int) Real) Real {
		if !c.t.positive(at(2)) {
			panic(rejectf("skew_normal: the scale is %v, want a positive number", at(2).V))
		}
		z, shape := c.t.div(c.t.sub(at(0), at(1)), at(2)), at(3)
		if side == upper {
			z, shape = c.t.neg(z), c.t.neg(shape)
		}
		return c.t.custom(1, []Real{z, shape}, skewNormalBelow)[0]
	},
	"von_mises": func(c *run, side tailOf, at func(k int) Real) Real {
		y, mu, kappa := at(0), at(1), at(2)
		if !c.t.positive(kappa) || !c.t.between(y, -math.Pi, math.Pi) {
			panic(rejectf("von_mises: the value is %v and the concentration %v, want one from -pi to pi and a positive one", y.V, kappa.V))
		}
		p := c.t.custom(1, []Real{y, mu, kappa}, vonMisesBelow)[0]
		if side == upper {
			return c.t.unary(unaryOps["log1m"], p)
		}
		return c.t.log(p)
	},
	"discrete_range": func(c *run, side tailOf, at func(k int) Real) Real {
		y, lo, hi := at(0).V, at(1).V, at(2).V
		p := math.Min(1, math.Max(0, (y-lo+1)/(hi-lo+1)))
		if side == upper {
			p = 1 - p
		}
		return constant(math.Log(p))
	},
	"beta_neg_binomial": func(c *run, side tailOf, at func(k int) Real) Real {
		if at(0).V < 0 {
			return constant(math.Log(choose(side == upper)))
		}
		var lps []Real // the probabilities of 0 to y
		for k := range int(at(0).V) + 1 {
			lps = append(lps, c.betaNegBinomial(float64(k), at(1), at(2), at(3)))
		}
		below := c.t.logSumExp(lps)
		if side == upper {
			return c.t.unary(unaryOps["log1m_exp"], below)
		}
		return below
	},
}

// skewNormalBelow is the log of the integral of 2 phi(t) Phi(shape t) over t below z.
func skewNormalBelow(in, out, jac []float64) {
	z, shape := in[0], in[1]
	switch {
	case math.IsNaN(z) || math.IsNaN(shape):
		out[0] = math.NaN()
		clear(jac)
		return
	case z > 0: // most lies below: the rest is found, where it does not underflow
		var rest [1]float64
		var slopes []float64
		if jac != nil {
			slopes = make([]float64, 2)
		}
		skewNormalBelow([]float64{-z, -shape}, rest[:], slopes)
		out[0] = density.Log1mExp(min(rest[0], 0))
		if jac != nil { // d log(1 - e^r) = -e^(r - log(1 - e^r)) dr, and the arguments have the other sign
			w := math.Exp(rest[0] - out[0])
			if w == 0 {
				slopes[0], slopes[1] = 0, 0
			}
			jac[0], jac[1] = w*slopes[0], w*slopes[1]
		}
		return
	case z < -1e7: // the tail is that of an exponential
		rate := -z
		if shape > 0 {
			rate *= 1 + shape*shape
		}
		var g, work density.Grad
		out[0] = families["skew_normal"].LogDensity(z, &density.Params{0, 1, shape}, &g, &work) - math.Log(rate)
		if math.IsNaN(out[0]) {
			out[0] = math.Inf(-1)
		}
		if jac != nil {
			jac[0], jac[1] = rate, 0
			if math.IsInf(out[0], -1) {
				jac[0] = 0
			}
		}
		return
	}
	scale := 1 / math.Hypot(1, math.Min(0, z)) // the tail falls like exp(z t)
	if shape > 0 && z < 0 {
		scale = 1 / math.Hypot(1, z*math.Hypot(1, shape))
	}
	f := families["skew_normal"]
	a := density.Params{0, 1, shape}
	var g, work density.Grad
	top := f.LogDensity(z, &a, &g, &work)
	if math.IsInf(top, -1) { // the density underflows, and with it the tail
		out[0] = top
		clear(jac)
		return
	}
	ratio := 0.0 // the integral over the density at z
	width := scale
	for lo := 0.0; ; {
		var g2 density.Grad
		part := quad.Fixed(func(s float64) float64 {
			return math.Exp(f.LogDensity(z-s, &a, &g2, &work) - top)
		}, lo, lo+width, 20, nil, 0)
		ratio += part
		lo += width
		if !(part > 1e-18*ratio) && z-lo < -2 {
			break
		}
		width = math.Min(1.5*width, 1)
	}
	out[0] = top + math.Log(ratio)
	if jac != nil {
		jac[0] = 1 / ratio
		// With T the function of Owen the probability is Phi(z) - 2 T(z, shape).
		jac[1] = -math.Exp(-z*z*(1+shape*shape)/2-out[0]) / (math.Pi * (1 + shape*shape))
	}
}

// vonMisesBelow is the probability of less than y, on the circle from -pi to pi around the mean 0: y and the
// mean are those of a distribution that is cut at -pi.
func vonMisesBelow(in, out, jac []float64) {
	y, mu, kappa := in[0], in[1], in[2]
	density := func(t, k float64) float64 { return math.Exp(k*(math.Cos(t-mu)-1)) / (2 * math.Pi * scaledI0(k)) }
	whole := func(from, to float64) (p, dk float64) {
		n := 1 + int(math.Ceil((to-from)*math.Sqrt(kappa)))
		_, _, d0 := logBesselI(0, kappa)
		for i := range n {
			lo, hi := from+(to-from)*float64(i)/float64(n), from+(to-from)*float64(i+1)/float64(n)
			p += quad.Fixed(func(t float64) float64 { return density(t, kappa) }, lo, hi, 20, nil, 0)
			dk += quad.Fixed(func(t float64) float64 { return density(t, kappa) * (math.Cos(t-mu) - d0) }, lo, hi, 20, nil, 0)
		}
		return p, dk
	}
	p, dk := whole(-math.Pi, y)
	out[0] = p
	if jac != nil {
		jac[0] = density(y, kappa)
		jac[1] = density(-math.Pi, kappa) - density(y, kappa)
		jac[2] = dk
	}
}

// scaledI0 is exp(-k) I0(k).
func scaledI0(k float64) float64 { l, _, _ := logBesselI(0, k); return math.Exp(l - k) }
