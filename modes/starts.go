package modes

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/rng"
	"bayeskernel/internal/workers"
	"bayeskernel/nuts"
)

// Starts spreads chains over the modes found. It goes through the modes in turn, largest Laplace
// mass first, so each has a chain if there are enough chains. Each start is a draw from the normal
// density of Laplace's approximation around its mode, so chains in one mode start apart. If no mode
// was found, Starts returns nil and chains start as they do without a search.
//
// The number of chains in a mode does not estimate its mass.
func Starts(m *draws.Modes, chains int, seed uint64) [][]float64 {
	return starts(m, chains, seed, func(draws.Mode, []float64) bool { return true })
}

// starts shrinks each draw towards its mode until usable accepts it.
func starts(m *draws.Modes, chains int, seed uint64,
	usable func(draws.Mode, []float64) bool) [][]float64 {
	if m == nil || len(m.Modes) == 0 {
		return nil
	}
	order := slices.Clone(m.Modes)
	slices.SortStableFunc(order, func(a, b draws.Mode) int {
		return cmp.Compare(b.LogMass, a.LogMass)
	})
	points := make([][]float64, chains)
	for c := range points {
		src, _ := rng.New(rng.PCG, rng.Name{Seed: seed, Purpose: "modes/starts"}, uint64(c))
		mode := order[c%len(order)]
		jitter := laplaceDraw(mode, rand.New(src))
		x := make([]float64, len(mode.X))
		for part := 1.0; ; part /= 2 {
			if part < 1e-6 {
				part = 0
			}
			for i := range x {
				x[i] = mode.X[i] + part*jitter[i]
			}
			if part == 0 || usable(mode, x) {
				break
			}
		}
		points[c] = x
	}
	return points
}

// laplaceDraw draws from N(0, Cov).
func laplaceDraw(m draws.Mode, r *rand.Rand) []float64 {
	d := len(m.X)
	cov := mat.NewSymDense(d, nil)
	z := mat.NewVecDense(d, nil)
	for i := range d {
		z.SetVec(i, r.NormFloat64())
		for j := i; j < d; j++ {
			cov.SetSym(i, j, m.Cov[i][j])
		}
	}
	out := make([]float64, d)
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		for i := range out {
			out[i] = math.Sqrt(cov.At(i, i)) * z.AtVec(i)
		}
		return out
	}
	var l mat.TriDense
	chol.LTo(&l)
	mat.NewVecDense(d, out).MulVec(&l, z)
	return out
}

// Sample finds the modes, starts the chains of NUTS in different ones and samples. The run records
// the result of the search. Zero values of the seed, source, parallelism, kind and radius of starts
// in o are taken from cfg. If no mode was found, the chains start as in nuts.Sample.
func Sample(ctx context.Context, f hmc.Factory, cfg nuts.Config, o Options) (*draws.Run, error) {
	if len(cfg.Start.Points) > 0 {
		return nil, fmt.Errorf("modes: Start.Points has %d points: Sample chooses where chains start, "+
			"use nuts.Sample", len(cfg.Start.Points))
	}
	o.Seed = cmp.Or(o.Seed, cfg.Seed)
	o.Source = cmp.Or(o.Source, cfg.Source)
	o.Parallel = cmp.Or(o.Parallel, cfg.Parallel)
	o.InitFrom = cmp.Or(o.InitFrom, cfg.Start.From)
	o.Radius = cmp.Or(o.Radius, cfg.Start.Radius)
	m, err := Find(ctx, f, o)
	if err != nil {
		return nil, err
	}
	if cfg.Chains >= 0 {
		t, err := workers.Open("modes", f)
		if err != nil {
			return nil, err
		}
		s := newSurface(ctx, t)
		cfg.Start.Points = starts(m, cmp.Or(cfg.Chains, 4), o.Seed, s.near)
	}
	run, err := nuts.Sample(ctx, f, cfg)
	if run != nil {
		run.Modes = m
	}
	return run, err
}

// near reports whether the density at x is as high as it should be for a draw around a mode. A draw
// from a normal density in d dimensions is about d/2 nats below the peak.
func (s *surface) near(m draws.Mode, x []float64) bool {
	return s.at(x) > m.LP-float64(len(x))-10
}
