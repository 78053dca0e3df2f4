package nuts

import (
	"context"
	"fmt"

	"bayeskernel/draws"
	"bayeskernel/hmc"
)

// Settings is hmc.Settings. With it and Shared, most programs need not import hmc.
type Settings = hmc.Settings

// Shared is hmc.Shared.
func Shared(t hmc.Target) hmc.Factory { return hmc.Shared(t) }

// Config is Settings and the parameters of the No-U-Turn sampler. The zero value runs 4 chains, each
// with up to 1000 transitions of warm-up and 1000 draws. Of Settings, most programs set
//
//	Chains, Warmup, Draws int       // (4, 1000, 1000)
//	Seed         uint64             // (0)
//	TargetAccept float64            // (0.8)
//	Until        *hmc.Until         // end once R-hat and effective sample sizes are good enough
//	DrawsDir     string             // keep draws in files of this folder, not in memory
//	Checkpoints  hmc.Checkpoints    // save the state of the run, and resume it
//	OnProgress   func(hmc.Progress) // called from time to time
type Config struct {
	Settings
	MaxDepth int // a trajectory doubles at most this often (10)
	// WithinOrbit, if not nil, lets the step size vary along a trajectory: for densities that
	// narrow without end, such as centred hierarchies. Other densities gain nothing.
	WithinOrbit *WithinOrbit
}

// Sample samples with NUTS. If ctx is cancelled or a chain fails, it returns the partial run
// together with the error.
func Sample(ctx context.Context, f hmc.Factory, cfg Config) (*draws.Run, error) {
	m, err := cfg.Method()
	if err != nil {
		return nil, err
	}
	return hmc.Run(ctx, f, cfg.Settings, m)
}

// Method returns NUTS as a method for hmc.Run.
func (cfg Config) Method() (hmc.Method, error) {
	depth := cfg.MaxDepth
	if depth == 0 {
		depth = 10
	}
	if depth < 0 || depth > 30 {
		return hmc.Method{}, fmt.Errorf("nuts: MaxDepth is %d, want 1 to 30, or 0 for 10",
			cfg.MaxDepth)
	}
	if cfg.WithinOrbit != nil {
		return cfg.WithinOrbit.method(depth)
	}
	return hmc.Method{
		Name:     "nuts",
		New:      func(h *hmc.Hamiltonian) hmc.Transition { return New(h, depth) },
		Describe: func(s *draws.Sampler) { s.MaxDepth = depth },
	}, nil
}
