package hmc

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayeskernel/draws"
)

// A shared warm-up pauses every chain at the end of each window. There the chains pool the pairs of
// draws and gradients of those that are in one place, and all get one metric. The warm-up ends once
// another window would teach nothing. All of this happens between rounds, in one goroutine and in
// the order of the chains, so that the draws do not depend on how many chains run at once.

// stage is a part of a shared warm-up.
type stage int

const (
	alone     stage = iota // no shared warm-up
	windowed               // windows, each with a metric at its end
	tuning                 // the metric is final, the step size is tuned
	retuning               // the target acceptance has been raised, and the step size is tuned anew
	concluded              // the step size is final
)

// shared is the state of a chain in a shared warm-up.
type shared struct {
	Stage   stage
	Next    int       // transitions made when the chain pauses next
	Size    int       // length of the current window
	LP      []float64 // log densities of this stage or window
	Cut     int       // transitions of this window that were kept short
	Behind  int       // the pauses in a row at which the chain lagged behind
	Apart   int       // transitions made when chains were last apart, 0 if they never were
	Learned bool      // coordinates have been learned, of a Reparametrizer
	Why     string    // why the windows ended
	Places  []place   // where the chain was, window by window
}

// shares reports whether the chains of a run of dimension d share their warm-up. A warm-up that is
// shorter than leastShared has nothing to save.
func (s *Settings) shares(d int) bool {
	return !s.Adapt.Fixed && !s.Adapt.StanWarmup && s.Warmup >= leastShared &&
		s.Adapt.Windows == Windows{} && s.Adapt.Estimator == Fisher &&
		s.metricKind(d).learner(plan{Dim: d, Estimator: Fisher}) != nil
}

// share makes a the adaptation of a shared warm-up.
func (a *Adaptation) share(k kind) {
	w := &a.state
	w.Schedule = schedule{Start: sharedStart}
	w.Shared = shared{Stage: windowed, Next: sharedStart + firstWindow, Size: firstWindow}
	w.CalmFrom, w.Early = sharedCalm, sharedEarly
	a.learn = newPairs(k, w.Plan, nearOf(k))
}

// pausing reports whether the chain has come to the end of a window or stage.
func (a *Adaptation) pausing() bool {
	return a != nil && a.state.Shared.Stage != alone && a.state.Done == a.state.Shared.Next
}

// note remembers a transition of a shared warm-up.
func (w *adaptationState) note(out Outcome) {
	w.Shared.LP = append(w.Shared.LP, out.LP)
	if out.TreeDepth >= earlyDoublings && w.Done < w.Early {
		w.Shared.Cut++
	}
}

// meeting is what happens at a pause: the chains of a run that take part in it.
type meeting struct {
	settings *Settings
	all      []*chain
	core     []*chain // those in one place, which pool their pairs
	lagging  []*chain // those far below all others
	apart    []*chain // those elsewhere
	guesses  []*chain // those whose new metric is a guess
	metric   Metric   // of the core
	was      Metric   // what the first chain of the core had
	said     draws.Window
	pool     *pairs
	times    float64 // how many times more gradients the previous metric needs than the new one
	noise    float64 // the standard error of its log
}

// meet ends a window or stage of the given chains.
func meet(s *Settings, chains []*chain) error {
	m := &meeting{settings: s, all: chains}
	m.sort()
	switch chains[0].state.Warmup.state.Shared.Stage {
	case windowed:
		return m.window()
	case tuning:
		return m.tuned()
	}
	return m.conclude()
}

// of returns the warm-up of a chain.
func of(c *chain) *adaptationState { return &c.state.Warmup.state }

// sort sets core and lagging. A chain lags behind if all its log densities of this stage lie below
// all those of most chains.
func (m *meeting) sort() {
	m.core = slices.Clone(m.all)
	highest := func(c *chain) float64 { return slices.Max(of(c).Shared.LP) }
	slices.SortStableFunc(m.core, func(a, b *chain) int {
		if highest(a) > highest(b) {
			return -1
		} else if highest(a) < highest(b) {
			return 1
		}
		return 0
	})
	lowest, split := math.Inf(1), len(m.core)
	for i, c := range m.core {
		if highest(c) < lowest && 2*i > len(m.core) {
			split = i
			break
		}
		later := of(c).Shared.LP
		lowest = min(lowest, slices.Min(later[len(later)/2:]))
	}
	m.lagging = slices.Clone(m.core[split:])
	byID := func(a, b *chain) int { return a.id - b.id }
	m.core = m.core[:split]
	slices.SortFunc(m.core, byID)
	slices.SortFunc(m.lagging, byID)
}

// rising reports whether the log density of a chain is still on its way up.
func rising(lp []float64) bool {
	third := len(lp) / 3
	if third < 3 {
		return false
	}
	first, last := slices.Clone(lp[:third]), slices.Clone(lp[len(lp)-third:])
	slices.Sort(last)
	return last[third/2] > slices.Max(first)
}

// window ends a window.
func (m *meeting) window() error {
	w := of(m.all[0])
	done, limit := w.Done, m.settings.Warmup-sharedTail
	changed, err := m.recoordinate(done >= limit)
	if err != nil {
		return err
	}
	if err := m.estimate(); err != nil {
		return err
	}
	if !changed && done >= sharedLeast {
		m.times, m.noise = m.gain()
	}
	for _, c := range m.all {
		if len(m.apart) > 0 {
			of(c).Shared.Apart = done
		}
	}
	m.observe(changed)
	over, why := false, "the coordinates had changed"
	if !changed {
		over, why = m.over()
	}
	// Where trajectories break, a step that is a little too short costs less than one that is a little too long.
	settled := over && !slices.ContainsFunc(m.all, func(c *chain) bool { return of(c).Broken > 0 })
	if !over && done >= limit {
		over, why = true, fmt.Sprintf("no more windows fit into the limit (%s)", why)
	}
	eps := meanStep(m.core)
	for _, c := range m.all {
		if err := m.give(c, over, eps); err != nil {
			return err
		}
	}
	m.help()
	if over {
		m.recall()
	}
	early := !over && !changed && done >= sharedEarly && 2*done < m.settings.Warmup
	improves := early && m.times > poorMetric
	size := w.Shared.Size * 2
	switch {
	case done < sharedDoubling:
	case m.unsettled():
		size = w.Shared.Size // the same again, with all chains in place
	case improves:
		size = w.Shared.Size * 3 / 2
	default: // long enough to end the warm-up
		size = max(w.Shared.Size*3/2, m.least()/len(m.all)+1)
	}
	if done+size*5/2 > limit {
		size = limit - done
	}
	for _, c := range m.all {
		w := of(c)
		c.state.Far = c.state.Far && rising(w.Shared.LP) && done <= farMost
		if improves || early && slices.Contains(m.guesses, c) { // longer trajectories would teach no more
			w.Early = done + size
		}
		w.Shared.LP, w.Shared.Cut, w.Shared.Size = w.Shared.LP[:0], 0, size
		w.Shared.Next = done + size
		if over {
			w.Shared.Stage, w.Shared.Next, w.Shared.Why = tuning, done+tuningLength, why
			w.Early = 0
			if settled { // the new metric is hardly another, and the step size of the last one serves
				c.state.Search = false
				w.goOn(eps)
			}
		}
		c.state.Warmup.learn.(*pairs).turn(over, len(m.core))
	}
	return nil
}

// guessed reports whether the metric estimated from p does badly on pairs held out, and was made of
// fewer than tell all directions.
func (p *pairs) guessed() bool { return p.score > poor && p.N < plenty*p.D }

// estimate pools the pairs of the core and estimates their metric. Chains to whose own last pairs
// it suits far worse than a metric of their own are apart; the others then make another.
func (m *meeting) estimate() error {
	for {
		m.was = m.core[0].h.metric
		m.pool = poolOf(m.core)
		m.said = draws.Window{End: of(m.all[0]).Done - 1}
		var err error
		if m.metric, err = m.pool.metric(m.was, &m.said); err != nil {
			return err
		}
		if len(m.core) == 1 || of(m.all[0]).Done < sharedLeast {
			return nil
		}
		var core []*chain
		for _, c := range m.core {
			if m.elsewhere(c) {
				m.apart = append(m.apart, c)
			} else {
				core = append(core, c)
			}
		}
		if len(core) == len(m.core) {
			return nil
		}
		if len(core) == 0 { // nobody agrees with anybody
			m.core, m.apart = m.apart[:1], m.apart[1:]
		} else {
			m.core = core
		}
	}
}

// elsewhere reports whether a chain is in another mode: its mean is far off and no gradient pulls it
// back, or the pooled metric suits the last third of its own pairs far worse than a metric fitted to
// its first two thirds.
func (m *meeting) elsewhere(c *chain) bool {
	if far, limit, pull := m.offset(c); far > limit && pull < far/4 {
		return true
	}
	p := c.state.Warmup.learn.(*pairs)
	n := min(p.New, p.Most, p.N)
	held := n / 3
	if held < 3 || p.full() && n-held < 3*p.D {
		return false
	}
	x, g := p.rows(min(p.N, p.Most)-n, min(p.N, p.Most))
	rank := 0
	if p.full() && p.kind != DiagMetric {
		rank = p.D
	}
	own, err := newFisherFit(x[:n-held], g[:n-held], c.h.metric, rank, rank, 0, nil).metric(rank, 0)
	if err != nil {
		return false
	}
	hx, hg := x[n-held:], g[n-held:]
	return divergence(m.metric, hx, hg) > elsewhere*divergence(own, hx, hg)
}

// give gives a chain its metric: that of the core, unless it is elsewhere for good.
func (m *meeting) give(c *chain, over bool, eps float64) error {
	w := of(c)
	pool, metric, said := m.pool, m.metric, m.said
	behind := slices.Contains(m.lagging, c) && rising(w.Shared.LP)
	if slices.Contains(m.apart, c) || slices.Contains(m.lagging, c) && !behind {
		said = draws.Window{End: m.said.End}
		pool = poolOf([]*chain{c})
		var err error
		if metric, err = pool.metric(c.h.metric, &said); err != nil {
			return err
		}
	}
	if pool.guessed() {
		m.guesses = append(m.guesses, c)
	}
	if w.Broken > 0 && (behind || c.moved(metric)) {
		w.Calm, w.Broken = 0, 0
	}
	if behind && eps > 0 {
		w.StepSize = eps // where the search for a step size begins
	}
	if w.Shared.Behind++; !behind {
		w.Shared.Behind = 0
	}
	c.h.SetMetric(metric)
	c.state.Out.Unadapted = false
	c.state.Out.Windows = append(c.state.Out.Windows, said)
	c.state.Search = true
	return nil
}

// moved reports whether the chain has left the place where its metric was estimated.
func (c *chain) moved(now Metric) bool {
	p := c.state.Warmup.learn.(*pairs)
	p.from = 0
	return p.moved(c.h.metric, now)
}

// meanStep returns the geometric mean of the tuned step sizes of chains.
func meanStep(chains []*chain) float64 {
	sum := 0.0
	for _, c := range chains {
		sum += math.Log(c.state.Warmup.Final())
	}
	return math.Exp(sum / float64(len(chains)))
}

// over reports whether another window would teach nothing, and says why or why not.
func (m *meeting) over() (bool, string) {
	w := of(m.all[0])
	switch {
	case w.Done < sharedLeast:
		return false, "too early to judge"
	case len(m.lagging) > 0:
		return false, fmt.Sprintf("chain %d lay far below the others", m.lagging[0].id+1)
	case len(m.apart) > 0:
		return false, fmt.Sprintf("chain %d was apart from others", m.apart[0].id+1)
	case w.Done < 2*w.Shared.Apart:
		return false, fmt.Sprintf("chains were apart after %d transitions", w.Shared.Apart)
	case m.pool.New < m.least():
		return false, "too few draws for the dimension"
	}
	for _, c := range m.core {
		switch w := of(c); {
		case rising(w.Shared.LP):
			return false, fmt.Sprintf("the log density of chain %d was rising", c.id+1)
		case 20*w.Shared.Cut > len(w.Shared.LP):
			return false, "trajectories were too long"
		case math.Abs(math.Log(c.state.Warmup.Final()/meanStep(m.core))) > math.Log(stepsAgree):
			return false, "the chains' step sizes differed"
		}
	}
	if c := m.displaced(); c != nil {
		return false, fmt.Sprintf("the mean of chain %d differed from those of others", c.id+1)
	}
	if math.Log(m.times) > math.Log(sameMetric)+2*m.noise {
		return false, fmt.Sprintf("the metric still improved (by a factor of %.2f)", m.times)
	}
	return true, "metric and step sizes had settled"
}

// least returns the number of draws, of all chains, in a window that may be the last.
func (m *meeting) least() int { return min(m.pool.D, m.pool.Most) }

// unsettled reports whether a chain has yet to arrive where the others are.
func (m *meeting) unsettled() bool {
	return len(m.lagging) > 0 ||
		slices.ContainsFunc(m.core, func(c *chain) bool { return rising(of(c).Shared.LP) })
}

// displaced returns a chain whose mean is far from that of all pairs, or nil.
func (m *meeting) displaced() *chain {
	for _, c := range m.core {
		if far, limit, _ := m.offset(c); far > limit {
			return c
		}
	}
	return nil
}

// offset returns how far the mean of a chain's window is from that of the core, as a squared
// distance in the units of the metric, and the most that chance explains. Within one mode of a
// normal the gradient pulls back as far as the chain is off; between modes it does not pull.
func (m *meeting) offset(c *chain) (far, limit, pull float64) {
	d := m.pool.D
	x, g := make([]float64, d), make([]float64, d)
	for _, o := range m.core {
		p := o.state.Warmup.learn.(*pairs)
		n := min(p.N, p.Most)
		rx, rg := p.rows(max(0, n-p.New), n)
		by := -1 / float64(len(rx)*len(m.core))
		if o == c {
			by += 1 / float64(len(rx))
		}
		for i := range rx {
			floats.AddScaled(x, by, rx[i])
			floats.AddScaled(g, by, rg[i])
		}
	}
	pull = -dot(x, g)
	m.metric.whiten(x)
	return dot(x, x), 1 + 4*float64(d)/float64(len(of(c).Shared.LP)), pull
}

// gain returns times and noise, as the pairs of this window promise.
func (m *meeting) gain() (times, noise float64) {
	if m.was == m.metric {
		return 1, 0
	}
	n := min(m.pool.N, m.pool.Most)
	x, g := m.pool.rows(max(0, n-m.pool.New), n)
	was, noise := needs(m.was, x, g)
	now, _ := needs(m.metric, x, g)
	return math.Exp(was - now), noise
}

// help moves the one chain that is far behind to a draw of another, if the others agree: it has had
// their metric for a window, and still rises below all their draws.
func (m *meeting) help() {
	moves := 0
	for _, c := range m.all {
		if c.state.Out.MovedFrom != nil {
			moves++
		}
	}
	if len(m.lagging) != 1 || len(m.apart) > 0 || len(m.core) < 3 || 4*(moves+1) > len(m.all) ||
		m.displaced() != nil {
		return
	}
	c := m.lagging[0]
	w := of(c)
	if w.Shared.Behind < 2 || c.state.Out.MovedFrom != nil {
		return
	}
	sister := m.core[c.id%len(m.core)]
	p := sister.state.Warmup.learn.(*pairs)
	lp := of(sister).Shared.LP
	at := min(p.N, p.Most) - len(lp)/2
	x, _ := p.rows(at, at+1)
	c.state.Out.MovedFrom = c.values.Row(c.z.X)
	copy(c.z.X, x[0])
	c.h.ctx = nil     // the previous round's
	c.h.Evaluate(c.z) // the sister's value may be in other coordinates
	c.state.Out.WarmupGradients++
}

// tuned ends the tuning of the step size. It goes on as long as trajectories lost energy and too few
// were made to say how often they do. Where many trajectories lost energy, it is tuned anew for
// a higher acceptance.
func (m *meeting) tuned() error {
	made, broken := 0, 0
	for _, c := range m.core {
		made += of(c).Calm
		broken += of(c).Broken
	}
	if done := of(m.all[0]).Done; broken > 1 && made < enoughCalm &&
		done+tuningLength+retuningLength <= m.settings.Warmup {
		for _, c := range m.all {
			w := of(c)
			w.Shared.Next, w.Shared.LP = done+tuningLength, w.Shared.LP[:0]
		}
		return nil
	}
	goal := of(m.core[0]).target(made, broken)
	if goal < m.settings.TargetAccept+sameTarget || of(m.all[0]).Done+retuningLength > m.settings.Warmup {
		return m.conclude()
	}
	// Acceptance falls short of 1 by between the second and the third power of the step size.
	shorter := math.Pow((1-goal)/(1-m.settings.TargetAccept), 0.4)
	for _, c := range m.all {
		w := of(c)
		eps := c.state.Warmup.Final() * shorter
		w.Step.Delta = goal
		w.goOn(eps)
		w.Shared.Stage, w.Shared.Next = retuning, w.Done+retuningLength
		w.Shared.LP = w.Shared.LP[:0]
	}
	return nil
}

// conclude ends the warm-up. Chains in one place get one step size.
func (m *meeting) conclude() error {
	eps := meanStep(m.core)
	for _, c := range m.all {
		w := of(c)
		own := c.state.Warmup.Final()
		if slices.Contains(m.core, c) && math.Abs(math.Log(own/eps)) < math.Log(stepsAgree) {
			own = eps
		}
		w.Shared.Stage, w.StepSize = concluded, own
	}
	return nil
}
