package temper

import (
	"math"
	"slices"
)

// Report says how well tempering worked.
type Report struct {
	// WarmedUp says that warm-up was finished. The report is of the scans after it; if the run
	// ended earlier, of those of the round of warm-up in which it did.
	WarmedUp  bool
	Reference string // "given", or what was fitted

	Betas     []float64 // of the rungs, from 0 to 1
	Rejection []float64 // mean rejection of each pair of neighbours
	Barrier   float64   // Lambda, the sum of the rejections
	Divergent []int     // divergences on each rung, of all replicates

	Scans         int     // of all replicates
	RoundTrips    int     // of states from the reference to the target and back
	ObservedRate  float64 // round trips per scan
	PredictedRate float64 // the same, from the rejections

	// LogZ is the log of the integral of the target, the log evidence if it is prior times
	// likelihood. Its standard error has as many degrees of freedom as there are replicates, less
	// one.
	LogZ, LogZSE float64
	ChainLogZ    []float64 // of each replicate alone
}

func (s *sampler) report() *Report {
	first := s.chains[0]
	rep := &Report{Reference: s.about, WarmedUp: s.warm}
	for _, g := range first.rungs {
		rep.Betas = append(rep.Betas, g.beta)
	}
	if len(rep.Betas) == 0 || len(first.tally.reject) == 0 {
		return rep
	}
	rep.Rejection = s.rejection()
	rep.Barrier = barrier(rep.Rejection)
	rep.PredictedRate = roundTrips(rep.Rejection)
	rep.Divergent = make([]int, len(rep.Betas))
	pooled := make([]logMean, len(rep.Rejection))
	for _, r := range s.chains {
		if r.tally.scans == 0 { // it did not come as far
			continue
		}
		rep.Scans += r.tally.scans
		rep.RoundTrips += r.tally.trips
		z := 0.0
		for i := range r.tally.step {
			z += r.tally.step[i].log()
			pooled[i].merge(r.tally.step[i])
		}
		rep.ChainLogZ = append(rep.ChainLogZ, z)
		for i, n := range r.tally.divergent {
			rep.Divergent[i] += n
		}
	}
	rep.ObservedRate = float64(rep.RoundTrips) / float64(rep.Scans)
	for i := range pooled {
		rep.LogZ += pooled[i].log()
	}
	rep.LogZSE = standardError(rep.ChainLogZ)
	return rep
}

// standardError of the mean of x; NaN for fewer than two.
func standardError(x []float64) float64 {
	n := float64(len(x))
	if n < 2 || slices.ContainsFunc(x, func(v float64) bool { return math.IsInf(v, 0) }) {
		return math.NaN()
	}
	mean, ss := 0.0, 0.0
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		ss += (v - mean) * (v - mean)
	}
	return math.Sqrt(ss / (n - 1) / n)
}
