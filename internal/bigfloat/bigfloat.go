// Package bigfloat computes in 600 bits, for the oracles of tests.
package bigfloat

import (
	"math"
	"math/big"
)

// Bits is the precision.
const Bits = 600

// New returns zero.
func New() *big.Float { return new(big.Float).SetPrec(Bits) }

// Of returns x.
func Of(x float64) *big.Float { return New().SetFloat64(x) }

// Exp returns e^x for x <= 0, and zero below -1e7: a Taylor series for x/2^60, squared 60 times.
func Exp(x *big.Float) *big.Float {
	if f, _ := x.Float64(); f < -1e7 {
		return New()
	}
	const halvings = 60
	y := New().SetMantExp(x, -halvings)
	sum, term := Of(1), Of(1)
	for k := 1.0; k <= 20; k++ {
		term = New().Quo(New().Mul(term, y), Of(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum = New().Mul(sum, sum)
	}
	return sum
}

// Log returns log x to double precision.
func Log(x *big.Float) float64 {
	mant := New()
	exp := x.MantExp(mant)
	f, _ := mant.Float64()
	return math.Log(f) + float64(exp)*math.Ln2
}
