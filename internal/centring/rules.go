package centring

import (
	"math"
	"slices"
)

// What every learner of centrings goes by, whatever its coordinates are.
const (
	// Sixteenths: λ is a multiple of 1/16.
	Sixteenths = 16
	// Gain is the share of the divergence that a change of coordinates must save. Smaller savings are often
	// chance, and after every change warm-up goes on for another window.
	Gain = 0.1
	// AboutAsGood is how much larger the divergence of the coordinates chosen may be than the least, as a share
	// of it. Of those that are about as good, the least centred have the fewest divergent transitions where
	// scales are small.
	AboutAsGood = 0.3
	// Noise is a divergence that pairs of independent normals may well have, for each coordinate.
	Noise = 0.005
	// SDs is how many standard deviations of log σ below its mean the centring is to suit.
	SDs = 10
	// Drop is how much lower than at its mean the log likelihood of σ is where hardly a draw comes: with 12 in its
	// place the divergent transitions of six and eight groups of middling information were 1.6 times as many.
	Drop = 16
	// Sweeps is how often every group is looked at if there are several.
	Sweeps = 2
)

// Depth is how far below its mean log σ may come, q, for values of which the data say so much each, in units
// of σ: the information times σ0². It is SDs standard deviations of log σ, or less: values that the data
// place well apart keep σ from being small. With t = information σ² the log likelihood of σ, the values
// integrated out, falls from σ0 to σ by half the sum over values of
//
//	(1+t0)/(1+t) - 1 - log((1+t0)/(1+t)),
//
// and where that is Drop hardly a draw comes: one in some thousands of three values, and fewer of more.
func Depth(known []float64, sd float64) float64 {
	most := SDs * sd
	fall := func(q float64) float64 {
		sum := 0.0
		for _, t := range known {
			r := (1 + t) / (1 + t*math.Exp(-2*q))
			sum += (r - 1 - math.Log(r)) / 2
		}
		return sum
	}
	if !(fall(most) > Drop) {
		return most
	}
	low, high := 0.0, most
	for range 30 {
		if mid := (low + high) / 2; fall(mid) > Drop {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// Degree is λ for a value with this information and depth q, rounded to a multiple of 1/16.
func Degree(information, r, q float64) float64 {
	switch {
	case r == 0:
		return 1
	case math.IsInf(r, 1):
		return 0
	}
	j := information / r
	lambda := j / (1 + j) // the limit of small q
	if q > 1e-3 {         // log(exp(2q) + j) without overflow
		lambda = (math.Log1p(j) - math.Log1p(j*math.Exp(-2*q))) / (2 * q)
	}
	return min(math.Round(Sixteenths*lambda), Sixteenths-1) / Sixteenths
}

// Rates are the r to try, the least centred first: infinity, powers of 4 around the typical information, 0.
func Rates(information []float64) []float64 {
	out := []float64{math.Inf(1)}
	var logs []float64
	for _, v := range information {
		if v > 0 {
			logs = append(logs, math.Log(v))
		}
	}
	if len(logs) == 0 {
		return out
	}
	slices.Sort(logs)
	mid := math.Exp(logs[len(logs)/2])
	for k := 4; k >= -4; k-- {
		out = append(out, mid*math.Pow(4, float64(k)))
	}
	return append(out, 0)
}

// Variance is that of coordinate j.
func Variance(rows [][]float64, j int) float64 {
	mean, sum := 0.0, 0.0
	for _, r := range rows {
		mean += r[j] / float64(len(rows))
	}
	for _, r := range rows {
		d := r[j] - mean
		sum += d * d
	}
	return sum / float64(len(rows)-1)
}
