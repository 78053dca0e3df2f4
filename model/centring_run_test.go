package model_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

// bytesOf is everything of a run that does not depend on the clock.
func bytesOf(t *testing.T, run *draws.Run) []byte {
	t.Helper()
	for i := range run.Chains {
		run.Chains[i].WarmupSeconds, run.Chains[i].SampleSeconds = 0, 0
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(run); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// informed has groups of which the data say much.
func informed() *model.Model {
	m := model.New()
	r := rand.New(rand.NewPCG(2, 5))
	var labels []string
	var y []float64
	for g := range 20 {
		mean := 3 * r.NormFloat64()
		for range 5 {
			labels, y = append(labels, string(rune('a'+g))), append(y, mean+r.NormFloat64())
		}
	}
	group, in := m.Factor("group", labels)
	mu, tau := m.Real("mu", model.Normal(0, 5)), m.Positive("tau", model.HalfNormal(5))
	m.Observe(m.Data("y", y), model.Normal(group.Reals("theta", model.Normal(mu, tau)).Of(in), 1))
	return m
}

// A run that learns its centring has the same bytes for any GOMAXPROCS, for chains run together or one
// by one, and stopped wherever the chains are and resumed: in a warm-up too short to share, and in one
// that is shared.
func TestCentringHasTheSameBytes(t *testing.T) {
	p := compile(t, informed())
	for _, warmup := range []int{130, 250} {
		cfg := nuts.Config{Settings: hmc.Settings{Chains: 3, Warmup: warmup, Draws: 30, Seed: 7, SaveWarmup: true}}
		sample := func(cfg nuts.Config) *draws.Run {
			run, err := nuts.Sample(t.Context(), p.Target, cfg)
			if err != nil {
				t.Fatal(err)
			}
			return run
		}
		run := sample(cfg)
		changes := 0
		for _, c := range run.Chains[0].Coordinates {
			if c != 0 {
				changes++
			}
		}
		if changes == 0 {
			t.Fatal("nothing was learned, choose another seed")
		}
		total := run.Chains[0].Warmup + 30
		want := bytesOf(t, run)
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		for _, procs := range []int{1, 2, 8} {
			for _, parallel := range []int{1, 2, 3} {
				runtime.GOMAXPROCS(procs)
				again := cfg
				again.Parallel = parallel
				if !bytes.Equal(bytesOf(t, sample(again)), want) {
					t.Errorf("warm-up %d, GOMAXPROCS %d, %d chains at once: other bytes", warmup, procs, parallel)
				}
			}
		}
		path := filepath.Join(t.TempDir(), "run.ckpt")
		for n := 7; n < total; n += 7 { // of one chain, the others are at different transitions then
			ctx, cancel := context.WithCancel(t.Context())
			part, rest, count := cfg, cfg, 0
			part.Checkpoints.File, rest.Checkpoints.Resume = path, path
			part.OnDraw = func(chain, _ int, _ bool, _ []float64, _ draws.Stat) {
				if chain == n%3 {
					if count++; count == n {
						cancel()
					}
				}
			}
			part.Parallel = 1 + n%3
			if _, err := nuts.Sample(ctx, p.Target, part); !errors.Is(err, context.Canceled) {
				t.Fatalf("warm-up %d, stopped after %d transitions: %v", warmup, n, err)
			}
			cancel()
			if !bytes.Equal(bytesOf(t, sample(rest)), want) {
				t.Errorf("warm-up %d, stopped after %d transitions: other bytes", warmup, n)
			}
		}
	}
}

// A run that starts from another one's warm-up goes on in its coordinates, from its positions, and a
// file keeps them.
func TestCentringOfAWarmStart(t *testing.T) {
	p := compile(t, schools())
	cfg := nuts.Config{Settings: hmc.Settings{Chains: 2, Warmup: 200, Draws: 20, Seed: 7}}
	first, err := nuts.Sample(t.Context(), p.Target, cfg)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "warm.json")
	if err := hmc.WriteWarmStart(path, first); err != nil {
		t.Fatal(err)
	}
	if cfg.Start.Warm, err = hmc.ReadWarmStart(path, first.Names); err != nil {
		t.Fatal(err)
	}
	cfg.Warmup, cfg.Draws = hmc.NoWarmup, 200
	second, err := nuts.Sample(t.Context(), p.Target, cfg)
	if err != nil {
		t.Fatal(err)
	}
	accepted := 0.0
	for c, chain := range second.Chains {
		near(t, "coordinates", chain.Coordinates, first.Chains[c].Coordinates, 0)
		for _, s := range chain.Stats {
			accepted += s.AcceptStat / 400
		}
	}
	if accepted < .6 {
		t.Errorf("acceptance %v, want what the first run tuned for", accepted)
	}
	// Last is in the coordinates declared: the values there are those of the last draw.
	target := reparametrizer(t, schools())
	for _, chain := range second.Chains {
		near(t, "last draw", values(target, chain.Last), chain.Values[199], 1e-12)
	}
}

// Starts that a user gives are in the coordinates declared, whatever the chain samples in: a warm-up of
// one transition with a tiny step stays there.
func TestCentringOfAStart(t *testing.T) {
	p, target := compile(t, schools()), reparametrizer(t, schools())
	x := make([]float64, target.Dim())
	for i := range x {
		x[i] = 3 + float64(i)
	}
	x[1] = math.Log(4)
	cfg := nuts.Config{Settings: hmc.Settings{Chains: 1, Draws: 1, Seed: 7, Start: hmc.Start{
		Warm: []hmc.WarmStart{{StepSize: 1e-9, Position: x, Coordinates: target.Learn(nil, nil)}}},
		Warmup: hmc.NoWarmup}, MaxDepth: 1}
	run, err := nuts.Sample(t.Context(), p.Target, cfg)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "first draw", run.Chains[0].Values[0], values(target, x), 1e-6)
}
