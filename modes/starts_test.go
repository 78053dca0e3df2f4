package modes

import (
	"context"
	"math"
	"reflect"
	"testing"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
	"bayeskernel/nuts"
)

func TestStarts(t *testing.T) {
	if Starts(nil, 4, 1) != nil || Starts(&draws.Modes{Starts: 8, Failed: 8}, 4, 1) != nil {
		t.Error("starts without modes")
	}
	mode := func(x, mass float64) draws.Mode {
		return draws.Mode{X: []float64{x, 0}, LogMass: mass, Hits: 1,
			Cov: [][]float64{{4, 1.9}, {1.9, 1}}}
	}
	m := &draws.Modes{Modes: []draws.Mode{mode(100, -3), mode(200, -1), mode(300, -2)}}
	const n = 30000
	points := Starts(m, n, 1)
	var s00, s01, s11 float64
	for i, p := range points {
		centre := [3]float64{200, 300, 100}[i%3] // by mass
		a, b := p[0]-centre, p[1]
		s00, s01, s11 = s00+a*a/n, s01+a*b/n, s11+b*b/n
	}
	// The mean of n second moments has variance at most 2 V^2/n; six of its sds are a false alarm
	// in 2e-9.
	tol := 6 * math.Sqrt(2.0/n)
	near(t, "variance 0", s00, 4, 4*tol)
	near(t, "covariance", s01, 1.9, 2*tol)
	near(t, "variance 1", s11, 1, tol)
	if reflect.DeepEqual(Starts(m, 5, 2), points[:5]) {
		t.Error("the seed changes no start")
	}
	if !reflect.DeepEqual(Starts(m, 5, 1), points[:5]) {
		t.Error("the number of chains changes the starts")
	}
}

// TestSampleShowsSeparation: chains started in different modes that do not mix have a large R-hat.
func TestSampleShowsSeparation(t *testing.T) {
	cfg := nuts.Config{Settings: hmc.Settings{Chains: 4, Warmup: 200, Draws: 200, Seed: 3}}
	f := hmc.Shared(testmodels.Bimodal(2, 0.3, 5))
	run, err := Sample(context.Background(), f, cfg, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if run.Modes == nil || len(run.Modes.Modes) != 2 {
		t.Fatalf("modes %+v", run.Modes)
	}
	x, _ := run.Draws("x[0]")
	for c, draws := range x {
		if (draws[0] > 0) != (c%2 == 0) {
			t.Errorf("chain %d starts at %v", c, draws[0])
		}
	}
	if r := diagnostics.RHat(x); !(r > 1.5) {
		t.Errorf("R-hat is %v for chains in different modes", r)
	}
}

// TestSampleNearAnEdge: Laplace's normal lies half beyond the edge of the support; starts do not.
func TestSampleNearAnEdge(t *testing.T) {
	f := testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		g[0] = -x[0]
		if x[0] < -1e-3 {
			return math.Inf(-1)
		}
		return -x[0] * x[0] / 2
	}}
	cfg := nuts.Config{Settings: hmc.Settings{Chains: 12, Warmup: 50, Draws: 10}}
	run, err := Sample(context.Background(), hmc.Shared(f), cfg, Options{Starts: 4})
	if err != nil || len(run.Modes.Modes) != 1 {
		t.Errorf("error %v, modes %+v", err, run.Modes)
	}
}

func TestSampleWithoutModes(t *testing.T) {
	// A uniform density in a disc: no mode, but a proper target.
	f := testmodels.Func{N: 2, F: func(x, g []float64) float64 {
		clear(g)
		if x[0]*x[0]+x[1]*x[1] > 4 {
			return math.Inf(-1)
		}
		return 0
	}}
	cfg := nuts.Config{Settings: hmc.Settings{Chains: 2, Warmup: 50, Draws: 10,
		Start: hmc.Start{SkipGradientCheck: true}}}
	run, err := Sample(context.Background(), hmc.Shared(f), cfg, Options{Starts: 4})
	if err != nil {
		t.Fatal(err)
	}
	if m := run.Modes; len(m.Modes) != 0 || m.Failed != 4 || len(run.Chains[1].Values) != 10 {
		t.Errorf("report %+v", m)
	}
	cfg.Start.Points = [][]float64{{0, 0}}
	if _, err = Sample(context.Background(), hmc.Shared(f), cfg, Options{}); err == nil {
		t.Error("Start.Points was ignored without a word")
	}
}
