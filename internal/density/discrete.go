package density

import (
	"math"
	"math/rand/v2"
)

func counts(*Params) (lo, hi float64)  { return 0, math.Inf(1) }
func zeroOne(*Params) (lo, hi float64) { return 0, 1 }

func discrete(name string, support func(*Params) (lo, hi float64), params ...Param) Family {
	return Family{Name: name, Discrete: true, Support: support, Params: params, Location: -1, Scale: -1,
		Proper: true, Norm: noNorm}
}

func noNorm(_ *Params, g *Grad) float64 {
	*g = Grad{}
	return 0
}

// xlogy is x log y, 0 at x = 0.
func xlogy(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(y)
}

// xlog1my is x log(1-y), 0 at x = 0.
func xlog1my(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log1p(-y)
}

// ratio is x/y, 0 at x = 0.
func ratio(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x / y
}

// Bernoulli has a probability of 1.
func Bernoulli() *Family {
	f := discrete("bernoulli", zeroOne, Param{"probability", Unit})
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y >= 0 && y <= 1) {
			return math.Inf(-1)
		}
		g[0], g[1] = 0, ratio(y, a[0])-ratio(1-y, 1-a[0])
		return xlogy(y, a[0]) + xlog1my(1-y, a[0])
	}
	f.Rand = func(r *rand.Rand, a *Params) float64 { return float(r.Float64() < a[0]) }
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		if p := a[0]; y >= 0 && y < 1 {
			return tail{log: math.Log1p(-p), d: Grad{0, -1 / (1 - p)}},
				tail{log: math.Log(p), d: Grad{0, 1 / p}}
		}
		return beyond(y >= 1)
	})
	return &f
}

// BernoulliLogit has the log odds of 1.
func BernoulliLogit() *Family {
	f := discrete("bernoulli_logit", zeroOne, Param{"log odds", Extended})
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y >= 0 && y <= 1) {
			return math.Inf(-1)
		}
		x := a[0]
		e := math.Exp(-math.Abs(x))
		g[0], g[1] = 0, y-1/(1+e)
		if x < 0 {
			g[1] = y - e/(1+e)
		}
		if (x < 0) == (y == 0) {
			return -math.Log1p(e)
		}
		return -math.Abs(x) - math.Log1p(e)
	}
	f.Rand = func(r *rand.Rand, a *Params) float64 { return float(r.Float64() < Expit(a[0])) }
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		if x := a[0]; y >= 0 && y < 1 {
			return tail{log: -Softplus(x), d: Grad{0, -Expit(x)}},
				tail{log: -Softplus(-x), d: Grad{0, Expit(-x)}}
		}
		return beyond(y >= 1)
	})
	return &f
}

// LogChoose is the log of the number of ways to choose k of n, without cancellation where n is large, for any
// numbers with 0 <= k <= n.
func LogChoose(n, k float64) float64 {
	if k > n-k {
		k = n - k
	}
	if k <= 0 {
		if k == 0 {
			return 0
		}
		return math.Inf(-1)
	}
	up, _ := gammaRatio(n-k+1, k)
	b, _ := Lgamma(k + 1)
	return up - b
}

// LogBeta is the log of the function B(a, b) for positive a and b, without cancellation where one is large.
func LogBeta(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	l, _ := Lgamma(b)
	r, _ := gammaRatio(a, b)
	return l - r
}

// LogRising is log Gamma(x+d) - log Gamma(x) for positive x and d, without cancellation where x is large.
func LogRising(x, d float64) float64 {
	l, _ := gammaRatio(x, d)
	return l
}

// Binomial has a number of trials and a probability.
func Binomial() *Family {
	f := discrete("binomial", func(a *Params) (lo, hi float64) { return 0, a[0] },
		Param{"number of trials", Count}, Param{"probability", Unit})
	f.Base = func(y float64, a *Params) float64 { return LogChoose(a[0], y) }
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y >= 0 && y <= a[0]) {
			return math.Inf(-1)
		}
		g[0], g[1], g[2] = 0, 0, ratio(y, a[1])-ratio(a[0]-y, 1-a[1])
		return xlogy(y, a[1]) + xlog1my(a[0]-y, a[1])
	}
	f.Rand = func(r *rand.Rand, a *Params) float64 { return binomialRand(r, a[0], a[1]) }
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		return binomialTails(y, a[0], a[1], 1-a[1], 1)
	})
	return &f
}

// BinomialLogit has a number of trials and the log odds.
func BinomialLogit() *Family {
	f := discrete("binomial_logit", func(a *Params) (lo, hi float64) { return 0, a[0] },
		Param{"number of trials", Count}, Param{"log odds", Real})
	f.Base = func(y float64, a *Params) float64 { return LogChoose(a[0], y) }
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y >= 0 && y <= a[0]) {
			return math.Inf(-1)
		}
		x := a[1]
		e := math.Exp(-math.Abs(x))
		g[0], g[1] = 0, 0
		if x < 0 {
			g[2] = y - a[0]*(e/(1+e))
			return x*y - a[0]*math.Log1p(e)
		}
		g[2] = y - a[0]/(1+e)
		return x*(y-a[0]) - a[0]*math.Log1p(e)
	}
	f.Rand = func(r *rand.Rand, a *Params) float64 { return binomialRand(r, a[0], Expit(a[1])) }
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		p, q := Expit(a[1]), Expit(-a[1])
		return binomialTails(y, a[0], p, q, p*q)
	})
	return &f
}

// beyond are the tails below and above the support.
func beyond(above bool) (tail, tail) {
	if above {
		return certain(), impossible()
	}
	return impossible(), certain()
}

// binomialTails are those of the beta distribution; dp is the derivative of p in the parameter.
func binomialTails(y, n, p, q, dp float64) (below, above tail) {
	if y = math.Floor(y); y < 0 || y >= n {
		return beyond(y >= n)
	}
	above, below = betaTails(y+1, n-y, p, q)
	by := [3]Grad{{}, {}, {0, 0, dp}}
	return below.chained(by), above.chained(by)
}

// binomialRand counts successes: of few trials one by one, of many by halving at the median of a
// beta distribution.
func binomialRand(r *rand.Rand, n, p float64) float64 {
	k := 0.0
	for n > 40 {
		m := math.Floor(n/2) + 1
		x := Beta().Rand(r, &Params{m, n + 1 - m})
		if x > p {
			n, p = m-1, p/x
		} else {
			k += m
			n, p = n-m, (p-x)/(1-x)
		}
	}
	for range int(n) {
		k += float(r.Float64() < p)
	}
	return k
}

// Poisson has a rate.
func Poisson() *Family {
	f := discrete("poisson", counts, Param{"rate", NonNegative})
	f.Base = func(y float64, _ *Params) float64 { lg, _ := math.Lgamma(y + 1); return -lg }
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y >= 0) {
			return math.Inf(-1)
		}
		if g[0], g[1] = 0, -1; y > 0 { // of a rate of 0 the value 0 is certain
			g[1] += y / a[0]
		}
		return xlogy(y, a[0]) - a[0]
	}
	f.Rand = func(r *rand.Rand, a *Params) float64 { return poissonRand(r, a[0]) }
	f.ofTail(func(y float64, a *Params) (below, above tail) { return poissonTails(y, a[0], 1) })
	return &f
}

// PoissonLog has the log of the rate.
func PoissonLog() *Family {
	f := discrete("poisson_log", counts, Param{"log rate", Extended})
	f.Base = func(y float64, _ *Params) float64 { lg, _ := math.Lgamma(y + 1); return -lg }
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y >= 0) {
			return math.Inf(-1)
		}
		e := math.Exp(a[0])
		g[0], g[1] = 0, y-e
		if y == 0 {
			return -e
		}
		return y*a[0] - e
	}
	f.Rand = func(r *rand.Rand, a *Params) float64 { return poissonRand(r, math.Exp(a[0])) }
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		rate := math.Exp(a[0])
		return poissonTails(y, rate, rate)
	})
	return &f
}

// poissonTails are those of the gamma distribution; drate is the derivative of the rate in the
// parameter.
func poissonTails(y, rate, drate float64) (below, above tail) {
	if y = math.Floor(y); y < 0 || math.IsInf(y, 1) {
		return beyond(y > 0)
	}
	if rate == 0 {
		return beyond(true)
	}
	if y == 0 {
		below = tail{log: -rate, d: Grad{0, -drate}}
		return below, below.rest()
	}
	above, below = gammaTails(y+1, rate)
	by := [3]Grad{{}, {0, drate, 0}}
	return below.chained(by), above.chained(by)
}

// poissonRand counts events: large rates are halved by a gamma time of one of them.
func poissonRand(r *rand.Rand, rate float64) float64 {
	if !(rate >= 0) || rate > 1e15 {
		return math.NaN()
	}
	k := 0.0
	for rate > 30 {
		m := math.Floor(rate * 7 / 8)
		x := math.Exp(LogGamma(r, m))
		if x > rate {
			return k + binomialRand(r, m-1, rate/x)
		}
		k += m
		rate -= x
	}
	for t := r.ExpFloat64(); t < rate; t += r.ExpFloat64() {
		k++
	}
	return k
}

// NegBinomial2 has a mean and a precision phi: its variance is mean + mean²/phi.
func NegBinomial2() *Family {
	f := discrete("neg_binomial_2", counts, Param{"mean", Positive}, Param{"precision", Positive})
	f.Base = func(y float64, _ *Params) float64 { lg, _ := math.Lgamma(y + 1); return -lg }
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		return negBinomialKernel(y, a[0], a[1], g)
	}
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		return poissonRand(r, a[0]*math.Exp(LogGamma(r, a[1]))/a[1])
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		return negBinomialTails(y, a[0], a[1], 1)
	})
	return &f
}

// NegBinomial2Log is NegBinomial2 with the log of the mean.
func NegBinomial2Log() *Family {
	f := *NegBinomial2()
	of := f
	f.Name, f.Params = "neg_binomial_2_log", []Param{{"log mean", Real}, {"precision", Positive}}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		mu := math.Exp(a[0])
		lp := negBinomialKernel(y, mu, a[1], g)
		g[1] *= mu
		return lp
	}
	f.Rand = func(r *rand.Rand, a *Params) float64 { return of.Rand(r, &Params{math.Exp(a[0]), a[1]}) }
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		mu := math.Exp(a[0])
		return negBinomialTails(y, mu, a[1], mu)
	})
	return &f
}

func negBinomialKernel(y, mu, phi float64, g *Grad) float64 {
	if !(y >= 0) {
		return math.Inf(-1)
	}
	l, dl := rising(y, phi)
	s := math.Log1p(mu / phi) // log((mu+phi)/phi)
	g[0], g[1] = 0, y/mu-(y+phi)/(mu+phi)
	g[2] = dl - s + (mu-y)/(mu+phi)
	return l + xlogy(y, mu/(mu+phi)) - phi*s
}

// negBinomialTails are those of the beta distribution at phi/(phi+mu); dmu is the derivative of mu in
// the parameter.
func negBinomialTails(y, mu, phi, dmu float64) (below, above tail) {
	if y = math.Floor(y); y < 0 || math.IsInf(y, 1) {
		return beyond(y > 0)
	}
	x, rest := phi/(phi+mu), mu/(phi+mu)
	below, above = betaTails(phi, y+1, x, rest)
	by := [3]Grad{{0, 0, 1}, {}, {0, -x * dmu / (phi + mu), rest / (phi + mu)}}
	return below.chained(by), above.chained(by)
}

// rising returns log Gamma(y+phi) - log Gamma(phi) for a whole number y, and its derivative in phi.
func rising(y, phi float64) (l, dl float64) {
	if y <= 20 && phi < 1e14 {
		p, q := 1.0, 0.0 // the product and its derivative, two factors at a time
		k := 0.0
		for ; k+1 < y; k += 2 {
			a, b := phi+k, phi+k+1
			q = q*(a*b) + p*(a+b)
			p *= a * b
		}
		if k < y {
			q = q*(phi+k) + p
			p *= phi + k
		}
		return math.Log(p), q / p
	}
	return gammaRatio(phi, y)
}

func float(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// PointMass has probability 1 at v: it is a part of mixtures, of counts and of continuous values. It is not in
// All, since v is no parameter.
func PointMass(v float64) *Family {
	f := discrete("point_mass", func(*Params) (lo, hi float64) { return v, v })
	f.Discrete, f.Atom = false, true
	f.Kernel = func(y float64, _ *Params, g *Grad) float64 {
		*g = Grad{}
		if y != v {
			return math.Inf(-1)
		}
		return 0
	}
	f.Rand = func(*rand.Rand, *Params) float64 { return v }
	return &f
}
