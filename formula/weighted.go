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
