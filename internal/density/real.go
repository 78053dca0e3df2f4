package density

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
)

func everywhere(*Params) (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

func locationScale(name string, more ...Param) Family {
	return Family{Name: name, Support: everywhere, Proper: true, Location: len(more),
		Scale: len(more) + 1, Params: append(more, Param{"location", Real}, Param{"scale", Positive})}
}

func none(a *Params, g *Grad) float64 { return 0 }

// Flat has density 1 everywhere.
func Flat() *Family {
	return &Family{Name: "flat", Support: everywhere, Location: -1, Scale: -1, Norm: none,
		Kernel: func(y float64, _ *Params, g *Grad) float64 { g[0] = 0; return 0 },
		CDF:    func(float64, *Params) float64 { return math.NaN() },
		Rand:   func(*rand.Rand, *Params) float64 { return math.NaN() }}
}

// Normal has a mean and a standard deviation.
func Normal() *Family {
	f := locationScale("normal")
	f.Params = []Param{{"mean", Real}, {"sd", Positive}}
	f.Norm = func(a *Params, g *Grad) float64 {
		g[1], g[2] = 0, -1/a[1]
		return -math.Log(a[1]) - logSqrt2Pi
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		z := (y - a[0]) / a[1]
		g[1] = z / a[1]
		g[0], g[2] = -g[1], z*g[1]
		return -z * z / 2
	}
	f.CDF = func(y float64, a *Params) float64 { return math.Erfc((a[0]-y)/a[1]/math.Sqrt2) / 2 }
	f.Above = func(y float64, a *Params) float64 { return math.Erfc((y-a[0])/a[1]/math.Sqrt2) / 2 }
	f.Rand = func(r *rand.Rand, a *Params) float64 { return a[0] + a[1]*r.NormFloat64() }
	f.CDFGrad = locationScaleCDFGrad(&f)
	return &f
}

// StudentT has degrees of freedom, a location and a scale.
func StudentT() *Family {
	f := locationScale("student_t", Param{"df", Positive})
	f.Norm = func(a *Params, g *Grad) float64 {
		nu := a[0]
		up, _ := math.Lgamma((nu + 1) / 2)
		down, _ := math.Lgamma(nu / 2)
		g[1] = (Digamma((nu+1)/2) - Digamma(nu/2) - 1/nu) / 2
		g[2], g[3] = 0, -1/a[2]
		return up - down - math.Log(nu*math.Pi)/2 - math.Log(a[2])
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		nu := a[0]
		z := (y - a[1]) / a[2]
		q := z * z / nu
		l, w := math.Log1p(q), (nu+1)/(1+q)
		g[2] = w * z / nu / a[2]
		g[0] = -g[2]
		g[3] = w * q / a[2]
		g[1] = (w*q/nu - l) / 2
		return -(nu + 1) / 2 * l
	}
	f.CDF = func(y float64, a *Params) float64 { return studentTail((a[1]-y)/a[2], a[0]) }
	f.Above = func(y float64, a *Params) float64 { return studentTail((y-a[1])/a[2], a[0]) }
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		return a[1] + a[2]*r.NormFloat64()/math.Sqrt(Gamma().Rand(r, &Params{a[0] / 2, a[0] / 2}))
	}
	return &f
}

// studentTail is the probability of more than z.
func studentTail(z, nu float64) float64 {
	if z == 0 {
		return 0.5
	}
	p := mathext.RegIncBeta(nu/2, 0.5, nu/(nu+z*z)) / 2
	if z < 0 {
		return 1 - p
	}
	return p
}

// Cauchy has a location and a scale.
func Cauchy() *Family {
	f := locationScale("cauchy")
	f.Norm = func(a *Params, g *Grad) float64 {
		g[1], g[2] = 0, -1/a[1]
		return -math.Log(math.Pi * a[1])
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		z := (y - a[0]) / a[1]
		w := 2 * z / (1 + z*z) / a[1]
		g[0], g[1], g[2] = -w, w, w*z
		return -math.Log1p(z * z)
	}
	f.CDF = func(y float64, a *Params) float64 { return cauchyTail((a[0] - y) / a[1]) }
	f.Above = func(y float64, a *Params) float64 { return cauchyTail((y - a[0]) / a[1]) }
	f.Rand = func(r *rand.Rand, a *Params) float64 { return a[0] + a[1]*math.Tan(math.Pi*(r.Float64()-0.5)) }
	f.CDFGrad = locationScaleCDFGrad(&f)
	return &f
}

// cauchyTail is the probability of more than z.
func cauchyTail(z float64) float64 {
	if z > 1 {
		return math.Atan(1/z) / math.Pi
	}
	return 0.5 - math.Atan(z)/math.Pi
}

// Logistic has a location and a scale.
func Logistic() *Family {
	f := locationScale("logistic")
	f.Norm = func(a *Params, g *Grad) float64 {
		g[1], g[2] = 0, -1/a[1]
		return -math.Log(a[1])
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		z := (y - a[0]) / a[1]
		e := math.Exp(-math.Abs(z))
		w := math.Copysign((1-e)/(1+e), z) / a[1]
		g[0], g[1], g[2] = -w, w, w*z
		return -math.Abs(z) - 2*math.Log1p(e)
	}
	f.CDF = func(y float64, a *Params) float64 { return Expit((y - a[0]) / a[1]) }
	f.Above = func(y float64, a *Params) float64 { return Expit((a[0] - y) / a[1]) }
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		u := r.Float64()
		return a[0] + a[1]*(math.Log(u)-math.Log1p(-u))
	}
	f.CDFGrad = locationScaleCDFGrad(&f)
	return &f
}

// DoubleExponential is Laplace's distribution, with a location and a scale.
func DoubleExponential() *Family {
	f := locationScale("double_exponential")
	f.Norm = func(a *Params, g *Grad) float64 {
		g[1], g[2] = 0, -1/a[1]
		return -math.Log(2 * a[1])
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		z := (y - a[0]) / a[1]
		w := 0.0
		if z != 0 {
			w = math.Copysign(1/a[1], z)
		}
		g[0], g[1], g[2] = -w, w, w*z
		return -math.Abs(z)
	}
	tail := func(z float64) float64 {
		if z > 0 {
			return math.Exp(-z) / 2
		}
		return -math.Expm1(z)/2 + 0.5
	}
	f.CDF = func(y float64, a *Params) float64 { return tail((a[0] - y) / a[1]) }
	f.Above = func(y float64, a *Params) float64 { return tail((y - a[0]) / a[1]) }
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		return a[0] + a[1]*math.Copysign(r.ExpFloat64(), r.Float64()-0.5)
	}
	f.CDFGrad = locationScaleCDFGrad(&f)
	return &f
}

// Expit is the logistic function.
func Expit(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// Softplus is log(1 + exp(x)).
func Softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}
