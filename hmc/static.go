package hmc

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/draws"
)

// Config is Settings and the parameters of static HMC.
type Config struct {
	Settings
	// PathLength is the length of a trajectory in units of time. The default pi/2 is a quarter of
	// the period of a standard normal, and an adapted metric makes the target roughly that.
	PathLength float64
	// Jitter draws the length of each trajectory from PathLength (1 ± Jitter) (0.5). Without jitter
	// a trajectory can return to where it began. NoJitter turns it off.
	Jitter float64
	// MaxSteps bounds the steps of a trajectory (1000).
	MaxSteps int
}

// NoJitter, as Config.Jitter, makes all trajectories equally long.
const NoJitter = -1

// Sample samples with static HMC. If ctx is cancelled or a chain fails, it returns the partial run
// together with the error.
func Sample(ctx context.Context, f Factory, cfg Config) (*draws.Run, error) {
	if cfg.PathLength == 0 {
		cfg.PathLength = math.Pi / 2
	}
	if !(cfg.PathLength > 0) || math.IsInf(cfg.PathLength, 1) {
		return nil, fmt.Errorf("hmc: PathLength is %v, want a positive, finite number",
			cfg.PathLength)
	}
	switch {
	case cfg.Jitter == 0:
		cfg.Jitter = 0.5
	case cfg.Jitter == NoJitter:
		cfg.Jitter = 0
	}
	if !(cfg.Jitter >= 0 && cfg.Jitter < 1) {
		return nil, fmt.Errorf("hmc: Jitter is %v, want at least 0 and below 1, "+
			"or NoJitter", cfg.Jitter)
	}
	if cfg.MaxSteps == 0 {
		cfg.MaxSteps = 1000
	}
	if cfg.MaxSteps < 0 {
		return nil, fmt.Errorf("hmc: MaxSteps is %d, want a positive number", cfg.MaxSteps)
	}
	return Run(ctx, f, cfg.Settings, Method{
		Name: "hmc",
		New: func(h *Hamiltonian) Transition {
			return NewStatic(h, cfg.PathLength, cfg.Jitter, cfg.MaxSteps)
		},
		Describe: func(s *draws.Sampler) {
			s.PathLength, s.Jitter, s.MaxSteps = cfg.PathLength, cfg.Jitter, cfg.MaxSteps
		},
	})
}

// Static is the transition of HMC with trajectories of a given length. The end of each leapfrog
// trajectory is accepted with probability min(1, exp(H0 - H)) (Neal 2011).
type Static struct {
	h              *Hamiltonian
	length, jitter float64
	maxSteps       int
	end            *Point
}

// NewStatic returns static HMC on h.
func NewStatic(h *Hamiltonian, length, jitter float64, maxSteps int) *Static {
	return &Static{h: h, length: length, jitter: jitter, maxSteps: maxSteps,
		end: NewPoint(h.Dim())}
}

// Step moves z by one transition. It uses random numbers in this order: normals for the momentum, a
// uniform for the length if there is jitter, and a uniform for the acceptance if the energy rose.
func (s *Static) Step(z *Point, eps float64, r Rand) Outcome {
	s.h.Momentum(z, r)
	h0 := s.h.Energy(z)
	length := s.length
	if s.jitter > 0 {
		length *= 1 + s.jitter*(2*r.Float64()-1)
	}
	steps := s.maxSteps
	if n := math.Round(length / eps); n < float64(steps) {
		steps = max(1, int(n))
	}
	s.end.CopyFrom(z)
	out := Outcome{Stat: draws.Stat{StepSize: eps, Energy: h0}}
	var energy float64
	for out.Leapfrogs < steps {
		s.h.Leapfrog(s.end, eps)
		out.Leapfrogs++
		energy = s.h.Energy(s.end)
		out.Lost = max(out.Lost, energy-h0)
		if !(energy-h0 <= MaxEnergyError) || s.h.Err() != nil {
			out.Divergent = true
			out.Broke = s.end.X
			out.EnergyError = energy - h0
			if math.IsNaN(energy) {
				out.EnergyError, out.Lost = math.Inf(1), math.Inf(1)
			}
			out.Reason = DivergenceReason(s.end)
			out.LP = z.LogP
			return out
		}
	}
	w := h0 - energy
	e := math.Exp(-math.Abs(w))
	out.AcceptStat = 1
	if w < 0 {
		out.AcceptStat = e
	}
	out.Symmetric = 2 * e / (1 + e)
	if w >= 0 || r.Float64() < e {
		z.CopyPosition(s.end)
		out.Energy = energy
	}
	out.LP = z.LogP
	return out
}
