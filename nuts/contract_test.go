package nuts_test

import (
	"context"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
	"bayeskernel/nuts"
)

// TestContract: what programs outside compile against. The common settings stay flat.
func TestContract(t *testing.T) {
	cfg := nuts.Config{Settings: hmc.Settings{Chains: 2, Warmup: 20, Draws: 5, Seed: 1,
		TargetAccept: 0.9}, MaxDepth: 8}
	var alias nuts.Settings = cfg.Settings
	alias.Chains = 1
	cfg.Settings = alias
	var f hmc.Factory = hmc.Shared(testmodels.Normal(1))
	run, err := nuts.Sample(context.Background(), f, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if c := run.Chains[0]; len(run.Chains) != 1 || c.Gradients < 5 || c.WarmupGradients < 20 {
		t.Errorf("%d chains, %d gradients and %d in warm-up", len(run.Chains), c.Gradients,
			c.WarmupGradients)
	}
}
