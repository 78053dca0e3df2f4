package hmc

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"bayeskernel/draws"
	"bayeskernel/internal/rng"
	"bayeskernel/internal/workers"
)

// chain is one chain of a run. Everything it knows after a transition is in state. A chain can
// therefore stop between any two transitions and resume later as if nothing had happened.
type chain struct {
	id       int // from 0
	settings *Settings
	target   Target
	values   *workers.Values // the values to keep of a position
	h        *Hamiltonian
	step     Transition
	far      Transition // for a chain that is far away, nil if there is none
	z, work  *Point
	start    []float64 // position before the transition
	src      *rng.Source
	rand     *rand.Rand
	rec      draws.Recorder
	state    chainState
	began    time.Time // when the clock of the current phase last started
	reported bool      // OnProgress knows that the chain has ended
	caller   string    // the hook that is running, "" for the target
	// A failure during a step leaves the chain unfinished; the step can be undone. A failure
	// between the step and the end of the transition leaves it torn; that cannot be undone.
	unfinished, torn bool
	lent             []float64 // values passed to OnDraw
	row              []float64 // values on their way to a file
	shares           bool      // its warm-up is shared with the others
	failed           error     // of writing there
}

// newChain makes a chain that has not started.
func newChain(id int, f Factory, s *Settings, m Method) (*chain, error) {
	t, err := workers.Open("hmc", f)
	if err != nil {
		return nil, err
	}
	values, err := workers.NewValues("hmc", t)
	if err != nil {
		return nil, err
	}
	d := t.Dim()
	c := &chain{id: id, settings: s, target: t, values: values, z: NewPoint(d), work: NewPoint(d),
		start: make([]float64, d), lent: make([]float64, len(values.Names)),
		row: make([]float64, len(values.Names))}
	c.src, err = rng.New(rng.Kind(s.Source), rng.Name{Seed: s.Seed, Purpose: "sample"}, uint64(id))
	if err != nil {
		return nil, err
	}
	c.rand = rand.New(c.src)
	metric, err := startMetric(s, id, d)
	if err != nil {
		return nil, err
	}
	c.state.Out.Unadapted = true
	c.h = NewHamiltonian(t, metric)
	c.step = m.New(c.h)
	c.shares = s.shares(d)
	if m.Far != nil && c.shares {
		c.far = m.Far(c.h)
	}
	return c, nil
}

// startMetric returns the initial metric of a chain, converted to the kind of the run.
func startMetric(s *Settings, id, d int) (Metric, error) {
	metric := NewUnitMetric(d)
	if w := pick(s.Start.Warm, id); w != nil {
		var err error
		if metric, err = w.metric(d); err != nil {
			return nil, err
		}
	}
	kind := s.metricKind(d)
	if s.Adapt.Metric == AutoMetric && kind == LowRankMetric && !metric.correlated() {
		kind = DiagMetric
	}
	m, err := as(kind, metric)
	if err != nil {
		return nil, fmt.Errorf("%w (chain %d)", err, id+1)
	}
	return m, nil
}

// metricKind returns the kind of metric of a run in d dimensions: the one asked for, or else that
// of the warm start.
func (s *Settings) metricKind(d int) kind {
	if w := pick(s.Start.Warm, 0); s.Adapt.Metric == AutoMetric && w != nil {
		k, err := kindNamed(w.Metric.Kind)
		if err == nil && k.learner(plan{Dim: d}) != nil && (k != DiagMetric || d <= autoDense) {
			return k
		}
	}
	return s.Adapt.Metric.in(d)
}

// run makes transitions until the chain has made until of them, ctx is cancelled, or something
// fails.
func (c *chain) run(ctx context.Context, until int, after func(*chain) error) error {
	c.began = time.Now()
	c.h.ctx = ctx
	defer c.clock()
	err := workers.Guard(func() error { return c.advance(ctx, until, after) })
	if p, ok := err.(*workers.Panic); ok {
		err = &PanicError{Where: c.caller, Value: p.Value, X: slices.Clone(c.h.at), Stack: p.Stack}
	}
	return err
}

func (c *chain) advance(ctx context.Context, until int, after func(*chain) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !c.state.Started {
		if err := c.begin(ctx); err != nil {
			return err
		}
		if err := after(c); err != nil {
			return err
		}
	}
	for c.state.Iteration < until && !c.state.Coordinates.Waiting {
		if err := ctx.Err(); err != nil {
			return err
		}
		step := c.transition
		if c.state.Search {
			step = c.search
		}
		if err := step(); err != nil {
			return err
		}
		if err := after(c); err != nil {
			return err
		}
	}
	return nil
}

// begin finds the initial point, checks the gradient there and finds a first step size.
func (c *chain) begin(ctx context.Context) error {
	s := c.settings
	src, err := rng.New(rng.Kind(s.Source), rng.Name{Seed: s.Seed, Purpose: "start"}, uint64(c.id))
	if err != nil {
		return err
	}
	if err := c.startCoordinates(); err != nil {
		return err
	}
	if err := initialPoint(ctx, c.h, c.z, s, c.id, rand.New(src), c.carryFromOwn); err != nil {
		return err
	}
	rough, ok := c.target.(Approximator)
	if !s.Start.SkipGradientCheck && !(ok && rough.Approximate()) {
		if err := c.h.CheckGradient(c.z.X); err != nil {
			return err
		}
	}
	eps := s.Adapt.StepSize
	if w := pick(s.Start.Warm, c.id); w != nil && w.StepSize > 0 {
		eps = w.StepSize
	}
	if s.Warmup > 0 {
		if eps, err = FindStepSize(c.h, c.z, c.work, eps, c.rand); err != nil {
			return err
		}
		c.state.Warmup = newAdaptation(s, c.h.Dim(), costOf(c.target), eps)
		if c.shares {
			c.state.Warmup.share(s.metricKind(c.h.Dim()))
			c.state.Far = c.far != nil && c.isFar(eps)
		}
	}
	c.state.Out.StepSize = eps
	c.state.Out.WarmupGradients = c.h.Gradients
	c.state.Started = true
	if s.Warmup > 0 {
		return nil
	}
	c.clock()
	c.state.Out.Metric, c.state.Out.Coordinates = c.h.metric.Record(), c.state.Coordinates.Now
	return c.tellAdapted()
}

// transition makes one step of the chain, adapts if this is warm-up, and keeps the draw.
func (c *chain) transition() error {
	st, s := &c.state, c.settings
	c.src.Mark() // an unfinished step is repeated from here
	warm := st.Warmup != nil
	eps := st.Out.StepSize
	if warm {
		eps = st.Warmup.StepSize()
	}
	if s.StepJitter > 0 {
		eps *= 1 + s.StepJitter*(2*c.rand.Float64()-1)
	}
	step := c.step
	if st.Far {
		step = c.far
	}
	if l, ok := step.(Limiter); ok {
		l.Limit(st.Warmup.limit())
	}
	copy(c.start, c.z.X)
	before := c.h.Gradients
	c.unfinished = true
	out := step.Step(c.z, eps, c.rand)
	c.unfinished, c.torn = false, true
	if err := c.h.Err(); err != nil {
		return err
	}
	if warm {
		if err := c.adapt(out); err != nil {
			return err
		}
		st.Out.WarmupGradients += c.h.Gradients - before
		if out.Divergent {
			st.Out.WarmupDivergences++
		}
	} else {
		st.Out.Gradients += c.h.Gradients - before
		if out.Divergent {
			c.keepDivergence(out)
		}
	}
	kept := c.keep(out.Stat, warm)
	if c.failed != nil {
		return c.failed
	}
	st.Iteration++
	last := warm && st.Iteration == s.Warmup && !st.Search && !st.Coordinates.Waiting &&
		st.Warmup.state.Shared.Stage == alone
	if last {
		c.endWarmup()
	}
	c.torn = false
	return c.tell(out.Stat, warm, kept, last)
}

// isFar reports whether a step of size eps changes the density far more than it does anywhere that a
// chain stays: a step that suits the curvature then changes its log by about the dimension.
func (c *chain) isFar(eps float64) bool {
	g := slices.Clone(c.z.Grad)
	c.h.metric.colour(g)
	return eps*eps*dot(g, g) > farStart*float64(len(g))
}

// warmup returns the number of transitions of warm-up: those made, if it has ended.
func (c *chain) warmup() int {
	if c.state.Started && c.state.Warmup == nil {
		return c.state.Out.Warmup
	}
	return c.settings.Warmup
}

// search finds a step size for the metric of a window that has ended.
func (c *chain) search() error {
	st := &c.state
	c.src.Mark()
	c.unfinished = true
	before := c.h.Gradients
	eps, err := FindStepSize(c.h, c.z, c.work, st.Warmup.StepSize(), c.rand)
	if err != nil {
		return err
	}
	c.unfinished = false
	st.Warmup.Restart(eps)
	st.Out.WarmupGradients += c.h.Gradients - before
	st.Search = false
	if st.Iteration < c.settings.Warmup || st.Warmup.state.Shared.Stage != alone {
		return nil
	}
	c.endWarmup()
	c.progress(nil, false)
	return c.tellAdapted()
}

// endWarmup fixes the step size and the metric to sample with.
func (c *chain) endWarmup() {
	st := &c.state
	st.Out.StepSize = st.Warmup.Final()
	st.Out.Warmup, st.Out.WarmupEnded = st.Iteration, st.Warmup.state.Shared.Why
	st.Warmup = nil
	c.clock()
	st.Out.Metric, st.Out.Coordinates = c.h.metric.Record(), st.Coordinates.Now
}

// tell passes the latest draw to the hook and the recorder.
func (c *chain) tell(stat draws.Stat, warm bool, kept []float64, last bool) error {
	if f := c.settings.OnTransition; f != nil {
		c.caller = "OnTransition"
		f(c.id, c.state.Iteration-1, warm)
		c.caller = ""
	}
	if f := c.settings.OnDraw; f != nil {
		index := c.state.Iteration - 1
		if !warm {
			index -= c.warmup()
		}
		v := c.lent // a copy: the hook may overwrite it
		if kept != nil {
			copy(v, kept)
		} else {
			c.values.Write(v, c.z.X)
		}
		c.caller = "OnDraw"
		f(c.id, index, warm, v, stat)
		c.caller = ""
	}
	if c.rec != nil && kept != nil {
		if err := c.rec.Draw(kept, stat, warm); err != nil {
			return err
		}
	}
	if !last {
		return nil
	}
	c.progress(nil, false)
	return c.tellAdapted()
}

// adapt does the warm-up part of a transition.
func (c *chain) adapt(out Outcome) error {
	end := c.state.Warmup.Update(out, c.z.X, c.z.Grad)
	c.keepPair()
	if !end || c.waits() {
		return nil
	}
	return c.endWindow()
}

// endWindow changes to the metric that the window chose. The next step searches for its step size.
func (c *chain) endWindow() error {
	w := c.state.Warmup
	metric, err := w.Metric(c.h.metric)
	if err != nil {
		return err
	}
	c.h.SetMetric(metric)
	c.state.Out.Unadapted = false
	c.state.Out.Windows = append(c.state.Out.Windows, w.latest)
	c.state.Search = true
	return nil
}

// tellAdapted tells the recorder that warm-up has ended.
func (c *chain) tellAdapted() error {
	if c.rec == nil {
		return nil
	}
	return c.state.Out.TellAdapted(c.rec)
}

// clock adds the time since its last call to the current phase.
func (c *chain) clock() {
	now := time.Now()
	sec := now.Sub(c.began).Seconds()
	c.began = now
	if c.state.Out.Metric.Kind == "" {
		c.state.Out.WarmupSeconds += sec
	} else {
		c.state.Out.SampleSeconds += sec
	}
}

// keep stores the latest draw and returns its values, or nil if thinning or warm-up drops it.
func (c *chain) keep(stat draws.Stat, warm bool) []float64 {
	s, out := c.settings, &c.state.Out
	index := c.state.Iteration
	if !warm {
		index -= c.warmup()
	}
	if index%s.Thin != 0 || warm && !s.SaveWarmup {
		return nil
	}
	if !warm && out.File != nil {
		c.values.Write(c.row, c.z.X)
		c.failed = out.Keep(c.row, stat)
		return c.row
	}
	v := c.values.Row(c.z.X)
	if warm {
		out.WarmupValues = append(out.WarmupValues, v)
		out.WarmupStats = append(out.WarmupStats, stat)
	} else {
		c.failed = out.Keep(v, stat)
	}
	return v
}

// keepDivergence records a divergence. With draws on disk only the first keep their positions, which
// are as large as draws.
func (c *chain) keepDivergence(out Outcome) {
	to := &c.state.Out
	d := draws.Divergence{Draw: c.state.Iteration - c.warmup(), EnergyError: out.EnergyError, Reason: out.Reason}
	start := c.values.Row(c.start)
	if to.File != nil {
		if to.DivergedFrom == nil {
			to.DivergedFrom = make([]float64, len(start))
		}
		floats.Add(to.DivergedFrom, start)
	}
	if to.File == nil || len(to.Divergences) < placesOnDisk {
		d.Start, d.End = start, c.values.Anywhere(out.Broke)
	}
	to.Divergences = append(to.Divergences, d)
}

// placesOnDisk is the number of divergences of a chain whose positions are kept if its draws are on disk.
const placesOnDisk = 50

// PanicError is the error of a chain when its target or a hook panics.
type PanicError struct {
	Where string    // the hook, "" for the target
	Value any       // the value of the panic
	X     []float64 // the position evaluated last
	Stack []byte
}

// Error returns one line.
func (e *PanicError) Error() string {
	if e.Where != "" {
		return fmt.Sprintf("%s panicked: %s", e.Where, workers.OneLine(fmt.Sprint(e.Value)))
	}
	return fmt.Sprintf("the target panicked at %s: %s", formatPoint(e.X),
		workers.OneLine(fmt.Sprint(e.Value)))
}
