package bke

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func bigOf(a dd) *big.Float { return bigNew().Add(bigF(a.hi), bigF(a.lo)) }

// relative returns |a - want|/|want| in units of 2^-104.
func relative(a dd, want *big.Float) float64 {
	d := bigNew().Sub(bigOf(a), want)
	f, _ := d.Quo(d, want).Float64()
	return math.Abs(f) * 0x1p104
}

// Every operation is right to a few units of 2^-104, the weight of the last bit of lo.
func TestDoubleDouble(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 17))
	draw := func() dd {
		a := math.Ldexp(r.NormFloat64(), r.IntN(40)-20)
		return quickTwoSum(a, a*(r.Float64()-0.5)*0x1p-52)
	}
	worst := map[string]float64{}
	note := func(op string, a dd, want *big.Float) { worst[op] = max(worst[op], relative(a, want)) }
	for range 20000 {
		a, b := draw(), draw()
		note("mul", a.mul(b), bigNew().Mul(bigOf(a), bigOf(b)))
		note("scale", a.scale(b.hi), bigNew().Mul(bigOf(a), bigF(b.hi)))
		note("div", a.div(b), bigNew().Quo(bigOf(a), bigOf(b)))
		note("add", a.add(b), bigNew().Add(bigOf(a), bigOf(b)))
		note("sub", a.sub(b), bigNew().Sub(bigOf(a), bigOf(b)))
		if a.hi > 0 {
			note("sqrt", a.sqrt(), bigNew().Sqrt(bigOf(a)))
		}
	}
	for op, err := range worst {
		if err > 16 {
			t.Errorf("%s is off by %.3g units of 2^-104", op, err)
		}
	}
	for range 300 {
		a := dd{-math.Ldexp(r.Float64(), r.IntN(30)-20), 0}
		a.lo = a.hi * 0x1p-54
		// The reduction loses as many digits as the multiple of log 2 has.
		if err := relative(a.exp(), bigExp(bigOf(a))); err > 64*(1-a.hi) {
			t.Errorf("exp(%v) is off by %.3g units of 2^-104", a.hi, err)
		}
	}
	if v := (dd{-1e6, 0}).exp(); v.hi != 0 {
		t.Errorf("exp(-1e6) = %v", v)
	}
	if v := (dd{}).exp(); v != (dd{1, 0}) {
		t.Errorf("exp(0) = %v", v)
	}
	if v := (dd{}).sqrt(); v != (dd{}) {
		t.Errorf("sqrt(0) = %v", v)
	}
}

func TestDotDD(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 19))
	// A sum that cancels to 1e-20 of its terms keeps ten digits.
	a, b := make([]dd, 41), make([]dd, 41)
	want := bigNew()
	for i := range 20 {
		a[i], b[i] = dd{r.NormFloat64(), 0}, dd{r.NormFloat64(), 0}
		a[i+20], b[i+20] = dd{-a[i].hi, 0}, b[i]
	}
	a[40], b[40] = dd{1e-20, 0}, dd{math.Pi, 0}
	for i := range a {
		want.Add(want, bigNew().Mul(bigOf(a[i]), bigOf(b[i])))
	}
	if err := relative(dotDD(a, b), want) * 0x1p-104; err > 1e-10 {
		t.Errorf("off by %.3g", err)
	}
}
