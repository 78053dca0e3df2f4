package record

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"

	"bayeskernel/internal/density"
)

// specialUnaries and specialBinaries are the less common functions of one number and of two.
var specialUnaries = []unaryFunction{
	{"inv_erfc", math.Erfcinv, func(x, v float64) float64 { return -math.Sqrt(math.Pi) / 2 * math.Exp(v*v) }},
	{"std_normal_qf", normalQuantile, func(x, v float64) float64 { return 1 / normalDensity(v) }},
	{"std_normal_log_qf", normalLogQuantile,
		func(x, v float64) float64 { return math.Exp(x+v*v/2) * math.Sqrt(2*math.Pi) }},
	{"lambert_w0", func(x float64) float64 { return lambert(x, 0) }, lambertSlope},
	{"lambert_wm1", func(x float64) float64 { return lambert(x, -1) }, lambertSlope},
}

var specialBinaries = []binaryFunction{
	{"falling_factorial", func(x, n float64) float64 { return math.Gamma(x+1) / math.Gamma(x-n+1) },
		func(x, n, v float64) (float64, float64) {
			return v * (digamma(x+1) - digamma(x-n+1)), v * digamma(x-n+1)
		}},
	{"rising_factorial", func(x, n float64) float64 { return math.Gamma(x+n) / math.Gamma(x) },
		func(x, n, v float64) (float64, float64) {
			return v * (digamma(x+n) - digamma(x)), v * digamma(x+n)
		}},
	{"binary_log_loss", func(y, p float64) float64 {
		if y != 0 {
			return -math.Log(p)
		}
		return -math.Log1p(-p)
	}, func(y, p, v float64) (float64, float64) {
		if y != 0 {
			return 0, -1 / p
		}
		return 0, 1 / (1 - p)
	}},
	{"log_inv_logit_diff", func(x, y float64) float64 {
		return x - density.Softplus(x) + density.Log1mExp(y-x) - density.Softplus(y)
	}, func(x, y, v float64) (float64, float64) {
		d := math.Expm1(y - x)
		return -1/d - density.Expit(x), 1/d + 1 - density.Expit(y)
	}},
	// Of the order, which is a whole number, there is no derivative.
	{"bessel_first_kind", func(n, x float64) float64 { return math.Jn(int(n), x) },
		func(n, x, v float64) (float64, float64) {
			return 0, (math.Jn(int(n)-1, x) - math.Jn(int(n)+1, x)) / 2
		}},
	{"bessel_second_kind", func(n, x float64) float64 { return math.Yn(int(n), x) },
		func(n, x, v float64) (float64, float64) {
			return 0, (math.Yn(int(n)-1, x) - math.Yn(int(n)+1, x)) / 2
		}},
	{"modified_bessel_first_kind", besselI, func(n, x, v float64) (float64, float64) {
		return 0, (besselI(n-1, x) + besselI(n+1, x)) / 2
	}},
	{"modified_bessel_second_kind", besselK, func(n, x, v float64) (float64, float64) {
		return 0, -(besselK(n-1, x) + besselK(n+1, x)) / 2
	}},
	{"log_modified_bessel_first_kind", func(v, x float64) float64 { l, _, _ := logBesselI(v, x); return l },
		func(v, x, _ float64) (float64, float64) { _, dv, dx := logBesselI(v, x); return dv, dx }},
	{"owens_t", owensT, func(h, a, v float64) (float64, float64) {
		return -normalDensity(h) * math.Erf(a*h/math.Sqrt2) / 2,
			math.Exp(-h*h*(1+a*a)/2) / (2 * math.Pi * (1 + a*a))
	}},
}

// normalLogQuantile is the normal quantile of exp(x). Where the probability underflows, or 1 less it would, it is found
// by Newton's method on the log of the distribution function, or from the other side.
func normalLogQuantile(x float64) float64 {
	switch {
	case !(x <= 0):
		return math.NaN()
	case x > -math.Ln2:
		return -normalQuantile(-math.Expm1(x))
	case x > -700 || math.IsInf(x, -1):
		return normalQuantile(math.Exp(x))
	}
	q, normal, a := -math.Sqrt(-2*x), families["normal"], density.Params{0, 1}
	for range 20 {
		var g density.Grad
		step := (normal.Below(q, &a, &g) - x) / g[0]
		if q -= step; math.Abs(step) <= 1e-15*math.Abs(q) {
			break
		}
	}
	return q
}

// ofWholeOrder are functions whose first number is a whole one, in which they have no derivative.
var ofWholeOrder = map[string]bool{"bessel_first_kind": true, "bessel_second_kind": true, "modified_bessel_first_kind": true,
	"modified_bessel_second_kind": true, "binary_log_loss": true}

// besselI is the modified Bessel function of the first kind of a whole order.
func besselI(n, x float64) float64 {
	l, _, _ := logBesselI(math.Abs(n), math.Abs(x))
	v := math.Exp(l)
	if x < 0 && math.Mod(n, 2) != 0 {
		return -v
	}
	return v
}

// logBesselI is the log of the modified Bessel function of the first kind, with its derivatives in the order
// and the argument: I = sum over k of (x/2)^(v+2k)/(k! Gamma(v+k+1)). The largest term is that with
// k (k + v) = x²/4; the sum goes from there to both sides.
func logBesselI(v, x float64) (l, dv, dx float64) {
	if x == 0 {
		if v == 0 {
			return 0, math.NaN(), 0
		}
		return math.Inf(-1), math.NaN(), math.Inf(1)
	}
	if w := math.Hypot(v, x); w > 1e8 { // two terms of an expansion that is uniform in v/w
		p := v / w
		dv = math.Log(x / (v + w))
		return w + v*dv - math.Log(2*math.Pi*w)/2 + (3-5*p*p)/(24*w), dv - p/(2*w), w/x - x/w/(2*w)
	}
	q := x * x / 4
	top := math.Floor((math.Sqrt(v*v+x*x) - v) / 2)
	sum, psi, mean := 0.0, 0.0, 0.0
	add := func(k, w float64) {
		sum += w
		psi += w * digamma(v+k+1)
		mean += w * k
	}
	for k, w := top, 1.0; w > 1e-18*sum; k++ {
		add(k, w)
		w *= q / ((k + 1) * (v + k + 1))
	}
	for k, w := top, 1.0; k > 0 && w > 1e-18*sum; {
		w *= k * (v + k) / q
		k--
		add(k, w)
	}
	first := (v+2*top)*math.Log(x/2) - lgamma(top+1) - lgamma(v+top+1)
	return first + math.Log(sum), math.Log(x/2) - psi/sum, (v + 2*mean/sum) / x
}

// besselK is the modified Bessel function of the second kind, the integral of exp(-x cosh t) cosh(n t) over
// positive t. The sum over a grid converges exponentially.
func besselK(n, x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(1)
	case math.IsInf(x, 1):
		return 0
	case !(x > 0 && !math.IsInf(n, 0)) || math.IsNaN(n):
		return math.NaN()
	}
	h := 1 / max(16, 2*math.Sqrt(x)) // for large x the integrand has a width of about 1/sqrt(x)
	n = math.Abs(n)
	s := 0.5 // times exp(-x)
	for t := h; ; t += h {
		half := math.Sinh(t / 2)
		e := n*t - 2*x*half*half
		w := (math.Exp(e) + math.Exp(e-2*n*t)) / 2
		s += w
		if !(w >= 1e-18*s) && x*math.Sinh(t) > n || s > math.MaxFloat64 {
			return s * h * math.Exp(-x)
		}
	}
}

// owensT is the integral of exp(-h²(1+t²)/2)/(1+t²)/(2 pi) over t from 0 to a.
func owensT(h, a float64) float64 {
	h = math.Abs(h)
	switch {
	case a < 0:
		return -owensT(h, -a)
	case math.IsInf(a, 1):
		return math.Erfc(h/math.Sqrt2) / 4
	case a > 1:
		p, q := math.Erfc(h/math.Sqrt2)/2, math.Erfc(a*h/math.Sqrt2)/2
		return (p+q)/2 - p*q - owensT(a*h, 1/a)
	}
	return quad.Fixed(func(t float64) float64 {
		return math.Exp(-h*h*(1+t*t)/2) / (1 + t*t)
	}, 0, a, 40, nil, 0) / (2 * math.Pi)
}

// lambert is the solution w of w exp(w) = x, of at least -1 on branch 0 and at most -1 on branch -1.
func lambert(x float64, branch int) float64 {
	if x < -1/math.E || branch == -1 && x >= 0 {
		return math.NaN()
	}
	w := math.Log1p(x)
	switch {
	case x > math.E:
		w = math.Log(x) - math.Log(math.Log(x))
	case branch == -1 && x > -0.25:
		w = math.Log(-x) - math.Log(-math.Log(-x))
	case x < -0.25:
		p := math.Sqrt(math.Max(0, 2*(math.E*x+1)))
		if branch == -1 {
			p = -p
		}
		w = -1 + p - p*p/3
	}
	for range 50 { // Halley
		e := math.Exp(w)
		f := w*e - x
		if f == 0 || w == -1 {
			break
		}
		step := f / (e*(w+1) - (w+2)*f/(2*w+2))
		w -= step
		if math.Abs(step) <= 1e-16*math.Abs(w) {
			break
		}
	}
	return w
}

func lambertSlope(x, w float64) float64 {
	if x == 0 {
		return 1
	}
	return w / (x * (1 + w))
}

func ldexp(c *run, a []Value) Value {
	out, ok := zip(a[0], a[1], func(x, n Real) Real { return c.t.mul(x, constant(math.Ldexp(1, int(n.V)))) })
	if !ok {
		panic(faultf("ldexp of %s and %s", said(a[0]), said(a[1])))
	}
	return out
}

func lmgamma(c *run, a []Value) Value {
	return c.t.mapped(a[1], func(x Real) Real { return c.multiGamma(c.t.mul(constant(2), x), a[0].(int)) })
}

// specialFunctions have three arguments, or take more than numbers.
func specialFunctions() []entry {
	gamma := func(tail tailOf) func(c *run, a []Value) Value {
		return func(c *run, a []Value) Value {
			out, ok := zip(a[0], a[1], func(shape, z Real) Real {
				return c.t.exp(c.tail("gamma", tail, []Value{z, shape, 1}))
			})
			if !ok {
				panic(faultf("an incomplete gamma function of %s and %s", said(a[0]), said(a[1])))
			}
			return out
		}
	}
	return []entry{
		{"N gamma_p(N, N)", gamma(lower)},
		{"N gamma_q(N, N)", gamma(upper)},
		{"real inc_beta(real, real, real)", func(c *run, a []Value) Value {
			return c.t.exp(c.tail("beta", lower, []Value{a[2], a[0], a[1]}))
		}},
		{"real inv_inc_beta(real, real, real)", func(c *run, a []Value) Value {
			return c.invIncBeta(real(a[0]), real(a[1]), real(a[2]))
		}},
		{"N beta(N, N)", func(c *run, a []Value) Value {
			out, ok := zip(a[0], a[1], func(x, y Real) Real { return c.t.exp(c.t.binary(binaryOps["lbeta"], x, y)) })
			if !ok {
				panic(faultf("beta of %s and %s", said(a[0]), said(a[1])))
			}
			return out
		}},
		{"real lmgamma(int, real)", lmgamma},
		{"vector lmgamma(int, vector)", lmgamma},
		{"row_vector lmgamma(int, row_vector)", lmgamma},
		{"matrix lmgamma(int, matrix)", lmgamma},
		{"array[] real lmgamma(int, array[] real)", lmgamma},
		{"N ldexp(N, int)", ldexp},
		{"vector ldexp(vector, array[] int)", ldexp},
		{"row_vector ldexp(row_vector, array[] int)", ldexp},
		{"array[] real ldexp(real|array[] real, array[] int)", ldexp},
		{"int if_else(int, int, int)", ifElse},
		{"real if_else(int, real, real)", ifElse},
		{"real quantile(data array[] real|vector|row_vector, data real)", quantiles},
		{"array[] real quantile(data array[] real|vector|row_vector, data array[] real)", quantiles},
		{"row_vector one_hot_row_vector(int, int)", func(c *run, a []Value) Value { return RowVector(oneHot(a)) }},
		{"array[] real one_hot_array(int, int)", func(c *run, a []Value) Value { return Reals(oneHot(a)) }},
		{"array[] int one_hot_int_array(int, int)", func(c *run, a []Value) Value {
			out := make(Ints, size(a[0]))
			for i, x := range oneHot(a) {
				out[i] = int(x.V)
			}
			return out
		}},
		{"array[] int ones_int_array(int)", func(c *run, a []Value) Value {
			out := make(Ints, size(a[0]))
			for i := range out {
				out[i] = 1
			}
			return out
		}},
		{"vector uniform_simplex(int)", func(c *run, a []Value) Value {
			n := a[0].(int)
			return Vector(repeat(constant(1/float64(n)), n))
		}},
	}
}

func ifElse(c *run, a []Value) Value {
	if a[0].(int) != 0 {
		return a[1]
	}
	return a[2]
}

func oneHot(a []Value) []Real {
	n, k := a[0].(int), a[1].(int)
	if k < 1 || k > n {
		panic(rejectf("the place %d of a one among %d numbers, want 1 to %d", k, n, n))
	}
	out := repeat(constant(0), n)
	out[k-1] = constant(1)
	return out
}

func quantiles(c *run, a []Value) Value {
	out := Reals{}
	for _, p := range scalars(a[1]) {
		out = append(out, constant(quantile(values(scalars(a[0])), p.V)))
	}
	if isScalar(a[1]) {
		return out[0]
	}
	return out
}

// quantile is between the two order statistics next to 1 + (n-1) p.
func quantile(x []float64, p float64) float64 {
	if len(x) == 0 || !(p >= 0 && p <= 1) {
		panic(rejectf("the quantile %v of %d values", p, len(x)))
	}
	x = sortedCopy(x)
	h := p * float64(len(x)-1)
	k := min(int(h), len(x)-1)
	next := x[min(k+1, len(x)-1)]
	return x[k] + (h-float64(k))*(next-x[k])
}

// invIncBeta is the x at which the beta distribution function is p, found by bisection; the derivatives are
// those of the equation.
func (c *run) invIncBeta(a, b, p Real) Real {
	return c.t.custom(1, []Real{a, b, p}, func(in, out, jac []float64) {
		if !(in[0] > 0 && in[1] > 0 && in[2] >= 0 && in[2] <= 1) {
			out[0] = math.NaN()
			return
		}
		lo, hi := 0.0, 1.0
		for range 200 {
			mid := (lo + hi) / 2
			if mid == lo || mid == hi {
				break
			}
			if mathext.RegIncBeta(in[0], in[1], mid) < in[2] {
				lo = mid
			} else {
				hi = mid
			}
		}
		x := (lo + hi) / 2
		out[0] = x
		if jac == nil {
			return
		}
		f, args := families["beta"], density.Params{in[0], in[1]}
		var g, work density.Grad
		pdf := math.Exp(f.LogDensity(x, &args, &g, &work))
		cdf := math.Exp(f.Below(x, &args, &g))
		jac[0], jac[1], jac[2] = -cdf*g[1]/pdf, -cdf*g[2]/pdf, 1/pdf
	})[0]
}
