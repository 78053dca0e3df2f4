package density

import (
	"math"
	"math/rand/v2"
)

// Beta has two shapes.
func Beta() *Family {
	f := &Family{Name: "beta", Params: []Param{{"a", Positive}, {"b", Positive}}, Location: -1,
		Scale: -1, Proper: true, Support: func(*Params) (lo, hi float64) { return 0, 1 },
		Norm: BetaLaw{}.Norm, Kernel: BetaLaw{}.Kernel, Rand: BetaLaw{}.Rand}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		below, above = betaTails(a[0], a[1], y, 1-y)
		by := [3]Grad{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}
		return below.chained(by), above.chained(by)
	})
	return f
}

// BetaLaw has the functions of Beta.
type BetaLaw struct{}

// Norm is -log B(a, b).
func (BetaLaw) Norm(a *Params, g *Grad) float64 {
	if g != nil {
		both := Digamma(a[0] + a[1])
		g[1], g[2] = both-Digamma(a[0]), both-Digamma(a[1])
	}
	return -LogBeta(a[0], a[1])
}

// Kernel is (a - 1) log y + (b - 1) log(1 - y). At 0 and 1 it is the limit, where this is finite.
func (BetaLaw) Kernel(y float64, a *Params, g *Grad) float64 {
	if !(y >= 0 && y <= 1) || y == 0 && a[0] < 1 || y == 1 && a[1] < 1 {
		return math.Inf(-1)
	}
	g[1], g[2] = LogOf(y), math.Log1p(-y)
	l, dl := power(a[0]-1, g[1], y)
	u, du := power(a[1]-1, g[2], 1-y)
	g[0] = dl - du
	return l + u
}

// Rand is g/(g+h) for gamma draws g and h, in logs, because both underflow when a and b are small.
func (BetaLaw) Rand(r *rand.Rand, a *Params) float64 {
	g, h := LogGamma(r, a[0]), LogGamma(r, a[1])
	return 1 / (1 + math.Exp(h-g))
}

// Quantile inverts the distribution function. It is right to 1e-12 or, if that is more, to the
// rounding of the log gamma of a+b: 3e-10 where a+b is 1e5.
func (BetaLaw) Quantile(p float64, a *Params) float64 { return betaInv(a[0], a[1], p) }

// Uniform has two ends.
func Uniform() *Family {
	f := &Family{Name: "uniform", Params: []Param{{"lower end", Real}, {"upper end", Real}},
		Location: -1, Scale: -1, Proper: true,
		Support: func(a *Params) (lo, hi float64) { return a[0], a[1] },
		Norm:    UniformLaw{}.Norm, Kernel: UniformLaw{}.Kernel, Rand: UniformLaw{}.Rand}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		lo, hi := a[0], a[1]
		if y <= lo || y >= hi {
			return beyond(y >= hi)
		}
		w := 1 / (hi - lo)
		below = tail{math.Log((y - lo) * w), Grad{1 / (y - lo), w - 1/(y-lo), -w}}
		above = tail{math.Log((hi - y) * w), Grad{-1 / (hi - y), w, 1/(hi-y) - w}}
		return below, above
	})
	return f
}

// UniformLaw has the functions of Uniform.
type UniformLaw struct{}

// Norm is minus the log of the width, NaN where the ends are exchanged.
func (UniformLaw) Norm(a *Params, g *Grad) float64 {
	if g != nil {
		w := a[1] - a[0]
		g[1], g[2] = 1/w, -1/w
	}
	return -math.Log(a[1]/2-a[0]/2) - math.Ln2 // the width itself may overflow
}

// Kernel is 0 between the ends.
func (UniformLaw) Kernel(y float64, a *Params, g *Grad) float64 {
	if !(y >= a[0] && y <= a[1]) {
		return math.Inf(-1)
	}
	g[0], g[1], g[2] = 0, 0, 0
	return 0
}

// Rand draws from the interval.
func (l UniformLaw) Rand(r *rand.Rand, a *Params) float64 { return l.Quantile(r.Float64(), a) }

// Quantile is (1-p) lo + p hi, a form that does not overflow.
func (UniformLaw) Quantile(p float64, a *Params) float64 {
	if !probability(p) {
		return math.NaN()
	}
	return min(max((1-p)*a[0]+p*a[1], a[0]), a[1])
}

// BetaProportion is the beta distribution by its mean and a precision, a + b.
func BetaProportion() *Family {
	f := Family{Name: "beta_proportion", Params: []Param{{"mean", Unit}, {"precision", Positive}},
		Location: -1, Scale: -1, Proper: true, Support: func(*Params) (lo, hi float64) { return 0, 1 }}
	shapes := func(a *Params) Params { return Params{a[0] * a[1], (1 - a[0]) * a[1]} }
	chain := func(a *Params, g *Grad) {
		g[1], g[2] = a[1]*(g[1]-g[2]), a[0]*g[1]+(1-a[0])*g[2]
	}
	f.Norm = func(a *Params, g *Grad) float64 {
		s := shapes(a)
		l := BetaLaw{}.Norm(&s, g)
		chain(a, g)
		return l
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		s := shapes(a)
		l := BetaLaw{}.Kernel(y, &s, g)
		chain(a, g)
		return l
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		below, above = betaTails(a[0]*a[1], (1-a[0])*a[1], y, 1-y)
		by := [3]Grad{{0, a[1], a[0]}, {0, -a[1], 1 - a[0]}, {1}}
		return below.chained(by), above.chained(by)
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		s := shapes(a)
		return BetaLaw{}.Rand(r, &s)
	}
	return &f
}
