package engine

import (
	"math"

	"bayeskernel/internal/density"
)

// logForm says how the log of the values of a family has a location-scale distribution: with shape k
// and scale s, z = sign k (log y - log s) has one with location 0 and scale 1.
type logForm struct {
	of           standard
	sign         float64
	shape, scale int // places among the parameters
}

var logForms = map[string]logForm{
	"weibull":     {standardGumbel, -1, 0, 1},
	"frechet":     {standardGumbel, 1, 0, 1},
	"loglogistic": {standardLogistic, 1, 1, 0},
}

// logTerm is univariateTerm of data of such a family: the sum of h(z) + log k - log y, with h the log
// density of z. Its derivatives are sign h' (log y - log s) + 1/k in k and -sign h' k/s in s.
type logTerm struct {
	*univariateTerm
	form     logForm
	logs     []float64 // of y
	jacobian float64
	c, z, d  []float64 // a block of log y - log s, z and h'
}

// logged returns the term of a family of logs, nil where it is none.
func (t *univariateTerm) logged() Term {
	form, ok := logForms[t.f.Name]
	if !ok || t.cut != nil || t.y == nil || t.dy != nil {
		return nil
	}
	n := min(block, len(t.y))
	out := &logTerm{univariateTerm: t, form: form, logs: make([]float64, len(t.y)), c: make([]float64, n),
		z: make([]float64, n), d: make([]float64, n)}
	for i, y := range t.y {
		l := density.LogOf(y)
		if math.IsInf(l, 0) || math.IsNaN(l) {
			return nil
		}
		out.logs[i] = l
		out.jacobian -= l
	}
	return out
}

func (t *logTerm) Add() float64 {
	p := &t.p
	if !t.params(p, 0) {
		return math.Inf(-1)
	}
	lp := t.base + t.jacobian
	for lo := 0; lo < len(t.y); lo += block {
		l := t.rows(lo, min(lo+block, len(t.y)))
		if math.IsNaN(l) || math.IsInf(l, -1) {
			return math.Inf(-1)
		}
		lp += l
	}
	return lp
}

// rows is the sum over the rows lo to hi-1.
func (t *logTerm) rows(lo, hi int) float64 {
	f := &t.form
	c, z, d := t.c[:hi-lo], t.z[:hi-lo], t.d[:hi-lo]
	k, dk := t.a[f.shape], t.da[f.shape]
	s, ds := t.a[f.scale], t.da[f.scale]
	logS := math.Log(s[0])
	for i, l := range t.logs[lo:hi] {
		if t.mask[f.scale] != 0 {
			v := s[lo+i]
			if !(v > 0) {
				return math.Inf(-1)
			}
			logS = math.Log(v)
		}
		c[i] = l - logS
	}
	lp := 0.0
	if t.mask[f.shape] == 0 {
		w := f.sign * k[0]
		for i, v := range c {
			z[i] = w * v
		}
		lp = float64(len(z)) * math.Log(k[0])
	} else {
		product, logs := 1.0, 0.0
		for i, w := range k[lo:hi] {
			if !(w > 0) {
				return math.Inf(-1)
			}
			z[i] = f.sign * w * c[i]
			if q := product * w; q > smallProduct && q < largeProduct {
				product = q
			} else {
				product, logs = carry(product, w, logs)
			}
		}
		lp = logs + math.Log(product)
	}
	lp += f.of(z, d, nil, nil)
	switch {
	case dk == nil:
	case t.mask[f.shape] == 0:
		sum := 0.0
		for i, v := range d {
			sum += v * c[i]
		}
		dk[0] += f.sign*sum + float64(len(d))/k[0]
	default:
		for i, v := range d {
			dk[lo+i] += f.sign*v*c[i] + 1/k[lo+i]
		}
	}
	if ds == nil {
		return lp
	}
	if t.mask[f.scale] == 0 && t.mask[f.shape] == 0 {
		sum := 0.0
		for _, v := range d {
			sum += v
		}
		ds[0] -= f.sign * sum * k[0] / s[0]
		return lp
	}
	for i, v := range d {
		at := (lo + i) & t.mask[f.scale]
		ds[at] -= f.sign * v * k[(lo+i)&t.mask[f.shape]] / s[at]
	}
	return lp
}
