package draws

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// The location of divergences is reported if one chain has more than this share of them, or if
// their mean differs from the mean of all draws by more than this many standard deviations and
// standard errors.
const (
	concentrated = 0.5
	shifted      = 0.5
	significant  = 3
)

// divergences reports how many trajectories diverged, whether most belong to one chain, and which
// parameters differ most between their starting points and the draws.
func (v view) divergences(s *Summary) []Warning {
	total, transitions, worst := 0, 0, 0
	var ids []int
	for c := range v.Chains {
		ch := &v.Chains[c]
		transitions += ch.Len() * max(v.Sampler.Thin, 1)
		n := ch.divergences()
		if n == 0 {
			continue
		}
		total += n
		ids = append(ids, c+1)
		if n > v.Chains[worst].divergences() {
			worst = c
		}
	}
	if total == 0 {
		return nil
	}
	w := Warning{
		Kind: WarnDivergences, Chains: ids, Value: float64(total),
		Finding: fmt.Sprintf("%s of %d (%s) diverged after warm-up (threshold 0)",
			plural(total, "transition"), transitions,
			percent(float64(total)/float64(max(transitions, total)))),
		Meaning: "The step was too long for the curvature there: the sampler avoids that region, " +
			"and estimates may be biased.",
		Advice: "Raise the target acceptance (0.9, 0.95, 0.99); if divergences stay, rewrite the " +
			"model there, for example in non-centred form, or narrow its priors.",
	}
	if v.Chains[worst].Coordinates != nil { // warm-up has chosen the form of what can be centred
		w.Advice = "Raise the target acceptance (0.9, 0.95, 0.99); if divergences stay, rewrite the " +
			"model there or narrow its priors."
	}
	most := v.Chains[worst].divergences()
	if share := float64(most) / float64(total); len(v.Chains) > 1 && most > 1 &&
		share > concentrated {
		w.Finding += fmt.Sprintf(", %.0f%% of them in chain %d", 100*share, worst+1)
	}
	w.Finding += "."
	if shifts := v.divergenceShifts(s); shifts != nil {
		w.Parameters = namesOf(shifts)
		w.Finding += " They begin away from the other draws in " + list(shifts, "by %+.1f sd") + "."
	}
	return []Warning{w}
}

// divergenceShifts compares the starting points of divergent transitions with all draws: by how
// many standard deviations of the draws the means differ. If the starting points are unknown, as
// after reading a file, it uses the draws that divergent transitions returned.
func (v view) divergenceShifts(s *Summary) []offender {
	sum, n := make([]float64, len(v.Names)), 0.0
	for c := range v.Chains {
		starts, k := v.Chains[c].starts(len(v.Names))
		floats.Add(sum, starts)
		n += float64(k)
	}
	var out []offender
	for j, all := range s.Parameters {
		shift := (sum[j]/n - all.Mean) / all.SD
		z := math.Abs(shift) * math.Sqrt(n)
		if math.Abs(shift) > shifted && z > significant && !math.IsInf(shift, 0) {
			out = append(out, offender{all.called(), shift})
		}
	}
	slices.SortStableFunc(out, func(a, b offender) int {
		return cmp.Compare(math.Abs(b.value), math.Abs(a.value))
	})
	return out[:min(len(out), 3):min(len(out), 3)]
}

// starts returns the sum of the known starting points of divergent transitions, and their number.
func (c *Chain) starts(d int) (sum []float64, n int) {
	if len(c.DivergedFrom) == d {
		return c.DivergedFrom, len(c.Divergences)
	}
	sum = make([]float64, d)
	add := func(p []float64) {
		if len(p) == d {
			floats.Add(sum, p)
			n++
		}
	}
	for _, d := range c.Divergences {
		add(d.Start)
	}
	for i, st := range c.Stats {
		if st.Divergent && c.Divergences == nil {
			add(c.Values[i])
		}
	}
	return sum, n
}
