package density

import (
	"math"
	"math/rand/v2"
)

// NegBinomial has a shape and an inverse scale: it is a Poisson distribution whose rate is gamma with
// these.
func NegBinomial() *Family {
	f := discrete("neg_binomial", counts, Param{"shape", Positive}, Param{"inverse scale", Positive})
	f.Base = func(y float64, _ *Params) float64 { lg, _ := math.Lgamma(y + 1); return -lg }
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y >= 0) {
			return math.Inf(-1)
		}
		l, dl := rising(y, a[0])
		s, t := math.Log1p(1/a[1]), math.Log1p(a[1])
		g[0], g[1], g[2] = 0, dl-s, (a[0]/a[1]-y)/(1+a[1])
		return l - a[0]*s - y*t
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		if y = math.Floor(y); y < 0 || math.IsInf(y, 1) {
			return beyond(y > 0)
		}
		q := 1 / (1 + a[1])
		below, above = betaTails(a[0], y+1, a[1]*q, q)
		by := [3]Grad{{0, 1}, {}, {0, 0, q * q}}
		return below.chained(by), above.chained(by)
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		return poissonRand(r, math.Exp(LogGamma(r, a[0]))/a[1])
	}
	return &f
}

// BetaBinomial has a number of trials and the shapes of a beta distribution of the probability.
func BetaBinomial() *Family {
	f := discrete("beta_binomial", func(a *Params) (lo, hi float64) { return 0, a[0] },
		Param{"number of trials", Count}, Param{"a", Positive}, Param{"b", Positive})
	f.Base = func(y float64, a *Params) float64 { return LogChoose(a[0], y) }
	f.Kernel = betaBinomialKernel
	// The sum of the probabilities on one side. Cost: as many terms as there are trials.
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		n := a[0]
		if y = math.Floor(y); y < 0 || y >= n {
			return beyond(y >= n)
		}
		if y*(a[1]+a[2]) < n*a[1] {
			below = betaBinomialSum(0, y, a)
			return below, below.rest()
		}
		above = betaBinomialSum(y+1, n, a)
		return above.rest(), above
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		return binomialRand(r, a[0], BetaLaw{}.Rand(r, &Params{a[1], a[2]}))
	}
	return &f
}

func betaBinomialKernel(y float64, a *Params, g *Grad) float64 {
	if !(y >= 0 && y <= a[0]) {
		return math.Inf(-1)
	}
	s, ds := rising(y, a[1])
	t, dt := rising(a[0]-y, a[2])
	n, dn := rising(a[0], a[1]+a[2])
	g[0], g[1], g[2], g[3] = 0, 0, ds-dn, dt-dn
	return s + t - n
}

// betaBinomialSum is the log of the probability of lo to hi, term by term.
func betaBinomialSum(lo, hi float64, a *Params) tail {
	var g, d Grad
	top, s := math.Inf(-1), 0.0
	for y := lo; y <= hi; y++ {
		l := betaBinomialKernel(y, a, &g) + LogChoose(a[0], y)
		if l > top {
			w := math.Exp(top - l)
			s *= w
			for k := range d {
				d[k] *= w
			}
			top = l
		}
		p := math.Exp(l - top)
		s += p
		for k := range d {
			d[k] += p * g[k]
		}
	}
	for k := range d {
		d[k] /= s
	}
	return tail{top + math.Log(s), d}
}

// BernoulliProbit has the normal quantile of the probability of 1.
func BernoulliProbit() *Family {
	f := discrete("bernoulli_probit", zeroOne, Param{"quantile", Real})
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		switch y {
		case 0:
			l, dl := normalAbove(a[0])
			g[0], g[1] = 0, dl
			return l
		case 1:
			l, dl := normalAbove(-a[0])
			g[0], g[1] = 0, -dl
			return l
		}
		return math.Inf(-1)
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		if !(y >= 0 && y < 1) {
			return beyond(y >= 1)
		}
		l, dl := normalAbove(a[0])
		u, du := normalAbove(-a[0])
		return tail{l, Grad{0, dl}}, tail{u, Grad{0, -du}}
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 { return float(r.NormFloat64() < a[0]) }
	return &f
}
