package hmc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bayeskernel/draws"
)

// Method is how a sampler plugs into Run.
type Method struct {
	// Name is the sampler's, as a run records it.
	Name string
	// New makes the transition of one chain.
	New func(h *Hamiltonian) Transition
	// Describe fills in what is the sampler's own of the record of a run.
	Describe func(*draws.Sampler)
}

// Run samples with the given method: the chains of s, each with its own target from f, at most
// s.Parallel at once. It returns what was drawn; when ctx ends early or a chain fails, the partial
// run together with the error. nuts.Sample and Sample are calls of it.
func Run(ctx context.Context, f Factory, s Settings, m Method) (*draws.Run, error) {
	s, err := s.defaults()
	if err != nil {
		return nil, err
	}
	r := &runner{settings: &s, method: m}
	r.lockHooks()
	if err := r.makeChains(f); err != nil {
		return nil, err
	}
	err = r.sample(ctx)
	return r.run(), err
}

// runner is a run under way.
type runner struct {
	settings *Settings
	method   Method
	names    []string
	chains   []*chain
	errs     []error // how each chain ended, nil while it can go on
	stopped  string
	wanted   atomic.Int64 // checkpoints asked for so far
	slots    slots
}

// lockHooks makes sure that no hook is called twice at once.
func (r *runner) lockHooks() {
	var mu sync.Mutex
	if f := r.settings.OnDraw; f != nil {
		r.settings.OnDraw = func(chain, iteration int, warm bool, v []float64, st draws.Stat) {
			mu.Lock()
			defer mu.Unlock()
			f(chain, iteration, warm, v, st)
		}
	}
	if f := r.settings.OnProgress; f != nil {
		r.settings.OnProgress = func(p Progress) {
			mu.Lock()
			defer mu.Unlock()
			f(p)
		}
	}
}

// makeChains makes all chains, and brings them to where the checkpoint left them if there is one.
func (r *runner) makeChains(f Factory) error {
	s := r.settings
	r.errs = make([]error, s.Chains)
	for id := range s.Chains {
		c, err := newChain(id, f, s, r.method)
		if err != nil {
			return err
		}
		names, err := c.names()
		if err != nil {
			return err
		}
		if id == 0 {
			r.names = names
		} else if d, d0 := c.h.Dim(), r.chains[0].h.Dim(); d != d0 || len(names) != len(r.names) {
			return fmt.Errorf("hmc: the factory made a target of dimension %d (%d values) for "+
				"chain 1 and of %d (%d values) for chain %d", d0, len(r.names), d, len(names), id+1)
		}
		r.chains = append(r.chains, c)
	}
	var states []chainState
	if s.Resume != "" {
		var err error
		if states, err = readCheckpoint(s.Resume, r.fingerprint()); err != nil {
			return err
		}
	}
	for id, c := range r.chains {
		if s.Record != nil {
			rec, err := s.Record(r.head(), id)
			if err != nil {
				r.close()
				return fmt.Errorf("hmc: recorder of chain %d: %w", id+1, err)
			}
			c.rec = rec
		}
		if states == nil {
			continue
		}
		if err := r.restore(c, states[id]); err != nil {
			r.close()
			return fmt.Errorf("%w (resuming chain %d from %s)", err, id+1, s.Resume)
		}
	}
	return nil
}

func (r *runner) restore(c *chain, st chainState) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("hmc: the target panicked at %s: %v", formatPoint(c.h.at), p)
		}
	}()
	return c.restore(st)
}

// sample runs the chains, round by round if there is a stopping rule.
func (r *runner) sample(ctx context.Context) error {
	s := r.settings
	stopTicker := r.checkpointNow()
	for _, n := range s.rounds() {
		r.round(ctx, s.Warmup+n)
		if r.failure(ctx) != nil {
			break
		}
		if s.Until != nil {
			met, why := s.Until.met(r.chains, n)
			if met {
				r.stopped = why
				break
			}
		}
	}
	stopTicker()
	err := r.failure(ctx)
	if e := r.close(); err == nil {
		err = e
	}
	if s.Checkpoint != "" {
		if e := r.writeCheckpoint(true); err == nil {
			err = e
		}
	}
	if err != nil && r.stopped == "" {
		r.stopped = err.Error()
	}
	return err
}

// round brings every chain that can go on to the given number of transitions.
func (r *runner) round(ctx context.Context, until int) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, r.settings.Parallel)
	for id, c := range r.chains {
		if r.errs[id] != nil {
			continue
		}
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { <-slots }()
			r.errs[id] = c.run(ctx, until, r.watch())
			if r.settings.CheckpointEvery > 0 && r.errs[id] == nil {
				r.errs[id] = r.snapshot(c)
			}
			c.progress(r.errs[id], c.state.Iteration == r.settings.Warmup+r.settings.Draws)
		}()
	}
	wg.Wait()
}

// watch returns what is done after each transition of one chain: progress from time to time, and a
// snapshot when one is wanted.
func (r *runner) watch() func(c *chain) error {
	var last time.Time
	var seen int64
	return func(c *chain) error {
		if want := r.wanted.Load(); want > seen {
			seen = want
			if err := r.snapshot(c); err != nil {
				return err
			}
		}
		if r.settings.OnProgress == nil {
			return nil
		}
		if now := time.Now(); now.Sub(last) > 50*time.Millisecond {
			last = now
			c.progress(nil, false)
		}
		return nil
	}
}

func (c *chain) progress(err error, done bool) {
	s, st := c.settings, &c.state
	if s.OnProgress == nil {
		return
	}
	p := Progress{Chain: c.id, Iteration: st.Iteration, Total: s.Warmup + s.Draws,
		Warmup: st.Warmup != nil, StepSize: st.Out.StepSize,
		Divergences: len(st.Out.Divergences),
		Gradients:   st.Out.Gradients + st.Out.WarmupGradients,
		Elapsed: time.Since(c.began) + time.Duration((st.Out.WarmupSeconds+
			st.Out.SampleSeconds)*float64(time.Second)),
		Done: done, Err: err}
	if st.Warmup != nil {
		p.StepSize = st.Warmup.StepSize()
	}
	s.OnProgress(p)
}

// close closes the recorders; it returns the first error.
func (r *runner) close() error {
	var first error
	for id, c := range r.chains {
		if c.rec == nil {
			continue
		}
		err := c.rec.Close(c.state.Out.WarmupSeconds, c.state.Out.SampleSeconds)
		if err != nil && first == nil {
			first = fmt.Errorf("hmc: recorder of chain %d: %w", id+1, err)
		}
		c.rec = nil
	}
	return first
}

// ChainError is how a run ends some of whose chains failed.
type ChainError struct {
	Chain       int // from 0: the first that failed
	Transitions int // that it had made
	Others      int // more chains that failed
	Err         error
}

// Error returns one line.
func (e *ChainError) Error() string {
	msg := fmt.Sprintf("hmc: chain %d failed after %d transitions: %s", e.Chain+1, e.Transitions,
		strings.TrimPrefix(e.Err.Error(), "hmc: "))
	if e.Others > 0 {
		msg += fmt.Sprintf(" (%d more chains failed)", e.Others)
	}
	return msg
}

// Unwrap returns the chain's own error.
func (e *ChainError) Unwrap() error { return e.Err }

// failure puts the chains' errors into one line, nil if there are none.
func (r *runner) failure(ctx context.Context) error {
	failed, stopped := 0, 0
	var first *ChainError
	for id, err := range r.errs {
		switch {
		case err == nil:
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			stopped++
		default:
			if failed == 0 {
				first = &ChainError{Chain: id, Transitions: r.chains[id].state.Iteration, Err: err}
			}
			failed++
		}
	}
	switch {
	case failed > 0:
		first.Others = failed - 1
		return first
	case stopped > 0:
		return fmt.Errorf("hmc: stopped before the end: %w", context.Cause(ctx))
	}
	return nil
}

// run is what the sampler leaves behind.
func (r *runner) run() *draws.Run {
	run := r.head()
	for id, c := range r.chains {
		out := c.state.Out
		out.Last = append([]float64(nil), c.z.X...)
		out.Err = r.errs[id]
		run.Chains = append(run.Chains, out)
	}
	return run
}

// head is the run without its chains.
func (r *runner) head() *draws.Run {
	s := r.settings
	d := r.chains[0].h.Dim()
	run := &draws.Run{Names: r.names, Model: s.Model, Seed: s.Seed, Stopped: r.stopped}
	w := s.Windows
	if w == (Windows{}) && s.StanWarmup {
		w = Windows{75, 25, 50}
	} else if !s.StanWarmup {
		w = w.defaults(s.Warmup, s.Estimator)
	}
	run.Sampler = draws.Sampler{Algorithm: r.method.Name, Chains: s.Chains, Warmup: s.Warmup,
		Draws: s.Draws, Thin: s.Thin, SaveWarmup: s.SaveWarmup, TargetAccept: s.TargetAccept,
		Jitter: s.StepJitter, Metric: s.Metric.resolve(d).String(), Estimator: s.Estimator.String(),
		InitBuffer: w.Init, Window: w.Base, TermBuffer: w.Term,
		Gamma: 0.05, Kappa: 0.75, T0: 10, InitRadius: s.InitRadius, Source: s.Source,
		Kernel: s.Kernel}
	if s.Metric == UnitMetric {
		run.Sampler.Estimator = ""
	}
	r.method.Describe(&run.Sampler)
	return run
}
