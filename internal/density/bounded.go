package density

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
)

// Beta has two shapes.
func Beta() *Family {
	return &Family{Name: "beta", Params: []Param{{"a", Positive}, {"b", Positive}}, Location: -1,
		Scale: -1, Proper: true, Support: func(*Params) (lo, hi float64) { return 0, 1 },
		Norm: func(a *Params, g *Grad) float64 {
			both := Digamma(a[0] + a[1])
			g[1], g[2] = both-Digamma(a[0]), both-Digamma(a[1])
			return -mathext.Lbeta(a[0], a[1])
		},
		Kernel: func(y float64, a *Params, g *Grad) float64 {
			if !(y > 0 && y < 1) {
				return math.Inf(-1)
			}
			l, u := math.Log(y), math.Log1p(-y)
			g[0], g[1], g[2] = (a[0]-1)/y-(a[1]-1)/(1-y), l, u
			return (a[0]-1)*l + (a[1]-1)*u
		},
		CDF: func(y float64, a *Params) float64 {
			return mathext.RegIncBeta(a[0], a[1], min(max(y, 0), 1))
		},
		Above: func(y float64, a *Params) float64 {
			return mathext.RegIncBeta(a[1], a[0], 1-min(max(y, 0), 1))
		},
		Rand: func(r *rand.Rand, a *Params) float64 {
			x, y := LogGamma(r, a[0]), LogGamma(r, a[1])
			return Expit(x - y)
		}}
}

// Uniform has two ends.
func Uniform() *Family {
	return &Family{Name: "uniform", Params: []Param{{"lower end", Real}, {"upper end", Real}},
		Location: -1, Scale: -1, Proper: true,
		Support: func(a *Params) (lo, hi float64) { return a[0], a[1] },
		Norm: func(a *Params, g *Grad) float64 {
			w := a[1] - a[0]
			g[1], g[2] = 1/w, -1/w
			return -math.Log(w) // NaN where the ends are exchanged
		},
		Kernel: func(y float64, a *Params, g *Grad) float64 {
			if !(y >= a[0] && y <= a[1]) {
				return math.Inf(-1)
			}
			g[0], g[1], g[2] = 0, 0, 0
			return 0
		},
		CDF: func(y float64, a *Params) float64 {
			return min(max((y-a[0])/(a[1]-a[0]), 0), 1)
		},
		Rand: func(r *rand.Rand, a *Params) float64 { return a[0] + (a[1]-a[0])*r.Float64() }}
}
