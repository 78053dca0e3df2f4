package diagnostics

import "math"

// Estimates holds what is usually reported of one parameter. Each field is what the function of the
// same name returns, Q05 and MCSEQ05 those of the 5% quantile, and so on.
type Estimates struct {
	Mean, SD                  float64
	MCSEMean, MCSESD          float64
	Q05, Q50, Q95             float64
	MCSEQ05, MCSEQ50, MCSEQ95 float64
	RHat, ESSBulk, ESSTail    float64
	ParetoK                   float64
	Err                       error // what Check returns
}

// Summarize computes Estimates in a fifth of the time that the functions take one by one: the draws
// are copied, sorted, ranked and centred once.
func Summarize(chains [][]float64) Estimates {
	nan := math.NaN()
	e := Estimates{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nil}
	s, err := newSample(chains)
	if err != nil {
		e.Err = err
		return e
	}
	e.Mean, e.SD = s.unscale(s.mean()), s.unscale(s.sd())
	e.Q05, e.Q50 = s.unscale(s.quantile(0.05)), s.unscale(s.quantile(0.5))
	e.Q95 = s.unscale(s.quantile(0.95))
	if err := s.check(minESS); err != nil {
		e.Err = err
	}
	if s.check(minDraws) != nil {
		return e
	}
	scores := s.bulkScores()
	e.RHat, e.ESSBulk = s.rhat(scores), s.ess(scores)
	ess05, ess50, ess95 := s.essQuantile(0.05), s.essQuantile(0.5), s.essQuantile(0.95)
	e.ESSTail = min(ess05, ess95)
	e.MCSEMean = s.unscale(s.sd() / math.Sqrt(s.essMean()))
	e.MCSESD = s.unscale(s.mcseSD())
	e.MCSEQ05 = s.unscale(s.mcseQuantile(0.05, ess05))
	e.MCSEQ50 = s.unscale(s.mcseQuantile(0.5, ess50))
	e.MCSEQ95 = s.unscale(s.mcseQuantile(0.95, ess95))
	e.ParetoK = s.paretoKs(e.ESSTail)
	return e
}
