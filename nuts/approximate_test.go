package nuts

import (
	"context"
	"testing"

	"bayeskernel/hmc"
)

// rough is a normal density whose gradient is off, as that of a solver with a tolerance is.
type rough struct{ approximate bool }

func (rough) Dim() int { return 1 }

func (rough) LogDensity(x, grad []float64) float64 {
	grad[0] = -1.05 * x[0]
	return -x[0] * x[0] / 2
}

func (r rough) Approximate() bool { return r.approximate }

// The gradient of a density that is known to be approximate is not compared with differences.
func TestApproximateGradient(t *testing.T) {
	for _, approximate := range []bool{false, true} {
		c := Config{}
		c.Seed, c.Chains, c.Warmup, c.Draws = 1, 1, 20, 10
		_, err := Sample(context.Background(), func() (hmc.Target, error) { return rough{approximate}, nil }, c)
		if (err == nil) != approximate {
			t.Errorf("approximate %v: %v", approximate, err)
		}
	}
}
