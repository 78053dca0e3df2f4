package diagnostics

import (
	"math"
	"slices"
)

// The tails that paretoK looks at.
const (
	rightTail = 1
	leftTail  = -1
)

// ParetoK returns the shape k of a generalised Pareto distribution fitted to the tails of the
// draws, the larger of the two. Moments of order below 1/k exist: above 1/2 the variance is
// infinite, above 1 the mean, and an average over draws is then an estimate of nothing.
// ParetoKThreshold returns the k above which averages over S draws are unreliable (Vehtari,
// Simpson, Gelman, Yao and Gabry 2024).
//
// It is NaN where no tail can be fitted: for fewer than 30 draws (fewer than six in a tail), for
// tails with a tied lower quarter, and where ESSTail is NaN. ESSTail sets the length of the tails.
func ParetoK(chains [][]float64) float64 {
	s := load(chains)
	if s == nil {
		return math.NaN()
	}
	return s.paretoKs(s.essTail())
}

// paretoKs is the larger shape of the two tails; it takes the effective sample size of the tails.
func (s *sample) paretoKs(essTail float64) float64 {
	efficiency := essTail / float64(len(s.x))
	left := s.paretoK(leftTail, efficiency)
	right := s.paretoK(rightTail, efficiency)
	switch {
	case math.IsNaN(left):
		return right
	case math.IsNaN(right):
		return left
	}
	return max(left, right)
}

// paretoK fits one tail. The efficiency is the ratio of effective to actual draws. At most a fifth
// of the draws are tail, so two tails never meet.
func (s *sample) paretoK(tail int, efficiency float64) float64 {
	size := float64(len(s.x))
	length := math.Floor(size / 5)
	if size*efficiency > 225 {
		length = math.Floor(3 * math.Sqrt(size/efficiency))
	}
	if math.IsNaN(efficiency) || length < minTail {
		return math.NaN()
	}
	s.sort()
	x := s.sorted
	over := make([]float64, int(length)) // ascending
	for i := range over {
		if tail == rightTail {
			cut := len(x) - len(over)
			over[i] = x[cut+i] - x[cut-1]
		} else {
			cut := len(over) - 1
			over[i] = x[cut+1] - x[cut-i]
		}
	}
	k, _ := fitPareto(over)
	return k
}

// ParetoFit fits a generalised Pareto distribution to the excesses of a tail over its threshold, in
// any order, and returns the shape k and the scale sigma. The density of an excess y is
// (1 + k y/sigma)^(-1/k-1) / sigma; for k = 0 it is exponential.
//
// The estimate is that of Zhang and Stephens (2009): the posterior mean of theta = -k/sigma over a
// grid of their data-dependent prior, weighted by the profile likelihood. Shape and scale follow
// from it. (Their k is the negative of this one.) A prior worth ten excesses then pulls k, but not
// sigma, towards 1/2 (Vehtari et al. 2024).
//
// Both are NaN for fewer than six excesses, for one that is negative or not finite, if the lower
// quartile is no larger than the minimum, and if it is below 1e-307, so that theta overflows.
func ParetoFit(excesses []float64) (k, sigma float64) {
	x := slices.Clone(excesses)
	slices.Sort(x)
	if len(x) < minTail || !(x[0] >= 0) || math.IsInf(x[len(x)-1], 1) {
		return math.NaN(), math.NaN()
	}
	return fitPareto(x)
}

// minTail is the smallest number of draws that make a tail.
const minTail = 5

// fitPareto is ParetoFit of excesses in ascending order.
func fitPareto(x []float64) (k, sigma float64) {
	const prior = 3 // Zhang and Stephens, section 3
	m := float64(len(x))
	quartile := x[int(m/4+0.5)-1]
	if quartile <= x[0] {
		return math.NaN(), math.NaN()
	}
	theta := make([]float64, 30+int(math.Sqrt(m)))
	loglik := make([]float64, len(theta))
	for j := range theta {
		u := math.Sqrt(float64(len(theta)) / (float64(j) + 0.5))
		theta[j] = 1/x[len(x)-1] + (1-u)/(prior*quartile)
		k := shapeAt(theta[j], x)
		loglik[j] = m * (-math.Log(scaleAt(theta[j], k, x)) - k - 1)
	}
	best := slices.Max(loglik)
	var sum, weight float64
	for j, t := range theta {
		w := math.Exp(loglik[j] - best)
		sum += w * t
		weight += w
	}
	mean := sum / weight
	k = shapeAt(mean, x)
	if math.IsNaN(k) || math.IsInf(k, 0) {
		return math.NaN(), math.NaN()
	}
	return (k*m + 5) / (m + 10), scaleAt(mean, k, x)
}

// scaleAt is the scale that belongs to theta = -k/sigma; at 0 its limit, that of an exponential
// distribution.
func scaleAt(theta, k float64, x []float64) float64 {
	if theta == 0 {
		return mean(x)
	}
	return -k / theta
}

// shapeAt is the shape that maximises the likelihood at a given theta.
func shapeAt(theta float64, x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Log1p(-theta * v)
	}
	return sum / float64(len(x))
}

// ParetoKThreshold returns the value of ParetoK above which averages over size draws are
// unreliable: min(1 - 1/log10(size), 0.7). Below 0.7 more draws help, as ParetoMinDraws says;
// above it they hardly do. NaN for fewer than two draws.
func ParetoKThreshold(size int) float64 {
	if size < 2 {
		return math.NaN()
	}
	return min(1-1/math.Log10(float64(size)), 0.7)
}

// ParetoMinDraws returns the number of draws at which averages become reliable for a given k. It
// inverts ParetoKThreshold: 10^(1/(1-k)), at least 10, and +Inf for k >= 1.
func ParetoMinDraws(k float64) float64 {
	if k >= 1 {
		return math.Inf(1)
	}
	return math.Pow(10, 1/(1-max(0, k)))
}

// ParetoRate returns how fast the error of an average decreases as draws are added to size of them,
// relative to the rate of the central limit theorem. It is 1 for k <= 0 and falls to 0 for k >= 1
// (Vehtari et al. 2024, appendix B). NaN for fewer than two draws.
func ParetoRate(k float64, size int) float64 {
	switch {
	case math.IsNaN(k) || size < 2:
		return math.NaN()
	case k <= 0:
		return 1
	case k >= 1:
		return 0
	}
	n := float64(size)
	a := 2*k - 1
	term := 1 / math.Log(n)
	if a != 0 {
		term = -a / math.Expm1(-a*math.Log(n))
	}
	return max(0, n/(n-1)-term)
}
