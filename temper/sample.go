package temper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/workers"
)

// Sample samples the target by parallel tempering. The run holds the draws at beta = 1, one chain
// per replicate; all replicates tune one ladder together, so their number changes the draws. If ctx
// is cancelled or a replicate fails, Sample returns the partial run and report together with the
// error. Both are nil if sampling never began.
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
	if e := s.finish(); err == nil {
		err = e
	}
	return s.run(err), s.report(), err
}

// sampler is a run under way.
type sampler struct {
	cfg       *Config
	names     []string
	labels    []string
	constants []string
	about     string // what the reference is
	modes     *draws.Modes
	chains    []*replicate
	errs      []error
	warm      bool // warm-up is over
	keeper    *keeper
	told      sync.Mutex // OnProgress is called
	recorders draws.Recorders
}

// prepare makes the replicates, and the reference they share if none is given.
func (s *sampler) prepare(ctx context.Context, f hmc.Factory) error {
	// Check everything before a run that may be long.
	t, values, err := s.target(f)
	if err != nil {
		return err
	}
	if err := s.openKeeper(t.Dim()); err != nil {
		return err
	}
	reference, err := s.reference(ctx, f)
	if err != nil {
		return err
	}
	for id := range s.cfg.Chains {
		if id > 0 {
			if t, values, err = s.target(f); err != nil {
				return err
			}
		}
		ref, err := makeReference(reference)
		if err != nil {
			return err
		}
		r, err := newReplicate(id, s.cfg, t, values, ref)
		if err != nil {
			return err
		}
		r.watch = s.watch()
		s.chains = append(s.chains, r)
	}
	s.errs = make([]error, len(s.chains))
	if err := s.restore(); err != nil {
		return err
	}
	if err := s.userModes(); err != nil {
		return err
	}
	return s.openRecorders()
}

// reference returns the reference that was given, the one in the checkpoint, or one fitted to a
// run.
func (s *sampler) reference(ctx context.Context, f hmc.Factory) (func() (Reference, error), error) {
	s.about = "given"
	if s.cfg.Reference != nil {
		return s.cfg.Reference, nil
	}
	if s.keeper.saved.Fitted == nil {
		t, m, err := fit(ctx, f, s.cfg)
		if err != nil {
			return nil, err
		}
		s.keeper.saved.Fitted = &fitted{Nu: t.nu, LogNorm: t.logNorm, Mean: t.mean, Chol: t.chol,
			Modes: m, About: fmt.Sprintf("Student-t with %d degrees of freedom, fitted to %d x %d "+
				"draws of NUTS", fitFreedom, fitChains, fitDraws)}
	}
	fit := s.keeper.saved.Fitted
	s.about, s.modes = fit.About, fit.Modes
	return func() (Reference, error) { return fit.reference(), nil }, nil
}

// target makes a target and checks that its names are distinct.
func (s *sampler) target(f hmc.Factory) (hmc.Target, *workers.Values, error) {
	t, err := workers.Open("temper", f)
	if err != nil {
		return nil, nil, err
	}
	values, err := workers.NewValues("temper", t)
	if err != nil {
		return nil, nil, err
	}
	if s.names != nil && !slices.Equal(values.Names, s.names) {
		return nil, nil, fmt.Errorf("temper: the factory made targets of %d and of %d values, or of "+
			"other names", len(s.names), len(values.Names))
	}
	s.names = values.Names
	s.labels, s.constants = workers.Told(t)
	return t, values, nil
}

func makeReference(f func() (Reference, error)) (Reference, error) {
	var ref Reference
	err := workers.Guard(func() (err error) {
		ref, err = f()
		return err
	})
	if p := new(workers.Panic); errors.As(err, &p) {
		return nil, fmt.Errorf("temper: making the reference %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("temper: making the reference: %w", err)
	}
	if ref == nil {
		return nil, fmt.Errorf("temper: no reference was made")
	}
	return ref, nil
}

// userModes converts modes found on the sampler's scale to the user's scale.
func (s *sampler) userModes() error {
	if s.modes == nil {
		return nil
	}
	err := workers.Guard(func() error {
		r := s.chains[0]
		for i := range s.modes.Modes {
			m := &s.modes.Modes[i]
			m.Values = r.path.values.Row(m.X)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("temper: the target %w", err)
	}
	return nil
}

// warmUp tunes the ladder, which all replicates share, in rounds.
func (s *sampler) warmUp(ctx context.Context) error {
	betas := &s.keeper.saved.Betas // of each round that has begun
	if len(*betas) == 0 {
		*betas = append(*betas, pilot(cmp.Or(s.cfg.Rungs, pilotRungs)))
	}
	rounds := s.cfg.rounds()
	for i, n := range rounds {
		err := s.each(ctx, func(r *replicate) error { return r.warmUp(ctx, i, n, (*betas)[i]) },
			func(r *replicate) *float64 { return &r.out.WarmupSeconds })
		if err != nil {
			return err
		}
		if i+1 == len(*betas) && i+1 < len(rounds) {
			*betas = append(*betas, equalise((*betas)[i], s.rejection(), s.cfg.Rungs))
		}
	}
	s.warm = true
	return nil
}

// evaluations of the target so far.
func (r *replicate) evaluations() int { return r.h.Gradients + r.path.extra }

// each runs f on all replicates, at most cfg.Parallel at once, and combines their errors.
func (s *sampler) each(ctx context.Context, f func(*replicate) error,
	seconds func(*replicate) *float64) error {
	s.errs = workers.Run(ctx, len(s.chains), s.cfg.Parallel, func(i int) error {
		return s.chains[i].run(ctx, f, seconds(s.chains[i]))
	})
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

// furthest returns the replicates that have got furthest. They share a ladder, so their tallies can
// be combined.
func (s *sampler) furthest() []*replicate {
	var out []*replicate
	most := -1
	for _, r := range s.chains {
		round := r.progress.Round
		if !r.progress.Open {
			round-- // it reports on the round before
		}
		if r.tally.scans == 0 || round < most {
			continue
		}
		if round > most {
			out, most = nil, round
		}
		out = append(out, r)
	}
	return out
}

// rejection is the mean rejection of each pair over those replicates.
func (s *sampler) rejection() []float64 {
	chains := s.furthest()
	mean := make([]float64, len(chains[0].tally.reject))
	scans := 0.0
	for _, r := range chains {
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

// describe returns the run without its chains.
func (s *sampler) describe() draws.Run {
	c := s.cfg
	asked := ""
	if c.Adapt.Metric != hmc.AutoMetric {
		asked = c.Adapt.Metric.String()
	}
	return draws.Run{Names: s.names, Labels: s.labels, Constants: s.constants, Model: c.Model, Seed: c.Seed, Modes: s.modes,
		Sampler: draws.Sampler{Algorithm: "tempered nuts", Chains: c.Chains, Warmup: c.Warmup,
			Draws: c.Draws, Thin: c.Thin, TargetAccept: c.TargetAccept, MaxDepth: c.MaxDepth,
			Estimator: hmc.Fisher.String(), Gamma: 0.05, Kappa: 0.75, T0: 10,
			AskedMetric: asked, InitRadius: c.Start.Radius, Source: c.Source, Path: c.Path}}
}

// run returns the finished or partial run.
func (s *sampler) run(err error) *draws.Run {
	c, run := s.cfg, s.describe()
	if err != nil {
		run.Interrupted = workers.OneLine(err.Error())
	}
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
	return &run
}
