package hmc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"bayeskernel/draws"
	"bayeskernel/internal/rng"
)

// chain is one chain of a run. What it knows after a transition is in state, so that a chain can be
// stopped between any two transitions and go on later as if nothing had happened.
type chain struct {
	id       int // from 0
	settings *Settings
	target   Target
	cons     Constrainer // nil if draws are kept on the sampler's own scale
	width    int         // values per draw
	h        *Hamiltonian
	step     Transition
	z, work  *Point
	start    []float64 // position before the transition
	src      *rng.Source
	rand     *rand.Rand
	rec      draws.Recorder
	state    chainState
	began    time.Time // of the present stretch of the present phase
	block    []float64 // memory for kept draws
	values   []float64 // of a draw that is not kept
}

// chainState is what a checkpoint keeps of a chain.
type chainState struct {
	Started   bool // the initial point is found and, if there is warm-up, a first step size
	Iteration int  // transitions made
	X, Grad   []float64
	LogP      float64
	Random    []byte // state of the random stream
	Metric    draws.Metric
	Warmup    *Adaptation // nil after warm-up
	Out       draws.Chain
}

// newChain makes a chain at its very beginning.
func newChain(id int, f Factory, s *Settings, m Method) (c *chain, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("hmc: making the target of chain %d panicked: %v", id+1, r)
		}
	}()
	t, err := f()
	if err != nil {
		return nil, fmt.Errorf("hmc: making the target of chain %d: %w", id+1, err)
	}
	if t == nil {
		return nil, fmt.Errorf("hmc: the factory made no target for chain %d", id+1)
	}
	d := t.Dim()
	if d <= 0 {
		return nil, fmt.Errorf("hmc: the target has dimension %d: it must be positive", d)
	}
	c = &chain{id: id, settings: s, target: t, z: NewPoint(d), work: NewPoint(d),
		start: make([]float64, d), width: d}
	if c.cons, _ = t.(Constrainer); c.cons != nil {
		c.width = len(c.cons.Names())
	}
	c.values = make([]float64, c.width)
	c.src, err = rng.New(rng.Kind(s.Source), rng.Name{Seed: s.Seed, Purpose: "sample"}, uint64(id))
	if err != nil {
		return nil, err
	}
	c.rand = rand.New(c.src)
	metric := NewUnitMetric(d)
	if w := pickWarm(s.WarmStart, id); w != nil {
		if metric, err = w.metric(d); err != nil {
			return nil, err
		}
	}
	c.h = NewHamiltonian(t, metric)
	c.step = m.New(c.h)
	return c, nil
}

// names returns the names of the values that are kept, or an error if they cannot tell them apart.
func (c *chain) names() ([]string, error) {
	if c.cons == nil {
		names := make([]string, c.width)
		for i := range names {
			names[i] = fmt.Sprintf("x[%d]", i)
		}
		return names, nil
	}
	names := slices.Clone(c.cons.Names())
	seen := map[string]int{}
	for i, n := range names {
		if n == "" {
			return nil, fmt.Errorf("hmc: name %d of the target is empty", i)
		}
		if j, ok := seen[n]; ok {
			return nil, fmt.Errorf("hmc: the target names both value %d and value %d %q", j, i, n)
		}
		seen[n] = i
	}
	return names, nil
}

// run makes transitions until the chain has made as many as asked, ctx ends, or something fails.
func (c *chain) run(ctx context.Context, until int, after func(*chain) error) (err error) {
	c.began = time.Now()
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{Value: r, X: slices.Clone(c.h.at), Stack: debug.Stack()}
		}
		c.clock()
	}()
	if !c.state.Started {
		if err := c.begin(); err != nil {
			return err
		}
		if err := after(c); err != nil {
			return err
		}
	}
	for c.state.Iteration < until {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.transition(); err != nil {
			return err
		}
		if err := after(c); err != nil {
			return err
		}
	}
	return nil
}

// begin finds the initial point, checks the gradient there and finds a first step size.
func (c *chain) begin() error {
	s := c.settings
	src, err := rng.New(rng.Kind(s.Source), rng.Name{Seed: s.Seed, Purpose: "start"}, uint64(c.id))
	if err != nil {
		return err
	}
	if err := InitialPoint(c.h, c.z, s, c.id, rand.New(src)); err != nil {
		return err
	}
	if !s.SkipGradientCheck {
		if err := CheckGradient(c.target, c.z.X); err != nil {
			return err
		}
	}
	eps := s.StepSize
	if w := pickWarm(s.WarmStart, c.id); w != nil && w.StepSize > 0 {
		eps = w.StepSize
	}
	if s.Warmup > 0 {
		if eps, err = FindStepSize(c.h, c.z, c.work, eps, c.rand); err != nil {
			return err
		}
		c.state.Warmup = newAdaptation(s, c.h.Dim(), eps)
	}
	c.state.Out.StepSize = eps
	c.state.Out.WarmupGradients = c.h.Gradients
	c.state.Started = true
	if s.Warmup == 0 {
		return c.adapted()
	}
	return nil
}

// transition makes one step of the chain, adapts if this is warm-up, and keeps the draw.
func (c *chain) transition() error {
	st, s := &c.state, c.settings
	warm := st.Warmup != nil
	eps := st.Out.StepSize
	if warm {
		eps = st.Warmup.StepSize()
	}
	if s.StepJitter > 0 {
		eps *= 1 + s.StepJitter*(2*c.rand.Float64()-1)
	}
	copy(c.start, c.z.X)
	before := c.h.Gradients
	out := c.step.Step(c.z, eps, c.rand)
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
	if err := c.keep(out.Stat, warm); err != nil {
		return err
	}
	st.Iteration++
	if warm && st.Iteration == s.Warmup {
		st.Out.StepSize = st.Warmup.Final()
		st.Warmup = nil
		return c.adapted()
	}
	return nil
}

// adapt is the warm-up's part of a transition.
func (c *chain) adapt(out Outcome) error {
	w := c.state.Warmup
	if !w.Update(out, c.z.X, c.z.Grad) {
		return nil
	}
	metric, err := w.Metric(c.h.metric)
	if err != nil {
		return err
	}
	c.h.SetMetric(metric)
	eps, err := FindStepSize(c.h, c.z, c.work, w.StepSize(), c.rand)
	if err != nil {
		return err
	}
	w.Restart(eps)
	return nil
}

// adapted marks the end of warm-up.
func (c *chain) adapted() error {
	c.clock()
	c.state.Out.Metric = c.h.metric.Record()
	if c.rec != nil {
		return c.rec.Adapted(c.state.Out.StepSize, c.state.Out.Metric)
	}
	return nil
}

// clock adds the time since it was last asked to the phase that the chain is in.
func (c *chain) clock() {
	now := time.Now()
	sec := now.Sub(c.began).Seconds()
	c.began = now
	if c.state.Iteration <= c.settings.Warmup && c.state.Out.Metric.Kind == "" {
		c.state.Out.WarmupSeconds += sec
	} else {
		c.state.Out.SampleSeconds += sec
	}
}

// row returns memory for one kept draw.
func (c *chain) row() []float64 {
	if len(c.block) < c.width {
		c.block = make([]float64, max(1, min(256, 1<<16/max(1, c.width)))*c.width)
	}
	r := c.block[:c.width:c.width]
	c.block = c.block[c.width:]
	return r
}

// constrain writes the values of position x on the user's scale.
func (c *chain) constrain(dst, x []float64) {
	if c.cons == nil {
		copy(dst, x)
		return
	}
	c.cons.Constrain(dst, x)
}

// keep stores the draw just made, if it is one to be kept, and shows it to those who asked.
func (c *chain) keep(stat draws.Stat, warm bool) error {
	s, out := c.settings, &c.state.Out
	index := c.state.Iteration
	if !warm {
		index -= s.Warmup
	}
	kept := index%s.Thin == 0 && (!warm || s.SaveWarmup)
	if !kept && s.OnDraw == nil {
		return nil
	}
	v := c.values
	if kept {
		v = c.row()
	}
	c.constrain(v, c.z.X)
	if s.OnDraw != nil {
		s.OnDraw(c.id, index, warm, v, stat)
	}
	if !kept {
		return nil
	}
	if warm {
		out.WarmupValues = append(out.WarmupValues, v)
		out.WarmupStats = append(out.WarmupStats, stat)
	} else {
		out.Values = append(out.Values, v)
		out.Stats = append(out.Stats, stat)
	}
	if c.rec != nil {
		return c.rec.Draw(v, stat, warm)
	}
	return nil
}

func (c *chain) keepDivergence(out Outcome) {
	d := draws.Divergence{Draw: c.state.Iteration - c.settings.Warmup,
		Start: make([]float64, c.width), End: make([]float64, c.width),
		EnergyError: out.EnergyError, Reason: out.Reason}
	c.constrain(d.Start, c.start)
	for _, v := range out.Broke {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			for i := range d.End {
				d.End[i] = math.NaN()
			}
			c.state.Out.Divergences = append(c.state.Out.Divergences, d)
			return
		}
	}
	c.constrain(d.End, out.Broke)
	c.state.Out.Divergences = append(c.state.Out.Divergences, d)
}

// save brings state up to date with the chain.
func (c *chain) save() error {
	st := &c.state
	st.X = append(st.X[:0], c.z.X...)
	st.Grad = append(st.Grad[:0], c.z.Grad...)
	st.LogP = c.z.LogP
	st.Metric = c.h.metric.Record()
	st.Out.Last = append(st.Out.Last[:0], c.z.X...)
	random, err := c.src.MarshalBinary()
	st.Random = slices.Clone(random)
	return err
}

// restore puts the chain where state says, and makes sure that the target is still the same.
func (c *chain) restore(st chainState) error {
	if !st.Started {
		return nil
	}
	d := c.h.Dim()
	if len(st.X) != d || len(st.Grad) != d {
		return fmt.Errorf("hmc: checkpoint holds a position of %d components: the target has %d",
			len(st.X), d)
	}
	metric, err := metricFromRecord(st.Metric)
	if err != nil {
		return err
	}
	if metric.d != d {
		return fmt.Errorf("hmc: checkpoint holds a metric of dimension %d: the target has %d",
			metric.d, d)
	}
	if err := c.src.UnmarshalBinary(st.Random); err != nil {
		return err
	}
	c.h.SetMetric(metric)
	copy(c.z.X, st.X)
	c.h.Evaluate(c.z)
	same := math.Float64bits(c.z.LogP) == math.Float64bits(st.LogP)
	for i, g := range st.Grad {
		same = same && math.Float64bits(g) == math.Float64bits(c.z.Grad[i])
	}
	if !same {
		return fmt.Errorf("hmc: checkpoint is of another target: the log density at %s was %v "+
			"and is %v (are data, code and processor the same?)", formatPoint(st.X), st.LogP,
			c.z.LogP)
	}
	c.state = st
	return c.replay()
}

// replay shows the recorder what it missed.
func (c *chain) replay() error {
	if c.rec == nil {
		return nil
	}
	return c.state.Out.Replay(c.rec)
}

// PanicError is how a chain ends whose target panics.
type PanicError struct {
	Value any       // what it panicked with
	X     []float64 // the position evaluated last
	Stack []byte
}

// Error returns one line.
func (e *PanicError) Error() string {
	return fmt.Sprintf("the target panicked at %s: %v", formatPoint(e.X), e.Value)
}
