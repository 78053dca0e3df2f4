package compare

import (
	"context"

	"bayeskernel/bke"
	"bayeskernel/kerneltest"
)

// picture is the witness of two samples for the eye alone: at the best theta and the strongest
// rung, point by point.
func (d *data) picture(ctx context.Context) (*Witness, error) {
	o := d.columnOptions()
	o.Alpha, o.Permutations, o.Stop = 0, 19, 0 // which kernel is the strongest does not depend on them
	t, err := kerneltest.TwoSample(ctx, d.samples[0].x, d.samples[1].x, o)
	if err != nil {
		return nil, err
	}
	r := &Result{Test: t, data: d}
	if t.Kernel.Fit != nil {
		r.Posterior = &Posterior{Model: t.Kernel.Model, Scaling: t.Kernel.Scaling,
			Draws: []bke.Params{t.Kernel.Fit.Modes[0].Params}}
	}
	k, err := r.kernel(ctx, Scale{})
	if err != nil {
		return nil, err
	}
	w, err := d.witness(ctx, k)
	if err != nil {
		return nil, err
	}
	w.Functions, w.Among, w.Everywhere = nil, nil, nil
	return w, nil
}
