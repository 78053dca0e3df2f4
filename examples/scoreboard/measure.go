package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync/atomic"
	"time"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
)

// measureAll makes the runs that are not among the records yet, appends them to the file, and
// returns all.
func (o *options) measureAll(ctx context.Context, records []record, log io.Writer) ([]record,
	error) {
	for _, e := range o.entries {
		for i := range o.seeds {
			key := o.key(e.name, o.seed+uint64(i))
			if find(records, key) != nil {
				continue
			}
			r, err := measure(ctx, e, key, o.metric)
			if err == nil {
				err = appendRecord(o.file, r)
			}
			if err != nil {
				return nil, err
			}
			records = append(records, r)
			fmt.Fprintln(log, r)
		}
	}
	return records, nil
}

func (o *options) key(model string, seed uint64) key {
	return key{Model: model, Seed: seed, Metric: o.metric.String(), Chains: 4, Warmup: o.warmup,
		Draws: o.draws, Stan: o.stan, Declared: o.declared}
}

// measure makes one run. That the sampler fails is a result, and no error.
func measure(ctx context.Context, e entry, k key, metric hmc.MetricKind) (record, error) {
	p, err := e.posterior()
	if err != nil {
		return record{}, err
	}
	var all atomic.Int64
	factory := func() (hmc.Target, error) {
		t, err := p.Factory()
		if err != nil {
			return nil, err
		}
		return counting(t, &all), nil
	}
	var cfg nuts.Config
	cfg.Chains, cfg.Warmup, cfg.Draws = k.Chains, k.Warmup, k.Draws
	cfg.Seed, cfg.Adapt.Metric, cfg.Adapt.StanWarmup = k.Seed, metric, k.Stan
	began := time.Now()
	run, err := nuts.Sample(ctx, factory, cfg)
	if ctx.Err() != nil {
		return record{}, fmt.Errorf("scoreboard: sampling %q: %w", e.name, ctx.Err())
	}
	r := record{key: k, Seconds: math.Round(1000*time.Since(began).Seconds()) / 1000,
		Gradients: all.Load(), WarmupGradients: all.Load()}
	if err != nil {
		r.Error = err.Error()
		r.undefined()
		return r, nil
	}
	r.judge(run, p.Reference)
	return r, nil
}

// judge fills in what a complete run says.
func (r *record) judge(run *draws.Run, reference map[string]models.Moments) {
	for _, c := range run.Chains {
		r.WarmupGradients -= int64(c.Gradients)
		r.Divergences += len(c.Divergences)
		for _, s := range c.Stats {
			if s.TreeDepth >= run.Sampler.MaxDepth {
				r.DepthCaps++
			}
		}
	}
	r.ESSBulk, r.ESSTail = number(math.Inf(1)), number(math.Inf(1))
	for j, name := range run.Names {
		ref, ok := reference[name]
		if !ok && reference != nil {
			continue
		}
		x := run.Column(j)
		if e := number(diagnostics.ESSBulk(x)); !(e >= r.ESSBulk) {
			r.ESSBulk, r.ESSBulkOf = e, name
		}
		if e := number(diagnostics.ESSTail(x)); !(e >= r.ESSTail) {
			r.ESSTail = e
		}
		if h := number(diagnostics.RHat(x)); !(h <= r.RHat) {
			r.RHat, r.RHatOf = h, name
		}
		if ok {
			off := diagnostics.Mean(x) - ref.Mean
			z := number(math.Abs(off) / math.Hypot(diagnostics.MCSEMean(x), ref.MCSE))
			if !(z <= r.Z) {
				r.Z, r.ZOf = z, name
			}
		}
		if r.anyNaN() {
			return
		}
	}
}

// counted counts the evaluations of a target. The samplers see no other methods of it than those
// below.
type counted struct {
	hmc.Target
	n *atomic.Int64
}

// LogDensity counts one evaluation.
func (c counted) LogDensity(x, grad []float64) float64 {
	c.n.Add(1)
	return c.Target.LogDensity(x, grad)
}

// countedNamed is counted for a target that names its values.
type countedNamed struct {
	counted
	hmc.Constrainer
}

// countedLearner is counted for a target whose coordinates warm-up learns.
type countedLearner struct {
	hmc.Reparametrizer
	hmc.Constrainer
	n *atomic.Int64
}

// LogDensity counts one evaluation.
func (c countedLearner) LogDensity(x, grad []float64) float64 {
	c.n.Add(1)
	return c.Reparametrizer.LogDensity(x, grad)
}

// counting returns t with its evaluations added to n.
func counting(t hmc.Target, n *atomic.Int64) hmc.Target {
	c := counted{t, n}
	if named, ok := t.(hmc.Constrainer); ok {
		if learner, ok := t.(hmc.Reparametrizer); ok {
			return countedLearner{learner, named, n}
		}
		return countedNamed{c, named}
	}
	return c
}
