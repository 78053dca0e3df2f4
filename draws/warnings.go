package draws

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayeskernel/diagnostics"
)

// A Warning is a problem that may make a summary wrong and that its numbers do not show.
type Warning struct {
	Kind       string   `json:"kind" doc:"The kind of the warning, one word."`
	Parameters []string `json:"parameters" doc:"The hyperparameters concerned, the worst first; empty if all are."`
	Chains     []int    `json:"chains" doc:"The chains concerned, from 1; empty if all are."`
	Value      float64  `json:"value" doc:"The worst value that was found."`
	Threshold  float64  `json:"threshold" doc:"What the value was compared with."`
	Finding    string   `json:"finding" doc:"The value beside the threshold, in a sentence."`
	Meaning    string   `json:"meaning" doc:"What follows from it, in a sentence."`
	Advice     string   `json:"advice" doc:"What to do next, in a sentence."`
}

// String joins the three sentences.
func (w Warning) String() string { return w.Finding + " " + w.Meaning + " " + w.Advice }

// The kinds of warnings.
const (
	WarnNoDraws       = "no_draws"
	WarnFewDraws      = "few_draws"
	WarnFailedChains  = "failed_chains"
	WarnInterrupted   = "interrupted"
	WarnError         = "error"
	WarnStopped       = "stopped"
	WarnNonFinite     = "non_finite"
	WarnConstant      = "constant"
	WarnMissedMode    = "missed_mode"
	WarnSeparateModes = "separate_modes"
	WarnDivergences   = "divergences"
	WarnRHat          = "rhat"
	WarnEBFMI         = "ebfmi"
	WarnESSBulk       = "ess_bulk"
	WarnESSTail       = "ess_tail"
	WarnESSCapped     = "ess_capped"
	WarnHeavyTails    = "heavy_tails"
	WarnTreeDepth     = "tree_depth"
	WarnMetric        = "metric"
	WarnMoved         = "moved"
	WarnLeftMode      = "left_mode"
)

// Thresholds that do not depend on the run.
const (
	essPerChain    = 100 // Vehtari et al. 2021, section 4
	ebfmiThreshold = 0.3 // Betancourt 2016; as in Stan
	minDraws       = 6   // what diagnostics.Check asks of a chain
	minTail        = 400 // draws in all below which an estimate of Pareto's k is mostly noise
)

// warnings collects the warnings, starting with those that cast doubt on all numbers.
func (v view) warnings(s *Summary) []Warning {
	all := []Warning{}
	add := func(ws ...Warning) { all = append(all, ws...) }
	add(v.ending()...)
	if v.n < minDraws {
		w := Warning{
			Kind: WarnFewDraws, Value: float64(v.n), Threshold: minDraws,
			Finding: fmt.Sprintf("Chains have %d draws each, fewer than %d.", v.n, minDraws),
			Meaning: "No diagnostic can be computed, so nothing says whether the draws are good.",
			Advice:  "Run longer; 1000 draws per chain are usual.",
		}
		if v.n == 0 {
			w.Kind, w.Finding = WarnNoDraws, "No chain has a draw after warm-up."
		}
		return append(all, w)
	}
	add(v.undefined(s)...)
	add(v.modes(s)...)
	add(v.divergences(s)...)
	add(v.rhat(s)...)
	add(v.ebfmi(s)...)
	add(v.ess(s)...)
	add(v.heavyTails(s)...)
	add(v.treeDepth(s)...)
	add(v.metric()...)
	add(v.moved()...)
	add(v.left()...)
	return all
}

// undefined reports parameters whose diagnostics cannot be computed.
func (v view) undefined(s *Summary) []Warning {
	var constant, bad []offender
	total := 0
	for j, p := range s.Parameters {
		var e *diagnostics.Error
		if !errors.As(p.Err, &e) {
			continue
		}
		switch e.Reason {
		case diagnostics.Constant:
			if slices.Contains(v.Constants, p.Name) {
				continue
			}
			constant = append(constant, offender{p.called(), e.Value})
		case diagnostics.NonFinite:
			n := 0
			for _, c := range v.column(j) {
				for _, value := range c {
					if math.IsNaN(value) || math.IsInf(value, 0) {
						n++
					}
				}
			}
			bad = append(bad, offender{p.called(), float64(n)})
			total += n
		}
	}
	var out []Warning
	if bad != nil {
		out = append(out, Warning{
			Kind: WarnNonFinite, Parameters: namesOf(bad), Value: float64(total),
			Finding: fmt.Sprintf("%s NaN or infinite (threshold 0): %s.",
				plural(total, "value")+map[bool]string{true: " is", false: " are"}[total == 1],
				list(bad, "%.0f")),
			Meaning: "The summaries of these parameters are undefined.",
			Advice: "Look for overflow, 0/0 or a reject where the model computes them: the sampler's own " +
				"coordinates were finite.",
		})
	}
	if constant != nil {
		out = append(out, Warning{
			Kind: WarnConstant, Parameters: namesOf(constant), Value: float64(len(constant)),
			Finding: fmt.Sprintf("%s did not vary at all (threshold 0): %s.",
				plural(len(constant), "parameter"), list(constant, "%.4g")),
			Meaning: "Nothing is known about their convergence.",
			Advice: "If they are constants by design, such as the diagonal of a correlation " +
				"matrix, leave them out of the names; otherwise look for a chain that never moves.",
		})
	}
	return out
}

// leastRHat is the least limit that diagnostics.RHatLimit returns.
const leastRHat = 1.01

// rhat reports parameters whose R-hat exceeds what sound chains of the same autocorrelation have.
func (v view) rhat(s *Summary) []Warning {
	bad := offenders(s, func(p Parameter) float64 { return p.RHat },
		func(x float64) bool { return x > leastRHat }, true)
	var limits []float64
	bad = slices.DeleteFunc(bad, func(o offender) bool {
		at := slices.IndexFunc(s.Parameters, func(p Parameter) bool { return p.called() == o.name })
		limit := diagnostics.RHatLimit(v.column(at), len(s.Parameters))
		if o.value > limit {
			limits = append(limits, limit)
		}
		return !(o.value > limit)
	})
	if len(bad) == 0 {
		return nil
	}
	return []Warning{{
		Kind: WarnRHat, Parameters: namesOf(bad), Value: bad[0].value, Threshold: limits[0],
		Finding: fmt.Sprintf("R-hat is too large for %s of %d: %s, above %.4g (for %s of %d draws).",
			plural(len(bad), "parameter"), len(s.Parameters), list(bad, "%.4g"), limits[0],
			plural(len(v.chains), "chain"), v.n),
		Meaning: "The chains do not agree on these parameters, so their summaries are not those of the " +
			"posterior: only one sound run in 100 has so large an R-hat.",
		Advice: "Plot the traces; then run longer, raise the target acceptance, or rewrite the model if " +
			"chains sit in different places.",
	}}
}

func (v view) ess(s *Summary) []Warning {
	limit := float64(essPerChain * len(v.chains))
	tooFew := func(x float64) bool { return x < limit }
	kinds := []struct {
		kind, name, meaning string
		value               func(Parameter) float64
	}{
		{WarnESSBulk, "Bulk ESS", "Means and medians of these parameters are imprecise, and R-hat " +
			"and MCSE are unreliable themselves.", func(p Parameter) float64 { return p.ESSBulk }},
		{WarnESSTail, "Tail ESS", "The 5% and 95% quantiles of these parameters are imprecise.",
			func(p Parameter) float64 { return p.ESSTail }},
	}
	var out []Warning
	for _, k := range kinds {
		bad := offenders(s, k.value, tooFew, false)
		if bad == nil {
			continue
		}
		out = append(out, Warning{
			Kind: k.kind, Parameters: namesOf(bad), Value: bad[0].value, Threshold: limit,
			Finding: fmt.Sprintf("%s is below %.0f (%d per chain) for %s of %d: %s.", k.name, limit,
				essPerChain, plural(len(bad), "parameter"), len(s.Parameters), list(bad, "%.0f")),
			Meaning: k.meaning,
			Advice: fmt.Sprintf("About %.0f times as many draws would do, unless chains sit in "+
				"different places; reparametrising may help more.",
				math.Ceil(limit/bad[0].value)),
		})
	}
	return append(out, v.essCapped(s)...)
}

func (v view) essCapped(s *Summary) []Warning {
	limit := diagnostics.ESSCap(len(v.chains), v.n)
	capped := offenders(s, func(p Parameter) float64 { return max(p.ESSBulk, p.ESSTail) },
		func(x float64) bool { return x >= limit*(1-1e-12) }, true)
	if capped == nil {
		return nil
	}
	return []Warning{{
		Kind: WarnESSCapped, Parameters: namesOf(capped), Value: capped[0].value, Threshold: limit,
		Finding: fmt.Sprintf("ESS is at its cap of %.0f = S log10 S for S = %d draws, for %s: %s.",
			limit, len(v.chains)*v.n, plural(len(capped), "parameter"), list(capped, "%.0f")),
		Meaning: "Successive draws are so strongly antithetic that the estimate would be larger " +
			"still; the true ESS is at least of this order, and MCSE may be too large.",
		Advice: "Nothing is wrong if trajectories are long; check x² too, whose ESS is then often " +
			"far smaller.",
	}}
}

func (v view) ebfmi(s *Summary) []Warning {
	var bad []offender
	var ids []int
	worst := math.Inf(1)
	for _, c := range s.Chains {
		if c.EBFMI < ebfmiThreshold {
			bad = append(bad, offender{"chain " + strconv.Itoa(c.Chain), c.EBFMI})
			ids = append(ids, c.Chain)
			worst = min(worst, c.EBFMI)
		}
	}
	if bad == nil {
		return nil
	}
	return []Warning{{
		Kind: WarnEBFMI, Chains: ids, Value: worst, Threshold: ebfmiThreshold,
		Finding: fmt.Sprintf("E-BFMI is below %.1f in %s of %d: %s.", ebfmiThreshold,
			plural(len(bad), "chain"), len(s.Chains), list(bad, "%.2f")),
		Meaning: "A new momentum changes the energy too little: the chains wander slowly through " +
			"the energies, and the tails are explored poorly.",
		Advice: "Look for heavy tails or a funnel, and reparametrise; a larger step size or a " +
			"longer run does not cure this.",
	}}
}

func (v view) heavyTails(s *Summary) []Warning {
	total := len(v.chains) * v.n
	if total < minTail {
		return nil
	}
	limit := diagnostics.ParetoKThreshold(total)
	bad := offenders(s, func(p Parameter) float64 { return p.ParetoK },
		func(k float64) bool { return k > limit }, true)
	if bad == nil {
		return nil
	}
	advice := "Report medians and quantiles instead, or think again about the prior."
	if need := diagnostics.ParetoMinDraws(bad[0].value); need < 1e7 {
		advice = fmt.Sprintf("Report medians and quantiles instead; means would need some %.0f "+
			"independent draws.", need)
	}
	return []Warning{{
		Kind: WarnHeavyTails, Parameters: namesOf(bad), Value: bad[0].value, Threshold: limit,
		Finding: fmt.Sprintf("Pareto k is above %.2f (for %d draws) for %s of %d: %s.", limit, total,
			plural(len(bad), "parameter"), len(v.Names), list(bad, "%.2f")),
		Meaning: "Tails are so heavy that means, standard deviations and their MCSE are " +
			"unreliable, and may not exist.",
		Advice: advice,
	}}
}

func (v view) treeDepth(s *Summary) []Warning {
	hits, total := 0, 0
	var ids []int
	for _, c := range s.Chains {
		total += c.Draws
		hits += c.MaxDepthHits
		if c.MaxDepthHits > 0 {
			ids = append(ids, c.Chain)
		}
	}
	if hits == 0 {
		return nil
	}
	return []Warning{{
		Kind: WarnTreeDepth, Chains: ids, Value: float64(hits),
		Finding: fmt.Sprintf("%s of %d (%.1f%%) reached the maximum tree depth of %d (threshold 0).",
			plural(hits, "draw"), total, 100*float64(hits)/float64(total),
			v.Sampler.MaxDepth),
		Meaning: "Trajectories were cut short: the draws are valid but more correlated, for much " +
			"work.",
		Advice: "Check the scales and correlations of the parameters first (a dense metric, " +
			"standardized data), and only then raise the maximum depth.",
	}}
}
