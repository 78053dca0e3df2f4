package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"bayeskernel/bke/quadrature"
	"bayeskernel/draws"
)

// verified compares a statistic of the draws with its exact value.
type verified struct {
	Parameter string `json:"parameter"`
	Statistic string `json:"statistic"`
	Draws     number `json:"draws"`
	Exact     number `json:"exact"`
	MCSE      number `json:"mcse"`
	Z         number `json:"z"` // the difference in units of MCSE
}

// mostVerified is the number of free hyperparameters over which the library integrates.
const mostVerified = 2

// verify integrates the posterior by quadrature and compares.
func verify(ctx context.Context, s *study, sum *draws.Summary) ([]verified, error) {
	line := s.con.working("quadrature for -verify")
	q, err := quadrature.Integrate(ctx, s.model, s.priors)
	line.end()
	if err != nil {
		return nil, fmt.Errorf("-verify: %w", err)
	}
	var out []verified
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
				out = append(out, verified{name, c.name, number(c.draws), number(c.exact),
					number(c.mcse), number((c.draws - c.exact) / c.mcse)})
			}
		}
	}
	return out, nil
}

// verifyTable prints the comparison.
func verifyTable(w io.Writer, vs []verified) error {
	var body [][]string
	worst := 0.0
	for _, v := range vs {
		body = append(body, []string{v.Parameter + " " + v.Statistic, figures(float64(v.Draws)),
			fmt.Sprintf("%.6g", float64(v.Exact)), error2(float64(v.MCSE)),
			fmt.Sprintf("%+.1f", float64(v.Z))})
		worst = math.Max(worst, math.Abs(float64(v.Z)))
	}
	paragraph(w, fmt.Sprintf("Draws against the exact posterior given these pseudo-inputs, by "+
		"quadrature. The largest difference is %.1f MCSE; more than 5 would mean that the sampler is "+
		"wrong, or that the chains are too short to tell.", worst))
	return writeTable(w, []string{"", "draws", "exact", "MCSE", "difference/MCSE"}, body)
}
