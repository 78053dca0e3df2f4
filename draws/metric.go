package draws

import (
	"fmt"
	"slices"
)

// Metric is the record of an inverse metric W (an estimate of the covariance on the sampler's own
// scale). Every kind of metric gives its diagonal or the full matrix, for programs that only know
// Stan's metrics. Files carry the other parts without interpreting them.
type Metric struct {
	Kind  string      // as Sampler.Metric
	Diag  []float64   // the diagonal of W, unless it is in Dense
	Dense [][]float64 // W by rows, if it is a full matrix
	Parts []Part      // the other parts of the metric
	Rank  int         // of its correlations, if the kind counts them
	Holds Shape       // the most general shape of its kind; not saved in files
}

// Part is an array that is part of a metric: a list, or a table by rows. Its name consists of
// letters, digits and underscores.
type Part struct {
	Name  string
	List  []float64
	Table [][]float64
}

// List returns the list with the given name, or nil.
func (m *Metric) List(name string) []float64 { return m.part(name).List }

// Table returns the table with the given name, or nil.
func (m *Metric) Table(name string) [][]float64 { return m.part(name).Table }

func (m *Metric) part(name string) Part {
	i := slices.IndexFunc(m.Parts, func(p Part) bool { return p.Name == name })
	if i < 0 {
		return Part{}
	}
	return m.Parts[i]
}

// Shape is the shape of a metric. Each shape includes those before it.
type Shape int

// The shapes.
const (
	Identity Shape = iota
	Diagonal
	Correlated
)

// String returns the shape in words.
func (s Shape) String() string {
	return [...]string{"the identity", "a diagonal one", "one with correlations"}[s]
}

// metric reports chains that sampled without the metric asked for: no window of warm-up was
// completed, and their initial metric is simpler.
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

// shape returns the simplest shape that m has.
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
