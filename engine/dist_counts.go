package engine

import (
	"math"

	"bayeskernel/internal/fused"
)

// countTerm is the density of counts whose log odds, or log rates, are x: that of r successes in n
// trials, or of r events in n equal rows,
//
//	sum_i r[i] x[i] - n[i] log(1 + exp x[i])    or    sum_i r[i] x[i] - n[i] exp x[i],
//
// without what depends on the counts alone. N is nil where all are 1.
type countTerm struct {
	rates bool
	r, n  []float64
	x, dx []float64
	work  []float64
}

func newCountTerm(rates bool, r, n, x, dx []float64) *countTerm {
	return &countTerm{rates: rates, r: r, n: n, x: x, dx: dx, work: make([]float64, len(r))}
}

func (t *countTerm) Add() float64 {
	if t.rates {
		return t.addRates()
	}
	return t.addOdds()
}

// addOdds uses log(1 + exp x) = max(x, 0) + log(1 + exp -|x|). The logs of single trials are that
// of a product.
func (t *countTerm) addOdds() float64 {
	x, e := t.x[:len(t.r)], t.work[:len(t.r)]
	size := 0.0
	for i, v := range x {
		e[i] = math.Abs(v)
		size += e[i]
	}
	if !(size <= math.MaxFloat64) { // one is infinite or not a number
		return math.Inf(-1)
	}
	fused.ExpNeg(e, e, 1)
	if t.n != nil {
		return t.addTrials(x, e)
	}
	lp := 0.0
	product, logs := 1.0, 0.0
	for i, r := range t.r {
		v, u := x[i], 1+e[i]
		if q := product * u; q > smallProduct && q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, u, logs)
		}
		lp += r*v - (v+math.Abs(v))/2
		e[i] = r - 0.5 - math.Copysign(1/u-0.5, v)
	}
	t.pass(e)
	return lp - (logs + math.Log(product))
}

func (t *countTerm) addTrials(x, e []float64) float64 {
	lp, n := 0.0, t.n[:len(t.r)]
	for i, r := range t.r {
		v := x[i]
		lp += r*v - n[i]*((v+math.Abs(v))/2+math.Log1p(e[i]))
		e[i] = r - n[i]*(0.5+math.Copysign(1/(1+e[i])-0.5, v))
	}
	t.pass(e)
	return lp
}

// addRates takes the largest rate out of all, so that the exponentials are of what is negative.
func (t *countTerm) addRates() float64 {
	x, e := t.x[:len(t.r)], t.work[:len(t.r)]
	if !expOf(e, x) {
		return math.Inf(-1)
	}
	lp := 0.0
	if t.n == nil {
		for i, r := range t.r {
			lp += r*x[i] - e[i]
			e[i] = r - e[i]
		}
	} else {
		n := t.n[:len(t.r)]
		for i, r := range t.r {
			rate := n[i] * e[i]
			lp += r*x[i] - rate
			e[i] = r - rate
		}
	}
	t.pass(e)
	return lp
}

// pass adds the derivatives.
func (t *countTerm) pass(d []float64) {
	if t.dx == nil {
		return
	}
	dx := t.dx[:len(d)]
	for i, v := range d {
		dx[i] += v
	}
}

// expOf writes the exponentials of x: all relative to the largest, to a relative error of 2e-13. It
// reports false where one is too large or not a number.
func expOf(dst, x []float64) bool {
	const far = 600 // beyond, what is relative to the largest underflows
	lo, hi, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, v := range x {
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
		sum += v
	}
	switch {
	case !(hi <= 700) || math.IsNaN(sum):
		return false
	case hi-lo > far || len(x) < 8:
		for i, v := range x {
			dst[i] = math.Exp(v)
		}
		return true
	}
	for i, v := range x {
		dst[i] = hi - v
	}
	fused.ExpNeg(dst, dst, 1)
	scale := math.Exp(hi)
	for i := range dst {
		dst[i] *= scale
	}
	return true
}

// countedTerm is univariateTerm with the loops of countTerm.
type countedTerm struct {
	*univariateTerm
	fast *countTerm
}

func (t *countedTerm) Add() float64 { return t.base + t.fast.Add() }

// counted returns the term of counts that are data, with a log rate or log odds for each; else nil.
func (t *univariateTerm) counted() Term {
	if t.cut != nil || t.dy != nil || t.y == nil {
		return nil
	}
	of := func(rates bool, n []float64, k int) Term {
		if t.mask[k] == 0 {
			return nil
		}
		return &countedTerm{t, newCountTerm(rates, t.y, n, t.a[k], t.da[k])}
	}
	switch t.f.Name {
	case "bernoulli_logit":
		return of(false, nil, 0)
	case "poisson_log":
		return of(true, nil, 0)
	case "binomial_logit":
		n := t.a[0]
		if t.mask[0] == 0 && len(t.y) > 0 {
			n = make([]float64, len(t.y))
			for i := range n {
				n[i] = t.a[0][0]
			}
		}
		return of(false, n, 1)
	}
	return nil
}

// expNeg replaces what is at least 0 by the exponential of its negative, to a relative error of 2e-13.
func expNeg(d []float64) { fused.ExpNeg(d, d, 1) }
