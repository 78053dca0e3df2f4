package figure

import (
	"math"
	"slices"
)

// densityPoints is the number of points of a drawn density.
const densityPoints = 220

// density estimates the density of values at points from lo to hi with a Gaussian kernel of
// Silverman's bandwidth, 0.9 min(sd, IQR/1.34) n^(-1/5) (Silverman 1986, eq. 3.31). The values are
// first binned, sharing each between its two neighbours, so that the time does not depend on
// their number times the number of points. Values outside [lo, hi] count in the total.
func density(values []float64, lo, hi float64) (xs, ys []float64) {
	const bins = 4 * (densityPoints - 1)
	delta := (hi - lo) / bins
	h := max(bandwidth(values), 1.5*delta)
	reach := int(min(4*h/delta+1, 4*bins)) // how far, in bins, the kernel is felt
	count := make([]float64, bins+1+2*reach)
	for _, v := range values {
		u := (v-lo)/delta + float64(reach)
		if u < 0 || u >= float64(len(count)-1) {
			continue
		}
		k := int(u)
		count[k] += 1 - (u - float64(k))
		count[k+1] += u - float64(k)
	}
	weight := make([]float64, reach+1)
	for j := range weight {
		z := float64(j) * delta / h
		weight[j] = math.Exp(-z*z/2) / (h * math.Sqrt(2*math.Pi) * float64(len(values)))
	}
	xs, ys = make([]float64, densityPoints), make([]float64, densityPoints)
	for i := range xs {
		at := 4 * i
		xs[i] = lo + float64(at)*delta
		sum := count[at+reach] * weight[0]
		for j := 1; j <= reach; j++ {
			sum += (count[at+reach-j] + count[at+reach+j]) * weight[j]
		}
		ys[i] = sum
	}
	return xs, ys
}

// bandwidth is Silverman's, from at most a hundred thousand of the values. Where half of the
// values are one number, the standard deviation alone counts.
func bandwidth(values []float64) float64 {
	const most = 100_000
	sorted := sample(values, most)
	slices.Sort(sorted)
	n := float64(len(sorted))
	mean := 0.0
	for _, v := range sorted {
		mean += v / n
	}
	ss := 0.0
	for _, v := range sorted {
		ss += (v - mean) * (v - mean)
	}
	s := math.Sqrt(ss / max(n-1, 1))
	if iqr := quantile(sorted, 0.75) - quantile(sorted, 0.25); iqr > 0 {
		s = min(s, iqr/1.34)
	}
	return 0.9 * s * math.Pow(float64(len(values)), -0.2)
}

// sample copies every k-th value so that at most n are left.
func sample(values []float64, n int) []float64 {
	if len(values) <= n {
		return slices.Clone(values)
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = values[int(float64(i)/float64(n)*float64(len(values)))]
	}
	return out
}

// quantile is the p-quantile of sorted values, by linear interpolation (Hyndman and Fan's type 7).
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	k := int(at)
	if k+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[k] + (at-float64(k))*(sorted[k+1]-sorted[k])
}

// bulk is the range of the values without far outliers. It is the whole range if that is not much
// more than the middle. Otherwise it runs from the 0.5% to the 99.5% quantile and has at least ten
// times the width of the middle half.
func bulk(values []float64) (lo, hi float64, outside int) {
	sorted := sample(values, 100_000)
	slices.Sort(sorted)
	lo, hi = extent(values)
	q1, q3 := quantile(sorted, 0.25), quantile(sorted, 0.75)
	iqr := q3 - q1
	if iqr == 0 || hi-lo <= 20*iqr {
		return lo, hi, 0
	}
	lo = max(lo, min(quantile(sorted, 0.005), q1-4.5*iqr))
	hi = min(hi, max(quantile(sorted, 0.995), q3+4.5*iqr))
	for _, v := range values {
		if v < lo || v > hi {
			outside++
		}
	}
	return lo, hi, outside
}
