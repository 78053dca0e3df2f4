package nuts_test

import (
	"context"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/nuts"
)

type flatNormal struct{}

func (flatNormal) Dim() int { return 1 }
func (flatNormal) LogDensity(x, grad []float64) float64 {
	grad[0] = -x[0]
	return -x[0] * x[0] / 2
}

// OnTransition counts every transition once, warm-up first, whatever is kept.
func TestOnTransition(t *testing.T) {
	cfg := nuts.Config{}
	cfg.Chains, cfg.Draws, cfg.Warmup, cfg.Thin, cfg.Adapt.Fixed = 1, 30, 40, 7, true
	next := 0
	cfg.OnTransition = func(chain, i int, warm bool) {
		if chain != 0 || i != next || warm != (i < 40) {
			t.Errorf("transition %d of chain %d, warm-up %v: want %d", i, chain, warm, next)
		}
		next++
	}
	if _, err := nuts.Sample(context.Background(), func() (hmc.Target, error) { return flatNormal{}, nil }, cfg); err != nil {
		t.Fatal(err)
	}
	if next != 70 {
		t.Errorf("%d transitions told, want 70", next)
	}
}
