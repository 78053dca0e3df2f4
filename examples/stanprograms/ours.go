package main

import (
	"context"
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
	return worth(side{Warm: start + share*all, Draw: (1 - share) * all}, columns), nil
}

// worth adds the smallest effective sample size and the largest R-hat of the columns that vary.
func worth(s side, columns [][][]float64) side {
	s.ESS, s.RHat = math.Inf(1), 1
	for _, c := range columns {
		if ess := diagnostics.ESSBulk(c); ess == ess {
			s.ESS, s.RHat = min(s.ESS, ess), max(s.RHat, diagnostics.RHat(c))
		}
	}
	return s
}
