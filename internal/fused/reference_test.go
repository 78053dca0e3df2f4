package fused

import (
	"math"
	"math/big"
)

// The oracle: the same sums term by term in big floating point, with the exponential by its series.

const precision = 120

func newBig(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }

func mul(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Mul(a, b) }

// bigExpNeg returns exp(-y) for y >= 0: the series at y/2^s, squared s times.
func bigExpNeg(y *big.Float) *big.Float {
	s := 0
	if y.Sign() > 0 {
		s = max(0, y.MantExp(nil)+8)
	}
	wide := func() *big.Float { return new(big.Float).SetPrec(2 * precision) }
	h := wide().SetMantExp(y, -s)
	h.Neg(h)
	sum, term := wide().SetInt64(1), wide().SetInt64(1)
	for i := int64(1); i < 17; i++ {
		term.Mul(term, h)
		term.Quo(term, wide().SetInt64(i))
		sum.Add(sum, term)
	}
	for range s {
		sum.Mul(sum, sum)
	}
	return new(big.Float).SetPrec(precision).Set(sum)
}

func bigLog(v *big.Float) float64 {
	if v.Sign() == 0 {
		return math.Inf(-1)
	}
	mant := new(big.Float)
	e := v.MantExp(mant)
	m, _ := mant.Float64()
	return math.Log(m) + float64(e)*math.Ln2
}

// accumulator is a sum and the sum of its terms' sizes, to which errors are relative.
type accumulator struct{ sum, size *big.Float }

func newAccumulator() accumulator { return accumulator{newBig(0), newBig(0)} }

func (a accumulator) add(v *big.Float) {
	addTo(a.sum, v)
	addTo(a.size, new(big.Float).Abs(v))
}

// addTo adds v to sum, which takes big floats very long where one is far smaller than the other.
func addTo(sum, v *big.Float) {
	if sum.Sign() != 0 && v.Sign() != 0 {
		if e := sum.MantExp(nil) - v.MantExp(nil); e > 2*precision {
			return
		} else if e < -2*precision {
			sum.SetInt64(0)
		}
	}
	sum.Add(sum, v)
}

func (a accumulator) floats() (sum, size float64) {
	sum, _ = a.sum.Float64()
	size, _ = a.size.Float64()
	return sum, size
}

// reference holds the sums and the sizes of their terms.
type reference struct{ sum, size Sums }

func newReference(x, z, shift []float64, theta float64) reference {
	m := len(z)
	r := reference{*NewSums(m), *NewSums(m)}
	a, b := make([]*big.Float, len(x)), make([]*big.Float, len(x))
	for i := range x {
		a[i], b[i] = newBig(0), newBig(0)
	}
	twoTheta2 := mul(newBig(2), mul(newBig(theta), newBig(theta)))
	for l := range z {
		var acc [5]accumulator
		for t := range acc {
			acc[t] = newAccumulator()
		}
		for i := range x {
			u := newBig(x[i])
			u.Sub(u, newBig(z[l]))
			d := mul(u, u)
			k := bigExpNeg(new(big.Float).SetPrec(precision).Quo(d, twoTheta2))
			f := new(big.Float).SetPrec(precision).Sub(k, newBig(shift[l]))
			kd := mul(k, d)
			for t, v := range []*big.Float{k, f, kd, mul(f, f), mul(f, kd)} {
				acc[t].add(v)
			}
			a[i].Add(a[i], mul(k, kd))
			b[i].Add(b[i], mul(kd, kd))
		}
		r.sum.K[l], r.size.K[l] = acc[0].floats()
		r.size.K[l] += float64(len(x)) * math.Abs(shift[l]) // K is C + n shift
		r.sum.C[l], r.size.C[l] = acc[1].floats()
		r.sum.KD[l], r.size.KD[l] = acc[2].floats()
		r.sum.F[l], r.size.F[l] = acc[3].floats()
		r.sum.FD[l], r.size.FD[l] = acc[4].floats()
	}
	for i := range x {
		logA := bigLog(a[i])
		r.sum.LogA += logA
		r.size.LogA += math.Abs(logA)
		if a[i].Sign() > 0 {
			q, _ := new(big.Float).Quo(b[i], a[i]).Float64()
			r.sum.BA += q
		}
	}
	r.size.BA = r.sum.BA
	return r
}
