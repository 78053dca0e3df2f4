package predict

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/nuts/internal/kept"
	"bayeskernel/cmd/nuts/internal/source"
	"bayeskernel/draws"
	"bayeskernel/stan"
)

// quantities runs the generated quantities of a program for the draws of a run.
func (j *job) quantities(ctx context.Context, con *cli.Console, r *kept.Run) (*draws.Run, error) {
	text, err := &source.Text{Name: j.name, Source: r.Program}, error(nil)
	if j.program != "" {
		if text, err = source.Read(j.program); err != nil {
			return nil, err
		}
	}
	name := text.Name
	m, err := text.Bind(con, j.data, stan.Options{Seed: j.seed})
	if err != nil {
		return nil, err
	}
	quantities := m.Quantities()
	if len(quantities) == 0 {
		return nil, fmt.Errorf("%s has no generated quantities: give a program that has, with -program", name)
	}
	run, err := kept.Draws(j.name, "")
	if err != nil {
		return nil, err
	}
	var at []int
	for _, p := range m.Parameters() {
		k := slices.Index(run.Names, kept.Brackets(p))
		if k < 0 {
			return nil, fmt.Errorf("%s has no draws of the parameter %s of %s", j.name, kept.Brackets(p), name)
		}
		at = append(at, k)
	}
	out := &draws.Run{Seed: j.seed, Chains: make([]draws.Chain, len(run.Chains))}
	for _, q := range quantities {
		out.Names = append(out.Names, kept.Brackets(q))
	}
	first := len(m.Names())
	u, row := make([]float64, m.Dim()), make([]float64, len(at))
	for c := range run.Chains {
		for i, v := range run.Chains[c].Values {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for k, a := range at {
				row[k] = v[a]
			}
			if err := m.UnconstrainDraw(row, u); err != nil {
				return nil, fmt.Errorf("%s, chain %d, draw %d: %w", j.name, c+1, i+1, err)
			}
			all, err := m.Generate(u, uint64(c)<<32|uint64(i))
			if err != nil {
				return nil, errors.New(stan.Reason(err))
			}
			out.Chains[c].Values = append(out.Chains[c].Values, all[first:])
			out.Chains[c].Stats = append(out.Chains[c].Stats, draws.Stat{})
		}
	}
	return out, nil
}
