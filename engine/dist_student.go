package engine

import (
	"math"

	"bayeskernel/internal/density"
)

// studentTerm is univariateTerm with a loop of its own: of Student-t values that share their degrees
// of freedom and their scale. With z = (y - location)/scale and df = n the kernel of a value is
//
//	-(n+1)/2 log(1 + z²/n),
//
// and the sum of these logs is the log of a product. Its derivatives are sums of z²/(n + z²).
type studentTerm struct{ *univariateTerm }

func (t *studentTerm) Add() float64 {
	p := &t.p
	if !t.params(p, 0) {
		return math.Inf(-1)
	}
	df, scale := p[0], p[2]
	t.normAt = t.f.Norm(p, &t.norm)
	w := (df + 1) / scale
	mu, dmu, mm := t.a[1], t.da[1], t.mask[1]
	sum, share := 0.0, 0.0 // of derivatives in the location, of z²/(df + z²)
	product, logs := 1.0, 0.0
	for i, v := range t.y {
		z := (v - mu[i&mm]) / scale
		q := z * z
		if !(q < largeProduct) { // far out, where z² may overflow
			logs += density.StudentTLaw{}.Kernel(z, &density.Params{df, 0, 1}, &t.g) / (-0.5 * (df + 1))
			share++
			w := 0.0
			if z != 0 {
				w = (df + 1) / scale / z
			}
			sum += w
			t.push(i, w)
			continue
		}
		u := 1 + q/df
		if r := product * u; r < largeProduct {
			product = r
		} else {
			product, logs = carry(product, u, logs)
		}
		h := 1 / (df + q)
		share += q * h
		d := w * z * h
		sum += d
		if mm != 0 && dmu != nil {
			dmu[i] += d
		}
		if t.dy != nil {
			t.dy[i] -= d
		}
	}
	l := logs + math.Log(product)
	n := float64(len(t.y))
	if d := t.da[0]; d != nil {
		d[0] += n*t.norm[1] + ((df+1)/df*share-l)/2
	}
	if mm == 0 && dmu != nil {
		dmu[0] += sum
	}
	if d := t.da[2]; d != nil {
		d[0] += n*t.norm[3] + w*share
	}
	return t.base + n*t.normAt - 0.5*(df+1)*l
}

// push carries the derivative d in the location of value i.
func (t *studentTerm) push(i int, d float64) {
	if t.mask[1] != 0 && t.da[1] != nil {
		t.da[1][i] += d
	}
	if t.dy != nil {
		t.dy[i] -= d
	}
}
