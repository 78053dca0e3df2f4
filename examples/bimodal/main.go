// Bimodal fits a Gaussian process to nine points that can be read in two ways: a wiggly curve seen
// almost without noise, or a smooth one seen through noise. Its posterior has two modes; parallel
// tempering, with the prior as the other end of the ladder, visits both in the right proportion and
// gives the evidence as well. Estimates stand beside two-dimensional quadrature.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
	"bayeskernel/temper"
)

// By quadrature; halving the grid changes the evidence by 2e-15.
const (
	logEvidence = -8.248451
	antimode    = 0.77 // of the marginal of the log lengthscale
	below       = 0.398570
)

var quadrature = map[string]models.Moments{
	"log_lengthscale": {Mean: 1.274960, SD: 1.320001,
		Q05: -0.631563, Q50: 1.425131, Q95: 3.327628},
	"log_noise": {Mean: -1.199541, SD: 0.534140,
		Q05: -2.312472, Q50: -1.087219, Q95: -0.535395},
}

func main() { report.Main("bimodal", fit) }

func fit(ctx context.Context, cfg nuts.Config, out io.Writer) error {
	run, ladder, err := temper.Sample(ctx, models.NewGPBimodal,
		temper.Config{Settings: hmc.Settings{Chains: cfg.Chains, Warmup: cfg.Warmup,
			Draws: cfg.Draws, Seed: cfg.Seed, TargetAccept: 0.95},
			Reference: func() (temper.Reference, error) { return models.GPPrior{}, nil }})
	if run != nil { // whole, or what there was when it was stopped
		err = errors.Join(err, report.Print(out, run, quadrature))
	}
	if err == nil {
		err = print(out, run, ladder)
	}
	return err
}

// print writes what the table of moments does not show.
func print(out io.Writer, run *draws.Run, ladder *temper.Report) error {
	wiggly, _ := run.Draws("log_lengthscale") // a copy, turned into an indicator of the mode
	for _, chain := range wiggly {
		for i, v := range chain {
			chain[i] = 0
			if v < antimode {
				chain[i] = 1
			}
		}
	}
	_, err := fmt.Fprintf(out, `
Mass of the wiggly mode: %.3f +- %.3f, by quadrature %.3f.
Log evidence: %.3f +- %.3f, by quadrature %.3f.
Ladder: beta %.3f, exchanges rejected %.2f, round trips %.3f per scan (%.3f predicted).
`, diagnostics.Mean(wiggly), diagnostics.MCSEMean(wiggly), below,
		ladder.LogZ, ladder.LogZSE, logEvidence,
		ladder.Betas, ladder.Rejection, ladder.ObservedRate, ladder.PredictedRate)
	return err
}
