package hmc

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bayeskernel/draws"
	"bayeskernel/internal/checkpoint"
	"bayeskernel/internal/workers"
)

// Method is how a sampler plugs into Run.
type Method struct {
	// Name is the name of the sampler, recorded with a run.
	Name string
	// New makes the transition of one chain.
	New func(h *Hamiltonian) Transition
	// Far, if not nil, makes a transition that copes with steps of very different size, for chains
	// that start far away. They use it early in a warm-up that chains share.
	Far func(h *Hamiltonian) Transition
	// Describe records the sampler's own settings.
	Describe func(*draws.Sampler)
}

// Run samples with the given method. Each chain has its own target from f, and at most s.Parallel
// chains run at once. If ctx is cancelled or a chain fails, Run returns the partial run together
// with the error. nuts.Sample and Sample call it.
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
	dim      int
	chains   []*chain
	errs     []error // why each chain ended, nil while it can continue
	ending   draws.Ending
	stopped  string // what the stopping rule says
	// interrupted is the text of the run's error.
	interrupted string
	wanted      atomic.Int64       // checkpoints asked for so far
	head        draws.Run          // the run as it is recorded, without its chains
	mark        []checkpoint.Field // identifies the run
	slots       slots
	recorders   draws.Recorders
}

// lockHooks makes sure that calls of a hook never overlap.
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

// makeChains makes all chains, and restores them from the checkpoint if there is one.
func (r *runner) makeChains(f Factory) error {
	s := r.settings
	r.errs = make([]error, s.Chains)
	for id := range s.Chains {
		c, err := newChain(id, f, s, r.method)
		if err != nil {
			return err
		}
		names := c.values.Names
		if d := c.h.Dim(); id == 0 {
			r.names, r.dim = names, d
		} else if d != r.dim || !slices.Equal(names, r.names) {
			return fmt.Errorf("hmc: the factory made a target of dimension %d (%d values) for "+
				"chain 1 and of %d (%d values) for chain %d, or of other names", r.dim,
				len(r.names), d, len(names), id+1)
		}
		r.chains = append(r.chains, c)
	}
	r.head = r.describe()
	r.mark = r.fingerprint()
	r.slots.bytes = make([][]byte, s.Chains)
	var states []chainState
	if s.Checkpoints.Resume != "" {
		var err error
		if states, err = r.readCheckpoint(s.Checkpoints.Resume); err != nil {
			return err
		}
	}
	for id := range states {
		if err := r.restore(r.chains[id], states[id]); err != nil {
			return fmt.Errorf("%w (resuming chain %d from %s)", err, id+1, s.Checkpoints.Resume)
		}
	}
	if err := r.openFiles(); err != nil {
		return fmt.Errorf("hmc: %w", err)
	}
	return r.openRecorders()
}

// openFiles makes the files of draws, or opens those of the run that is resumed.
func (r *runner) openFiles() error {
	s := r.settings
	for id, c := range r.chains {
		out := &c.state.Out
		path := filepath.Join(s.DrawsDir, fmt.Sprintf("chain_%d.draws", id+1))
		var err error
		switch {
		case s.DrawsDir == "" && out.File == nil:
		case s.DrawsDir == "":
			err = fmt.Errorf("the checkpoint has the draws of chain %d in %s: want their folder as DrawsDir",
				id+1, out.File.Path)
		case out.File != nil:
			err = out.File.Resume(path)
		case len(out.Values) > 0:
			err = fmt.Errorf("the checkpoint holds the draws itself: want no DrawsDir")
		default:
			err = out.CreateFile(path, len(r.names))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openRecorders makes the recorders and replays the draws they missed. It comes after every check
// that can reject a run. So no recorder is made in vain, and no finished file is overwritten.
func (r *runner) openRecorders() error {
	if r.settings.Record == nil {
		return nil
	}
	recs, err := draws.Listen(r.settings.Record, r.head, r.outs())
	if err != nil {
		return fmt.Errorf("hmc: %w", err)
	}
	for id, c := range r.chains {
		c.rec = recs[id]
	}
	r.recorders = recs
	return nil
}

// outs returns the records of the chains.
func (r *runner) outs() []*draws.Chain {
	var outs []*draws.Chain
	for _, c := range r.chains {
		outs = append(outs, &c.state.Out)
	}
	return outs
}

func (r *runner) restore(c *chain, st chainState) error {
	err := workers.Guard(func() error { return c.restore(st) })
	if p := new(workers.Panic); errors.As(err, &p) {
		return fmt.Errorf("hmc: the target at %s %w", formatPoint(c.h.at), err)
	}
	return err
}

// sample runs the chains, round by round if there is a stopping rule.
func (r *runner) sample(ctx context.Context) error {
	s := r.settings
	if s.Checkpoints.File != "" { // now, so that an unwritable path fails at once
		if err := r.writeCheckpoint(true); err != nil {
			_ = r.close()
			return err
		}
	}
	stopTicker := r.checkpointNow()
	r.warmTogether(ctx)
	for _, n := range s.rounds() {
		until := func(c *chain) int { return c.warmup() + n }
		r.round(ctx, until)
		for ctx.Err() == nil && r.settle() {
			r.round(ctx, until)
		}
		if err := ctx.Err(); err != nil {
			r.interrupt(err)
			break
		}
		// A rule cannot be met once a chain has failed; the others run to the end.
		if s.Until != nil && r.failure(ctx) == nil {
			var met bool
			if met, r.stopped = s.Until.met(r.chains, n); met {
				r.ending = draws.RuleMet
				break
			}
			if n == s.Draws {
				r.ending, r.stopped = draws.RuleUnmet, draws.RuleUnmet.String()
			}
		}
	}
	stopTicker()
	err := r.failure(ctx)
	for id, c := range r.chains {
		c.done(r.errs[id])
	}
	if e := r.close(); err == nil {
		err = e
	}
	for _, c := range r.chains {
		if f := c.state.Out.File; f != nil {
			if e := f.Close(); err == nil {
				err = e
			}
		}
	}
	if s.Checkpoints.File != "" {
		if e := r.writeCheckpoint(true); err == nil {
			err = e
		}
	}
	if err != nil {
		r.interrupted = workers.OneLine(err.Error())
	}
	return err
}

// interrupt ends the chains that had stopped between two rounds when the context ended.
func (r *runner) interrupt(err error) {
	for id, c := range r.chains {
		if r.errs[id] == nil && !c.ended() {
			r.errs[id] = err
		}
	}
}

// round advances every chain that can continue to the number of transitions that until returns.
func (r *runner) round(ctx context.Context, until func(*chain) int) {
	var going []int
	for id, err := range r.errs {
		if err == nil {
			going = append(going, id)
		}
	}
	errs := workers.Run(ctx, len(going), r.settings.Parallel, func(i int) error {
		c := r.chains[going[i]]
		err := c.run(ctx, until(c), r.watch())
		if r.settings.Checkpoints.Every > 0 && err == nil {
			err = r.snapshot(c)
		}
		if err != nil || c.ended() {
			c.done(err)
		}
		return err
	})
	for i, id := range going {
		r.errs[id] = errs[i]
	}
}

// watch returns a function to call after each transition of a chain. It reports progress from time
// to time, and takes a snapshot on request.
func (r *runner) watch() func(c *chain) error {
	var last, next time.Time
	var seen int64
	return func(c *chain) error {
		if want := r.wanted.Load(); want > seen && time.Now().After(next) {
			seen = want
			began := time.Now()
			if err := r.snapshot(c); err != nil {
				return err
			}
			// A snapshot copies all draws, so limit snapshots to a twentieth of the time.
			next = time.Now().Add(20 * time.Since(began))
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

// ended reports whether the chain has made all its draws.
func (c *chain) ended() bool {
	return c.state.Started && c.state.Warmup == nil && c.state.Iteration == c.warmup()+c.settings.Draws
}

// warmTogether makes the warm-up that chains share, from pause to pause. Chains that have failed do
// not take part, and nothing happens at a pause once the context is cancelled.
func (r *runner) warmTogether(ctx context.Context) {
	s := r.settings
	if !r.chains[0].shares {
		return
	}
	for ctx.Err() == nil {
		until := s.Warmup
		warm := false
		for id, c := range r.chains {
			switch {
			case r.errs[id] != nil || c.state.Started && c.state.Warmup == nil:
			case !c.state.Started:
				warm, until = true, min(until, sharedStart+firstWindow)
			default:
				warm, until = true, min(until, c.state.Warmup.state.Shared.Next)
			}
		}
		if !warm {
			return
		}
		r.round(ctx, func(c *chain) int {
			if c.state.Started && c.state.Warmup == nil {
				return c.state.Iteration
			}
			return until
		})
		if ctx.Err() != nil {
			return
		}
		r.pause(until)
	}
}

// pause ends a window or stage of the chains that have come to its end.
func (r *runner) pause(at int) {
	var chains []*chain
	for id, c := range r.chains {
		if r.errs[id] == nil && c.state.Warmup.pausing() && c.state.Iteration == at {
			chains = append(chains, c)
		}
	}
	if len(chains) == 0 {
		return
	}
	err := workers.Guard(func() error { return meet(r.settings, chains) })
	var going []*chain
	for _, c := range chains {
		failed := err
		if failed == nil {
			failed = workers.Guard(c.concluded)
		}
		if failed == nil {
			going = append(going, c)
		} else {
			r.fail(c, failed)
		}
	}
	if r.settings.Checkpoints.File == "" {
		return
	}
	if err := r.snapshot(going...); err != nil {
		for _, c := range going {
			r.fail(c, err)
		}
	}
}

// fail ends a chain that cannot go on after a pause.
func (r *runner) fail(c *chain, err error) {
	r.errs[c.id] = err
	c.torn = true
	c.done(err)
}

// concluded ends the warm-up of a chain if the last pause did.
func (c *chain) concluded() error {
	if c.state.Warmup.state.Shared.Stage != concluded {
		return nil
	}
	c.began = time.Now()
	c.endWarmup()
	c.progress(nil, false)
	return c.tellAdapted()
}

// done reports the end of a chain, once.
func (c *chain) done(err error) {
	if !c.reported {
		c.reported = true
		// The chain has already ended, so ignore a panic in the hook.
		_ = workers.Guard(func() error { c.progress(err, true); return nil })
	}
}

func (c *chain) progress(err error, done bool) {
	s, st := c.settings, &c.state
	if s.OnProgress == nil {
		return
	}
	c.caller = "OnProgress"
	p := Progress{Chain: c.id, Iteration: st.Iteration, Total: c.warmup() + s.Draws,
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
	c.caller = ""
}

// close closes the recorders, once; it returns the first error.
func (r *runner) close() error {
	err := r.recorders.Close(r.outs())
	r.recorders = nil
	if err != nil {
		return fmt.Errorf("hmc: %w", err)
	}
	return nil
}

// ChainError is the error of a run in which one or more chains failed.
type ChainError struct {
	Chain       int // the first chain that failed, from 0
	Transitions int // transitions it had made
	Others      int // more chains that failed
	Err         error
}

// Error returns one line.
func (e *ChainError) Error() string {
	msg := fmt.Sprintf("hmc: chain %d failed after %d transitions: %s", e.Chain+1, e.Transitions,
		workers.OneLine(strings.TrimPrefix(e.Err.Error(), "hmc: ")))
	if e.Others > 0 {
		msg += fmt.Sprintf(" (%d more of the chains failed)", e.Others)
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
		if cause := context.Cause(ctx); cause != ctx.Err() {
			return &stopError{cause, ctx.Err()}
		}
		return fmt.Errorf("hmc: stopped before the end: %w", ctx.Err())
	}
	return nil
}

// stopError is the error of a run whose context was cancelled with a cause.
type stopError struct{ cause, ctx error }

func (e *stopError) Error() string {
	return "hmc: stopped before the end: " + workers.OneLine(e.cause.Error())
}

func (e *stopError) Unwrap() []error { return []error{e.cause, e.ctx} }

// run returns the finished or partial run.
func (r *runner) run() *draws.Run {
	run := r.head
	run.Ending, run.Stopped, run.Interrupted = r.ending, r.stopped, r.interrupted
	for id, c := range r.chains {
		out := c.state.Out
		out.Last = nil
		if c.state.Started {
			out.Last, out.Coordinates = c.own(), c.state.Coordinates.Now
		}
		out.Err = r.errs[id]
		run.Chains = append(run.Chains, out)
	}
	return &run
}

// describe returns the run without its chains.
func (r *runner) describe() draws.Run {
	s := r.settings
	kind := s.metricKind(r.dim)
	run := draws.Run{Names: r.names, Model: s.Model, Seed: s.Seed}
	run.Labels, run.Constants = workers.Told(r.chains[0].target)
	w := s.Adapt.windows(s.Warmup)
	run.Sampler = draws.Sampler{Algorithm: r.method.Name, Chains: s.Chains, Warmup: s.Warmup,
		Draws: s.Draws, Thin: s.Thin, SaveWarmup: s.SaveWarmup, TargetAccept: s.TargetAccept,
		Jitter: s.StepJitter, Metric: kind.String(), Estimator: s.Adapt.Estimator.String(),
		InitBuffer: w.Init, Window: w.Base, TermBuffer: w.Term,
		Gamma: 0.05, Kappa: 0.75, T0: 10, InitRadius: s.Start.Radius, Source: s.Source,
		Path: s.Path}
	if kind.learner(plan{Dim: r.dim}) == nil {
		run.Sampler.Estimator = ""
	}
	if s.Adapt.Metric != AutoMetric {
		run.Sampler.AskedMetric = s.Adapt.Metric.String()
	}
	if r.method.Describe != nil {
		r.method.Describe(&run.Sampler)
	}
	return run
}
