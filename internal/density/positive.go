package density

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
)

func fromZero(*Params) (lo, hi float64) { return 0, math.Inf(1) }

func positive(name string, params ...Param) Family {
	return Family{Name: name, Support: fromZero, Params: params, Location: -1, Scale: -1, Proper: true}
}

// HalfNormal has a scale: it is the size of a normal value with mean 0.
func HalfNormal() *Family {
	f := positive("half_normal", Param{"scale", Positive})
	f.Norm, f.Kernel, f.Rand = HalfNormalLaw{}.Norm, HalfNormalLaw{}.Kernel, HalfNormalLaw{}.Rand
	f.folded(normalAbove)
	return &f
}

// HalfNormalLaw has the functions of HalfNormal.
type HalfNormalLaw struct{}

// Norm is log 2 more than that of a normal value.
func (HalfNormalLaw) Norm(a *Params, g *Grad) float64 {
	if g != nil {
		g[1] = -1 / a[0]
	}
	return -math.Log(a[0]) - logSqrt2Pi + math.Ln2
}

// Kernel is -z²/2, where z = y/scale.
func (HalfNormalLaw) Kernel(y float64, a *Params, g *Grad) float64 {
	if !(y >= 0) {
		return math.Inf(-1)
	}
	z := y / a[0]
	g[0], g[1] = -z/a[0], z*z/a[0]
	return -z * z / 2
}

// Rand is the absolute value of a normal draw.
func (HalfNormalLaw) Rand(r *rand.Rand, a *Params) float64 { return a[0] * math.Abs(r.NormFloat64()) }

// Quantile inverts the distribution function, erf(y/(scale sqrt 2)). Near p = 1 it comes from the
// normal's tail.
func (HalfNormalLaw) Quantile(p float64, a *Params) float64 {
	switch {
	case !probability(p):
		return math.NaN()
	case p < 0.5:
		return a[0] * math.Sqrt2 * math.Erfinv(p)
	}
	return -a[0] * mathext.NormalQuantile((1-p)/2)
}

// HalfCauchy has a scale: it is the size of a Cauchy value with location 0.
func HalfCauchy() *Family {
	f := positive("half_cauchy", Param{"scale", Positive})
	f.Norm, f.Kernel, f.Rand = HalfCauchyLaw{}.Norm, HalfCauchyLaw{}.Kernel, HalfCauchyLaw{}.Rand
	f.folded(cauchyAbove)
	return &f
}

// HalfCauchyLaw has the functions of HalfCauchy.
type HalfCauchyLaw struct{}

// Norm is log(2/pi) - log scale.
func (HalfCauchyLaw) Norm(a *Params, g *Grad) float64 {
	if g != nil {
		g[1] = -1 / a[0]
	}
	return math.Log(2/math.Pi) - math.Log(a[0])
}

// Kernel is -log(1 + z²), where z = y/scale. Z² is formed in no derivative.
func (HalfCauchyLaw) Kernel(y float64, a *Params, g *Grad) float64 {
	if !(y >= 0) {
		return math.Inf(-1)
	}
	z := y / a[0]
	w := 2 / (1/z + z) / a[0]
	g[0], g[1] = -w, w*z
	return -log1pSquare(z)
}

// Rand inverts the distribution function.
func (l HalfCauchyLaw) Rand(r *rand.Rand, a *Params) float64 { return l.Quantile(r.Float64(), a) }

// Quantile is scale tan(p pi/2).
func (HalfCauchyLaw) Quantile(p float64, a *Params) float64 {
	switch {
	case !probability(p):
		return math.NaN()
	case p == 1:
		return math.Inf(1)
	case p < 0.5:
		return a[0] * math.Tan(p*math.Pi/2)
	}
	return a[0] / math.Tan((1-p)*math.Pi/2)
}

// LogNormal has the mean and the standard deviation of the log.
func LogNormal() *Family {
	f := positive("lognormal", Param{"mean of the log", Real}, Param{"sd of the log", Positive})
	f.Norm, f.Kernel, f.Rand = LogNormalLaw{}.Norm, LogNormalLaw{}.Kernel, LogNormalLaw{}.Rand
	f.ofTail(lognormalTails)
	return &f
}

// LogNormalLaw has the functions of LogNormal.
type LogNormalLaw struct{}

// Norm is that of the normal distribution of the log.
func (LogNormalLaw) Norm(a *Params, g *Grad) float64 { return NormalLaw{}.Norm(a, g) }

// Kernel is -log y - z²/2, where z = (log y - mean)/sd.
func (LogNormalLaw) Kernel(y float64, a *Params, g *Grad) float64 {
	if !(y > 0 && y <= math.MaxFloat64) {
		return math.Inf(-1)
	}
	l := LogOf(y)
	z := (l - a[0]) / a[1]
	g[1] = z / a[1]
	g[0], g[2] = -(1+g[1])/y, z*g[1]
	return -l - z*z/2
}

// Rand is the exponential of a normal draw.
func (LogNormalLaw) Rand(r *rand.Rand, a *Params) float64 {
	return math.Exp(a[0] + a[1]*r.NormFloat64())
}

// Quantile inverts the distribution function.
func (LogNormalLaw) Quantile(p float64, a *Params) float64 {
	return math.Exp(NormalLaw{}.Quantile(p, a))
}

// gammaNorm is shape log rate - log Gamma(shape).
func gammaNorm(a *Params, g *Grad) float64 {
	lg, _ := math.Lgamma(a[0])
	l := math.Log(a[1])
	if g != nil {
		g[1], g[2] = l-Digamma(a[0]), a[0]/a[1]
	}
	return a[0]*l - lg
}

// Gamma has a shape and a rate.
func Gamma() *Family {
	f := positive("gamma", Param{"shape", Positive}, Param{"rate", Positive})
	f.Norm, f.Kernel, f.Rand = GammaLaw{}.Norm, GammaLaw{}.Kernel, GammaLaw{}.Rand
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		below, above = gammaTails(a[0], max(y, 0)*a[1])
		by := [3]Grad{{0, 1, 0}, {a[1], 0, y}}
		return below.chained(by), above.chained(by)
	})
	return &f
}

// GammaLaw has the functions of Gamma.
type GammaLaw struct{}

// Norm is shape log rate - log Gamma(shape).
func (GammaLaw) Norm(a *Params, g *Grad) float64 { return gammaNorm(a, g) }

// Kernel is (shape - 1) log y - rate y. At y = 0 it is the limit, where this is finite.
func (GammaLaw) Kernel(y float64, a *Params, g *Grad) float64 {
	if !(y >= 0 && y <= math.MaxFloat64) || y == 0 && a[0] < 1 {
		return math.Inf(-1)
	}
	g[1], g[2] = LogOf(y), -y
	l, dl := power(a[0]-1, g[1], y)
	g[0] = dl - a[1]
	return l - a[1]*y
}

// Rand draws by the method of LogGamma.
func (GammaLaw) Rand(r *rand.Rand, a *Params) float64 { return math.Exp(LogGamma(r, a[0])) / a[1] }

// Quantile inverts the distribution function.
func (GammaLaw) Quantile(p float64, a *Params) float64 { return gammaInv(a[0], p, 1-p) / a[1] }

// InvGamma is the distribution of 1/g for g with a gamma distribution of that shape and rate.
func InvGamma() *Family {
	f := positive("inv_gamma", Param{"shape", Positive}, Param{"scale", Positive})
	f.Norm, f.Kernel, f.Rand = InvGammaLaw{}.Norm, InvGammaLaw{}.Kernel, InvGammaLaw{}.Rand
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		if !(y > 0) {
			return impossible(), certain()
		}
		x := a[1] / y
		above, below = gammaTails(a[0], x)
		by := [3]Grad{{0, 1, 0}, {-x / y, 0, 1 / y}}
		return below.chained(by), above.chained(by)
	})
	return &f
}

// InvGammaLaw has the functions of InvGamma.
type InvGammaLaw struct{}

// Norm is shape log scale - log Gamma(shape).
func (InvGammaLaw) Norm(a *Params, g *Grad) float64 { return gammaNorm(a, g) }

// Kernel is -(shape + 1) log y - scale/y.
func (InvGammaLaw) Kernel(y float64, a *Params, g *Grad) float64 {
	if !(y > 0 && y <= math.MaxFloat64) {
		return math.Inf(-1)
	}
	l, t := LogOf(y), a[1]/y
	g[0], g[1], g[2] = (t-a[0]-1)/y, -l, -1/y
	return -(a[0]+1)*l - t
}

// Rand is the inverse of a gamma draw.
func (InvGammaLaw) Rand(r *rand.Rand, a *Params) float64 {
	return a[1] * math.Exp(-LogGamma(r, a[0]))
}

// Quantile inverts the distribution function.
func (InvGammaLaw) Quantile(p float64, a *Params) float64 { return a[1] / gammaInv(a[0], 1-p, p) }

// lognormalTails are those of the normal distribution of the log.
func lognormalTails(y float64, a *Params) (below, above tail) {
	if !(y > 0) {
		return impossible(), certain()
	}
	if math.IsInf(y, 1) {
		return certain(), impossible()
	}
	z := (LogOf(y) - a[0]) / a[1]
	u, du := normalAbove(z)
	l, dl := normalAbove(-z)
	at := func(d float64) Grad { return Grad{d / (a[1] * y), -d / a[1], -d * z / a[1]} }
	return tail{l, at(-dl)}, tail{u, at(du)}
}

// folded gives f the tails of |Z| scale, where above is that of Z, which is symmetric.
func (f *Family) folded(above func(z float64) (l, dl float64)) {
	f.survives(func(y float64, a *Params) tail {
		l, dl := above(y / a[0])
		return tail{log: min(l+math.Ln2, 0), d: Grad{dl / a[0], -dl * y / (a[0] * a[0])}}
	})
}

// survives gives f tails by the log of the probability of more than y, for y > 0.
func (f *Family) survives(above func(y float64, a *Params) tail) {
	f.ofTail(func(y float64, a *Params) (below, rest tail) {
		switch {
		case !(y > 0):
			return impossible(), certain()
		case math.IsInf(y, 1):
			return certain(), impossible()
		}
		t := above(y, a)
		return t.rest(), t
	})
}

// Exponential has a rate.
func Exponential() *Family {
	f := positive("exponential", Param{"rate", Positive})
	f.Norm, f.Kernel, f.Rand = ExponentialLaw{}.Norm, ExponentialLaw{}.Kernel, ExponentialLaw{}.Rand
	f.survives(func(y float64, a *Params) tail {
		return tail{log: -a[0] * y, d: Grad{-a[0], -y}}
	})
	return &f
}

// ExponentialLaw has the functions of Exponential.
type ExponentialLaw struct{}

// Norm is log rate.
func (ExponentialLaw) Norm(a *Params, g *Grad) float64 {
	if g != nil {
		g[1] = 1 / a[0]
	}
	return math.Log(a[0])
}

// Kernel is -rate y.
func (ExponentialLaw) Kernel(y float64, a *Params, g *Grad) float64 {
	if !(y >= 0) {
		return math.Inf(-1)
	}
	g[0], g[1] = -a[0], -y
	return -a[0] * y
}

// Rand draws by the ziggurat.
func (ExponentialLaw) Rand(r *rand.Rand, a *Params) float64 { return r.ExpFloat64() / a[0] }

// Quantile is -log(1-p)/rate.
func (ExponentialLaw) Quantile(p float64, a *Params) float64 {
	if !probability(p) {
		return math.NaN()
	}
	return -math.Log1p(-p) / a[0]
}

// Weibull has a shape and a scale.
func Weibull() *Family {
	f := positive("weibull", Param{"shape", Positive}, Param{"scale", Positive})
	f.Norm = func(a *Params, g *Grad) float64 {
		l := math.Log(a[1])
		g[1], g[2] = 1/a[0]-l, -a[0]/a[1]
		return math.Log(a[0]) - a[0]*l
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y > 0) {
			if y == 0 && a[0] == 1 { // the exponential distribution
				g[0], g[1], g[2] = -1/a[1], 0, 0
				return 0
			}
			return math.Inf(-1)
		}
		l, s := math.Log(y), math.Log(y/a[1])
		p := math.Exp(a[0] * s)
		g[0], g[1], g[2] = (a[0]*(1-p)-1)/y, l-p*s, a[0]*p/a[1]
		return (a[0]-1)*l - p
	}
	f.Rand = func(r *rand.Rand, a *Params) float64 { return a[1] * math.Pow(r.ExpFloat64(), 1/a[0]) }
	f.survives(func(y float64, a *Params) tail {
		l := math.Log(y / a[1])
		p := math.Exp(a[0] * l)
		return tail{log: -p, d: Grad{-p * a[0] / y, -p * l, p * a[0] / a[1]}}
	})
	return &f
}

// LogGamma returns the log of a draw from gamma(shape, 1), by the method of Marsaglia and Tsang, A
// simple method for generating gamma variables, ACM Transactions on Mathematical Software 26
// (2000), 363-372. The log keeps draws that would underflow.
func LogGamma(r *rand.Rand, shape float64) float64 {
	switch {
	case !(shape > 0) || math.IsInf(shape, 1):
		return math.NaN()
	case shape < 1:
		return LogGamma(r, shape+1) - r.ExpFloat64()/shape
	}
	d := shape - 1.0/3
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v3 := v * v * v
		if u := r.Float64(); u == 0 || math.Log(u) < 0.5*x*x+d*(1-v3+math.Log(v3)) {
			return math.Log(d * v3)
		}
	}
}
