package draws

import (
	"fmt"
	"slices"
)

// metric reports chains that sampled without the metric that was asked for: no window of warm-up came
// to an end, and what they began with is less.
func (v view) metric() []Warning {
	asked := v.Sampler.AskedMetric
	w := Warning{
		Kind: WarnMetric,
		Meaning: "The draws are valid; but steps suit neither the scales nor the correlations of the " +
			"parameters as they should, and trajectories are longer for it.",
		Advice: "Warm up for longer, 150 transitions or more with Stan's schedule and 20 with any " +
			"other, or start from the metric of an earlier run.",
	}
	had := ""
	for c := range v.Chains {
		m := &v.Chains[c].Metric
		if m.Kind == "" || !v.Chains[c].Unadapted || m.serves(asked) {
			continue
		}
		w.Chains = append(w.Chains, c+1)
		had = m.shape()
	}
	if w.Chains == nil {
		return nil
	}
	w.Value = float64(len(w.Chains))
	w.Finding = fmt.Sprintf("A metric of kind %s was asked for, and %s sampled with %s (threshold 0).",
		asked, chainList(w.Chains), had)
	return []Warning{w}
}

// serves reports whether m, which warm-up has not changed, is what was asked for.
func (m *Metric) serves(asked string) bool {
	switch shape := m.shape(); asked {
	case "diag_e":
		return shape == shapeDiag
	case "dense_e", "low_rank":
		return shape == shapeDense
	}
	return true
}

// What a metric amounts to.
const (
	shapeUnit  = "the identity"
	shapeDiag  = "a diagonal one"
	shapeDense = "one with correlations"
)

// shape says what m amounts to.
func (m *Metric) shape() string {
	diag := m.Diag
	for i, row := range m.Dense {
		for j, v := range row {
			if j != i && v != 0 {
				return shapeDense
			}
		}
		diag = append(diag, m.Dense[i][i])
	}
	switch {
	case len(m.Eigen) > 0:
		return shapeDense
	case slices.ContainsFunc(diag, func(v float64) bool { return v != 1 }):
		return shapeDiag
	}
	return shapeUnit
}
