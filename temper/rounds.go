package temper

import (
	"context"
	"fmt"
	"slices"
	"time"

	"bayeskernel/hmc"
	"bayeskernel/internal/workers"
)

// begin draws a state for every rung of the first ladder, and checks gradients at the last.
func (r *replicate) begin(betas []float64) ([]rung, error) {
	d := r.path.Dim()
	rungs := make([]rung, len(betas))
	for i, b := range betas {
		rungs[i] = rung{state: newState(d, i), beta: b, metric: hmc.NewUnitMetric(d), eps: 1}
		if err := rungs[i].drawInside(&r.path, r.rand); err != nil {
			return nil, err
		}
	}
	if r.cfg.Start.SkipGradientCheck {
		return rungs, nil
	}
	x := slices.Clone(rungs[len(betas)-1].x)
	r.path.beta = 1
	if err := r.h.CheckGradient(x); err != nil {
		return nil, err
	}
	if err := hmc.CheckGradient(r.path.ref, x); err != nil {
		return nil, fmt.Errorf("in the reference: %w", err)
	}
	return rungs, nil
}

// climb makes a new ladder. Each new rung takes over from the nearest old one that is not further
// from the target.
func (r *replicate) climb(betas []float64) []rung {
	d := r.path.Dim()
	rungs := make([]rung, len(betas))
	for i, b := range betas {
		j := slices.IndexFunc(r.rungs, func(g rung) bool { return g.beta >= b })
		old := &r.rungs[j]
		rungs[i] = rung{state: newState(d, i), beta: b, metric: old.metric, eps: old.eps}
		rungs[i].copyFrom(&old.state)
	}
	return rungs
}

// open begins round i of warm-up, of n scans, on the given ladder.
func (r *replicate) open(i, n int, betas []float64) error {
	r.attempt()
	var rungs []rung
	if i > 0 {
		rungs = r.climb(betas)
	} else {
		var err error
		if rungs, err = r.begin(betas); err != nil {
			return err
		}
	}
	for i := 1; i < len(rungs); i++ {
		g := &rungs[i]
		r.enter(g)
		eps, err := hmc.FindStepSize(r.h, r.z, r.work, g.eps, r.rand)
		if err != nil {
			return at(rungs, i, err)
		}
		if g.adapt, err = hmc.NewAdaptation(r.cfg.settings(n), r.path.Dim(), eps); err != nil {
			return err
		}
	}
	r.rungs, r.parity, r.tally = rungs, 0, newTally(len(rungs))
	r.progress, r.mark.undo = progress{Round: i, Open: true}, false
	return nil
}

// warmUp makes round i of warm-up, of n scans, or the rest of it. The first third is left out of
// the tally, because the states have not settled yet.
func (r *replicate) warmUp(ctx context.Context, i, n int, betas []float64) error {
	if err := ctx.Err(); err != nil || r.progress.Round > i {
		return err
	}
	if !r.progress.Open {
		if err := r.open(i, n, betas); err != nil {
			return err
		}
	}
	for r.progress.Done < n {
		if r.progress.Done == n/3 {
			r.tally = newTally(len(r.rungs))
		}
		if err := r.scan(ctx, false); err != nil {
			return err
		}
		r.progress.Done++
		if err := r.watch(r); err != nil {
			return err
		}
	}
	for i := 1; i < len(r.rungs); i++ {
		g := &r.rungs[i]
		g.eps, g.adapt = g.adapt.Final(), nil
	}
	r.progress = progress{Round: i + 1}
	return nil
}

// sample makes the scans after warm-up, or the rest of them.
func (r *replicate) sample(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !r.progress.Open {
		last := &r.rungs[len(r.rungs)-1]
		r.parity, r.tally = 0, newTally(len(r.rungs))
		r.out.StepSize, r.out.Metric = last.eps, last.metric.Record()
		r.out.WarmupGradients = r.evaluations()
		r.progress.Open = true
		if r.rec != nil {
			if err := r.rec.Adapted(r.out.StepSize, r.out.Metric); err != nil {
				return err
			}
		}
	}
	for r.iterates < r.cfg.Draws {
		if err := r.scan(ctx, true); err != nil {
			return err
		}
		if r.rec != nil && r.kept != nil {
			if err := r.rec.Draw(r.kept, r.out.Stats[len(r.out.Stats)-1], false); err != nil {
				return err
			}
		}
		if err := r.watch(r); err != nil {
			return err
		}
	}
	return nil
}

// run calls f, times it, and turns a panic of the target into an error.
func (r *replicate) run(ctx context.Context, f func(*replicate) error, seconds *float64) error {
	r.began, r.path.ctx = time.Now(), ctx
	err := workers.Guard(func() error { return f(r) })
	if err != nil {
		r.rewind()
	}
	*seconds += time.Since(r.began).Seconds()
	if p, ok := err.(*workers.Panic); ok {
		err = &hmc.PanicError{Where: r.caller, Value: p.Value, X: slices.Clone(r.path.at),
			Stack: p.Stack}
	}
	r.caller = ""
	return err
}
