package main

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/diagnostics"
	"bayeskernel/examples/internal/processor"
	"bayeskernel/nuts"
	"bayeskernel/stan"
)

// ours reads the program and its data and samples.
func ours(ctx context.Context, program string, data []byte, seed uint64) (side, error) {
	began := processor.Time()
	p, err := stan.Parse(program)
	if err != nil {
		return side{}, err
	}
	d, err := stan.ParseData(data)
	if err != nil {
		return side{}, err
	}
	m, err := p.Bind(d, stan.Options{Seed: seed})
	if err != nil {
		return side{}, err
	}
	start := processor.Time() - began
	c := nuts.Config{}
	c.Seed = seed
	run, err := nuts.Sample(ctx, m.Target, c)
	if err != nil {
		return side{}, err
	}
	all := processor.Time() - began - start
	warm, drawn := 0, 0 // gradients cost the same in both
	for _, c := range run.Chains {
		warm, drawn = warm+c.WarmupGradients, drawn+c.Gradients
	}
	share := float64(warm) / float64(warm+drawn)
	columns := make([][][]float64, len(m.Names()))
	for k := range columns {
		columns[k] = run.Column(k)
	}
	return worth(side{Warm: start + share*all, Draw: (1 - share) * all}, m.Names(), columns), nil
}

// worth adds the smallest effective sample size and the largest R-hat of the columns that vary, and their means.
func worth(s side, names []string, columns [][][]float64) side {
	s.ESS, s.RHat, s.means = math.Inf(1), 1, map[string]estimate{}
	for k, c := range columns {
		if ess := diagnostics.ESSBulk(c); ess == ess {
			s.ESS, s.RHat = min(s.ESS, ess), max(s.RHat, diagnostics.RHat(c))
			s.means[names[k]] = estimate{diagnostics.Mean(c), diagnostics.MCSEMean(c)}
		}
	}
	return s
}

// estimate is a mean with its Monte Carlo error.
type estimate struct{ mean, err float64 }

// apart are the differences of two sides' means in units of their Monte Carlo errors, by name. Names that one side
// lacks are an error.
func apart(a, b side) (map[string]float64, error) {
	z := map[string]float64{}
	for name, x := range a.means {
		y, ok := b.means[name]
		if !ok {
			return nil, fmt.Errorf("rstan has no %s that varies", name)
		}
		z[name] = math.Round(100*(x.mean-y.mean)/math.Hypot(x.err, y.err)) / 100
	}
	return z, nil
}
