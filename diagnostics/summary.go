package diagnostics

import "math"

// Summary holds what is usually reported of one parameter. Each field is what the function of the
// same name returns.
type Summary struct {
	Mean, MCSEMean, SD     float64
	Q05, Q50, Q95          float64 // quantiles
	RHat, ESSBulk, ESSTail float64
}

// Summarize computes a Summary in a third of the time that the functions take one by one, because
// the draws are sorted and ranked once.
func Summarize(chains [][]float64) Summary {
	nan := math.NaN()
	sum := Summary{nan, nan, nan, nan, nan, nan, nan, nan, nan}
	s, err := newSample(chains)
	if err != nil {
		return sum
	}
	scaled := func(v float64) float64 { return math.Ldexp(v, s.exp) }
	sum.Mean, sum.SD = scaled(s.mean()), scaled(s.sd())
	sum.Q05, sum.Q50 = scaled(s.quantile(0.05)), scaled(s.quantile(0.5))
	sum.Q95 = scaled(s.quantile(0.95))
	if s.check(minDraws) != nil {
		return sum
	}
	scores := s.bulkScores()
	sum.RHat = s.rhat(scores)
	sum.ESSBulk = ess(scores, s.half())
	sum.ESSTail = s.essTail()
	sum.MCSEMean = scaled(s.sd() / math.Sqrt(s.essMean()))
	return sum
}
