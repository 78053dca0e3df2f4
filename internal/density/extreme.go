package density

import (
	"math"
	"math/rand/v2"
)

// Gumbel is the distribution of maxima with light tails: it has a location and a scale.
func Gumbel() *Family {
	f := locationScale("gumbel")
	f.Norm = func(a *Params, g *Grad) float64 {
		g[1], g[2] = 0, -1/a[1]
		return -math.Log(a[1])
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		z := (y - a[0]) / a[1]
		e := math.Exp(-z)
		w := (1 - e) / a[1]
		g[0], g[1], g[2] = -w, w, w*z
		return -z - e
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		z := (y - a[0]) / a[1]
		if math.IsInf(z, 0) {
			return beyond(z > 0)
		}
		e := math.Exp(-z)
		d := e / a[1]
		below = tail{log: -e, d: Grad{d, -d, -d * z}}
		return below, below.rest()
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 { return a[0] - a[1]*math.Log(r.ExpFloat64()) }
	return &f
}

// Frechet is the distribution of maxima with heavy tails: it has a shape and a scale.
func Frechet() *Family {
	f := positive("frechet", Param{"shape", Positive}, Param{"scale", Positive})
	f.Norm = func(a *Params, g *Grad) float64 {
		l := math.Log(a[1])
		g[1], g[2] = 1/a[0]+l, a[0]/a[1]
		return math.Log(a[0]) + a[0]*l
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y > 0 && y <= math.MaxFloat64) {
			return math.Inf(-1)
		}
		l, s := math.Log(y), math.Log(y/a[1])
		p := math.Exp(-a[0] * s)
		g[0], g[1], g[2] = (a[0]*(p-1)-1)/y, p*s-l, -a[0]*p/a[1]
		return -(a[0]+1)*l - p
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		switch {
		case !(y > 0):
			return impossible(), certain()
		case math.IsInf(y, 1):
			return certain(), impossible()
		}
		s := math.Log(y / a[1])
		p := math.Exp(-a[0] * s)
		below = tail{log: -p, d: Grad{p * a[0] / y, p * s, -p * a[0] / a[1]}}
		return below, below.rest()
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 { return a[1] * math.Pow(r.ExpFloat64(), -1/a[0]) }
	return &f
}

// Rayleigh is the distribution of the length of two normal values with that sd.
func Rayleigh() *Family {
	f := positive("rayleigh", Param{"scale", Positive})
	f.Norm = func(a *Params, g *Grad) float64 {
		g[1] = -2 / a[0]
		return -2 * math.Log(a[0])
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y > 0 && y <= math.MaxFloat64) {
			return math.Inf(-1)
		}
		z := y / a[0]
		g[0], g[1] = 1/y-z/a[0], z*z/a[0]
		return LogOf(y) - z*z/2
	}
	f.survives(func(y float64, a *Params) tail {
		z := y / a[0]
		return tail{log: -z * z / 2, d: Grad{-z / a[0], z * z / a[0]}}
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 { return a[0] * math.Sqrt(2*r.ExpFloat64()) }
	return &f
}

// Pareto has its lower end and a shape.
func Pareto() *Family {
	f := positive("pareto", Param{"lower end", Positive}, Param{"shape", Positive})
	f.Support = func(a *Params) (lo, hi float64) { return a[0], math.Inf(1) }
	f.Norm = func(a *Params, g *Grad) float64 {
		l := math.Log(a[0])
		g[1], g[2] = a[1]/a[0], 1/a[1]+l
		return math.Log(a[1]) + a[1]*l
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y >= a[0] && y <= math.MaxFloat64) {
			return math.Inf(-1)
		}
		l := math.Log(y)
		g[0], g[1], g[2] = -(a[1]+1)/y, 0, -l
		return -(a[1] + 1) * l
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		if !(y > a[0]) || math.IsInf(y, 1) {
			return beyond(y > a[0])
		}
		l := math.Log1p((y - a[0]) / a[0])
		above = tail{log: -a[1] * l, d: Grad{-a[1] / y, a[1] / a[0], -l}}
		return above.rest(), above
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 { return a[0] * math.Exp(r.ExpFloat64()/a[1]) }
	return &f
}

// ParetoType2 is Lomax's distribution: it has a location, which is its lower end, a scale and a shape.
func ParetoType2() *Family {
	f := Family{Name: "pareto_type_2", Proper: true, Location: -1, Scale: -1,
		Params:  []Param{{"location", Real}, {"scale", Positive}, {"shape", Positive}},
		Support: func(a *Params) (lo, hi float64) { return a[0], math.Inf(1) }}
	f.Norm = func(a *Params, g *Grad) float64 {
		g[1], g[2], g[3] = 0, -1/a[1], 1/a[2]
		return math.Log(a[2] / a[1])
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y >= a[0] && y <= math.MaxFloat64) {
			return math.Inf(-1)
		}
		s := (y - a[0]) / a[1]
		l, w := math.Log1p(s), (a[2]+1)/(a[1]*(1+s))
		g[0], g[1], g[2], g[3] = -w, w, w*s, -l
		return -(a[2] + 1) * l
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		if !(y > a[0]) || math.IsInf(y, 1) {
			return beyond(y > a[0])
		}
		s := (y - a[0]) / a[1]
		l, w := math.Log1p(s), a[2]/(a[1]*(1+s))
		above = tail{log: -a[2] * l, d: Grad{-w, w, w * s, -l}}
		return above.rest(), above
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		return a[0] + a[1]*math.Expm1(r.ExpFloat64()/a[2])
	}
	return &f
}

// LogLogistic has a scale, which is its median, and a shape: its log is logistic.
func LogLogistic() *Family {
	f := positive("loglogistic", Param{"scale", Positive}, Param{"shape", Positive})
	f.Norm = func(a *Params, g *Grad) float64 {
		g[1], g[2] = 0, 1/a[1]
		return math.Log(a[1])
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y > 0 && y <= math.MaxFloat64) {
			return math.Inf(-1)
		}
		l := math.Log(y / a[0])
		u := a[1] * l
		e := math.Exp(-math.Abs(u))
		w := math.Copysign((1-e)/(1+e), u)
		g[0], g[1], g[2] = -(1+w*a[1])/y, w*a[1]/a[0], -w*l
		return -LogOf(y) - math.Abs(u) - 2*math.Log1p(e)
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		if !(y > 0) || math.IsInf(y, 1) {
			return beyond(y > 0)
		}
		l := math.Log(y / a[0])
		u := a[1] * l
		at := func(d float64) Grad { return Grad{d * a[1] / y, -d * a[1] / a[0], d * l} }
		return tail{-Softplus(-u), at(Expit(-u))}, tail{-Softplus(u), at(-Expit(u))}
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		u := r.Float64()
		return a[0] * math.Pow(u/(1-u), 1/a[1])
	}
	return &f
}
