package diagnostics

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Mean returns the mean of all draws; NaN if they are empty, ragged or not finite.
func Mean(chains [][]float64) float64 {
	s, err := newSample(chains)
	if err != nil {
		return math.NaN()
	}
	return s.unscale(s.mean())
}

// SD returns the standard deviation of all draws about their common mean, with divisor S-1. It is 0
// for equal draws and NaN if there are fewer than two, or if they are empty, ragged or not finite.
func SD(chains [][]float64) float64 {
	s, err := newSample(chains)
	if err != nil {
		return math.NaN()
	}
	return s.unscale(s.sd())
}

func (s *sample) sd() float64 { return math.Sqrt(variance(s.centred())) }

// Quantile returns the p-quantile of all draws, interpolated between order statistics by
// definition 7 of Hyndman and Fan (1996), the usual default. It is NaN unless 0 <= p <= 1, and if
// the draws are empty, ragged or not finite.
func Quantile(chains [][]float64, p float64) float64 {
	s, err := newSample(chains)
	if err != nil {
		return math.NaN()
	}
	return s.unscale(s.quantile(p))
}

// MCSEMean returns the Monte Carlo standard error of the mean: the standard deviation of the draws
// divided by the root of ESSMean.
func MCSEMean(chains [][]float64) float64 {
	s := load(chains)
	if s == nil {
		return math.NaN()
	}
	return s.unscale(s.sd() / math.Sqrt(s.essMean()))
}

// MCSESD returns the Monte Carlo standard error of the standard deviation. The variance of the mean
// of the squared deviations c² is (E c⁴ - (E c²)²)/ESSSD; the root of a quantity with mean V varies
// 1/(4V) times as much (the delta method).
func MCSESD(chains [][]float64) float64 {
	s := load(chains)
	if s == nil {
		return math.NaN()
	}
	return s.unscale(s.mcseSD())
}

func (s *sample) mcseSD() float64 {
	c := s.centred()
	size := s.essSquares(c)
	v := 0.0
	for _, d := range c {
		v += d * d / float64(len(c))
	}
	spread := 0.0 // of c² about its mean: E c⁴ - (E c²)² without the cancellation
	for _, d := range c {
		e := d*d - v
		spread += e * e / float64(len(c))
	}
	return math.Sqrt(spread / size / v / 4)
}

// The probabilities of a normal value below -1 and below 1 standard deviations, to the digits that
// the reference implementation uses: more of them would move an order statistic now and then.
const (
	belowMinusOne = 0.1586553
	belowOne      = 0.8413447
)

// MCSEQuantile returns the Monte Carlo standard error of the p-quantile: half the distance between
// the order statistics that bound a central interval of 68% for it. With e = ESSQuantile, the
// number of the draws below the true quantile is binomial, and the posterior of that fraction under
// a flat prior is Beta(ep+1, e(1-p)+1). The result can be 0 for draws with ties.
func MCSEQuantile(chains [][]float64, p float64) float64 {
	s := load(chains)
	if s == nil {
		return math.NaN()
	}
	return s.unscale(s.mcseQuantile(p, s.essQuantile(p)))
}

// mcseQuantile takes the effective sample size for the quantile.
func (s *sample) mcseQuantile(p, e float64) float64 {
	if math.IsNaN(e) {
		return math.NaN()
	}
	s.sort()
	x := s.sorted
	size := float64(len(x))
	lo := math.Floor(size * mathext.InvRegIncBeta(e*p+1, e*(1-p)+1, belowMinusOne))
	hi := math.Ceil(size * mathext.InvRegIncBeta(e*p+1, e*(1-p)+1, belowOne))
	lo, hi = max(lo, 1), min(hi, size) // counted from one
	return (x[int(hi)-1] - x[int(lo)-1]) / 2
}
