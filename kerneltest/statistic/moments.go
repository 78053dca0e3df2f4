package statistic

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// gammaTail is the tail of the gamma distribution of the given mean and variance.
func gammaTail(null Null, statistic, mean, variance float64) (Tail, error) {
	shape := mean * mean / variance
	if !(shape > 0) || math.IsInf(shape, 1) {
		return Tail{}, fmt.Errorf("statistic: null %v has mean %v and variance %v, "+
			"want both above 0 and within range", null, mean, variance)
	}
	t := Tail{Null: null, Statistic: statistic, Mean: mean, Variance: variance}
	t.P = gammaAbove(shape, max(0, statistic)*mean/variance)
	t.Bound = 1e-12
	return t, nil
}

// pearsonTail is the tail of Pearson's type III, a shifted gamma of the given first three
// cumulants, all above 0.
func pearsonTail(statistic float64, c [3]float64) (Tail, error) {
	t := Tail{Null: Pearson, Statistic: statistic, Mean: c[0], Variance: c[1]}
	// A gamma of shape a has skewness 2/sqrt a.
	shape := 4 * c[1] * c[1] * c[1] / (c[2] * c[2])
	if !(shape > 0) || math.IsInf(shape, 1) {
		return Tail{}, fmt.Errorf("statistic: null pearson has the cumulants %v, want all above "+
			"0 and within range", c)
	}
	t.P = gammaAbove(shape, max(0, shape+math.Sqrt(shape/c[1])*(statistic-c[0])))
	t.Bound = 1e-12
	return t, nil
}

// gammaAbove is the upper tail of the standard gamma distribution.
func gammaAbove(shape, x float64) float64 {
	if math.IsInf(x, 1) {
		return 0
	}
	return min(max(mathext.GammaIncRegComp(shape, x), 0), 1)
}

func total(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}
