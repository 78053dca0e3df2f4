package bke

import (
	"fmt"
	"slices"

	"bayeskernel/draws"
)

// Draws reads the hyperparameters from a run of a sampler on Target, chain by chain.
func (m *Model) Draws(run *draws.Run) ([]Params, error) {
	free := m.Free()
	at := make([]int, len(free))
	for j, name := range free {
		if at[j] = slices.Index(run.Names, name); at[j] < 0 {
			return nil, fmt.Errorf("bke: the run has no parameter %s, want %v", name, free)
		}
	}
	var out []Params
	for _, c := range run.Chains {
		for _, row := range c.Values {
			v := make([]float64, len(at))
			for j, k := range at {
				v[j] = row[k]
			}
			out = append(out, m.paramsOf(v, m.thetas()))
		}
	}
	return out, nil
}
