package work

import (
	"context"
	"fmt"

	"bayeskernel/bke/quadrature"
	"bayeskernel/draws"
	"bayeskernel/internal/jsonfloat"
)

// Verified compares a statistic of the draws with its exact value.
type Verified struct {
	Parameter string           `json:"parameter"`
	Statistic string           `json:"statistic"`
	Draws     jsonfloat.Number `json:"draws"`
	Exact     jsonfloat.Number `json:"exact"`
	MCSE      jsonfloat.Number `json:"mcse"`
	Z         jsonfloat.Number `json:"z"` // the difference in units of MCSE
}

// mostVerified is the number of free hyperparameters over which the library integrates.
const mostVerified = 2

// verify integrates the posterior by quadrature and compares.
func verify(ctx context.Context, s *Study, sum *draws.Summary) ([]Verified, error) {
	line := s.con.Working("quadrature for -verify")
	q, err := quadrature.Integrate(ctx, s.Model, s.Priors)
	line.End()
	if err != nil {
		return nil, fmt.Errorf("-verify: %w", err)
	}
	var out []Verified
	for k, name := range q.Names {
		for _, p := range sum.Parameters {
			if p.Name != name {
				continue
			}
			for _, c := range []struct {
				name               string
				draws, exact, mcse float64
			}{
				{"mean", p.Mean, q.Mean[k], p.MCSEMean}, {"sd", p.SD, q.SD[k], p.MCSESD},
				{"5%", p.Q05, q.Quantile(k, 0.05), p.MCSEQ05},
				{"50%", p.Q50, q.Quantile(k, 0.5), p.MCSEQ50},
				{"95%", p.Q95, q.Quantile(k, 0.95), p.MCSEQ95},
			} {
				out = append(out, Verified{name, c.name, jsonfloat.Number(c.draws), jsonfloat.Number(c.exact),
					jsonfloat.Number(c.mcse), jsonfloat.Number((c.draws - c.exact) / c.mcse)})
			}
		}
	}
	return out, nil
}
