package density

import (
	"math"
	"math/rand/v2"
)

// ChiSquare has degrees of freedom: it is gamma(df/2, 1/2).
func ChiSquare() *Family {
	f := positive("chi_square", Param{"df", Positive})
	f.Norm = func(a *Params, g *Grad) float64 {
		lg, _ := math.Lgamma(a[0] / 2)
		g[1] = -(math.Ln2 + Digamma(a[0]/2)) / 2
		return -a[0]/2*math.Ln2 - lg
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y >= 0 && y <= math.MaxFloat64) || y == 0 && a[0] < 2 {
			return math.Inf(-1)
		}
		g[1] = LogOf(y) / 2
		l, dl := power(a[0]/2-1, 2*g[1], y)
		g[0] = dl - 0.5
		return l - y/2
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		below, above = gammaTails(a[0]/2, max(y, 0)/2)
		by := [3]Grad{{0, 0.5}, {0.5}}
		return below.chained(by), above.chained(by)
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 { return 2 * math.Exp(LogGamma(r, a[0]/2)) }
	return &f
}

// InvChiSquare is the distribution of 1/c for c with a chi-square distribution.
func InvChiSquare() *Family {
	f := positive("inv_chi_square", Param{"df", Positive})
	f.Norm = ChiSquare().Norm
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y > 0 && y <= math.MaxFloat64) {
			return math.Inf(-1)
		}
		l := LogOf(y)
		g[0], g[1] = (0.5/y-a[0]/2-1)/y, -l/2
		return -(a[0]/2+1)*l - 0.5/y
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		if !(y > 0) {
			return impossible(), certain()
		}
		above, below = gammaTails(a[0]/2, 0.5/y)
		by := [3]Grad{{0, 0.5}, {-0.5 / (y * y)}}
		return below.chained(by), above.chained(by)
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 { return 0.5 * math.Exp(-LogGamma(r, a[0]/2)) }
	return &f
}

// ScaledInvChiSquare is InvChiSquare times df scale²: it has degrees of freedom and a scale.
func ScaledInvChiSquare() *Family {
	f := positive("scaled_inv_chi_square", Param{"df", Positive}, Param{"scale", Positive})
	f.Norm = func(a *Params, g *Grad) float64 {
		h, ls, lh := a[0]/2, math.Log(a[1]), math.Log(a[0]/2)
		lg, _ := math.Lgamma(h)
		g[1], g[2] = (lh+1-Digamma(h))/2+ls, a[0]/a[1]
		return h*lh + a[0]*ls - lg
	}
	f.Kernel = func(y float64, a *Params, g *Grad) float64 {
		if !(y > 0 && y <= math.MaxFloat64) {
			return math.Inf(-1)
		}
		l, t := LogOf(y), a[1]*a[1]/(2*y)
		g[0], g[1], g[2] = (a[0]*t-a[0]/2-1)/y, -l/2-t, -a[0]*a[1]/y
		return -(a[0]/2+1)*l - a[0]*t
	}
	f.ofTail(func(y float64, a *Params) (below, above tail) {
		if !(y > 0) {
			return impossible(), certain()
		}
		x := a[0] * a[1] * a[1] / (2 * y)
		above, below = gammaTails(a[0]/2, x)
		by := [3]Grad{{0, 0.5}, {-x / y, x / a[0], 2 * x / a[1]}}
		return below.chained(by), above.chained(by)
	})
	f.Rand = func(r *rand.Rand, a *Params) float64 {
		return a[0] / 2 * a[1] * a[1] * math.Exp(-LogGamma(r, a[0]/2))
	}
	return &f
}
