package work

import (
	"math"

	"bayeskernel/draws"
	"bayeskernel/internal/jsonfloat"
	"bayeskernel/priors"
)

// Influence says how much a prior, rather than the data, decides a hyperparameter.
type Influence struct {
	Parameter string `json:"parameter"`
	// Ratio of the posterior sd to the prior's, both of the logarithm.
	SDRatio jsonfloat.Number `json:"sd_ratio"`
	// Shift of the posterior mean of the logarithm, in posterior sds, for a prior raised to a power
	// that is larger by one: its covariance with the log prior, over its sd (Kallioinen, Paananen,
	// Bürkner and Vehtari, 2024, with the derivative in place of a difference).
	Shift jsonfloat.Number `json:"shift"`
	// Strong is set where the prior has a say.
	Strong bool `json:"strong"`
}

const (
	mostSDRatio = 0.5
	mostShift   = 0.3
)

// influences looks at every parameter of a run.
func influences(s *Study, run *draws.Run) []Influence {
	out := []Influence{} // a list in JSON, whatever has a prior
	for j, name := range run.Names {
		p, unit := s.priorOf(name)
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
		in := Influence{Parameter: name, SDRatio: jsonfloat.Number(sd / priorLogSD(p)),
			Shift: jsonfloat.Number(cov / sd)}
		in.Strong = float64(in.SDRatio) > mostSDRatio || math.Abs(float64(in.Shift)) > mostShift
		out = append(out, in)
	}
	return out
}

// priorOf returns the prior of a parameter over a unit.
func (s *Study) priorOf(name string) (p priors.Prior, unit float64) {
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

// priorLogSD is the sd of the logarithm under a prior on positive numbers, from its quantiles; NaN
// if it is improper.
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
