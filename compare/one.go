package compare

import (
	"context"

	"bayeskernel/bke"
	"bayeskernel/embedding"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// Description is what is known of a single sample: its mean embedding and the band.
type Description struct {
	Name      string
	Rows      int
	Columns   []string
	Posterior *Posterior
	Embedding *Witness // of one sample: its own mean embedding, where nothing is excluded
	Notes     []string

	data *data
}

// Describe shows the mean embedding of one sample: theta and tau2 as sampled unless Options.Scale
// says otherwise.
func Describe(ctx context.Context, s Sample, o Options) (*Description, error) {
	if o.Scale == (Scale{}) {
		o.Scale = Paper()
	}
	d, err := newData(o, s)
	if err != nil {
		return nil, err
	}
	one := d.samples[0]
	out := &Description{Name: one.name, Rows: one.rows(), Columns: d.columns, data: d}
	if out.Posterior = d.o.Posterior; out.Posterior == nil {
		chosen, err := d.learn(ctx)
		if err != nil {
			return nil, err
		}
		out.Notes = chosen.Notes
		if d.o.Sampler == nil {
			out.Posterior, err = approximate(chosen, d.o.Seed)
		} else {
			out.Posterior, err = d.sample(ctx, chosen, d.o.Test.Kernel.Priors)
		}
		if err != nil {
			return nil, err
		}
	}
	out.Embedding, err = out.At(ctx, d.o.Scale)
	return out, err
}

// At draws the embedding at another scale.
func (d *Description) At(ctx context.Context, s Scale) (*Witness, error) {
	if s.Rung == 0 {
		s.Rung = 1
	}
	return d.data.witness(ctx, &kernel{post: d.Posterior, scale: s,
		at: embedding.Options{Noise: d.data.o.Noise, Rung: s.Rung, AtTest: !s.Sampled}})
}

// learn finds the lengthscale of the rows of all samples as the tests do, several columns divided
// by their standard deviations.
func (d *data) learn(ctx context.Context) (*kerneltest.Chosen, error) {
	choice := d.o.Test.Kernel
	out := &kerneltest.Chosen{}
	x := d.all()
	if d.dim > 1 {
		var err error
		if x, out.Scaling, err = bke.StandardizeBulk(x); err != nil {
			return nil, err
		}
	}
	in := choice.Inputs
	in.Seed ^= d.o.Test.Seed
	rows := mat.Matrix(x)
	if in.Points == nil {
		var err error
		if rows, _, err = bke.DrawIn(x); err != nil {
			return nil, err
		}
	}
	f, err := bke.Learn(ctx, rows, in, choice.Model, bke.LearnOptions{Priors: &choice.Priors, Seed: in.Seed})
	if err != nil {
		return nil, err
	}
	out.Model, out.Inputs, out.Fit, out.Notes = f.Model, f.Inputs, f.Fit, f.Notes
	for _, w := range append(f.Model.Warnings(), f.Fit.Warnings...) {
		if !w.Note {
			out.Notes = append(out.Notes, w.Sentence)
		}
	}
	return out, nil
}
