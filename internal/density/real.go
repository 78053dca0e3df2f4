package density

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
)

func everywhere(*Params) (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// locationScale starts a family with a location and a scale. Its other parameters come before these.
func locationScale(name string, more ...Param) Family {
	return Family{Name: name, Support: everywhere, Proper: true, Location: len(more),
		Scale: len(more) + 1, Params: append(more, Param{"location", Real}, Param{"scale", Positive})}
}

func none(a *Params, g *Grad) float64 { return 0 }

// Flat has density 1 everywhere.
func Flat() *Family {
	return &Family{Name: "flat", Support: everywhere, Location: -1, Scale: -1, Norm: none,
		Kernel: func(y float64, _ *Params, g *Grad) float64 { g[0] = 0; return 0 },
		Rand:   func(*rand.Rand, *Params) float64 { return math.NaN() }}
}

// Normal has a mean and a standard deviation.
func Normal() *Family {
	f := locationScale("normal")
	f.Params = []Param{{"mean", Real}, {"sd", Positive}}
	f.Norm, f.Kernel, f.Rand = NormalLaw{}.Norm, NormalLaw{}.Kernel, NormalLaw{}.Rand
	f.symmetric(normalAbove)
	return &f
}

// NormalLaw has the functions of Normal.
type NormalLaw struct{}

// Norm is -log sd - log(2 pi)/2.
func (NormalLaw) Norm(a *Params, g *Grad) float64 {
	if g != nil {
		g[1], g[2] = 0, -1/a[1]
	}
	return -math.Log(a[1]) - logSqrt2Pi
}

// Kernel is -z²/2, where z = (y - mean)/sd.
func (NormalLaw) Kernel(y float64, a *Params, g *Grad) float64 {
	z := (y - a[0]) / a[1]
	g[1] = z / a[1]
	g[0], g[2] = -g[1], z*g[1]
	return -z * z / 2
}

// Rand draws by the ziggurat.
func (NormalLaw) Rand(r *rand.Rand, a *Params) float64 { return a[0] + a[1]*r.NormFloat64() }

// Quantile inverts the distribution function.
func (NormalLaw) Quantile(p float64, a *Params) float64 {
	if !probability(p) {
		return math.NaN()
	}
	return a[0] + a[1]*mathext.NormalQuantile(p)
}

// StudentT has degrees of freedom, a location and a scale.
func StudentT() *Family {
	f := locationScale("student_t", Param{"df", Positive})
	f.Norm, f.Kernel, f.Rand = StudentTLaw{}.Norm, StudentTLaw{}.Kernel, StudentTLaw{}.Rand
	f.ofTail(studentTails)
	return &f
}

// StudentTLaw has the functions of StudentT.
type StudentTLaw struct{}

// Norm is minus the log of scale sqrt(df) B(df/2, 1/2).
func (StudentTLaw) Norm(a *Params, g *Grad) float64 {
	nu := a[0]
	if g != nil {
		g[1] = (Digamma((nu+1)/2) - Digamma(nu/2) - 1/nu) / 2
		g[2], g[3] = 0, -1/a[2]
	}
	return gammaHalfStep(nu/2) - 0.5*math.Log(nu) - halfLogPi - math.Log(a[2])
}

// Kernel is -(df+1)/2 log(1 + z²/df), where z = (y - location)/scale. With s = z²/(df + z²), written
// so that z² is never formed, its derivative in z is -(df+1) s/z, and that in df is
// ((df+1) s/df - log(1 + z²/df))/2.
func (StudentTLaw) Kernel(y float64, a *Params, g *Grad) float64 {
	nu := a[0]
	z := (y - a[1]) / a[2]
	l, w := log1pSquare(z/math.Sqrt(nu)), 1/(nu/z+z) // at z = 0 it is 1/Inf
	g[2] = (nu + 1) * w / a[2]
	g[0] = -g[2]
	g[3] = z * g[2]
	g[1] = ((nu+1)/nu*w*z - l) / 2
	return -0.5 * (nu + 1) * l
}

// Rand is a normal draw divided by the root of a chi-square draw over df.
func (StudentTLaw) Rand(r *rand.Rand, a *Params) float64 {
	// The chi-square is 2 G with G ~ gamma(df/2, 1). The root is taken in logs: for small df the
	// gamma itself may underflow.
	z := r.NormFloat64() * math.Exp(0.5*(math.Log(a[0]/2)-LogGamma(r, a[0]/2)))
	return a[1] + a[2]*z
}

// Quantile inverts the distribution function. Standardised quantiles beyond 1e160, which only very
// small df have, come out as infinite.
func (StudentTLaw) Quantile(p float64, a *Params) float64 {
	if !probability(p) {
		return math.NaN()
	}
	return a[1] + a[2]*studentInv(a[0], p)
}

// studentTails are those of the beta distribution: for z >= 0, with x = df/(df + z²), twice the
// probability of more than z is I_x(df/2, 1/2), and dx/dz = -2 x (1-x)/z, dx/d df = x (1-x)/df.
func studentTails(y float64, a *Params) (below, above tail) {
	nu, z := a[0], (y-a[1])/a[2]
	if math.IsInf(z, 0) {
		return beyond(z > 0)
	}
	s := math.Abs(z) / math.Sqrt(nu)
	x, rest := 1/(1+s*s), s*s/(1+s*s)
	if s > 1e100 {
		rest = 1
	}
	out, in := betaTails(nu/2, 0.5, x, rest)
	// Of more than |z|, and of less: with p twice the first, 1 - p/2 is (1 + (1-p))/2.
	far := tail{log: out.log - math.Ln2, d: out.d}
	near := tail{log: math.Log1p(math.Exp(in.log)) - math.Ln2}
	w := math.Exp(in.log) / (1 + math.Exp(in.log))
	for k := range near.d {
		if near.d[k] = 0; w > 0 {
			near.d[k] = w * in.d[k]
		}
	}
	dz := 0.0
	if z != 0 {
		dz = -2 * x * rest / z
	}
	dy := dz / a[2]
	by := [3]Grad{{0, 0.5}, {}, {dy, x * rest / nu, -dy, -z * dy}}
	far, near = far.chained(by), near.chained(by)
	if z == 0 { // where the density is all that there is
		p := math.Exp(StudentTLaw{}.Norm(a, nil))
		far.d, near.d = Grad{-2 * p, 0, 2 * p}, Grad{2 * p, 0, -2 * p}
	}
	if z < 0 {
		return far, near
	}
	return near, far
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
		w := 2 / (1/z + z) / a[1]
		g[0], g[1], g[2] = -w, w, w*z
		return -log1pSquare(z)
	}
	f.Rand = func(r *rand.Rand, a *Params) float64 { return a[0] + a[1]*math.Tan(math.Pi*(r.Float64()-0.5)) }
	f.symmetric(cauchyAbove)
	return &f
}

// cauchyAbove is the log of the probability of more than z, and its derivative.
func cauchyAbove(z float64) (l, dl float64) {
	p := 0.0
	if z > 1 {
		p = math.Atan(1/z) / math.Pi
		l = math.Log(p)
	} else if z < -1 {
		p = 1 - math.Atan(-1/z)/math.Pi
		l = math.Log1p(-math.Atan(-1/z) / math.Pi)
	} else {
		p = 0.5 - math.Atan(z)/math.Pi
		l = math.Log(p)
	}
	if math.IsInf(z, 0) {
		return l, 0
	}
	return l, -1 / (math.Pi * p * (1 + z*z))
}

// laplaceAbove is the log of the probability of more than z, and its derivative.
func laplaceAbove(z float64) (l, dl float64) {
	if z > 0 {
		return -z - math.Ln2, -1
	}
	p := math.Exp(z) / 2
	return math.Log1p(-p), -p / (1 - p)
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
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		u := r.Float64()
		return a[0] + a[1]*(math.Log(u)-math.Log1p(-u))
	}
	f.symmetric(func(z float64) (l, dl float64) { return -Softplus(z), -Expit(z) })
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
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		return a[0] + a[1]*math.Copysign(r.ExpFloat64(), r.Float64()-0.5)
	}
	f.symmetric(laplaceAbove)
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
