package main

import (
	"context"
	"math/rand/v2"

	"bayeskernel/bke"
	"bayeskernel/bke/target"
	"bayeskernel/examples/internal/processor"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
	"bayeskernel/summary"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const chunkRows = 1 << 20

// chunk writes chunk k of n rows.
func chunk(dst []float64, seed uint64, k, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, uint64(k)))
	dst = dst[:0]
	for range min(chunkRows, n-k*chunkRows) {
		v := r.NormFloat64()
		if r.IntN(3) == 0 {
			v = 2.5 + 0.4*v
		}
		dst = append(dst, v)
	}
	return dst
}

// stopwatch adds up processor time.
type stopwatch struct{ from float64 }

func (s *stopwatch) start() { s.from = processor.Time() }

func (s *stopwatch) stop(to *float64) { *to += processor.Time() - s.from }

// finish samples.
func finish(ctx context.Context, m *bke.Model, fit *bke.Fit, r *record) error {
	var w stopwatch
	w.start()
	best := fit.Modes[0].Params.Theta[0]
	if r.Way == fromRows { // as the program does with many rows
		if _, err := m.Tabulate(ctx, best/1.25, best*1.25); err != nil {
			return err
		}
	}
	start, err := target.Starts(m, bke.Priors{}, fit, 4)
	if err != nil {
		return err
	}
	run, err := nuts.Sample(ctx, target.New(m, bke.Priors{}), nuts.Config{Settings: hmc.Settings{Chains: 4,
		Warmup: 300, Draws: 500, Seed: 1, Start: hmc.Start{Points: start}}})
	if err != nil {
		return err
	}
	w.stop(&r.Sample)
	var theta []float64
	for _, c := range run.Chains {
		for _, row := range c.Values {
			theta = append(theta, row[0])
		}
	}
	r.Theta, r.SD = stat.MeanStdDev(theta, nil)
	return nil
}

// measureRows holds all rows.
func measureRows(ctx context.Context, n int, seed uint64) (record, error) {
	r := record{Rows: n, Way: fromRows}
	var x, part []float64
	for k := 0; k*chunkRows < n; k++ {
		part = chunk(part, seed, k, n)
		x = append(x, part...)
	}
	var w stopwatch
	w.start()
	fitted, err := bke.Learn(ctx, mat.NewDense(n, 1, x), bke.InputOptions{}, bke.Options{},
		bke.LearnOptions{Priors: &bke.Priors{}})
	if err != nil {
		return r, err
	}
	w.stop(&r.Learn)
	return r, finish(ctx, fitted.Model, fitted.Fit, &r)
}

// measureSummary makes each chunk twice, and holds none.
func measureSummary(ctx context.Context, n int, seed uint64) (record, error) {
	r := record{Rows: n, Way: fromSummary}
	var w stopwatch
	var part []float64
	pilot := summary.NewPilot(1, summary.PilotRows, seed)
	for k := 0; k*chunkRows < n && ctx.Err() == nil; k++ {
		part = chunk(part, seed, k, n)
		w.start()
		pilot.Begin("P")
		pilot.Add(part)
		w.stop(&r.Plan)
	}
	w.start()
	p, err := summary.NewPlan(ctx, pilot, summary.PlanOptions{Columns: []string{"x"}})
	if err != nil {
		return r, err
	}
	w.stop(&r.Plan)
	s, err := summary.New(p)
	if err != nil {
		return r, err
	}
	for k := 0; k*chunkRows < n && ctx.Err() == nil; k++ {
		part = chunk(part, seed, k, n)
		w.start()
		c, err := s.Chunk("P", false)
		if err != nil {
			return r, err
		}
		if err := c.Add(part); err != nil {
			return r, err
		}
		if err := c.Close(); err != nil {
			return r, err
		}
		w.stop(&r.Pass)
	}
	w.start()
	o, err := p.Options()
	if err != nil {
		return r, err
	}
	m, err := s.Model(o)
	if err != nil {
		return r, err
	}
	fit, err := m.Learn(ctx, bke.LearnOptions{Priors: &bke.Priors{}})
	if err != nil {
		return r, err
	}
	if err := s.Check(fit); err != nil {
		return r, err
	}
	w.stop(&r.Learn)
	return r, finish(ctx, m, fit, &r)
}
