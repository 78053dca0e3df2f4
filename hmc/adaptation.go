package hmc

import (
	"bytes"
	"encoding/gob"

	"bayeskernel/draws"
)

// Adaptation is the warm-up of one chain: it tunes the step size after every transition and, at
// the end of each window, the metric. It is a value of its own, apart from the transition, and its
// whole state can be saved with encoding/gob and resumed between any two transitions.
//
// A transition with step size a.StepSize() is followed by a.Update; where that reports the end of a
// window, by a.Metric, a search for a step size under the new metric, and a.Restart. After the last
// transition a.Final is the step size to sample with.
type Adaptation struct {
	state  adaptationState
	learn  learner      // of the metric, nil where none is adapted
	latest draws.Window // how Metric chose the last time
}

type adaptationState struct {
	Schedule schedule
	Kind     string // of the metric
	Plan     plan   // of the learner
	Learned  []byte // its state, in a checkpoint
	Done     int    // transitions seen
	CalmFrom int    // the first transition in which the step size may be tuned calmly
	Step     dualAveraging
	StepSize float64 // for the next transition
	Found    float64 // the step size of the latest search
	Stan     bool    // Stan's warm-up to the letter
	Plain    bool    // tune the plain statistic of acceptance
	Target   float64 // acceptance asked for
	Raise    bool    // the last target may be higher than that
	Early    int     // the first transition whose trajectory has no bound
	Calm     int     // transitions made while the step size was tuned calmly
	Broken   int     // those of them that broke
}

// NewAdaptation returns the warm-up that s describes for a target of d dimensions, eps being the
// step size found at the initial point.
func NewAdaptation(s Settings, d int, eps float64) (*Adaptation, error) {
	s, err := s.defaults()
	if err != nil {
		return nil, err
	}
	return newAdaptation(&s, d, eps), nil
}

func newAdaptation(s *Settings, d int, eps float64) *Adaptation {
	k := s.Adapt.Metric.in(d)
	w := adaptationState{
		Kind: k.String(), Plan: plan{d, s.Adapt.Estimator, s.Adapt.Metric == AutoMetric},
		Plain:  s.Adapt.Acceptance == PlainAcceptance,
		Step:   dualAveraging{Delta: s.TargetAccept, Gamma: hasty, Kappa: 0.75, T0: 10},
		Target: s.TargetAccept, Raise: s.raise && !s.Adapt.StanWarmup,
	}
	if s.Adapt.StanWarmup {
		w.Schedule = stanWindows(s.Warmup, s.Adapt.Windows)
		w.Step.restart(s.Adapt.StepSize) // Stan starts from the step size given, not the one found
	} else {
		w.Schedule = windows(s.Warmup, k.least(d), s.Adapt.Windows.defaults(s.Warmup, s.Adapt.Estimator))
		w.Step.restart(eps)
	}
	if n := len(w.Schedule.Ends); n > 2 {
		w.CalmFrom = w.Schedule.Ends[n-3] + 1
	}
	a := &Adaptation{}
	if len(w.Schedule.Ends) > 0 {
		if a.learn = k.learner(w.Plan); a.learn != nil {
			w.Early = w.Schedule.early()
		}
	}
	w.StepSize, w.Found, w.Stan = eps, eps, s.Adapt.StanWarmup
	a.state = w
	return a
}

// StepSize returns the step size for the next transition of warm-up.
func (a *Adaptation) StepSize() float64 { return a.state.StepSize }

// Update learns from the transition just made, the step size first and then the window; x and grad
// are the chain's new position and the gradient there. It reports whether a window has ended.
func (a *Adaptation) Update(out Outcome, x, grad []float64) (windowEnd bool) {
	w := &a.state
	stat := out.Symmetric
	if w.Plain {
		stat = out.AcceptStat
	}
	w.StepSize = w.Step.update(stat)
	t := w.Done
	if !w.Stan && t >= w.CalmFrom {
		w.calm(out.Lost)
	}
	w.Done++
	if a.learn == nil || len(w.Schedule.Ends) == 0 {
		return false
	}
	if t >= w.Schedule.Start {
		a.learn.add(x, grad)
	}
	return t == w.Schedule.Ends[0]
}

// A step size is first looked for with long strides, which a wrong one needs and which help a chain
// out of where it started. Near the end of warm-up, once enough of them have been made, they only
// blur the result: acceptance is a concave function of the logarithm of the step size, so that the
// average of widely scattered values accepts more often than it was asked to. From the last two
// windows on, tuning therefore goes on from that average with strides a tenth as long.
const (
	hasty  = 0.05 // Gamma of dual averaging, Stan's
	calm   = 0.5
	trying = 20 // long strides
)

// calm shortens the strides when it is time, and afterwards counts the transitions that break.
func (w *adaptationState) calm(lost float64) {
	if w.Step.Gamma == calm {
		w.Calm++
		if lost > broken {
			w.Broken++
		}
	} else if w.Step.Counter >= trying {
		eps := w.Step.final()
		w.Step.Gamma = calm
		w.Step.from(eps)
		w.StepSize = eps
	}
}

// broken is the energy from whose loss on a transition breaks: a thousandth of the weight is left.
// Where one step size suits all places of a posterior, hardly a transition in two hundred comes to
// that at a mean acceptance of 0.8; one in twenty to one in fifty, and now and then a divergence,
// where there are places in which the step is too long.
const broken = 7

// target is the mean acceptance to tune to after the last window: that asked for; or, if none was,
// up to 0.55 of the way from there to 1 if many transitions broke: from 0.8 to 0.91.
func (w *adaptationState) target() float64 {
	if !w.Raise || w.Calm == 0 {
		return w.Target
	}
	rate := float64(w.Broken) / float64(w.Calm)
	return 1 - (1-w.Target)*(1-0.55*min(1, max(0, (rate-0.01)/0.01)))
}

// earlyDoublings bounds trajectories while the metric is of windows shorter than lasting, to 63
// steps. Such a metric may want a thousand; the next one comes sooner from short trajectories.
const earlyDoublings = 6

// limit is how often trajectories may double in the next transition, 0 without a bound.
func (a *Adaptation) limit() int {
	if a == nil || a.state.Stan || a.state.Done >= a.state.Early {
		return 0
	}
	return earlyDoublings
}

// Metric ends a window: it returns the metric estimated in it, old being the one in force, and
// opens the next window. If the chain has moved from where old is of, what broke says nothing of
// the place where it is now.
func (a *Adaptation) Metric(old Metric) (Metric, error) {
	w := &a.state
	a.latest = draws.Window{End: w.Schedule.Ends[0]}
	w.Schedule.Ends = w.Schedule.Ends[1:]
	m, err := a.learn.metric(old, &a.latest)
	if err == nil && w.Broken > 0 && a.learn.moved(old, m) {
		w.Calm, w.Broken = 0, 0
	}
	a.learn.next()
	return m, err
}

// Restart begins to tune the step size anew from eps, found under a new metric.
func (a *Adaptation) Restart(eps float64) {
	w := &a.state
	w.Step.Gamma = hasty
	w.Step.restart(eps)
	if len(w.Schedule.Ends) == 0 {
		w.Step.Delta = w.target()
	}
	w.StepSize, w.Found = eps, eps
}

// fewUpdates is the number of updates from which on the average of dual averaging can be relied on:
// the first go far beyond a stable step, to try it.
const fewUpdates = 5

// Final returns the step size to sample with: the average that dual averaging keeps; or, if there
// have been too few updates since the last search, half the step size found there, because a search
// that grows ends with the first step that is too long.
func (a *Adaptation) Final() float64 {
	n := a.state.Step.Counter
	switch {
	case a.state.Step.Gamma == calm && n == 0:
		return a.state.StepSize
	case a.state.Step.Gamma == hasty && n < fewUpdates && !a.state.Stan:
		return a.state.Found / 2
	case n == 0:
		return a.state.Found
	}
	return a.state.Step.final()
}

// GobEncode returns the whole state.
func (a *Adaptation) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	state := a.state
	if a.learn != nil {
		if err := gob.NewEncoder(&b).Encode(a.learn); err != nil {
			return nil, err
		}
		state.Learned = bytes.Clone(b.Bytes())
		b.Reset()
	}
	err := gob.NewEncoder(&b).Encode(state)
	return b.Bytes(), err
}

// GobDecode restores a state.
func (a *Adaptation) GobDecode(b []byte) error {
	*a = Adaptation{}
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&a.state); err != nil {
		return err
	}
	learned := a.state.Learned
	a.state.Learned = nil
	if learned == nil {
		return nil
	}
	k, err := kindNamed(a.state.Kind)
	if err != nil {
		return err
	}
	a.learn = k.learner(a.state.Plan)
	return gob.NewDecoder(bytes.NewReader(learned)).Decode(a.learn)
}
