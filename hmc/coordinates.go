package hmc

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/workers"
)

// Reparametrizer is implemented by targets that can be sampled in several systems of coordinates.
// Each system is described by a list of numbers that only the target understands; nil stands for the
// target's own coordinates, in which the factory makes it.
//
// Warm-up asks such a target for coordinates before it starts, and for better ones at the ends of its
// windows. All chains then change to the same coordinates, and the metric is estimated from the
// draws in these. Start.Points and draws.Chain.Last are always in the target's own
// coordinates.
type Reparametrizer interface {
	Target
	// SetCoordinates makes Dim, LogDensity and Constrain use the coordinates c.
	SetCoordinates(c []float64) error
	// Learn returns better coordinates, given positions and gradients in those in use, or those in use
	// if none are better. Without positions it returns the coordinates to begin with, or nil if there
	// is nothing to learn.
	Learn(x, grad [][]float64) []float64
	// Carry maps the position x, and its gradient unless that is nil, from some coordinates to others.
	// The gradient is that of the log density, Jacobian included.
	Carry(from, to, x, grad []float64)
}

// coordinates is what a chain keeps of its coordinates: of a Reparametrizer only.
type coordinates struct {
	Now     []float64 // in use
	Waiting bool      // a window has ended, and all chains choose coordinates together
	// Of chains that share no warm-up: pairs of the current window, row by row, and what was chosen.
	X, G    []float64
	Choices []choiceOfCoordinates
}

// choiceOfCoordinates is what all chains chose at the end of a window, and how many of their
// transitions were calm, and broken (see Adaptation).
type choiceOfCoordinates struct {
	Iteration    int
	Now          []float64
	Calm, Broken int
	Tried        bool // each chain evaluated its position in new coordinates
}

// reparametrizer returns the chain's target if its coordinates may change, and nil otherwise.
func (c *chain) reparametrizer() Reparametrizer {
	t, ok := c.target.(Reparametrizer)
	if !ok || c.settings.Adapt.StanWarmup || c.settings.Adapt.OwnCoordinates {
		return nil
	}
	return t
}

// startCoordinates sets the coordinates to begin with: those of the warm start, or else the target's
// choice if there is a warm-up.
func (c *chain) startCoordinates() error {
	t := c.reparametrizer()
	if t == nil {
		return nil
	}
	var now []float64
	if w := pick(c.settings.Start.Warm, c.id); w != nil {
		now = w.Coordinates
	}
	if now == nil && c.settings.Warmup > 0 {
		now = t.Learn(nil, nil)
	}
	c.state.Coordinates.Now = slices.Clone(now)
	return t.SetCoordinates(now)
}

// carryFromOwn maps a position from the target's own coordinates to those in use.
func (c *chain) carryFromOwn(x []float64) {
	if now := c.state.Coordinates.Now; now != nil {
		c.target.(Reparametrizer).Carry(nil, now, x, nil)
	}
}

// own returns the position in the target's own coordinates.
func (c *chain) own() []float64 {
	x := slices.Clone(c.z.X)
	if now := c.state.Coordinates.Now; now != nil {
		c.target.(Reparametrizer).Carry(now, nil, x, nil)
	}
	return x
}

// keepPair keeps the latest position and gradient for the end of the window.
func (c *chain) keepPair() {
	w := c.state.Warmup
	if c.state.Coordinates.Now == nil || w.learn == nil || len(w.state.Schedule.Ends) == 0 ||
		w.state.Done <= w.state.Schedule.Start {
		return
	}
	k := &c.state.Coordinates
	if len(k.X) >= max(mostNumbers, learning*len(c.z.X)) { // drop the older half
		d := len(c.z.X)
		n := len(k.X) / d / 2 * d
		k.X, k.G = k.X[:copy(k.X, k.X[n:])], k.G[:copy(k.G, k.G[n:])]
	}
	k.X, k.G = append(k.X, c.z.X...), append(k.G, c.z.Grad...)
}

// waits reports whether the chain is to wait, at the end of a window, for a choice of coordinates.
func (c *chain) waits() bool {
	k := &c.state.Coordinates
	if k.Now == nil {
		return false
	}
	if k.Waiting = len(k.X) >= learning*len(c.z.X); !k.Waiting {
		k.X, k.G = nil, nil
	}
	return k.Waiting
}

// pairs returns copies of the pairs of the window, at most most of them and evenly spread.
func (k *coordinates) pairs(d, most int) (x, g [][]float64) {
	n := len(k.X) / d
	m := min(n, most)
	for i := range m {
		at := i * n / m * d
		x = append(x, slices.Clone(k.X[at:at+d]))
		g = append(g, slices.Clone(k.G[at:at+d]))
	}
	return x, g
}

// settle chooses coordinates for the chains that wait at the end of the same window, and ends the
// window for them. It reports whether any chain was waiting.
//
// The choice depends on the chains alone, and not on when they arrived. A chain resumed from an
// earlier snapshot than the others takes the choice that they recorded.
func (r *runner) settle() bool {
	at := math.MaxInt
	for id, c := range r.chains {
		if r.errs[id] == nil && c.state.Coordinates.Waiting {
			at = min(at, c.state.Iteration)
		}
	}
	var here []*chain
	for id, c := range r.chains {
		if r.errs[id] == nil && c.state.Coordinates.Waiting && c.state.Iteration == at {
			here = append(here, c)
		}
	}
	if len(here) == 0 {
		return false
	}
	var now choiceOfCoordinates
	err := workers.Guard(func() error {
		var known bool
		if now, known = r.chosen(at); !known {
			now = choose(here)
		}
		return nil
	})
	for _, c := range here {
		if err == nil {
			err = workers.Guard(func() error { return c.settle(now) })
		}
		if r.errs[c.id] = err; err != nil {
			c.done(err)
			err = nil
		}
	}
	return true
}

// chosen returns the coordinates that another chain recorded at this iteration.
func (r *runner) chosen(iteration int) (choiceOfCoordinates, bool) {
	for _, c := range r.chains {
		for _, k := range c.state.Coordinates.Choices {
			if k.Iteration == iteration {
				return k, true
			}
		}
	}
	return choiceOfCoordinates{}, false
}

// choose learns coordinates from the pairs of all chains. It keeps those in use if a chain could not
// go on from its position in the new ones, and in the last window: its transitions are the ones that
// say whether a step size suits the whole posterior.
func choose(chains []*chain) choiceOfCoordinates {
	first := chains[0]
	out := choiceOfCoordinates{Iteration: first.state.Iteration, Now: first.state.Coordinates.Now}
	last := true
	for _, c := range chains {
		w := &c.state.Warmup.state
		out.Calm += w.Calm
		out.Broken += w.Broken
		last = last && len(w.Schedule.Ends) == 1 && len(c.state.Coordinates.Choices) > 0
	}
	if !last {
		out.Now, out.Tried = learn(chains)
	}
	return out
}

// learn returns the coordinates learned from the pairs of all chains, and whether these tried them.
func learn(chains []*chain) (now []float64, tried bool) {
	var x, g [][]float64
	for _, c := range chains {
		cx, cg := c.state.Coordinates.pairs(c.h.Dim(), max(1, learnFrom/len(chains)))
		x, g = append(x, cx...), append(g, cg...)
	}
	old := chains[0].state.Coordinates.Now
	now = slices.Clone(chains[0].target.(Reparametrizer).Learn(x, g))
	if slices.Equal(now, old) {
		return old, false
	}
	best := now
	for _, c := range chains {
		if !c.tries(now) {
			best = old
		}
	}
	return best, true
}

// tries reports whether the chain can go on from its position in the coordinates now.
func (c *chain) tries(now []float64) bool {
	t, old := c.target.(Reparametrizer), c.state.Coordinates.Now
	if t.SetCoordinates(now) != nil {
		return false
	}
	z := NewPoint(c.h.Dim())
	copy(z.X, c.z.X)
	t.Carry(old, now, z.X, nil)
	c.h.ctx = nil // the previous round's
	c.h.Evaluate(z)
	good := unusable(z, t) == ""
	return t.SetCoordinates(old) == nil && good
}

// settle changes to the coordinates chosen and ends the window.
func (c *chain) settle(choice choiceOfCoordinates) error {
	w := &c.state.Warmup.state
	w.Calm, w.Broken = choice.Calm, choice.Broken
	if err := c.change(choice); err != nil {
		return err
	}
	c.state.Coordinates.Waiting = false
	return c.endWindow()
}

// change maps the chain's position and the pairs of its window to the coordinates chosen.
func (c *chain) change(choice choiceOfCoordinates) error {
	k := &c.state.Coordinates
	k.Choices = append(k.Choices, choice)
	if choice.Tried {
		c.state.Out.WarmupGradients++
	}
	x, g := k.X, k.G
	k.X, k.G = nil, nil
	moved, err := c.carry(choice.Now, x, g)
	if moved && err == nil {
		c.state.Warmup.recoordinate(x, g)
	}
	return err
}

// carry changes to the coordinates now, and maps the chain's position and the pairs x and g to them. It
// reports whether these are others than before.
func (c *chain) carry(now []float64, x, g []float64) (bool, error) {
	k, d := &c.state.Coordinates, len(c.z.X)
	if slices.Equal(now, k.Now) {
		return false, nil
	}
	t := c.target.(Reparametrizer)
	if err := t.SetCoordinates(now); err != nil {
		return false, fmt.Errorf("hmc: coordinates learned in warm-up: %w", err)
	}
	t.Carry(k.Now, now, c.z.X, nil)
	c.h.ctx = nil // the previous round's
	c.h.Evaluate(c.z)
	c.state.Out.WarmupGradients++
	if why := unusable(c.z, c.target); why != "" {
		return false, fmt.Errorf("hmc: coordinates learned in warm-up: %s", why)
	}
	for i := 0; i < len(x); i += d {
		t.Carry(k.Now, now, x[i:i+d], g[i:i+d])
	}
	k.Now = slices.Clone(now)
	return true, nil
}

// recoordinate makes the metric be learned from these pairs alone: older ones are in other
// coordinates, and so is the count of broken transitions.
func (a *Adaptation) recoordinate(x, g []float64) {
	k, err := kindNamed(a.state.Kind)
	if err != nil {
		return // a kind without a name has nothing to learn
	}
	a.learn = k.learner(a.state.Plan)
	d := a.state.Plan.Dim
	for i := 0; i < len(x); i += d {
		a.learn.add(x[i:i+d], g[i:i+d])
	}
	a.state.Calm, a.state.Broken = 0, 0
}

// recoordinate makes the chains change to coordinates learned from the pairs of the core, unless this is
// the last window and they have done so before. It reports whether they did. Chains with coordinates of their own, which are resumed
// or started from other runs, change to those of the first.
func (m *meeting) recoordinate(last bool) (bool, error) {
	first := m.core[0]
	now := first.state.Coordinates.Now
	if now == nil {
		return false, nil
	}
	if w := &of(first).Shared; w.Size >= learning && !(last && w.Learned) {
		now = m.learned(now)
		for _, c := range m.all {
			of(c).Shared.Learned = true
		}
	}
	changed := false
	for _, c := range m.all {
		p := c.state.Warmup.learn.(*pairs)
		moved, err := c.carry(now, p.X, p.G)
		if err != nil {
			return false, err
		}
		if moved { // how often trajectories broke in others says nothing
			of(c).Calm, of(c).Broken = 0, 0
			changed = true
		}
	}
	return changed, nil
}

// learned returns the coordinates learned from the last pairs of the core, or else the old ones.
func (m *meeting) learned(old []float64) []float64 {
	t := m.core[0].target.(Reparametrizer)
	var x, g [][]float64
	for _, c := range m.core {
		p := c.state.Warmup.learn.(*pairs)
		n := min(p.N, p.Most)
		rx, rg := p.rows(n-min(n, p.New), n)
		most := min(len(rx), max(1, learnFrom/len(m.core)))
		for i := range most { // evenly spread
			at := i * len(rx) / most
			u, du := slices.Clone(rx[at]), slices.Clone(rg[at])
			if own := c.state.Coordinates.Now; !slices.Equal(own, old) {
				t.Carry(own, old, u, du)
			}
			x, g = append(x, u), append(g, du)
		}
	}
	now := slices.Clone(t.Learn(x, g))
	if slices.Equal(now, old) {
		return old
	}
	best := now
	for _, c := range m.all {
		c.state.Out.WarmupGradients++
		if !c.tries(now) {
			best = old
		}
	}
	return best
}
