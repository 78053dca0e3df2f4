package temper

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Report says how well tempering worked.
type Report struct {
	// WarmedUp says that warm-up was finished. The report then covers the scans after warm-up;
	// otherwise it covers the round of warm-up in which the run ended.
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
	// likelihood. With R replicates its standard error has R-1 degrees of freedom.
	LogZ, LogZSE float64
	ChainLogZ    []float64 // of each replicate alone
}

// String returns a table of the ladder and a summary.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "reference: %s\n", r.Reference)
	if !r.WarmedUp {
		b.WriteString("warm-up was not finished\n")
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "rung\tbeta\trejection\tdivergences\t\n")
	for i, beta := range r.Betas {
		reject := ""
		if i < len(r.Rejection) {
			reject = fmt.Sprintf("%.3f", r.Rejection[i])
		}
		fmt.Fprintf(w, "%d\t%.4g\t%s\t%d\t\n", i+1, beta, reject, r.Divergent[i])
	}
	w.Flush() // to a buffer, which cannot fail
	fmt.Fprintf(&b, "%d scans, %d round trips: %.4f per scan, %.4f predicted\n", r.Scans,
		r.RoundTrips, r.ObservedRate, r.PredictedRate)
	fmt.Fprintf(&b, "log Z = %.4f, standard error %.2g", r.LogZ, r.LogZSE)
	return b.String()
}

func (s *sampler) report() *Report {
	rep := &Report{Reference: s.about, WarmedUp: s.warm}
	chains := s.furthest()
	if len(chains) == 0 {
		return rep
	}
	for _, g := range chains[0].rungs {
		rep.Betas = append(rep.Betas, g.beta)
	}
	rep.Rejection = s.rejection()
	rep.Barrier = barrier(rep.Rejection)
	rep.PredictedRate = roundTrips(rep.Rejection)
	rep.Divergent = make([]int, len(rep.Betas))
	pooled := make([]logMean, len(rep.Rejection))
	for _, r := range chains {
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
