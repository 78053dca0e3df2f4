package temper

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"bayeskernel/hmc"
	"bayeskernel/internal/rng"
)

// Reference is a density that can be sampled directly. The density must be positive wherever the
// target is. The evidence is only normalised if the reference is.
type Reference interface {
	hmc.Target
	// Draw writes an independent draw into x.
	Draw(x []float64, r *rand.Rand)
}

// Config says how to temper. Zero values mean the defaults in parentheses.
//
// Some Settings have a special meaning. Chains counts independent replicates of the ladder. Warmup,
// Draws and the iterations of OnProgress count scans. Start says where the search for modes begins
// that a reference is fitted to, and Adapt gives the metric of each rung. Parallel defaults to
// GOMAXPROCS. Tempering rejects SaveWarmup, StepJitter, Until, OnDraw, OnTransition, and all other fields of
// Start and Adapt.
type Config struct {
	hmc.Settings

	// Reference makes the reference of one replicate (a Student-t density fitted to a run of NUTS).
	Reference func() (Reference, error)
	Rungs     int // the two ends included (one more than 2 Lambda)
	MaxDepth  int // a trajectory doubles at most this often (10)
}

const (
	leastWarmup = 100 // scans
	firstRound  = 50  // scans, about
	mostRungs   = 64
	pilotRungs  = 10
)

func (c Config) defaults() (Config, error) {
	for _, f := range []struct {
		name  string
		v     *int
		def   int
		least int
	}{{"Chains", &c.Chains, 4, 1}, {"Warmup", &c.Warmup, 1000, leastWarmup},
		{"Draws", &c.Draws, 1000, 1}, {"MaxDepth", &c.MaxDepth, 10, 1}, {"Thin", &c.Thin, 1, 1},
		{"Parallel", &c.Parallel, runtime.GOMAXPROCS(0), 1}} {
		if *f.v == 0 {
			*f.v = f.def
		}
		if *f.v < f.least {
			return c, fmt.Errorf("temper: %s is %d, want at least %d, or 0 for %d",
				f.name, *f.v, f.least, f.def)
		}
	}
	if c.MaxDepth > 30 {
		return c, fmt.Errorf("temper: MaxDepth is %d, want at most 30", c.MaxDepth)
	}
	if c.Rungs != 0 && (c.Rungs < 2 || c.Rungs > 1000) {
		return c, fmt.Errorf("temper: Rungs is %d, want 2 to 1000, or 0 for a number "+
			"found in warm-up", c.Rungs)
	}
	if e := c.Checkpoints.Every; e < 0 || e > 0 && c.Checkpoints.File == "" {
		return c,
			fmt.Errorf("temper: Checkpoints.Every is %v and File is %q: the first must not be "+
				"negative, and needs the second", e, c.Checkpoints.File)
	}
	for _, f := range []struct {
		name string
		set  bool
	}{{"SaveWarmup", c.SaveWarmup}, {"StepJitter", c.StepJitter != 0}, {"Until", c.Until != nil},
		{"OnDraw", c.OnDraw != nil}, {"OnTransition", c.OnTransition != nil}, {"Start.Points", c.Start.Points != nil},
		{"Start.Warm", c.Start.Warm != nil},
		{"Adapt beside Metric", c.Adapt != hmc.Adapt{Metric: c.Adapt.Metric}}} {
		if f.set {
			return c, fmt.Errorf("temper: %s is set, want it left out: tempering does not know it",
				f.name)
		}
	}
	if c.TargetAccept == 0 {
		c.TargetAccept = 0.8
	}
	if c.Adapt.Metric == nil {
		c.Adapt.Metric = hmc.AutoMetric
	}
	// The rest is what adaptation and random streams check themselves.
	if _, err := hmc.NewAdaptation(c.settings(c.Warmup), 1, 1); err != nil {
		return c, fmt.Errorf("temper: %w", err)
	}
	if _, err := rng.New(rng.Kind(c.Source), rng.Name{}, 0); err != nil {
		return c, fmt.Errorf("temper: %w", err)
	}
	if c.Source == "" {
		c.Source = string(rng.PCG)
	}
	return c, nil
}

// settings returns the settings for adapting one rung over n scans.
func (c *Config) settings(n int) hmc.Settings {
	return hmc.Settings{Warmup: n, TargetAccept: c.TargetAccept, Adapt: c.Adapt}
}

// rounds splits warm-up into rounds, each about twice as long as the one before.
func (c *Config) rounds() []int {
	n := 2
	for n < 7 && c.Warmup/(1<<(n+1)-1) >= firstRound {
		n++
	}
	unit := c.Warmup / (1<<n - 1)
	rounds := make([]int, n)
	left := c.Warmup
	for i := range n - 1 {
		rounds[i] = unit << i
		left -= rounds[i]
	}
	rounds[n-1] = left
	return rounds
}
