package hmc

import (
	"bytes"
	"encoding/gob"

	"bayeskernel/draws"
)

// Adaptation is the warm-up of one chain: it tunes the step size after every transition and, at the
// end of each window, the metric. It is independent of the transition. Its whole state can be saved
// with encoding/gob and restored between any two transitions.
//
// After each transition with step size a.StepSize(), call a.Update. If it reports the end of a
// window, call a.Metric, search for a step size under the new metric, and call a.Restart. After the
// last transition, a.Final returns the step size to sample with.
type Adaptation struct {
	state  adaptationState
	learn  learner      // of the metric, nil if it is not adapted
	latest draws.Window // how Metric last chose
}

type adaptationState struct {
	Schedule schedule
	Kind     string // of the metric
	Plan     plan   // of the learner
	Learned  []byte // its state, in a checkpoint
	Done     int    // transitions seen
	CalmFrom int    // the first transition with small updates of the step size
	Step     dualAveraging
	StepSize float64 // for the next transition
	Found    float64 // the step size of the latest search
	Stan     bool    // Stan's warm-up to the letter
	Plain    bool    // tune the plain statistic of acceptance
	Target   float64 // acceptance asked for
	Raise    bool    // the target after the last window may be raised
	Early    int     // the first transition with no bound on its trajectory
	Calm     int     // transitions made with small updates
	Broken   int     // how many of them had a large energy error
	Shared   shared
}

// NewAdaptation returns the warm-up described by s for a target of d dimensions. eps is the step
// size found at the initial point.
func NewAdaptation(s Settings, d int, eps float64) (*Adaptation, error) {
	s, err := s.defaults()
	if err != nil {
		return nil, err
	}
	return newAdaptation(&s, d, gradientCost*float64(d), eps), nil
}

// newAdaptation is NewAdaptation for complete settings and a target of the given cost.
func newAdaptation(s *Settings, d int, cost, eps float64) *Adaptation {
	k := s.Adapt.Metric.in(d)
	w := adaptationState{
		Kind: k.String(), Plan: plan{d, s.Adapt.Estimator, s.Adapt.Metric == AutoMetric, cost},
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

// Update learns from the last transition, first the step size and then the metric. x and grad are
// the new position and its gradient. It reports whether a window has ended.
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
	if w.Shared.Stage != alone {
		w.note(out)
		if w.Shared.Stage == windowed && t >= w.Schedule.Start {
			a.learn.add(x, grad)
		}
		return false
	}
	if a.learn == nil || len(w.Schedule.Ends) == 0 {
		return false
	}
	if t >= w.Schedule.Start {
		a.learn.add(x, grad)
	}
	return t == w.Schedule.Ends[0]
}

// calm switches to small updates when it is time. After that it counts transitions with large
// energy errors.
func (w *adaptationState) calm(lost float64) {
	if w.Step.Gamma == calm {
		w.Calm++
		if lost > broken {
			w.Broken++
		}
	} else if w.Step.Counter >= trying {
		w.goOn(w.Step.final())
	}
}

// goOn tunes with small updates from eps on.
func (w *adaptationState) goOn(eps float64) {
	w.Step.Gamma = calm
	w.Step.from(eps)
	w.StepSize = eps
}

// target returns the mean acceptance to tune to after the last window. If the user set none, what it is
// short of 1 is divided by the percentage of transitions that broke, at most by 4: from 0.8 at 1 in 100
// it rises to 0.9 at 2 in 100 and 0.95 at 4 in 100.
func (w *adaptationState) target(made, lost int) float64 {
	if !w.Raise || made == 0 {
		return w.Target
	}
	percent := 100 * float64(lost) / float64(made)
	return 1 - (1-w.Target)/min(4, max(1, percent))
}

// limit returns how often the next trajectory may double, or 0 for no bound.
func (a *Adaptation) limit() int {
	if a == nil || a.state.Stan || a.state.Done >= a.state.Early {
		return 0
	}
	return earlyDoublings
}

// Metric ends a window. It returns the new metric, given the current one, and opens the next
// window. If the chain has moved since old was estimated, it discards the count of broken
// transitions, which says nothing about the new place.
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

// Restart starts tuning again from eps, the step size found under a new metric.
func (a *Adaptation) Restart(eps float64) {
	w := &a.state
	w.Step.Gamma = hasty
	w.Step.restart(eps)
	if len(w.Schedule.Ends) == 0 && w.Shared.Stage == alone {
		w.Step.Delta = w.target(w.Calm, w.Broken)
	}
	w.StepSize, w.Found = eps, eps
}

// Final returns the step size to sample with: the average from dual averaging. If there were too
// few updates since the last search, it returns half the step size found there, because a search
// that grows ends at the first step that is too long.
func (a *Adaptation) Final() float64 {
	n := a.state.Step.Counter
	switch {
	case a.state.Shared.Stage == concluded:
		return a.state.StepSize
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
	if a.learn = k.learner(a.state.Plan); a.state.Shared.Stage != alone {
		a.learn = newPairs(k, a.state.Plan, nearOf(k))
	}
	return gob.NewDecoder(bytes.NewReader(learned)).Decode(a.learn)
}
