package sample

import (
	"fmt"
	"math"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/draws"
	"bayeskernel/priors"
)

// influence says how much a prior, rather than the data, decides a hyperparameter.
type influence struct {
	Parameter string `json:"parameter" doc:"The name of the hyperparameter."`
	// Ratio of posterior to prior sd of the logarithm.
	SDRatio report.Number `json:"sd_ratio" doc:"The posterior standard deviation of the logarithm over that of the prior."`
	// Shift of the posterior mean of the logarithm, in posterior sds, if the power of the prior is
	// raised by one. It is the covariance with the log prior divided by the sd (Kallioinen,
	// Paananen, Bürkner and Vehtari, 2024, with the derivative instead of a difference).
	Shift report.Number `json:"shift" doc:"By how many posterior standard deviations the mean of the logarithm would move if the weight of the prior were doubled."`
	// Strong is set if the prior has a noticeable influence.
	Strong bool `json:"strong" doc:"Whether the prior has a say."`
}

const (
	mostSDRatio = 0.5
	mostShift   = 0.3
)

// influences computes the influence of the prior on every parameter.
func influences(s *study.Study, run *draws.Run) []influence {
	out := []influence{} // a list in JSON, whatever has a prior
	for j, name := range run.Names {
		p, unit := priorOf(s, name)
		var logs, lps []float64
		for _, c := range run.Chains {
			for _, row := range c.Values {
				logs = append(logs, math.Log(row[j]))
				lps = append(lps, p.LogDensity(row[j]/unit))
			}
		}
		mean, sd := moments(logs)
		lpMean, _ := moments(lps)
		cov := 0.0
		for i, v := range logs {
			cov += (v - mean) * (lps[i] - lpMean) / float64(len(logs)-1)
		}
		in := influence{Parameter: name, SDRatio: report.Number(sd / priorLogSD(p)),
			Shift: report.Number(cov / sd)}
		in.Strong = float64(in.SDRatio) > mostSDRatio || math.Abs(float64(in.Shift)) > mostShift
		out = append(out, in)
	}
	return out
}

// priorOf returns the prior of a parameter divided by unit.
func priorOf(s *study.Study, name string) (p priors.Prior, unit float64) {
	switch name {
	case "tau2":
		p, unit = s.Priors.Tau2, 1
	case "eta":
		p, unit = s.Priors.Eta, 1
		if p == nil {
			unit = s.Model.PooledSD()
		}
	default:
		p, unit = s.Priors.Theta, s.ScaleOfTheta()
	}
	if p == nil {
		p = priors.Gamma{Shape: 1, Rate: 1}
	}
	return p, unit
}

// priorLogSD is the sd of the logarithm under a prior on positive numbers, computed from quantiles;
// NaN if the prior is improper.
func priorLogSD(p priors.Prior) float64 {
	const k = 400
	var logs []float64
	for i := range k {
		if q := p.Quantile((float64(i) + 0.5) / k); q > 0 {
			logs = append(logs, math.Log(q))
		}
	}
	_, sd := moments(logs)
	return sd
}

func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	ss := 0.0
	for _, v := range x {
		ss += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(ss / float64(len(x)-1))
}

// influenceSentences say which priors matter, and that all others hardly do.
func influenceSentences(list []influence) []string {
	var out []string
	var rest []influence
	for _, in := range list {
		if !in.Strong {
			rest = append(rest, in)
			continue
		}
		out = append(out, fmt.Sprintf("The prior on %s matters: %s; try another one (-prior-%s), or "+
			"look at -sensitivity.", in.Parameter, sizeOf(in), priorFlag(in.Parameter)))
	}
	if len(rest) == 0 {
		return out
	}
	ratio, shift := 0.0, 0.0 // the largest
	var names []string
	for _, in := range rest {
		names = append(names, in.Parameter)
		if r := float64(in.SDRatio); r > ratio { // NaN for an improper prior, which has no sd
			ratio = r
		}
		shift = math.Max(shift, math.Abs(float64(in.Shift)))
	}
	if len(rest) == 1 {
		return append(out, fmt.Sprintf("Given these pseudo-inputs the prior on %s hardly matters: "+
			"%s.", names[0], sizeOf(rest[0])))
	}
	what := "the prior hardly matters"
	if len(rest) < len(list) {
		what = "the priors on " + cli.AndList(names) + " hardly matter"
	}
	sds := ""
	if ratio > 0 {
		sds = fmt.Sprintf("posterior sds, on the log scale, are at most %.2g of the prior's, and ", ratio)
	}
	return append(out, fmt.Sprintf("Given these pseudo-inputs %s: %sdoubling the prior's weight would "+
		"move no mean by more than %.2g sd.", what, sds, shift))
}

// sizeOf is how much the prior matters.
func sizeOf(in influence) string {
	shift := fmt.Sprintf("doubling the prior's weight would move its mean by %.2g sd",
		math.Abs(float64(in.Shift)))
	if math.IsNaN(float64(in.SDRatio)) {
		return shift
	}
	return fmt.Sprintf("its posterior sd, on the log scale, is %.2g of the prior's, and %s",
		float64(in.SDRatio), shift)
}

// priorFlag is the flag for the prior of a parameter.
func priorFlag(name string) string {
	if name == "tau2" || name == "eta" {
		return name
	}
	return "theta"
}
