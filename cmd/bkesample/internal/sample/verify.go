package sample

import (
	"context"
	"fmt"

	"bayeskernel/bke/quadrature"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/draws"
)

// verified compares a statistic of the draws with its exact value.
type verified struct {
	Parameter string        `json:"parameter" doc:"The name of the hyperparameter."`
	Statistic string        `json:"statistic" doc:"The statistic that is compared."`
	Draws     report.Number `json:"draws" doc:"Its value from the draws."`
	Exact     report.Number `json:"exact" doc:"Its value by quadrature."`
	MCSE      report.Number `json:"mcse" doc:"The Monte Carlo standard error of the draws."`
	Z         report.Number `json:"z" doc:"The difference in units of that error."`
}

// verify integrates the posterior by quadrature and compares the draws with it.
func verify(ctx context.Context, con *cli.Console, s *study.Study, sum *draws.Summary) ([]verified, error) {
	line := con.Working("quadrature for -verify")
	q, err := quadrature.Integrate(ctx, s.Model, s.Priors)
	line.End()
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
				out = append(out, verified{name, c.name, report.Number(c.draws), report.Number(c.exact),
					report.Number(c.mcse), report.Number((c.draws - c.exact) / c.mcse)})
			}
		}
	}
	return out, nil
}
