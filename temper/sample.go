package temper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"bayeskernel/draws"
	"bayeskernel/hmc"
)

// Sample samples the target by parallel tempering. The run holds the draws at beta = 1, one chain
// per replicate; all replicates tune one ladder together, so their number changes the draws. When
// ctx ends early or a replicate fails, the partial run and report come together with the error;
// both are nil if sampling never began.
func Sample(ctx context.Context, f hmc.Factory, cfg Config) (*draws.Run, *Report, error) {
	cfg, err := cfg.defaults()
	if err != nil {
		return nil, nil, err
	}
	s := &sampler{cfg: &cfg}
	if err := s.prepare(ctx, f); err != nil {
		return nil, nil, err
	}
	err = s.warmUp(ctx)
	if err == nil {
		err = s.each(ctx, func(r *replicate) error { return r.sample(ctx) },
			func(r *replicate) *float64 { return &r.out.SampleSeconds })
	}
	return s.run(err), s.report(), err
}

// sampler is a run under way.
type sampler struct {
	cfg    *Config
	names  []string
	about  string // what the reference is
	modes  *draws.Modes
	chains []*replicate
	errs   []error
	warm   bool // warm-up is over
}

// prepare makes the replicates, and the reference they share if none is given.
func (s *sampler) prepare(ctx context.Context, f hmc.Factory) error {
	reference := s.cfg.Reference
	s.about = "given"
	if reference == nil {
		// The names are checked before the run, which may be long.
		if _, err := s.target(f); err != nil {
			return err
		}
		t, m, err := fit(ctx, f, s.cfg)
		if err != nil {
			return err
		}
		s.modes = m
		s.about = fmt.Sprintf("Student-t with %d degrees of freedom, fitted to %d x %d draws "+
			"of NUTS", fitFreedom, fitChains, fitDraws)
		reference = func() (Reference, error) { return t.clone(), nil }
	}
	for id := range s.cfg.Chains {
		t, err := s.target(f)
		if err != nil {
			return err
		}
		ref, err := makeReference(reference)
		if err != nil {
			return err
		}
		r, err := newReplicate(id, s.cfg, t, ref)
		if err != nil {
			return err
		}
		s.chains = append(s.chains, r)
	}
	s.errs = make([]error, len(s.chains))
	return s.userModes()
}

// target makes a target and sees that its names can tell its values apart.
func (s *sampler) target(f hmc.Factory) (t hmc.Target, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("temper: making the target panicked: %v", r)
		}
	}()
	t, err = f()
	switch {
	case err != nil:
		return nil, fmt.Errorf("temper: making the target: %w", err)
	case t == nil:
		return nil, fmt.Errorf("temper: the factory made no target")
	case t.Dim() <= 0:
		return nil, fmt.Errorf("temper: the target has dimension %d: it must be positive", t.Dim())
	}
	var names []string
	if c, ok := t.(hmc.Constrainer); ok {
		names = slices.Clone(c.Names())
	} else {
		for i := range t.Dim() {
			names = append(names, fmt.Sprintf("x[%d]", i))
		}
	}
	for i, n := range names {
		if n == "" {
			return nil, fmt.Errorf("temper: name %d of the target is empty", i)
		}
		if j := slices.Index(names, n); j < i {
			return nil, fmt.Errorf("temper: the target names both value %d and value %d %q",
				j, i, n)
		}
	}
	if s.names != nil && len(names) != len(s.names) {
		return nil, fmt.Errorf("temper: the factory made targets of %d and of %d values",
			len(s.names), len(names))
	}
	s.names = names
	return t, nil
}

func makeReference(f func() (Reference, error)) (ref Reference, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("temper: making the reference panicked: %v", r)
		}
	}()
	ref, err = f()
	if err != nil {
		return nil, fmt.Errorf("temper: making the reference: %w", err)
	}
	if ref == nil {
		return nil, fmt.Errorf("temper: no reference was made")
	}
	return ref, nil
}

// userModes puts the modes, which were found by a target that hid its users' scale, on that scale.
func (s *sampler) userModes() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("temper: the target panicked: %v", r)
		}
	}()
	if s.modes == nil {
		return nil
	}
	r := s.chains[0]
	for i := range s.modes.Modes {
		m := &s.modes.Modes[i]
		m.Values = make([]float64, r.width)
		r.constrain(m.Values, m.X)
	}
	return nil
}

// warmUp tunes the ladder, which all replicates share, in rounds.
func (s *sampler) warmUp(ctx context.Context) error {
	k := s.cfg.Rungs
	if k == 0 {
		k = pilotRungs
	}
	seconds := func(r *replicate) *float64 { return &r.out.WarmupSeconds }
	betas := pilot(k)
	for i, n := range s.cfg.rounds() {
		err := s.each(ctx, func(r *replicate) error {
			if i == 0 {
				if err := r.begin(betas); err != nil {
					return err
				}
			} else {
				r.climb(betas)
			}
			return r.warmUp(ctx, n)
		}, seconds)
		if err != nil {
			return err
		}
		betas = equalise(betas, s.rejection(), s.cfg.Rungs)
	}
	for _, r := range s.chains {
		r.out.WarmupGradients = r.evaluations()
	}
	s.warm = true
	return nil
}

// evaluations of the target so far.
func (r *replicate) evaluations() int { return r.h.Gradients + r.path.extra }

// each runs f on all replicates, at most cfg.Parallel at once, and puts their errors into one.
func (s *sampler) each(ctx context.Context, f func(*replicate) error,
	seconds func(*replicate) *float64) error {
	var wg sync.WaitGroup
	slots := make(chan struct{}, s.cfg.Parallel)
	for i, r := range s.chains {
		slots <- struct{}{}
		wg.Go(func() {
			s.errs[i] = r.run(f, seconds(r))
			<-slots
		})
	}
	wg.Wait()
	var first error
	failed, stopped := 0, false
	for i, err := range s.errs {
		switch {
		case err == nil:
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			stopped = true
		default:
			if failed++; failed == 1 {
				first = fmt.Errorf("temper: replicate %d of %d failed after %d scans: %w", i+1,
					len(s.errs), s.chains[i].scans, err)
			}
		}
	}
	switch {
	case failed > 1:
		return fmt.Errorf("%w (and %d more failed)", first, failed-1)
	case failed == 1:
		return first
	case stopped:
		return fmt.Errorf("temper: stopped before the end: %w", context.Cause(ctx))
	}
	return nil
}

// rejection is the mean rejection of each pair over all replicates.
func (s *sampler) rejection() []float64 {
	mean := make([]float64, len(s.chains[0].tally.reject))
	scans := 0.0
	for _, r := range s.chains {
		if r.tally.scans == 0 { // it did not come as far
			continue
		}
		for i, v := range r.tally.reject {
			mean[i] += v
		}
		scans += float64(r.tally.scans)
	}
	for i := range mean {
		mean[i] /= scans
		if math.IsNaN(mean[i]) {
			mean[i] = 1
		}
	}
	return mean
}

// run is what is left behind.
func (s *sampler) run(err error) *draws.Run {
	c := s.cfg
	run := &draws.Run{Names: s.names, Model: c.Model, Seed: c.Seed, Modes: s.modes}
	if err != nil {
		run.Stopped = err.Error()
	}
	run.Sampler = draws.Sampler{Algorithm: "tempered nuts", Chains: c.Chains, Warmup: c.Warmup,
		Draws: c.Draws, Thin: c.Thin, TargetAccept: c.TargetAccept, MaxDepth: c.MaxDepth,
		Estimator: hmc.Fisher.String(), Gamma: 0.05, Kappa: 0.75, T0: 10,
		InitRadius: c.InitRadius, Source: c.Source, Path: c.Path}
	for i, r := range s.chains {
		out := r.out
		if out.Err = s.errs[i]; out.Err == nil && r.iterates < c.Draws {
			out.Err = err // another replicate's, without which this one cannot go on
		}
		if out.WarmupGradients == 0 {
			out.WarmupGradients = r.evaluations()
		}
		out.Gradients = r.evaluations() - out.WarmupGradients
		if len(r.rungs) > 0 {
			out.Last = slices.Clone(r.rungs[len(r.rungs)-1].x)
		}
		run.Chains = append(run.Chains, out)
		run.Sampler.Metric = out.Metric.Kind
	}
	return run
}
