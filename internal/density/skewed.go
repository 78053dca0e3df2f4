package density

import (
	"math"
	"math/rand/v2"
)

// SkewNormal has a location, a scale and a shape, which is 0 for the normal distribution. Its
// distribution function is not here.
func SkewNormal() *Family {
	f := Family{Name: "skew_normal", Support: everywhere, Proper: true, Location: 0, Scale: 1,
		Params: []Param{{"location", Real}, {"scale", Positive}, {"shape", Real}}}
	f.Norm = func(a *Params, g *Grad) float64 {
		g[1], g[2], g[3] = 0, -1/a[1], 0
		return math.Ln2 - logSqrt2Pi - math.Log(a[1])
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		z := (y - a[0]) / a[1]
		l, dl := normalAbove(-a[2] * z)
		w := (z + a[2]*dl) / a[1] // minus the derivative in y
		g[0], g[1], g[2], g[3] = -w, w, w*z, -z*dl
		return l - z*z/2
	}
	// With U and V normal and d = shape/sqrt(1+shape²), d|U| + sqrt(1-d²) V has this distribution.
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		s := math.Hypot(1, a[2])
		return a[0] + a[1]*(a[2]/s*math.Abs(r.NormFloat64())+r.NormFloat64()/s)
	}
	return &f
}

// ExpModNormal is the sum of a normal and an exponential value: it has the mean and the sd of the one
// and the rate of the other.
func ExpModNormal() *Family {
	f := Family{Name: "exp_mod_normal", Support: everywhere, Proper: true, Location: -1, Scale: -1,
		Params: []Param{{"mean", Real}, {"sd", Positive}, {"rate", Positive}}}
	f.Norm = func(a *Params, g *Grad) float64 {
		g[1], g[2], g[3] = 0, 0, 1/a[2]
		return math.Log(a[2])
	}
	f.Kernel = expModNormalKernel
	// P(Y > y) is Q(z) + density/rate, and P(Y <= y) is Phi(z) - density/rate.
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		z := (y - a[0]) / a[1]
		if math.IsInf(z, 0) {
			return beyond(z > 0)
		}
		var part Grad
		lp := expModNormalKernel(y, a, &part)
		at := func(d float64) Grad { return Grad{d / a[1], -d / a[1], -d * z / a[1]} }
		u, du := normalAbove(z)
		top := max(u, lp)
		above.log = top + math.Log(math.Exp(u-top)+math.Exp(lp-top))
		for k, d := range at(du) {
			above.d[k] = math.Exp(u-above.log)*d + math.Exp(lp-above.log)*part[k]
		}
		if above.log < -math.Ln2 {
			return above.rest(), above
		}
		l, dl := normalAbove(-z)
		below.log = l + Log1mExp(min(lp-l, 0))
		for k, d := range at(-dl) {
			below.d[k] = math.Exp(l-below.log)*d - math.Exp(lp-below.log)*part[k]
		}
		return below, above
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		return a[0] + a[1]*r.NormFloat64() + r.ExpFloat64()/a[2]
	}
	return &f
}

// expModNormalKernel is log Q(rate sd - z) + rate² sd²/2 - rate (y - mean), with Q the normal's upper
// tail.
func expModNormalKernel(y float64, a *Params, g *Grad) float64 {
	d, s, r := y-a[0], a[1], a[2]
	l, dl := normalAbove(r*s - d/s)
	w := -r - dl/s
	g[0], g[1], g[2], g[3] = w, -w, r*r*s+dl*(r+d/(s*s)), r*s*s-d+dl*s
	return l + r*s*r*s/2 - r*d
}

// SkewDoubleExponential has a location, a scale and the probability of less than the location: it is
// double exponential where that is 1/2.
func SkewDoubleExponential() *Family {
	f := Family{Name: "skew_double_exponential", Support: everywhere, Proper: true, Location: 0, Scale: 1,
		Params: []Param{{"location", Real}, {"scale", Positive}, {"asymmetry", Unit}}}
	f.Norm = func(a *Params, g *Grad) float64 {
		t := a[2]
		g[1], g[2], g[3] = 0, -1/a[1], 1/t-1/(1-t)
		return math.Ln2 + math.Log(t) + math.Log1p(-t) - math.Log(a[1])
	}
	// slope is that of the log density in -2 (y - location)/scale, on the side of y; its derivative in the
	// asymmetry is 1.
	slope := func(y float64, a *Params) float64 {
		if y < a[0] {
			return a[2] - 1
		}
		return a[2]
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		z := 2 * (y - a[0]) / a[1]
		s := slope(y, a)
		if y == a[0] {
			g[0], g[1], g[2], g[3] = 0, 0, 0, 0
			return 0
		}
		g[0], g[1], g[2], g[3] = -2*s/a[1], 2*s/a[1], s*z/a[1], -z
		return -s * z
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		z := 2 * (y - a[0]) / a[1]
		if math.IsInf(z, 0) {
			return beyond(z > 0)
		}
		s := slope(y, a)
		t := tail{d: Grad{-2 * s / a[1], 2 * s / a[1], s * z / a[1], -z}}
		if y < a[0] {
			t.log = math.Log(a[2]) - s*z
			t.d[3] += 1 / a[2]
			return t, t.rest()
		}
		t.log = math.Log1p(-a[2]) - s*z
		t.d[3] -= 1 / (1 - a[2])
		return t.rest(), t
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		e := r.ExpFloat64() * a[1] / 2
		if r.Float64() < a[2] {
			return a[0] - e/(1-a[2])
		}
		return a[0] + e/a[2]
	}
	return &f
}

// VonMises is the normal distribution of angles: it has a mean direction and a concentration. Values
// are angles, any number; draws lie within pi of the mean. Its distribution function is not here.
func VonMises() *Family {
	f := Family{Name: "von_mises", Support: everywhere, Proper: true, Location: -1, Scale: -1,
		Params: []Param{{"mean", Real}, {"concentration", Positive}}}
	f.Norm = func(a *Params, g *Grad) float64 {
		l, dl := logBessel0(a[1])
		g[1], g[2] = 0, -dl
		return -math.Log(2*math.Pi) - l
	}
	// The part without y holds exp(-concentration), so that neither overflows.
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		s, h := math.Sin(y-a[0]), math.Sin((y-a[0])/2)
		g[0], g[1], g[2] = -a[1]*s, a[1]*s, -2*h*h
		return -2 * a[1] * h * h
	}
	f.Rand = func(r *rand.Rand, a *Params) float64 { return vonMisesRand(r, a[0], a[1]) }
	return &f
}

// logBessel0 is log(I0(k) exp(-k)) with its derivative, I1/I0 - 1.
func logBessel0(k float64) (l, dl float64) {
	if k > 25 { // the asymptotic series, in 1/(8k)
		i0, i1, t0, t1 := 1.0, 1.0, 1.0, 1.0
		for n := 1.0; n <= 25; n++ {
			odd := (2*n - 1) * (2*n - 1)
			t0 *= odd / (n * 8 * k)
			t1 *= -(4 - odd) / (n * 8 * k)
			i0 += t0
			i1 += t1
		}
		return math.Log(i0) - 0.5*math.Log(2*math.Pi*k), (i1 - i0) / i0
	}
	q := k * k / 4
	i0, i1, t0, t1 := 1.0, 1.0, 1.0, 1.0
	for n := 1.0; t0 > 1e-18*i0; n++ {
		t0 *= q / (n * n)
		t1 *= q / (n * (n + 1))
		i0 += t0
		i1 += t1
	}
	return math.Log(i0) - k, k/2*i1/i0 - 1
}

// vonMisesRand draws by the method of Best and Fisher, Efficient simulation of the von Mises
// distribution, Applied Statistics 28 (1979), 152-157; beyond a concentration of 1e8 the distribution
// is normal to rounding.
func vonMisesRand(r *rand.Rand, mean, k float64) float64 {
	switch {
	case math.IsNaN(k):
		return k
	case k > 1e8:
		return mean + r.NormFloat64()/math.Sqrt(k)
	case k < 1e-8:
		return mean + math.Pi*(2*r.Float64()-1)
	}
	t := 1 + math.Sqrt(1+4*k*k)
	b := (t - math.Sqrt(2*t)) / (2 * k)
	s := (1 + b*b) / (2 * b)
	for {
		z := math.Cos(math.Pi * r.Float64())
		w := (1 + s*z) / (s + z)
		c, u := k*(s-w), r.Float64()
		if c*(2-c) > u || math.Log(c/u)+1 >= c {
			return mean + math.Copysign(math.Acos(w), r.Float64()-0.5)
		}
	}
}
