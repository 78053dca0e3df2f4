package magnitude

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	resamples = 999  // of the bootstrap
	mostRows  = 4000 // of both samples together that are resampled
)

// moments are the sums that the means and their standardised difference need.
type moments struct {
	n          float64
	mean       float64
	m2, m3, m4 float64 // central, divided by n
}

func momentsOf(x []float64) moments {
	n := float64(len(x))
	s := 0.0
	for _, v := range x {
		s += v
	}
	m := moments{n: n, mean: s / n}
	for _, v := range x {
		d := v - m.mean
		m.m2 += d * d
		m.m3 += d * d * d
		m.m4 += d * d * d * d
	}
	m.m2, m.m3, m.m4 = m.m2/n, m.m3/n, m.m4/n
	return m
}

// resampled are the moments of as many rows, drawn with replacement.
func resampled(x []float64, draw *rand.Rand) moments {
	var s1, s2, s3, s4 float64
	n := uint64(len(x))
	for range x {
		hi := (draw.Uint64() >> 32) * n >> 32
		v := x[hi]
		v2 := v * v
		s1 += v
		s2 += v2
		s3 += v2 * v
		s4 += v2 * v2
	}
	k := float64(n)
	s1, s2, s3, s4 = s1/k, s2/k, s3/k, s4/k
	q := s1 * s1
	return moments{n: k, mean: s1, m2: max(s2-q, 0), m3: s3 - 3*s1*s2 + 2*q*s1,
		m4: s4 - 4*s1*s3 + 6*q*s2 - 3*q*q}
}

// difference is the difference of means and its standard error, and the same of the standardised
// difference on the scale of stable.
type difference struct {
	mean, se, std, stdSE float64
}

// stable is the scale on which the variance of a standardised difference is nearly constant.
func stable(d float64) float64   { return math.Asinh(d / math.Sqrt(8)) }
func unstable(h float64) float64 { return math.Sqrt(8) * math.Sinh(h) }

func differ(m []moments) difference {
	var d difference
	variance, sign := 0.0, 1.0
	for _, a := range m {
		d.mean += sign * a.mean
		sign = -1
		v := a.m2 * a.n / (a.n - 1)
		variance += v / float64(len(m))
		d.se += v / a.n
	}
	s := math.Sqrt(variance)
	delta := d.mean / s
	// The influence of a row at distance e from its mean: e/s - delta/(2 k s²) (e² - m2), for k samples.
	k := float64(len(m))
	sign = 1
	for _, a := range m {
		c := delta / (2 * k * variance)
		v := a.m2/variance - 2*sign*c*a.m3/s + c*c*max(a.m4-a.m2*a.m2, 0)
		d.stdSE += max(v, 0) / (a.n - 1)
		sign = -1
	}
	d.se = math.Sqrt(d.se)
	d.std = stable(delta)
	d.stdSE = math.Sqrt(d.stdSE) / math.Sqrt(8+delta*delta)
	return d
}

// means compares the means of two samples, or the mean of one sample with 0.
func means(x [][]float64, level float64, draw *rand.Rand) (mean, standardized Interval) {
	centre, rows := 0.0, 0
	for _, s := range x {
		rows += len(s)
		for _, v := range s {
			centre += v / float64(len(s)*len(x))
		}
	}
	shift := centre
	if len(x) == 1 {
		shift = 0
	}
	var m []moments
	scale, largest := 0.0, 0.0
	for _, s := range x {
		largest = max(largest, slices.Max(s), -slices.Min(s))
		a := momentsOf(s)
		a.mean -= shift
		m = append(m, a)
		scale += a.m2
	}
	if !(scale > square(1e-12*largest)) { // constant, but for rounding
		return unknown(meanOf(m)), unknown(math.NaN())
	}
	d := differ(m)
	df := freedom(m)
	hedges := 1 - 3/(4*df-1)
	mean.Estimate, standardized.Estimate = d.mean, hedges*unstable(d.std)
	tail := (1 - level) / 2
	lo, hi := -distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1-tail), 0.0
	hi = -lo
	stdLo, stdHi := lo, hi
	if rows <= mostRows {
		// Rows are centred, so that sums of powers lose no digits.
		centred := make([][]float64, len(x))
		for k, s := range x {
			centred[k] = make([]float64, len(s))
			for i, v := range s {
				centred[k][i] = v - m[k].mean - shift
			}
		}
		t, u := make([]float64, 0, resamples), make([]float64, 0, resamples)
		of := make([]moments, len(x))
		for range resamples {
			for k := range x {
				of[k] = resampled(centred[k], draw)
				of[k].mean += m[k].mean
			}
			r := differ(of)
			if r.se > 0 && r.stdSE > 0 {
				t, u = append(t, (r.mean-d.mean)/r.se), append(u, (r.std-d.std)/r.stdSE)
			}
		}
		if len(t) > resamples/2 {
			lo, hi = between(t, tail)
			stdLo, stdHi = between(u, tail)
		}
	}
	mean.Lower, mean.Upper = d.mean-hi*d.se, d.mean-lo*d.se
	standardized.Lower = unstable(d.std - stdHi*d.stdSE)
	standardized.Upper = unstable(d.std - stdLo*d.stdSE)
	return mean, standardized
}

func meanOf(m []moments) float64 {
	if len(m) == 1 {
		return m[0].mean
	}
	return m[0].mean - m[1].mean
}

// freedom is Welch's number of degrees of freedom.
func freedom(m []moments) float64 {
	sum, squares := 0.0, 0.0
	for _, a := range m {
		v := a.m2 / (a.n - 1)
		sum += v
		squares += v * v / (a.n - 1)
	}
	return sum * sum / squares
}

// between are the quantiles of order tail and 1-tail; t is sorted.
func between(t []float64, tail float64) (lo, hi float64) {
	slices.Sort(t)
	at := func(p float64) float64 {
		return t[min(max(int(math.Round(p*float64(len(t)+1)))-1, 0), len(t)-1)]
	}
	return at(tail), at(1 - tail)
}
