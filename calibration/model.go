package calibration

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/workers"
	"bayeskernel/nuts"
)

// Model is a model to calibrate: it simulates parameters and data, and makes the target to sample.
type Model struct {
	// Simulate draws parameters from the prior and data given the parameters, from r alone. It is
	// called from several goroutines.
	Simulate func(r *rand.Rand) (Simulation, error)
	// Quantities names what Simulation.Quantities computes.
	Quantities []string
}

// Simulation is one draw of parameters and data.
type Simulation struct {
	// Truth holds the parameters drawn: on the user's scale, in the order of the target's names.
	Truth []float64
	// Posterior makes the target of the parameters given the data.
	Posterior hmc.Factory
	// Quantities computes further quantities to rank, from the data and the values of the parameters
	// on the user's scale. The log likelihood is a good choice. Nil if Model names none.
	Quantities func(dst, values []float64)
}

// Sampler samples the posterior of one simulation. All its randomness comes from seed. It is called
// from several goroutines.
type Sampler func(ctx context.Context, f hmc.Factory, seed uint64) (*draws.Run, error)

// NUTS samples with NUTS: one chain, unless cfg says otherwise. The seed of cfg has no effect;
// its hooks are called for several simulations at once.
func NUTS(cfg nuts.Config) Sampler {
	return func(ctx context.Context, f hmc.Factory, seed uint64) (*draws.Run, error) {
		cfg := cfg
		if err := alone(&cfg.Settings, seed); err != nil {
			return nil, err
		}
		return nuts.Sample(ctx, f, cfg)
	}
}

// HMC samples with static HMC, and is otherwise like NUTS.
func HMC(cfg hmc.Config) Sampler {
	return func(ctx context.Context, f hmc.Factory, seed uint64) (*draws.Run, error) {
		cfg := cfg
		if err := alone(&cfg.Settings, seed); err != nil {
			return nil, err
		}
		return hmc.Sample(ctx, f, cfg)
	}
}

// alone makes settings those of one of many simulations.
func alone(s *hmc.Settings, seed uint64) error {
	if s.Checkpoints.File != "" || s.Checkpoints.Resume != "" {
		return fmt.Errorf("calibration: Checkpoints.File is %q and Resume is %q, "+
			"want both empty: simulations would share the file", s.Checkpoints.File,
			s.Checkpoints.Resume)
	}
	if s.Chains == 0 {
		s.Chains = 1
	}
	if s.Parallel == 0 {
		s.Parallel = 1 // simulations run in parallel already
	}
	s.Seed = seed
	return nil
}

// Options configures a calibration. Zero values mean the defaults in parentheses.
type Options struct {
	Simulations int     // (200)
	Ranks       int     // draws among which the truth is ranked, in each simulation (99)
	Bins        int     // points of the envelope; divides Ranks+1 (20)
	Seed        uint64  //
	Sampler     Sampler // (NUTS with its defaults)
	Parallel    int     // most simulations at once; 0 means GOMAXPROCS; changes no result
	// Only, if not nil, says which replicates are made, so that several machines can share them out. The
	// result holds these and those of Have.
	Only func(index int) bool
	// Have holds earlier replicates of the same model and Options. They are not repeated, so a
	// calibration can resume where it stopped, or continue to more Simulations.
	Have []Replicate
	// OnReplicate, if not nil, is called as each replicate finishes, not always in order and never
	// concurrently.
	OnReplicate func(Replicate)
}

// defaults returns c with its zero values replaced, or an error that names the field at fault.
func (c Options) defaults() (Options, error) {
	for _, f := range []struct {
		name string
		v    *int
		def  int
	}{{"Simulations", &c.Simulations, 200}, {"Ranks", &c.Ranks, 99}, {"Bins", &c.Bins, 20},
		{"Parallel", &c.Parallel, runtime.GOMAXPROCS(0)}} {
		if *f.v < 0 {
			return c, fmt.Errorf("calibration: %s is %d, want it positive, or 0 for %d",
				f.name, *f.v, f.def)
		}
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	if err := checkBins(c.Ranks, c.Bins); err != nil {
		return c, err
	}
	if c.Sampler == nil {
		c.Sampler = NUTS(nuts.Config{})
	}
	return c, nil
}

func checkBins(ranks, bins int) error {
	if bins < 2 || ranks < 1 || (ranks+1)%bins != 0 {
		return fmt.Errorf("calibration: Ranks is %d and Bins is %d, want Ranks+1 a multiple of "+
			"Bins, and Bins at least 2", ranks, bins)
	}
	return nil
}

// names returns the names of what is ranked: the values of a draw, then the model's quantities.
func (m Model) names(sim Simulation) ([]string, error) {
	if len(sim.Truth) == 0 || sim.Posterior == nil {
		return nil, fmt.Errorf("calibration: Simulate gave %d parameters, Posterior given: %t: "+
			"both are needed", len(sim.Truth), sim.Posterior != nil)
	}
	if len(m.Quantities) > 0 && sim.Quantities == nil {
		return nil, fmt.Errorf("calibration: the model names %d quantities, "+
			"but Simulate gave no function for them", len(m.Quantities))
	}
	t, err := workers.Open("calibration", sim.Posterior)
	if err != nil {
		return nil, err
	}
	values, err := workers.NewValues("calibration", t)
	if err != nil {
		return nil, err
	}
	names := values.Names
	if len(names) != len(sim.Truth) {
		return nil, fmt.Errorf("calibration: Simulate gave %d parameters: a draw has %d, %q",
			len(sim.Truth), len(names), names)
	}
	names = append(names, m.Quantities...)
	return names, workers.CheckNames("calibration", names)
}
