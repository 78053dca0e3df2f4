package diagnostics

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

// ESSBulk returns the effective sample size of the normal scores of the draws: how well the run
// sees where the bulk of the distribution is. It exists for any distribution, and does not change
// under monotone transforms of the parameter.
func ESSBulk(chains [][]float64) float64 {
	s := load(chains)
	if s == nil {
		return math.NaN()
	}
	return ess(s.bulkScores(), s.half())
}

// ESSTail returns the smaller of the effective sample sizes for the 5% and the 95% quantile. It is
// NaN if one of them is.
func ESSTail(chains [][]float64) float64 {
	s := load(chains)
	if s == nil {
		return math.NaN()
	}
	return s.essTail()
}

func (s *sample) essTail() float64 {
	return min(s.essQuantile(0.05), s.essQuantile(0.95))
}

// ESSMean returns the effective sample size for the mean of the draws: the number of independent
// draws that would estimate the mean as well.
func ESSMean(chains [][]float64) float64 {
	s := load(chains)
	if s == nil {
		return math.NaN()
	}
	return s.essMean()
}

func (s *sample) essMean() float64 {
	return ess(s.split(s.centred()), s.half())
}

// ESSSD returns the effective sample size for the standard deviation of the draws, which is that
// for the mean of their squared deviations.
func ESSSD(chains [][]float64) float64 {
	s := load(chains)
	if s == nil {
		return math.NaN()
	}
	return s.essSquares(s.centred())
}

// essSquares is the effective sample size for the mean of c². Deviations that are equal up to
// sign have none; they carry the rounding of the draws.
func (s *sample) essSquares(c []float64) float64 {
	sq := make([]float64, len(c))
	for i, v := range c {
		sq[i] = math.Abs(v)
	}
	if constant(sq, 2*s.rounding) {
		return math.NaN()
	}
	for i, v := range sq {
		sq[i] = v * v
	}
	return ess(s.split(sq), s.half())
}

// ESSQuantile returns the effective sample size for the p-quantile of the draws, which is that for
// the mean of the indicator of draws not above it. It is NaN unless 0 <= p <= 1, and where no draw
// is above the quantile, as in draws of few values. The largest draw (p = 1) is judged by the
// quantile at 1 - 1/(2S).
func ESSQuantile(chains [][]float64, p float64) float64 {
	s := load(chains)
	if s == nil {
		return math.NaN()
	}
	return s.essQuantile(p)
}

func (s *sample) essQuantile(p float64) float64 {
	if p == 1 {
		p = 1 - 0.5/float64(len(s.x))
	}
	q := s.quantile(p)
	if math.IsNaN(q) {
		return math.NaN()
	}
	below := make([]float64, len(s.x))
	for i, v := range s.x {
		if v <= q {
			below[i] = 1
		}
	}
	return ess(s.split(below), s.half())
}

// ESSCap returns the largest effective sample size that is ever reported for so many chains of so
// many draws each: S log10(S), where S is the number of draws, not counting the middle ones of
// chains of odd length. Antithetic chains reach it. An effective sample size equal to the cap is to
// be read as "at least that".
func ESSCap(chains, draws int) float64 {
	if chains < 1 || draws < minDraws {
		return math.NaN()
	}
	size := 2 * float64(chains) * float64(draws/2)
	return size * math.Log10(size)
}

// ess returns the effective sample size for the mean of a, which holds chains of length n; NaN if
// n < 3 or if a is constant. With the autocovariances a_t (averaged over chains, divisor n), the
// variance within chains W = a_0 n/(n-1) and the overall estimate v = a_0 + (variance of the
// chains' means), the autocorrelations are 1 - (W - a_t)/v (Vehtari et al. 2021, section 3).
func ess(a []float64, n int) float64 {
	if n < 3 || constant(a, 0) {
		return math.NaN()
	}
	var means []float64
	for c := range slices.Chunk(a, n) {
		means = append(means, mean(c))
	}
	acov := autocovariance(a, n)
	within := acov[0] * float64(n) / float64(n-1)
	total := acov[0]
	if len(means) > 1 {
		total += variance(means)
	}
	rho := acov // in place
	for t, c := range acov {
		rho[t] = 1 - (within-c)/total
	}
	rho[0] = 1
	size := float64(len(a))
	tau := autocorrelationTime(rho)
	if limit := math.Log10(size); tau*limit <= 1 {
		return size * limit // the same expression as in ESSCap
	}
	return size / tau
}

// autocorrelationTime sums the autocorrelations rho up to the lag at which noise takes over: it
// estimates 1 + 2 (rho_1 + rho_2 + ...). It overwrites rho.
//
// Sums of adjacent pairs, even lag first, are positive and decreasing for a reversible chain (Geyer
// 1992): the sum ends before the first pair that is not positive, and pairs are made to decrease.
// The even lag of the pair at which it ends is used once unless it and the pair are negative, which
// reduces the variance for antithetic chains. The last lags are never looked at: few products of
// draws enter them. Where the sum ends at once the result is 2; this happens for chains whose
// halves have 5 draws or fewer, and where lag one is below -1.
func autocorrelationTime(rho []float64) float64 {
	end := 0
	for end < len(rho)-5 && rho[end]+rho[end+1] > 0 {
		end += 2
	}
	if end == 0 {
		return 2
	}
	last := rho[end]
	if last <= 0 && last+rho[end+1] < 0 {
		last = 0
	}
	sum := rho[0] + rho[1]
	for t := 2; t < end; t += 2 {
		if previous := rho[t-2] + rho[t-1]; rho[t]+rho[t+1] > previous {
			rho[t], rho[t+1] = previous/2, previous/2
		}
		sum += rho[t] + rho[t+1]
	}
	return -1 + 2*sum + last
}

// autocovariance returns the autocovariances at the lags 0 ... n-1 of the chains of length n in a,
// each about its own mean and with divisor n whatever the lag, averaged over the chains. The
// transform of a sequence padded with as many zeros makes circular sums plain ones, and costs
// n log n in place of n².
func autocovariance(a []float64, n int) []float64 {
	size := 1 << bits.Len(uint(2*n-1)) // a power of two, at least 2n
	fft := fourier.NewFFT(size)
	padded := make([]float64, size)
	coeff := make([]complex128, size/2+1)
	power := make([]complex128, size/2+1)
	for c := range slices.Chunk(a, n) {
		m := mean(c)
		for i, v := range c {
			padded[i] = v - m
		}
		fft.Coefficients(coeff, padded)
		for k, f := range coeff {
			power[k] += complex(real(f)*real(f)+imag(f)*imag(f), 0)
		}
	}
	acov := fft.Sequence(padded, power)[:n]
	scale := 1 / (float64(len(a)) * float64(size))
	for t := range acov {
		acov[t] *= scale
	}
	return acov
}
