package temper

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/rng"
)

// Reference is a density that can be sampled directly. Its log density must be normalised for the
// evidence to be, and positive wherever the target is.
type Reference interface {
	hmc.Target
	// Draw writes an independent draw into x.
	Draw(x []float64, r *rand.Rand)
}

// Config says how to temper. Zero values mean the defaults in parentheses.
type Config struct {
	Chains        int // independent replicates of the ladder (4)
	Warmup, Draws int // scans of each (1000, 1000)
	Seed          uint64

	// Reference makes the reference of one replicate (a Student-t density fitted to a run of NUTS).
	Reference func() (Reference, error)
	Rungs     int // the two ends included (one more than 2 Lambda)

	TargetAccept float64        // as in hmc.Settings (0.8)
	MaxDepth     int            // a trajectory doubles at most this often (10)
	Metric       hmc.MetricKind // of each rung (dense up to 100 dimensions, diagonal above)
	Thin         int            // keep every Thin-th draw (1)
	Parallel     int            // replicates run at once (GOMAXPROCS); changes no draw
	Source       string         // random source: "pcg" or "chacha8" ("pcg")

	// Where the search for modes begins that a fitted reference is made from.
	InitFrom   hmc.InitKind // (hmc.InitUniform)
	InitRadius float64      // (2)

	SkipGradientCheck bool // do not compare gradients with differences

	// Checkpoint names a file into which the state of the run is written when it begins, when it
	// ends for whatever reason, and about every CheckpointEvery if that is positive. Resume names one
	// to go on from, to the bit as if nothing had happened; a run that ended can be resumed for more
	// Draws.
	Checkpoint      string
	CheckpointEvery time.Duration
	Resume          string

	// Record, if not nil, is called once per replicate for a Recorder of its draws, before sampling
	// begins. head is the run as it will be recorded, without its chains.
	Record func(head *draws.Run, chain int) (draws.Recorder, error)
	// OnProgress, if not nil, is called from time to time and at the end of each replicate, never
	// twice at once. Iterations are scans.
	OnProgress func(hmc.Progress)

	Model string // what is sampled, for the record
	Path  string // the numerical path of the model, for the record
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
			return c, fmt.Errorf("temper: %s is %d: it must be at least %d, or 0 for %d",
				f.name, *f.v, f.least, f.def)
		}
	}
	if c.MaxDepth > 30 {
		return c, fmt.Errorf("temper: MaxDepth is %d: it must be at most 30", c.MaxDepth)
	}
	if c.Rungs != 0 && (c.Rungs < 2 || c.Rungs > 1000) {
		return c, fmt.Errorf("temper: Rungs is %d: it must be from 2 to 1000, or 0 for a number "+
			"found in warm-up", c.Rungs)
	}
	if c.CheckpointEvery < 0 || c.CheckpointEvery > 0 && c.Checkpoint == "" {
		return c, fmt.Errorf("temper: CheckpointEvery is %v and Checkpoint is %q: the first must not "+
			"be negative, and needs the second", c.CheckpointEvery, c.Checkpoint)
	}
	if c.TargetAccept == 0 {
		c.TargetAccept = 0.8
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

// settings is what the adaptation of one rung over n scans goes by.
func (c *Config) settings(n int) hmc.Settings {
	return hmc.Settings{Warmup: n, TargetAccept: c.TargetAccept, Metric: c.Metric}
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
