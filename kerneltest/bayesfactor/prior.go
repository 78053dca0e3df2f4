package bayesfactor

import (
	"fmt"
	"math"
)

// Prior is a distribution of the lengthscale in units of the pooled standard deviation times the
// root of the number of columns, t = theta/(sd sqrt(D)). It must not depend on which sample a row
// is from. The zero value is LogUniform(0.05, 6).
type Prior struct {
	Name string
	// Low and High are where the integral begins and ends.
	Low, High float64
	// LogDensity is the logarithm of the density of log t.
	LogDensity func(logT float64) float64
}

// LogUniform is the prior under which log t is uniform.
func LogUniform(low, high float64) Prior {
	return Prior{Name: fmt.Sprintf("log-uniform on [%v, %v]", low, high), Low: low, High: high,
		LogDensity: func(float64) float64 { return -math.Log(math.Log(high / low)) }}
}

// Gamma is the gamma prior of t, which the published model has for theta itself with shape and
// rate 2. The integral leaves out 1e-9 or so of its mass at either end.
func Gamma(shape, rate float64) Prior {
	lg, _ := math.Lgamma(shape)
	// Below t the mass is about (rate t)^shape/Gamma(shape+1).
	low := math.Exp((math.Log(1e-10)+lg+math.Log(shape))/shape) / rate
	high := (shape + 10*math.Sqrt(shape) + 25) / rate
	return Prior{Name: fmt.Sprintf("Gamma(%v, %v)", shape, rate), Low: low, High: high,
		LogDensity: func(logT float64) float64 {
			return shape*(logT+math.Log(rate)) - rate*math.Exp(logT) - lg
		}}
}

// complete fills in the default and says what is wrong.
func (p Prior) complete() (Prior, error) {
	if p.LogDensity == nil && p.Low == 0 && p.High == 0 {
		p = LogUniform(0.05, 6)
	}
	if p.LogDensity == nil || !(p.Low > 0 && p.Low < p.High) || math.IsInf(p.High, 1) {
		return p, fmt.Errorf("bayesfactor: prior of the lengthscale is from %v to %v, with a density: "+
			"%v, want a density and 0 < low < high", p.Low, p.High, p.LogDensity != nil)
	}
	return p, nil
}

// logHalfNormal is the log density of the half-normal distribution at s.
func logHalfNormal(s, scale float64) float64 {
	r := s / scale
	return 0.5*math.Log(2/math.Pi) - math.Log(scale) - 0.5*r*r
}
