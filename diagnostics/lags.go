package diagnostics

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

// lags computes autocovariances and what follows from them. Its zero value is ready; it keeps its
// memory and the plan of the transform for the next call.
type lags struct {
	n              int       // draws of each chain
	centred, means []float64 // the chains less their means, one after the other
	acov           []float64
	fft            *fourier.FFT
	padded         []float64
	coeff, power   []complex128
}

// The first lags are computed as sums of products, a block of lags at once: the chains of a good
// sampler need no others. From mostDirect lags on a transform is faster.
const (
	block      = 8
	mostDirect = 32
)

// ess returns the effective sample size for the mean of a, which holds chains of length n; NaN if
// n < 3 or if a is constant. With the autocovariances a_t (averaged over chains, divisor n), the
// variance within chains W = a_0 n/(n-1) and the overall estimate v = a_0 + (variance of the
// chains' means), the autocorrelations are 1 - (W - a_t)/v (Vehtari et al. 2021, section 3).
func (l *lags) ess(a []float64, n int) float64 {
	if n < 3 || constant(a, 0) {
		return math.NaN()
	}
	l.centre(a, n)
	var within, total float64
	correlate := func(rho []float64, from int) {
		if from == 0 {
			within, total = rho[0]*float64(n)/float64(n-1), rho[0]
			if len(l.means) > 1 {
				total += variance(l.means)
			}
		}
		for t := from; t < len(rho); t++ {
			rho[t] = 1 - (within-rho[t])/total
		}
		rho[0] = 1
	}
	rho := l.acov[:0]
	for !ends(rho, n) {
		from := len(rho)
		if from+block > min(n, mostDirect) {
			rho, from = l.transform(), 0
		} else {
			rho = l.direct(rho)
		}
		correlate(rho, from)
		if len(rho) == n {
			break
		}
	}
	size := float64(len(a))
	tau := autocorrelationTime(rho, n)
	if limit := math.Log10(size); tau*limit <= 1 {
		return size * limit // the same expression as in ESSCap
	}
	return size / tau
}

// centre takes the chains of length n in a.
func (l *lags) centre(a []float64, n int) {
	if n != l.n {
		l.n, l.fft, l.acov = n, nil, make([]float64, n)
	}
	l.centred, l.means = l.centred[:0], l.means[:0]
	for c := range slices.Chunk(a, n) {
		m := mean(c)
		l.means = append(l.means, m)
		for _, v := range c {
			l.centred = append(l.centred, v-m)
		}
	}
}

// direct appends the next block of autocovariances to acov.
func (l *lags) direct(acov []float64) []float64 {
	var sum [block]float64
	for c := range slices.Chunk(l.centred, l.n) {
		products(&sum, c, c[len(acov):])
	}
	for _, s := range sum {
		acov = append(acov, s/float64(len(l.centred)))
	}
	return acov
}

// products adds the dot product of x and y[k:] to sum[k]; y is no longer than x.
func products(sum *[block]float64, x, y []float64) {
	s := *sum
	i := 0
	for ; i+block <= len(y); i++ {
		v, w := x[i], y[i:i+block:i+block]
		s[0] += v * w[0]
		s[1] += v * w[1]
		s[2] += v * w[2]
		s[3] += v * w[3]
		s[4] += v * w[4]
		s[5] += v * w[5]
		s[6] += v * w[6]
		s[7] += v * w[7]
	}
	for ; i < len(y); i++ {
		for k, w := range y[i:] {
			s[k] += x[i] * w
		}
	}
	*sum = s
}

// transform returns the autocovariances at all lags 0 ... n-1. The transform of a sequence padded
// with as many zeros makes circular sums plain ones, and costs n log n in place of n².
func (l *lags) transform() []float64 {
	if l.fft == nil {
		size := 1 << bits.Len(uint(2*l.n-1)) // a power of two, at least 2n
		l.fft = fourier.NewFFT(size)
		l.padded = make([]float64, size)
		l.coeff, l.power = make([]complex128, size/2+1), make([]complex128, size/2+1)
	}
	clear(l.power)
	for c := range slices.Chunk(l.centred, l.n) {
		clear(l.padded[copy(l.padded, c):])
		l.fft.Coefficients(l.coeff, l.padded)
		for k, f := range l.coeff {
			l.power[k] += complex(real(f)*real(f)+imag(f)*imag(f), 0)
		}
	}
	scale := 1 / (float64(len(l.centred)) * float64(len(l.padded)))
	for t, v := range l.fft.Sequence(l.padded, l.power)[:l.n] {
		l.acov[t] = v * scale
	}
	return l.acov
}

// autocovariance returns the autocovariances at the lags 0 ... n-1 of the chains of length n in a,
// each about its own mean and with divisor n whatever the lag, averaged over the chains.
func autocovariance(a []float64, n int) []float64 {
	l := new(lags)
	l.centre(a, n)
	return l.transform()
}

// ends reports whether the sum of autocorrelationTime ends within the lags known.
func ends(rho []float64, n int) bool {
	for t := 0; t+1 < len(rho); t += 2 {
		if t >= n-5 || !(rho[t]+rho[t+1] > 0) {
			return true
		}
	}
	return false
}
