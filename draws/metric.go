package draws

import (
	"fmt"
	"slices"
)

// Metric is the record of an inverse metric W (an estimate of the covariance on the sampler's own
// scale). Every kind of metric gives its diagonal, or all of it, to programs that know Stan's metrics
// alone; what else it is made of, files carry without knowing what it means.
type Metric struct {
	Kind  string      // as Sampler.Metric
	Diag  []float64   // the diagonal of W, unless it is in Dense
	Dense [][]float64 // W by rows, if it is a full matrix
	Parts []Part      // what else the kind is made of
	Rank  int         // of its correlations, if the kind counts them
	Holds Shape       // the most that its kind can hold; not kept in files
}

// Part is an array that a metric is made of: a list, or a table by rows. Its name has letters, digits
// and underscores.
type Part struct {
	Name  string
	List  []float64
	Table [][]float64
}

// List returns the list of a name, nil if there is none.
func (m *Metric) List(name string) []float64 { return m.part(name).List }

// Table returns the table of a name, nil if there is none.
func (m *Metric) Table(name string) [][]float64 { return m.part(name).Table }

func (m *Metric) part(name string) Part {
	i := slices.IndexFunc(m.Parts, func(p Part) bool { return p.Name == name })
	if i < 0 {
		return Part{}
	}
	return m.Parts[i]
}

// Shape is what a metric amounts to; each holds those before it.
type Shape int

// The shapes.
const (
	Identity Shape = iota
	Diagonal
	Correlated
)

// String is the shape in words.
func (s Shape) String() string {
	return [...]string{"the identity", "a diagonal one", "one with correlations"}[s]
}

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
	var had Shape
	for c := range v.Chains {
		m := &v.Chains[c].Metric
		if m.Kind == "" || !v.Chains[c].Unadapted || asked == "" ||
			m.Kind == asked && m.shape() >= m.Holds {
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

// shape says what m amounts to.
func (m *Metric) shape() Shape {
	diag := m.Diag
	for i, row := range m.Dense {
		for j, v := range row {
			if j != i && v != 0 {
				return Correlated
			}
		}
		diag = append(diag, m.Dense[i][i])
	}
	switch {
	case m.Rank > 0:
		return Correlated
	case slices.ContainsFunc(diag, func(v float64) bool { return v != 1 }):
		return Diagonal
	}
	return Identity
}
