package dd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/bigfloat"
)

func bigOf(a Number) *big.Float { return bigfloat.New().Add(bigfloat.Of(a.Hi), bigfloat.Of(a.Lo)) }

// relative returns |a - want|/|want| in units of 2^-104.
func relative(a Number, want *big.Float) float64 {
	d := bigfloat.New().Sub(bigOf(a), want)
	f, _ := d.Quo(d, want).Float64()
	return math.Abs(f) * 0x1p104
}

// Every operation is right to a few units of 2^-104, the weight of the last bit of Lo.
func TestNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 17))
	draw := func() Number {
		a := math.Ldexp(r.NormFloat64(), r.IntN(40)-20)
		return quickTwoSum(a, a*(r.Float64()-0.5)*0x1p-52)
	}
	worst := map[string]float64{}
	note := func(op string, a Number, want *big.Float) {
		worst[op] = max(worst[op], relative(a, want))
	}
	for range 20000 {
		a, b := draw(), draw()
		note("mul", a.Mul(b), bigfloat.New().Mul(bigOf(a), bigOf(b)))
		note("scale", a.Scale(b.Hi), bigfloat.New().Mul(bigOf(a), bigfloat.Of(b.Hi)))
		note("div", a.Div(b), bigfloat.New().Quo(bigOf(a), bigOf(b)))
		note("add", a.Add(b), bigfloat.New().Add(bigOf(a), bigOf(b)))
		note("sub", a.Sub(b), bigfloat.New().Sub(bigOf(a), bigOf(b)))
		if a.Hi > 0 {
			note("sqrt", a.Sqrt(), bigfloat.New().Sqrt(bigOf(a)))
		}
	}
	for op, err := range worst {
		if err > 16 {
			t.Errorf("%s is off by %.3g units of 2^-104", op, err)
		}
	}
	for range 300 {
		a := Number{-math.Ldexp(r.Float64(), r.IntN(30)-20), 0}
		a.Lo = a.Hi * 0x1p-54
		// The reduction loses as many digits as the multiple of log 2 has.
		if err := relative(a.Exp(), bigfloat.Exp(bigOf(a))); err > 64*(1-a.Hi) {
			t.Errorf("exp(%v) is off by %.3g units of 2^-104", a.Hi, err)
		}
	}
	if v := (Number{-1e6, 0}).Exp(); v.Hi != 0 {
		t.Errorf("exp(-1e6) = %v", v)
	}
	if v := (Number{}).Exp(); v != (Number{1, 0}) {
		t.Errorf("exp(0) = %v", v)
	}
	if v := (Number{}).Sqrt(); v != (Number{}) {
		t.Errorf("sqrt(0) = %v", v)
	}
}

func TestDot(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 19))
	// A sum that cancels to 1e-20 of its terms keeps ten digits.
	a, b := make([]Number, 41), make([]Number, 41)
	want := bigfloat.New()
	for i := range 20 {
		a[i], b[i] = Number{r.NormFloat64(), 0}, Number{r.NormFloat64(), 0}
		a[i+20], b[i+20] = Number{-a[i].Hi, 0}, b[i]
	}
	a[40], b[40] = Number{1e-20, 0}, Number{math.Pi, 0}
	for i := range a {
		want.Add(want, bigfloat.New().Mul(bigOf(a[i]), bigOf(b[i])))
	}
	if err := relative(Dot(a, b), want) * 0x1p-104; err > 1e-10 {
		t.Errorf("off by %.3g", err)
	}
}
