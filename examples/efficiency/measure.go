package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
	"bayeskernel/nuts"
)

// target is one to be measured.
type target struct {
	name      string
	factory   hmc.Factory
	reference map[string]models.Moments // measured are the parameters in it; all if nil
	stan      stan
}

// stan holds what Stan reaches: rstan 2.21.7 with its default settings, bulk ESS of the parameters
// by posterior 1.7.1 (see stan.R).
type stan struct {
	one float64 // a single run
	ten float64 // the median of runs with the seeds 1 to 10
}

func targets() ([]target, error) {
	sd := make([]float64, 100)
	for i := range sd {
		sd[i] = 1
	}
	all := []target{
		{"normal100", hmc.Shared(testmodels.Normal(sd...)), nil,
			stan{190, 120}},
		{"correlated", hmc.Shared(testmodels.Correlated(0.95)), nil,
			stan{26, 26.2}},
		{"scales", hmc.Shared(testmodels.Normal(0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)), nil,
			stan{271, 263}},
	}
	for _, t := range []struct {
		f    func() (models.Posterior, error)
		stan stan
	}{{models.EightSchools, stan{72, 64.6}}, {models.ARK, stan{24, 20.6}},
		{models.GARCH, stan{42, 42}}, {models.GaussMix, stan{152, 150}},
		{models.KidScore, stan{2.2, 2.26}}} {
		p, err := t.f()
		if err != nil {
			return nil, err
		}
		all = append(all, target{p.Name, p.Factory, p.Reference, t.stan})
	}
	return all, nil
}

// largeTargets are those of many dimensions; Stan has not been run on them.
func largeTargets() []target {
	var all []target
	for _, p := range models.Large() {
		all = append(all, target{p.Name, p.Factory, nil, stan{math.NaN(), math.NaN()}})
	}
	return all
}

// result is what the runs on one target gave, one element per seed.
type result struct {
	target
	ess, squares, gradients, warmup, divergent, rhat []float64
}

func (o *options) measure(ctx context.Context, t target) (*result, error) {
	r := &result{target: t}
	for i := range o.seeds {
		cfg := o.cfg
		cfg.Chains, cfg.Draws, cfg.TargetAccept = 4, 1000, 0.8
		cfg.Seed = o.seed + uint64(i)
		run, err := nuts.Sample(ctx, t.factory, cfg)
		if err != nil {
			return nil, fmt.Errorf("efficiency: sampling %q: %w", t.name, err)
		}
		r.add(run)
	}
	return r, nil
}

// add appends the figures of one run.
func (r *result) add(run *draws.Run) {
	var gradients, warmup, divergent float64
	for _, c := range run.Chains {
		gradients += float64(c.Gradients)
		warmup += float64(c.WarmupGradients)
		divergent += float64(len(c.Divergences))
	}
	ess, squares, rhat := math.Inf(1), math.Inf(1), 0.0
	for j, name := range run.Names {
		if _, ok := r.reference[name]; !ok && r.reference != nil {
			continue
		}
		x := run.Column(j)
		ess = math.Min(ess, diagnostics.ESSBulk(x))
		rhat = math.Max(rhat, diagnostics.RHat(x))
		for _, c := range x {
			for i := range c {
				c[i] *= c[i]
			}
		}
		squares = math.Min(squares, diagnostics.ESSBulk(x))
	}
	r.ess = append(r.ess, 1000*ess/gradients)
	r.squares = append(r.squares, 1000*squares/gradients)
	r.gradients = append(r.gradients, gradients)
	r.warmup = append(r.warmup, warmup)
	r.divergent = append(r.divergent, divergent)
	r.rhat = append(r.rhat, rhat)
}

// String returns a row of the table. All are medians but for the range and the largest R-hat.
func (r *result) String() string {
	ess := report.Median(r.ess)
	return fmt.Sprintf("| %s | %s | %s–%s | %s | %v | %v | %.2f | %.0f | %.0f | %.0f | %.3f |",
		r.name, report.Digits(ess), report.Digits(slices.Min(r.ess)), report.Digits(slices.Max(r.ess)),
		report.Digits(report.Median(r.squares)), r.stan.one, r.stan.ten, ess/r.stan.ten, report.Median(r.gradients),
		report.Median(r.warmup), report.Median(r.divergent), slices.Max(r.rhat))
}
