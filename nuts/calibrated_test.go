package nuts_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"bayeskernel/calibration"
	"bayeskernel/hmc"
	"bayeskernel/internal/long"
	"bayeskernel/nuts"
)

// columns is the posterior of b in y[i] ~ normal(x[i]'b, 1), b ~ normal(0, 1), d columns.
type columns struct {
	d    int
	x, y []float64
}

func (c columns) Dim() int { return c.d }

func (c columns) Names() []string {
	names := make([]string, c.d)
	for j := range names {
		names[j] = fmt.Sprintf("b[%d]", j)
	}
	return names
}

func (c columns) Constrain(dst, x []float64) { copy(dst, x) }

func (c columns) LogDensity(b, grad []float64) float64 {
	lp := c.likelihood(b, grad)
	for j, v := range b {
		lp -= v * v / 2
		grad[j] -= v
	}
	return lp
}

func (c columns) likelihood(b, grad []float64) float64 {
	clear(grad)
	lp := 0.0
	for i, y := range c.y {
		row := c.x[i*c.d : (i+1)*c.d]
		e := y
		for j, v := range row {
			e -= v * b[j]
		}
		lp -= e * e / 2
		for j, v := range row {
			grad[j] += e * v
		}
	}
	return lp
}

// simulated draws b, and data of n rows whose columns share a factor.
func simulated(n, d int) calibration.Model {
	return calibration.Model{
		Quantities: []string{"log likelihood", "sum"},
		Simulate: func(r *rand.Rand) (calibration.Simulation, error) {
			c := columns{d: d}
			b := make([]float64, d)
			for j := range b {
				b[j] = r.NormFloat64()
			}
			for range n {
				f, y := 2*r.NormFloat64(), r.NormFloat64()
				for j := range d {
					x := f + 0.5*r.NormFloat64()
					c.x = append(c.x, x)
					y += x * b[j]
				}
				c.y = append(c.y, y)
			}
			return calibration.Simulation{
				Truth:     b,
				Posterior: func() (hmc.Target, error) { return c, nil },
				Quantities: func(dst, values []float64) {
					dst[0] = c.likelihood(values, make([]float64, d))
					dst[1] = 0
					for _, v := range values {
						dst[1] += v
					}
				},
			}, nil
		},
	}
}

func calibrated(t *testing.T, m calibration.Model, n int, s hmc.Settings) {
	t.Helper()
	res, err := calibration.Run(context.Background(), m, calibration.Options{Seed: 1, Simulations: n,
		Sampler: calibration.NUTS(nuts.Config{Settings: s})})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := res.Check(1e-5)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range rep.Quantities {
		t.Logf("%s: p = %.3f, shift %.3f sd (z %.1f), scale %.3f (z %.1f)", q.Name, q.P, q.Shift,
			q.ShiftZ, q.Scale, q.ScaleZ)
		if q.Leaves {
			t.Error(q.Sentence)
		}
	}
}

// TestLowRankCalibrated: simulation-based calibration of a regression sampled with a metric of low
// rank. 14 names at a level of 1e-5: a reseed fails with a probability of at most 1.4e-4.
func TestLowRankCalibrated(t *testing.T) {
	n := 100
	if long.Enabled() {
		n = long.Of(400, 1000)
	}
	calibrated(t, simulated(20, 12), n, hmc.Settings{Warmup: 150, Draws: 300,
		Adapt: hmc.Adapt{Metric: hmc.LowRankMetric}})
}

// TestUntilCalibrated measures the bias of stopping when precision is reached: simulation-based
// calibration of runs that a rule ends between 50 and 800 draws. Six names at 1e-5: a reseed fails
// with a probability of at most 6e-5.
func TestUntilCalibrated(t *testing.T) {
	n := 200
	if long.Enabled() {
		n = long.Of(800, 2000)
	}
	calibrated(t, simulated(10, 4), n, hmc.Settings{Chains: 2, Warmup: 100, Draws: 800,
		Until: &hmc.Until{ESSBulk: 150, ESSTail: 100, RHat: 1.02, MinDraws: 50}})
}
