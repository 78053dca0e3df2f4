package runs

import (
	"context"
	"fmt"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
	"bayeskernel/stein"
)

// Program is a model that can make data of its own, such as *model.Program.
type Program[P any] interface {
	stein.Model
	Replicate(draw []float64, seed uint64) (P, error)
	Target() (hmc.Target, error)
	Unconstrain(values []float64) ([]float64, error)
}

const (
	// forget is the number of transitions after which a chain that began at the parameters of the data has their posterior.
	forget = 20
	// kept draws of it, one of every so many.
	kept, between = 5, 4
)

// Again fits a program again to data that it makes with the parameters of a draw, for stein.Fitting: a short chain from these
// parameters, with the metric and step size of a run.
func Again[P Program[P]](p P, run *draws.Run) func(ctx context.Context, draw []float64, seed uint64) (stein.Model, [][]float64, error) {
	warm := hmc.WarmStarts(run)
	return func(ctx context.Context, draw []float64, seed uint64) (stein.Model, [][]float64, error) {
		if len(warm) == 0 {
			return nil, nil, fmt.Errorf("runs: the run has no chains")
		}
		x, err := p.Unconstrain(draw)
		if err != nil {
			return nil, nil, err
		}
		q, err := p.Replicate(draw, seed)
		if err != nil {
			return nil, nil, err
		}
		start := warm[seed%uint64(len(warm))]
		start.Position = x
		var c nuts.Config
		c.Chains, c.Warmup, c.Draws, c.Thin, c.Seed, c.Parallel = 1, hmc.NoWarmup, forget+kept*between, between, seed, 1
		c.Start.Warm, c.Start.SkipGradientCheck = []hmc.WarmStart{start}, true
		again, err := nuts.Sample(ctx, q.Target, c)
		if err != nil {
			return nil, nil, err
		}
		return q, again.Chains[0].Values[forget/between:], nil
	}
}
