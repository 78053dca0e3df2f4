package bigfloat

import (
	"math"
	"math/big"
	"testing"
)

// e^-1 has known digits, e^(x+y) is the product, and Log is the inverse.
func TestExp(t *testing.T) {
	want, _, err := big.ParseFloat("0.367879441171442321595523770161460867445811131031767834507836801697"+
		"46149574489980335714727434591964374662732527684399520824697579279", 10, Bits, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	off := New().Sub(Exp(Of(-1)), want)
	if f, _ := off.Float64(); math.Abs(f) > 1e-125 {
		t.Errorf("e^-1 is off by %g", f)
	}
	for _, c := range [][2]float64{{-0.1, -3}, {-700, -800}, {-1e-30, -1e5}} {
		sum := New().Add(Of(c[0]), Of(c[1]))
		a, b := Exp(sum), New().Mul(Exp(Of(c[0])), Exp(Of(c[1])))
		d := New().Sub(a, b)
		if f, _ := d.Quo(d, a).Float64(); math.Abs(f) > 1e-140 {
			t.Errorf("e^(%v%+v) is off by %g", c[0], c[1], f)
		}
		if s, _ := sum.Float64(); math.Abs(Log(a)-s) > 1e-15*math.Abs(s) {
			t.Errorf("log is %v, want %v", Log(a), s)
		}
	}
	if Exp(Of(-2e7)).Sign() != 0 {
		t.Error("e^-2e7 is not zero")
	}
}
