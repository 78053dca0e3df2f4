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

// powers are sums of powers of centred values.
type powers [4]float64

// add adds a value that occurs k times.
func (s *powers) add(v, k float64) {
	v2 := v * v
	s[0] += k * v
	s[1] += k * v2
	s[2] += k * v2 * v
	s[3] += k * v2 * v2
}

func (s *powers) moments(n int) moments {
	k := float64(n)
	s1, s2, s3, s4 := s[0]/k, s[1]/k, s[2]/k, s[3]/k
	q := s1 * s1
	return moments{n: k, mean: s1, m2: max(s2-q, 0), m3: s3 - 3*s1*s2 + 2*q*s1,
		m4: s4 - 4*s1*s3 + 6*q*s2 - 3*q*q}
}

// difference is the difference of means and its standard error, and the same of the standardised
// difference on the scale of stable.
type difference struct {
	mean, se, std, stdSE float64
	// spread is how far the tails that the rows do not show count: three quarters of the standard error that the
	// standard deviations alone contribute, a share of stdSE. In one sample the same rows carry the mean and the standard deviation, and it is 1.
	spread float64
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
		w := c * c * max(a.m4-a.m2*a.m2, 0)
		v := a.m2/variance - 2*sign*c*a.m3/s + w
		d.stdSE += max(v, 0) / (a.n - 1)
		d.spread += w / (a.n - 1)
		sign = -1
	}
	d.se = math.Sqrt(d.se)
	d.std = stable(delta)
	if len(m) == 1 {
		d.spread = 1
	} else if d.stdSE > 0 {
		d.spread = 0.75 * min(math.Sqrt(d.spread/d.stdSE), 1)
	}
	d.stdSE = math.Sqrt(d.stdSE) / math.Sqrt(8+delta*delta)
	return d
}

// means compares the means of two samples, or the mean of one sample with 0.
func means(x [][]float64, level float64, draw *rand.Rand) (mean, standardized Interval) {
	centre := 0.0
	for _, s := range x {
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
	student := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1 - tail)
	ofMean := limits{-student, student}
	ofStd := ofMean
	one, two := resampledRoots(x, m, d, draw)
	if len(two.std) > resamples/2 {
		ofStd = between(two.std, tail)
		if len(one.std) > resamples/2 {
			// Tails matter as far as the standard deviations do.
			rows := between(one.std, tail)
			ofStd = rows.toward(rows.and(ofStd), d.spread)
		}
	}
	if len(one.mean) > resamples/2 {
		// Student's law is right for symmetric laws with heavy tails, the bootstrap for skewed ones.
		ofMean = ofMean.and(between(one.mean, tail))
	}
	mean.Lower, mean.Upper = d.mean-ofMean.hi*d.se, d.mean-ofMean.lo*d.se
	standardized.Lower = unstable(d.std - ofStd.hi*d.stdSE)
	standardized.Upper = unstable(d.std - ofStd.lo*d.stdSE)
	// Both have one sign, and of few rows the mean says more of it: where they do not agree on whether that is
	// known, the end is that of the mean in standard deviations.
	if mean.Estimate != 0 {
		inSD := standardized.Estimate / mean.Estimate
		if mean.Lower > 0 != (standardized.Lower > 0) {
			standardized.Lower = min(mean.Lower*inSD, standardized.Estimate)
		}
		if mean.Upper < 0 != (standardized.Upper < 0) {
			standardized.Upper = max(mean.Upper*inSD, standardized.Estimate)
		}
	}
	return mean, standardized
}

// limits are two quantiles of the law of a root.
type limits struct{ lo, hi float64 }

// and are the farther ones of two.
func (l limits) and(o limits) limits { return limits{min(l.lo, o.lo), max(l.hi, o.hi)} }

// toward are the limits that lie a share w of the way to o.
func (l limits) toward(o limits, w float64) limits {
	return limits{l.lo + w*(o.lo-l.lo), l.hi + w*(o.hi-l.hi)}
}

// roots are differences from the truth in standard errors, in many resamples.
type roots struct{ mean, std []float64 }

func (r *roots) add(of, truth difference) {
	if of.se > 0 && of.stdSE > 0 {
		r.mean = append(r.mean, (of.mean-truth.mean)/of.se)
		r.std = append(r.std, (of.std-truth.std)/of.stdSE)
	}
}

// resampledRoots are the roots of rows drawn with replacement, and of rows drawn from smooth laws with
// the tails that each resample has, where the rows show any: a standard deviation depends on values so
// rare that the rows may have none. Of many rows the smooth laws have the tails of all, and fewer rows
// are drawn.
func resampledRoots(x [][]float64, m []moments, d difference, draw *rand.Rand) (one, two roots) {
	total := 0
	for _, s := range x {
		total += len(s)
	}
	samples, size := make([]*resampler, len(x)), make([]int, len(x))
	for k, s := range x {
		if len(s) < 4 {
			return one, two // no tails
		}
		size[k] = len(s)
		if len(s) > enough {
			s = picked(s, drawnOf(len(s), enough, draw))
		}
		samples[k] = newResampler(s)
		if total > mostRows {
			size[k] = max(size[k]/(total/mostRows+1), 4)
		}
	}
	of, smooth, laws := make([]moments, len(x)), make([]moments, len(x)), make([]drawn, len(x))
	for k, s := range samples {
		laws[k] = s.law()
	}
	for range resamples {
		variance := 0.0
		for k, s := range samples {
			if total <= mostRows {
				of[k] = s.resample(draw)
				of[k].mean += m[k].mean
				laws[k] = s.law()
			}
			if total <= mostRows && !samples[k].tails {
				smooth[k] = of[k]
				variance += m[k].m2 * m[k].n / (m[k].n - 1) / float64(len(x))
				continue
			}
			smooth[k] = laws[k].moments(size[k], draw)
			smooth[k].mean += m[k].mean
			variance += square(laws[k].sd()) / float64(len(x))
		}
		if total <= mostRows {
			one.add(differ(of), d)
		}
		if variance > 0 {
			two.add(differ(smooth), difference{mean: d.mean, std: stable(d.mean / math.Sqrt(variance))})
		}
	}
	return one, two
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
func between(t []float64, tail float64) limits {
	slices.Sort(t)
	return limits{order(t, tail), order(t, 1-tail)}
}

// order is the quantile of order p of sorted values.
func order(t []float64, p float64) float64 {
	return t[min(max(int(math.Round(p*float64(len(t)+1)))-1, 0), len(t)-1)]
}
