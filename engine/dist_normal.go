package engine

import (
	"math"

	"bayeskernel/internal/density"
)

const logSqrt2Pi = 0.9189385332046727417803297364056176

// normalTerm is univariateTerm with loops of its own.
type normalTerm struct{ *univariateTerm }

func (t *normalTerm) Add() float64 {
	if t.mask[1] == 0 {
		return t.addScalarSD()
	}
	return t.addEachSD()
}

// addScalarSD has one standard deviation for all values.
func (t *normalTerm) addScalarSD() float64 {
	sd := t.a[1][0]
	if !(sd > 0) {
		return math.Inf(-1)
	}
	y, mu, n := t.y, t.a[0], float64(len(t.y))
	w := 1 / (sd * sd)
	ss := 0.0
	switch dmu, dy := t.da[0], t.dy; {
	case t.mask[0] == 0:
		m, sum := mu[0], 0.0
		for i, v := range y {
			d := v - m
			ss += d * d
			sum += d
			if dy != nil {
				dy[i] -= d * w
			}
		}
		if dmu != nil {
			dmu[0] += sum * w
		}
	case dy == nil && dmu != nil:
		mu, dmu = mu[:len(y)], dmu[:len(y)]
		other, i := 0.0, 0
		for ; i < len(y)-1; i += 2 { // two sums, for the next need not wait for the last
			d, e := y[i]-mu[i], y[i+1]-mu[i+1]
			ss += d * d
			other += e * e
			dmu[i] += d * w
			dmu[i+1] += e * w
		}
		if i < len(y) {
			d := y[i] - mu[i]
			ss += d * d
			dmu[i] += d * w
		}
		ss += other
	default:
		for i, v := range y {
			d := v - mu[i]
			ss += d * d
			if dmu != nil {
				dmu[i] += d * w
			}
			if dy != nil {
				dy[i] -= d * w
			}
		}
	}
	if t.da[1] != nil {
		t.da[1][0] += (ss*w - n) / sd
	}
	return -ss*w/2 - n*(math.Log(sd)+logSqrt2Pi)
}

// addEachSD has a standard deviation for each value. The sum of their logs is the log of a product.
func (t *normalTerm) addEachSD() float64 {
	mu, sd, mm := t.a[0], t.a[1][:len(t.y)], t.mask[0]
	dmu, dsd := t.da[0], t.da[1]
	ss, sum := 0.0, 0.0
	product, logs := 1.0, 0.0
	for i, v := range t.y {
		s := sd[i]
		if !(s > 0) {
			return math.Inf(-1)
		}
		if q := product * s; q > smallProduct && q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, s, logs)
		}
		z := (v - mu[i&mm]) / s
		ss += z * z
		g := z / s
		if mm == 0 {
			sum += g
		} else if dmu != nil {
			dmu[i] += g
		}
		if dsd != nil {
			dsd[i] += (z*z - 1) / s
		}
		if t.dy != nil {
			t.dy[i] -= g
		}
	}
	if mm == 0 && dmu != nil {
		dmu[0] += sum
	}
	return -ss/2 - (logs + math.Log(product)) - float64(len(t.y))*logSqrt2Pi
}

// The log of a product of positive numbers takes few logs: the product goes on while it lies
// between these, and carry begins a new one. The loops say so themselves, for a call takes as long
// as the rest of them:
//
//	if q := product * v; q > smallProduct && q < largeProduct {
//		product = q
//	} else {
//		product, logs = carry(product, v, logs)
//	}
const smallProduct, largeProduct = 1e-200, 1e200

// carry returns the product that goes on and the sum of the logs.
func carry(product, v, logs float64) (float64, float64) {
	logs += math.Log(product)
	if v > 1e-100 && v < 1e100 {
		return v, logs
	}
	return 1, logs + math.Log(v)
}

// normalVarianceTerm has the variance in the place of the standard deviation.
type normalVarianceTerm struct {
	y, mu, dmu, h, dh []float64
	mm                int
}

func (t *normalVarianceTerm) Add() float64 {
	h, mu, mm := t.h[:len(t.y)], t.mu, t.mm
	ss, sum := 0.0, 0.0
	product, logs := 1.0, 0.0
	for i, v := range t.y {
		if !(h[i] > 0) {
			return math.Inf(-1)
		}
		if q := product * h[i]; q > smallProduct && q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, h[i], logs)
		}
		d := v - mu[i&mm]
		w := 1 / h[i]
		g := d * w
		q := d * g
		ss += q
		if mm == 0 {
			sum += g
		} else if t.dmu != nil {
			t.dmu[i] += g
		}
		if t.dh != nil {
			t.dh[i] += (q - 1) * w / 2
		}
	}
	if mm == 0 && t.dmu != nil {
		t.dmu[0] += sum
	}
	return -ss/2 - (logs+math.Log(product))/2 - float64(len(t.y))*logSqrt2Pi
}

// logNormalTerm is that of data whose logs are normal: these are taken once.
type logNormalTerm struct {
	*univariateTerm
	logs     normalTerm
	jacobian float64
}

func newLogNormalTerm(t *univariateTerm) *logNormalTerm {
	normal := *t
	normal.f, normal.y = density.Normal(), make([]float64, len(t.y))
	out := &logNormalTerm{univariateTerm: t, logs: normalTerm{&normal}}
	for i, v := range t.y {
		normal.y[i] = math.Log(v) // -Inf at 0, which has density 0
		out.jacobian -= normal.y[i]
	}
	return out
}

func (t *logNormalTerm) Add() float64 {
	if math.IsInf(t.jacobian, 0) {
		return math.Inf(-1)
	}
	return t.logs.Add() + t.jacobian
}
