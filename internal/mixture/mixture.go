// Package mixture computes tails and quantiles of mixtures of normals.
package mixture

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Normals is a mixture of normal distributions. A component without spread is a point.
type Normals struct {
	Weights    []float64 // nil for equal ones
	Means, SDs []float64
}

func (m Normals) weight(i int) float64 {
	if m.Weights == nil {
		return 1
	}
	return m.Weights[i]
}

// Moments returns mean and standard deviation, the latter by the law of total variance.
func (m Normals) Moments() (mean, sd float64) {
	total, variance := 0.0, 0.0
	for i, v := range m.Means {
		total += m.weight(i)
		mean += m.weight(i) * v
	}
	mean /= total
	for i, v := range m.Means {
		variance += m.weight(i) * ((v-mean)*(v-mean) + m.SDs[i]*m.SDs[i])
	}
	return mean, math.Sqrt(variance / total)
}

// Tail returns the probability that sign times the mixture exceeds x, and its density there. A point counts half
// at its place.
func (m Normals) Tail(x, sign float64) (tail, density float64) {
	total := 0.0
	for i, mean := range m.Means {
		w := m.weight(i)
		total += w
		mean *= sign
		if m.SDs[i] == 0 {
			switch {
			case mean > x:
				tail += w
			case mean == x:
				tail += 0.5 * w
			}
			continue
		}
		z := (x - mean) / m.SDs[i]
		tail += w * (math.Erfc(z/math.Sqrt2) / 2)
		density += w * (math.Exp(-z*z/2) / m.SDs[i])
	}
	return tail / total, density / (total * math.Sqrt(2*math.Pi))
}

// Quantile returns the quantile of a level, of a mixture whose mean and standard deviation are these: by Newton's
// method in a bracket. The bracket begins with the smallest and the largest quantile of the components, and is
// halved where a step would leave it. It is NaN for a level outside [0, 1].
func (m Normals) Quantile(level, mean, sd float64) float64 {
	switch {
	case math.IsNaN(level) || level < 0 || level > 1:
		return math.NaN()
	case level == 0 || level == 1:
		return math.Inf(int(2*level - 1))
	}
	sign := -1.0 // a quantile below the median is found as one above it, of the mirror image
	if level > 0.5 {
		sign, level = 1, 1-level
	}
	z := -mathext.NormalQuantile(level)
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, v := range m.Means {
		q := sign*v + z*m.SDs[i]
		lo, hi = min(lo, q), max(hi, q)
	}
	x := min(max(sign*mean+z*sd, lo), hi)
	for step := 1; hi-lo > 1e-14*sd; step++ {
		tail, density := m.Tail(x, sign)
		if tail > level {
			lo = x
		} else {
			hi = x
		}
		next, middle := x+(tail-level)/density, lo+(hi-lo)/2
		inside := next >= lo && next <= hi
		if inside && math.Abs(tail-level) <= 1e-9*level && math.Abs(next-x) <= 1e-7*sd {
			return sign * next // what is left is of the square of this
		}
		if middle == lo || middle == hi { // there is no number in between
			break
		}
		// Newton's steps crawl along a spike, or stand still on it: hence a bisection now and then.
		if !inside || step%8 == 0 {
			next = middle
		}
		x = next
	}
	return sign * x
}
