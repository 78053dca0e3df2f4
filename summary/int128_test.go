package summary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func (a int128) big() *big.Int {
	x := new(big.Int).SetInt64(a.hi)
	x.Lsh(x, 64)
	return x.Add(x, new(big.Int).SetUint64(a.lo))
}

// Rounding, sums and differences are those of package big, for numbers of all sizes and signs.
func TestInt128(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	half := big.NewFloat(0.5)
	var last int128
	for range 200000 {
		v := (r.Float64() - 0.5) * math.Ldexp(1, r.IntN(130)-75)
		x, ok := fixed(v, unitKernel)
		exact := new(big.Float).SetPrec(300).SetFloat64(v)
		exact.SetMantExp(exact, unitKernel)
		limit := new(big.Float).SetMantExp(big.NewFloat(1), 127)
		if in := new(big.Float).Abs(exact).Cmp(limit) < 0; ok != in {
			t.Fatalf("%v: in range %v, want %v", v, ok, in)
		}
		if !ok {
			continue
		}
		diff := new(big.Float).Sub(exact, new(big.Float).SetPrec(300).SetInt(x.big()))
		if diff.Abs(diff).Cmp(half) > 0 {
			t.Fatalf("%v rounded to %v", v, x.big())
		}
		if back := x.float(unitKernel); math.Abs(back-v) > 4e-16*math.Abs(v)+math.Ldexp(1, -73) {
			t.Fatalf("%v comes back as %v", v, back)
		}
		sum, in := x.add(last)
		want := new(big.Int).Add(x.big(), last.big())
		if in != (want.Cmp(new(big.Int).Lsh(big.NewInt(1), 127)) < 0 &&
			want.Cmp(new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 127))) >= 0) {
			t.Fatalf("%v + %v: in range %v", x.big(), last.big(), in)
		}
		if in && sum.big().Cmp(want) != 0 {
			t.Fatalf("%v + %v = %v", x.big(), last.big(), sum.big())
		}
		if back, _ := sum.add(x.negate()); in && back != last {
			t.Fatalf("a term taken out of a sum leaves %v, want %v", back, last)
		}
		last = x
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0x1p55, -0x1p55, 1e300} {
		if _, ok := fixed(v, unitKernel); ok {
			t.Errorf("%v has been taken", v)
		}
	}
}
