package tell

import (
	"fmt"
	"math"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/work"
)

// InfluenceSentences say which priors matter, and of all others together that they hardly do.
func InfluenceSentences(list []work.Influence) []string {
	var out []string
	var rest []work.Influence
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
func sizeOf(in work.Influence) string {
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
