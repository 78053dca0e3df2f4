package compare

import (
	"context"
	"errors"
	"fmt"
	"math"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/bke/target"
	"bayeskernel/embedding"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/nuts"
)

// The chains of a comparison, which needs theta to two digits and no more.
const (
	warmup = 300
	kept   = 250
)

// posterior is that of the caller, or what is found on the model of the test.
func (d *data) posterior(ctx context.Context, r *Result) (*Posterior, error) {
	if d.o.Posterior != nil {
		return d.o.Posterior, nil
	}
	of := r.Test.Kernel
	if of.Fit == nil {
		return nil, nil
	}
	if d.o.Sampler != nil {
		post, err := d.sample(ctx, of, d.o.Test.Kernel.Priors)
		if err == nil || ctx.Err() != nil {
			return post, err
		}
		r.note("The chains of theta failed (%v): the normal approximation takes their place.", err)
	}
	return approximate(of, d.o.Seed)
}

// sample runs the chains.
func (d *data) sample(ctx context.Context, of *kerneltest.Chosen, p bke.Priors) (*Posterior,
	error) {
	cfg := *d.o.Sampler
	if cfg.Warmup == 0 {
		cfg.Warmup = warmup
	}
	if cfg.Draws == 0 {
		cfg.Draws = kept
	}
	if cfg.Chains == 0 {
		cfg.Chains = 4
	}
	if cfg.Seed == 0 {
		cfg.Seed = d.o.Seed
	}
	if cfg.Start.Points == nil {
		var err error
		if cfg.Start.Points, err = target.Starts(of.Model, p, of.Fit, cfg.Chains); err != nil {
			return nil, err
		}
	}
	run, err := nuts.Sample(ctx, target.New(of.Model, p), cfg)
	if err != nil {
		return nil, err
	}
	drawn, err := target.Draws(of.Model, run)
	return &Posterior{Model: of.Model, Scaling: of.Scaling, Draws: drawn, Run: run}, err
}

// kernel is whose embedding the witness is of.
type kernel struct {
	post  *Posterior
	scale Scale // Rung is 0 where no theta was learned
	at    embedding.Options
}

// kernel resolves a scale.
func (r *Result) kernel(ctx context.Context, s Scale) (*kernel, error) {
	if s.Sampled && s.Rung == 0 {
		s.Rung = 1
	}
	if s.Rung == 0 {
		s.Rung = r.Test.Scales[0].Rung
	}
	k := &kernel{post: r.Posterior, scale: s, at: embedding.Options{Noise: r.data.o.Noise,
		Rung: s.Rung, AtTest: !s.Sampled}}
	if s.Rung > 0 && k.post == nil {
		return nil, errors.New("compare: there are no draws of theta, want a learned lengthscale")
	}
	if s.Rung > 0 {
		return k, nil
	}
	var err error
	k.post, err = r.fixed(ctx)
	return k, err
}

// fixed is the kernel of a test that was not learned, at its lengthscale. Its model serves only to
// name the kernel: what the pseudo-inputs are does not matter.
func (r *Result) fixed(ctx context.Context) (*Posterior, error) {
	s, ok := kernels.AsStationary(r.Test.Scales[0].Kernel)
	if !ok {
		return nil, errors.New("compare: the kernel of the test has no lengthscale, want a radial one")
	}
	x, err := scaled(r.Test.Kernel.Scaling, r.data.all())
	if err != nil {
		return nil, err
	}
	in, err := inputs.Choose(ctx, x, inputs.Options{Seed: r.data.o.Seed})
	if err != nil {
		return nil, err
	}
	m, err := bke.NewModelContext(ctx, x, in.Z, bke.Options{Kernel: s.Radial,
		ARD: len(s.Theta) > 1})
	if err != nil {
		return nil, err
	}
	return &Posterior{Model: m, Scaling: r.Test.Kernel.Scaling,
		Draws: []bke.Params{{Theta: s.Theta, Tau2: 1, Eta: 1}}}, nil
}

// draws returns the draws that the witness is integrated over: the work is their number times that
// of the rows, and with many rows they hardly differ.
func (k *kernel) draws(rows, dim int) []bke.Params {
	most := 1000
	switch {
	case rows > 50000:
		most = max(40, 200*50000/rows)
	case dim > 1:
		most = 200
	}
	all := k.post.Draws
	if len(all) <= most {
		return all
	}
	out := make([]bke.Params, most)
	for i := range out {
		out[i] = all[i*len(all)/most]
	}
	return out
}

// lengthscale is that of the kernel along each axis of the model, or one for all: the geometric
// mean over the draws.
func (k *kernel) lengthscale() []float64 {
	rung := max(k.scale.Rung, 0)
	if rung == 0 {
		rung = 1
	}
	out := make([]float64, len(k.post.Draws[0].Theta))
	for _, h := range k.post.Draws {
		for a, t := range h.Theta {
			out[a] += math.Log(t) / float64(len(k.post.Draws))
		}
	}
	for a := range out {
		out[a] = rung * math.Exp(out[a])
	}
	return out
}

// String names the kernel.
func (k *kernel) String() string { return fmt.Sprint(k.post.Model.Kernel()) }
