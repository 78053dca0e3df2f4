package engine

import (
	"math"

	"bayeskernel/internal/density"
	"bayeskernel/internal/fused"
)

// logAboves returns the sum of the logs of the probabilities that a standard normal value is above each
// of at most block values, and writes minus the derivatives, phi/Q, in their place. The sum of the logs
// is the log of a product.
func logAboves(v []float64) float64 {
	var e [block]float64
	for i, x := range v {
		e[i] = min(x*x/2, 1e4)
	}
	fused.ExpNeg(e[:len(v)], e[:len(v)], 1)
	sum, product, logs := 0.0, 1.0, 0.0
	above := 0
	for i, x := range v {
		var u float64
		if x > 0 {
			u = density.Mills(x)
			sum += x * x
			above++
			v[i] = 1 / u
		} else {
			phi := e[i] * (1 / sqrt2Pi)
			u = 1 - phi*density.Mills(-x)
			v[i] = phi / u
		}
		if q := product * u; q > smallProduct && q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, u, logs)
		}
	}
	return logs + math.Log(product) - sum/2 - float64(above)*logSqrt2Pi
}

const sqrt2Pi = 2.506628274631000502415765284811045
