package temper

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/modes"
	"bayeskernel/nuts"
)

// The run of plain NUTS that a reference is fitted to, and the tails of the fit. They are heavy so
// that the reference also reaches what the run missed.
const (
	fitChains  = 8
	fitWarmup  = 300
	fitDraws   = 200
	fitFreedom = 5
)

// bare hides the user's scale of a target, so that draws are kept on the sampler's own scale.
type bare struct{ hmc.Target }

type bareInitial struct {
	hmc.Target
	hmc.Initializer
}

func hide(f hmc.Factory) hmc.Factory {
	return func() (hmc.Target, error) {
		t, err := f()
		if init, ok := t.(hmc.Initializer); ok && err == nil {
			return bareInitial{t, init}, nil
		}
		if t == nil {
			return nil, err
		}
		return bare{t}, err
	}
}

// fit fits a reference to a run of NUTS with chains in different modes. It pools the draws without
// weights: a reference must cover the modes, not weigh them.
func fit(ctx context.Context, f hmc.Factory, cfg *Config) (*StudentT, *draws.Modes, error) {
	s := nuts.Config{Settings: hmc.Settings{Chains: fitChains, Warmup: fitWarmup, Draws: fitDraws,
		Seed: cfg.Seed, TargetAccept: cfg.TargetAccept, Parallel: cfg.Parallel, Source: cfg.Source,
		Adapt: cfg.Adapt, Start: cfg.Start}, MaxDepth: cfg.MaxDepth}
	run, err := modes.Sample(ctx, hide(f), s, modes.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("temper: the run that the reference is fitted to: %w", err)
	}
	d := len(run.Names)
	mean := make([]float64, d)
	cov := mat.NewSymDense(d, nil)
	n := 0.0
	for _, c := range run.Chains {
		n += float64(len(c.Values))
		for _, x := range c.Values {
			for i, v := range x {
				mean[i] += v
			}
		}
	}
	for i := range mean {
		mean[i] /= n
	}
	for _, c := range run.Chains {
		for _, x := range c.Values {
			for i := range x {
				for j := i; j < d; j++ {
					cov.SetSym(i, j, cov.At(i, j)+(x[i]-mean[i])*(x[j]-mean[j])/n)
				}
			}
		}
	}
	// Draws that are few or lie in a plane leave the matrix singular or nearly so: correlations
	// are shrunk a little.
	shrink := n / (n + float64(d) + 5)
	for i := range d {
		if v := cov.At(i, i); !(v > 0) || math.IsInf(v, 1) {
			return nil, nil, fmt.Errorf("temper: the run that the reference is fitted to has "+
				"variance %v in x[%d]: give a Reference", v, i)
		}
		for j := range i {
			cov.SetSym(i, j, shrink*cov.At(i, j))
		}
	}
	t, err := NewStudentT(fitFreedom, mean, cov)
	return t, run.Modes, err
}
