package diagnostics

import "math"

// ESSBulk returns the effective sample size of the normal scores of the draws: how well the run
// sees where the bulk of the distribution is. It exists for any distribution, and does not change
// under monotone transforms of the parameter.
func ESSBulk(chains [][]float64) float64 {
	s := load(chains)
	if s == nil {
		return math.NaN()
	}
	return s.ess(s.bulkScores())
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
	return s.ess(s.split(s.centred()))
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
	return s.ess(s.split(sq))
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
	return s.ess(s.split(below))
}

// ESSCap returns the largest effective sample size that is ever reported for so many chains of so
// many draws each. It is S log10(S), where S is the number of draws without the middle ones of
// chains of odd length. Antithetic chains reach it. An effective sample size equal to the cap is to
// be read as "at least that".
func ESSCap(chains, draws int) float64 {
	if chains < 1 || draws < minDraws {
		return math.NaN()
	}
	size := 2 * float64(chains) * float64(draws/2)
	return size * math.Log10(size)
}

// ess is that of the halves of chains: a is in split layout.
func (s *sample) ess(a []float64) float64 { return s.lags.ess(a, s.half()) }

// ess returns the effective sample size for the mean of a, which holds chains of length n.
func ess(a []float64, n int) float64 { return new(lags).ess(a, n) }

// autocorrelationTime sums the autocorrelations rho up to the lag at which noise takes over: it
// estimates 1 + 2 (rho_1 + rho_2 + ...). It overwrites rho.
//
// Sums of adjacent pairs, even lag first, are positive and decreasing for a reversible chain (Geyer
// 1992). The sum ends before the first pair that is not positive, and pairs are made to decrease.
// The even lag of the last pair is used once, unless it and the pair are negative. This reduces the
// variance for antithetic chains. The last lags are never looked at: few products of draws enter
// them. Where the sum ends at once the result is 2; this happens for chains whose halves have 5
// draws or fewer, and where lag one is below -1.
//
// The chains have n draws; rho may hold only as many lags as the sum needs.
func autocorrelationTime(rho []float64, n int) float64 {
	end := 0
	for end < n-5 && rho[end]+rho[end+1] > 0 {
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
