package formula

import (
	"math"

	"bayeskernel/model"
)

// The log density of each row as an expression: what rows with weights are made of. Weights multiply it.

// each is data computed of the response.
func each(r *declared, y []float64, f func(float64) float64) model.Expr {
	v := make([]float64, len(y))
	for i := range y {
		v[i] = f(y[i])
	}
	return r.m.Values(v)
}

func logGammaOf(x float64) float64 { l, _ := math.Lgamma(x); return l }

// standard is (y - eta)/sigma.
func standard(r *declared, y model.Expr) model.Expr { return y.Sub(r.eta).Div(r.extra["sigma"]) }

func gaussian(r *declared, y model.Expr) model.Expr {
	return standard(r, y).Square().Scale(-.5).Sub(r.extra["sigma"].Log()).Shift(-.5 * math.Log(2*math.Pi))
}

func logNormal(r *declared, y []float64) model.Expr { return gaussian(r, r.m.Values(y)) }

func logLogNormal(r *declared, y []float64) model.Expr {
	l := each(r, y, math.Log)
	return gaussian(r, l).Sub(l)
}

func logStudent(r *declared, y []float64) model.Expr {
	nu := r.extra["nu"]
	tail := standard(r, r.m.Values(y)).Square().Div(nu).Log1p().Mul(nu.Shift(1).Scale(.5))
	constant := nu.Shift(1).Scale(.5).Lgamma().Sub(nu.Scale(.5).Lgamma()).Sub(nu.Log().Scale(.5)).Shift(-.5 * math.Log(math.Pi))
	return constant.Sub(r.extra["sigma"].Log()).Sub(tail)
}

func logGamma(r *declared, y []float64) model.Expr {
	shape := r.extra["shape"]
	rate := shape.Mul(r.eta.Neg().Exp())
	return shape.Mul(shape.Log().Sub(r.eta)).Sub(shape.Lgamma()).Add(shape.Shift(-1).Mul(each(r, y, math.Log))).Sub(rate.Mul(r.m.Values(y)))
}

func logBeta(r *declared, y []float64) model.Expr {
	phi := r.extra["phi"]
	a, b := r.eta.InvLogit().Mul(phi), r.eta.Neg().InvLogit().Mul(phi)
	return phi.Lgamma().Sub(a.Lgamma()).Sub(b.Lgamma()).Add(a.Shift(-1).Mul(each(r, y, math.Log))).
		Add(b.Shift(-1).Mul(each(r, y, func(v float64) float64 { return math.Log1p(-v) })))
}

func logBernoulli(r *declared, y []float64) model.Expr {
	return r.eta.Mul(r.m.Values(y)).Sub(r.eta.Softplus())
}

func logBinomial(r *declared, y []float64) model.Expr {
	choose := make([]float64, len(y))
	for i, n := range r.counts {
		choose[i] = logGammaOf(n+1) - logGammaOf(y[i]+1) - logGammaOf(n-y[i]+1)
	}
	return r.eta.Mul(r.m.Values(y)).Sub(r.eta.Softplus().Mul(r.trials)).Add(r.m.Values(choose))
}

func logPoisson(r *declared, y []float64) model.Expr {
	return r.eta.Mul(r.m.Values(y)).Sub(r.eta.Exp()).Sub(each(r, y, func(v float64) float64 { return logGammaOf(v + 1) }))
}

func logNegBinomial(r *declared, y []float64) model.Expr {
	shape, v := r.extra["shape"], r.m.Values(y)
	odds := r.eta.Sub(shape.Log()) // of the mean beside the shape
	return v.Add(shape).Lgamma().Sub(shape.Lgamma()).Sub(each(r, y, func(v float64) float64 { return logGammaOf(v + 1) })).
		Add(v.Mul(odds)).Sub(v.Add(shape).Mul(odds.Softplus()))
}

func logExponential(r *declared, y []float64) model.Expr {
	return r.eta.Neg().Sub(r.m.Values(y).Mul(r.eta.Neg().Exp()))
}

func logWeibull(r *declared, y []float64) model.Expr {
	shape := r.extra["shape"]
	scale := r.eta.Sub(shape.Inv().Shift(1).Lgamma()) // its log
	l := each(r, y, math.Log)
	return shape.Log().Sub(l).Add(shape.Mul(l.Sub(scale))).Sub(shape.Mul(l.Sub(scale)).Exp())
}

// logCumulative is the log of a difference of two logistic functions a > b: log f(a) + log f(-b) + log(1 - exp(b - a)), of which the
// first and last categories have one part.
func logCumulative(r *declared, y []float64) model.Expr {
	cuts := r.cut.Len()
	upper, lower, above, below := make([]int, len(y)), make([]int, len(y)), make([]float64, len(y)), make([]float64, len(y))
	between, wide, narrow := make([]float64, len(y)), make([]int, len(y)), make([]int, len(y))
	for i, v := range y {
		k := int(v)
		upper[i], lower[i], wide[i] = min(k, cuts)-1, max(k, 2)-2, min(1, cuts-1)
		if k <= cuts {
			above[i] = 1
		}
		if k > 1 {
			below[i] = 1
		}
		if k > 1 && k <= cuts {
			between[i], wide[i], narrow[i] = 1, k-1, k-2
		}
	}
	out := r.eta.Sub(r.cut.At(upper)).Softplus().Mul(r.m.Values(above)).Add(r.cut.At(lower).Sub(r.eta).Softplus().Mul(r.m.Values(below))).Neg()
	if cuts == 1 {
		return out
	}
	gap := r.cut.At(wide).Sub(r.cut.At(narrow))
	return out.Add(gap.Neg().Expm1().Neg().Log().Mul(r.m.Values(between)))
}

// logCategorical is the sum of terms of the category less the log of the sum of the exponentials of all.
func logCategorical(r *declared, y []float64) model.Expr {
	all := r.etas[0].Softplus()
	own := r.m.Values(make([]float64, len(y)))
	for k, eta := range r.etas {
		if k > 0 {
			all = all.Add(eta.Sub(all).Softplus())
		}
		own = own.Add(eta.Mul(each(r, y, func(v float64) float64 { return indicator(int(v) == k+2) })))
	}
	return own.Sub(all)
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// orZero is the log density of a mixture of zeros and counts.
func orZero(log func(r *declared, y []float64) model.Expr) func(r *declared, y []float64) model.Expr {
	return func(r *declared, y []float64) model.Expr {
		counted := r.extra["zi"].OneMinus().Log().Add(log(r, y))
		zero := each(r, y, func(v float64) float64 { return indicator(v == 0) })
		odds := counted.Sub(r.extra["zi"].Log())
		return counted.Mul(zero.OneMinus()).Add(r.extra["zi"].Log().Add(odds.Softplus()).Mul(zero))
	}
}
