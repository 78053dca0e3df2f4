package kernels

import (
	"fmt"
	"math"
)

// Periodic is exp(-2 s/Theta²), s being the sum over columns of sin²(pi (x - y)/Period).
type Periodic struct{ Period, Theta float64 }

// At returns k(x, y).
func (k Periodic) At(x, y []float64) float64 {
	v, _, _ := k.Slopes(x, y)
	return v
}

// Slopes returns k(x, y) and its derivatives in Period and Theta.
func (k Periodic) Slopes(x, y []float64) (v, byPeriod, byTheta float64) {
	if len(x) != len(y) {
		panic("kernels: rows have different lengths")
	}
	squares, turn := 0.0, 0.0
	for i, a := range x {
		u := math.Pi * (a - y[i]) / k.Period
		s, c := math.Sincos(u)
		squares += s * s
		turn += s * c * u
	}
	t2 := k.Theta * k.Theta
	v = math.Exp(-2 * squares / t2)
	return v, v * 4 * turn / (t2 * k.Period), v * 4 * squares / (t2 * k.Theta)
}

// AddGradient adds w times the derivatives of k(x, y) in x to dst.
func (k Periodic) AddGradient(dst []float64, w float64, x, y []float64) {
	w *= -2 * math.Pi / (k.Period * k.Theta * k.Theta) * k.At(x, y)
	for i, a := range x {
		dst[i] += w * math.Sin(2*math.Pi*(a-y[i])/k.Period)
	}
}

// Check says what is wrong with Period or Theta.
func (k Periodic) Check(int) error {
	for name, v := range map[string]float64{"Period": k.Period, "Theta": k.Theta} {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("kernels: %s of Periodic is %v, want a positive number", name, v)
		}
	}
	return nil
}
