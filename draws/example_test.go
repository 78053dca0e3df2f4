package draws_test

import (
	"fmt"
	"math/rand/v2"

	"bayeskernel/draws"
)

// newRun stands for a sampler. The second of its chains starts in another place and stays there.
func newRun() *draws.Run {
	rng := rand.New(rand.NewPCG(1, 2))
	run := &draws.Run{
		Names: []string{"mu", "theta[1]", "theta[2]"}, Model: "example", Seed: 1,
		Sampler: draws.Sampler{Algorithm: "nuts", Draws: 500, Thin: 1, Metric: "unit_e"},
	}
	for c := range 2 {
		chain := draws.Chain{StepSize: 0.5, Metric: draws.Metric{Kind: "unit_e"}}
		for range 500 {
			row := []float64{rng.NormFloat64() + 8*float64(c), rng.NormFloat64(), rng.NormFloat64()}
			chain.Values = append(chain.Values, row)
			chain.Stats = append(chain.Stats, draws.Stat{LP: -1, Energy: rng.NormFloat64()})
		}
		run.Chains = append(run.Chains, chain)
	}
	return run
}

func ExampleRun_Summary() {
	summary := newRun().Summary()
	fmt.Printf("%-9s %6s %6s %9s %6s %9s\n", "name", "mean", "sd", "mcse_mean", "rhat", "ess_bulk")
	for _, p := range summary.Parameters {
		fmt.Printf("%-9s %6.2f %6.2f %9.2f %6.2f %9.0f\n", p.Name, p.Mean, p.SD, p.MCSEMean, p.RHat,
			p.ESSBulk)
	}
	for _, w := range summary.Warnings {
		fmt.Printf("%s %v: %.4g against %.4g\n", w.Kind, w.Parameters, w.Value, w.Threshold)
	}
	fmt.Println(summary.Warnings[1].Meaning)
	for _, note := range summary.Notes {
		fmt.Println(note)
	}
	// Output:
	// name        mean     sd mcse_mean   rhat  ess_bulk
	// mu          4.04   4.15      2.84   1.83         3
	// theta[1]   -0.00   0.96      0.03   1.00       957
	// theta[2]    0.02   0.98      0.03   1.00       970
	// separate_modes [mu]: 2 against 1
	// rhat [mu]: 1.828 against 1.01
	// ess_bulk [mu]: 2.965 against 200
	// ess_tail [mu]: 105 against 200
	// The chains do not agree on these parameters, so their summaries are not those of the posterior: only one sound run in 100 has so large an R-hat.
}
