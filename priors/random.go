package priors

import (
	"math"
	"math/rand/v2"
)

// logGamma returns the log of a draw from gamma(shape, 1), by the method of Marsaglia and Tsang, A
// simple method for generating gamma variables, ACM Transactions on Mathematical Software 26
// (2000), 363-372. For shape < 1 it uses their g(shape) = g(shape+1) u^(1/shape), where -log u is
// exponential; the log keeps draws that would underflow, which for shape 0.001 is every second.
func logGamma(r *rand.Rand, shape float64) float64 {
	switch {
	case !(shape > 0) || math.IsInf(shape, 1): // the loop below would not end
		return math.NaN()
	case shape < 1:
		return logGamma(r, shape+1) - r.ExpFloat64()/shape
	}
	d := shape - 1.0/3
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v3 := v * v * v
		if u := r.Float64(); u == 0 || math.Log(u) < 0.5*x*x+d*(1-v3+math.Log(v3)) {
			return math.Log(d * v3)
		}
	}
}
