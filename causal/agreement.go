package causal

import (
	"context"
	"math"
)

// Disagreement is a decision of PC that another test would have taken otherwise.
type Disagreement struct {
	X, Y     string
	S        []string
	P, Other float64 // the p-values of the test and of the other
	Adjacent bool    // the decision of PC
}

// Disagreements asks another test of the same columns about every decision of a result. An edge is
// tested given the set that came nearest to separating its ends; a separated pair given the set
// with the largest p-value.
func Disagreements(ctx context.Context, r *Result, other Test, o Options) ([]Disagreement, error) {
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	o.Log = nil
	run, err := newRun(other, o)
	if err != nil {
		return nil, err
	}
	var all []Disagreement
	for _, s := range r.Strengths {
		if !math.IsNaN(s.P) {
			all = append(all, Disagreement{X: s.X, Y: s.Y, S: s.S, P: s.P, Adjacent: true})
		}
	}
	for _, s := range r.Separations {
		d := Disagreement{X: s.X, Y: s.Y, P: -1}
		for _, set := range s.Sets {
			if set.P > d.P {
				d.S, d.P = set.S, set.P
			}
		}
		all = append(all, d)
	}
	queries := make([]query, len(all))
	for i, d := range all {
		queries[i] = query{run.g.Index(d.X), run.g.Index(d.Y), nil}
		for _, name := range d.S {
			queries[i].s = append(queries[i].s, run.g.Index(name))
		}
	}
	outcomes, err := run.batch(ctx, queries, func(done int) {
		if o.Progress != nil {
			o.Progress("asking the other test", done, len(queries))
		}
	})
	if err != nil {
		return nil, err
	}
	var out []Disagreement
	for i, d := range all {
		d.Other = outcomes[i].P
		if d.Adjacent == (d.Other > o.Alpha) {
			out = append(out, d)
		}
	}
	return out, nil
}
