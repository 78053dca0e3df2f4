package hmc

import (
	"bytes"
	"encoding/gob"
)

// Adaptation is the warm-up of one chain: it tunes the step size after every transition and, at
// the end of each window, the metric. It is a value of its own, apart from the transition, and its
// whole state can be saved with encoding/gob and resumed between any two transitions.
//
// A transition with step size a.StepSize() is followed by a.Update; where that reports the end of a
// window, by a.Metric, a search for a step size under the new metric, and a.Restart. After the last
// transition a.Final is the step size to sample with.
type Adaptation struct{ state adaptationState }

type adaptationState struct {
	Schedule schedule
	Kind     MetricKind
	Est      Estimator
	Done     int // transitions seen
	Step     dualAveraging
	Moments  *moments // nil where no metric is adapted from them
	Pairs    *pairs   // nil where no correlated Fisher metric is adapted
	Auto     bool     // correlations may be left out
	StepSize float64  // for the next transition
	Found    float64  // the step size of the latest search
	Stan     bool     // Stan's warm-up to the letter
	Plain    bool     // tune the plain statistic of acceptance
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
	w := adaptationState{
		Kind: s.Adapt.Metric.resolve(d), Est: s.Adapt.Estimator,
		Plain: s.Adapt.Acceptance == PlainAcceptance,
		Step:  dualAveraging{Delta: s.TargetAccept, Gamma: 0.05, Kappa: 0.75, T0: 10},
	}
	if s.Adapt.StanWarmup {
		w.Schedule = stanWindows(s.Warmup, s.Adapt.Windows)
		w.Step.restart(s.Adapt.StepSize) // Stan starts from the step size given, not the one found
	} else {
		draws := 0
		if w.Kind == DenseMetric {
			draws = d
		}
		w.Schedule = windows(s.Warmup, draws, s.Adapt.Windows.defaults(s.Warmup, s.Adapt.Estimator))
		w.Step.restart(eps)
	}
	w.Auto = s.Adapt.Metric == AutoMetric
	switch {
	case w.Kind == UnitMetric || len(w.Schedule.Ends) == 0:
	case w.Est == Fisher && w.Kind != DiagMetric:
		w.Pairs = newPairs(d)
	default:
		w.Moments = newMoments(d, w.Kind == DenseMetric)
	}
	w.StepSize, w.Found, w.Stan = eps, eps, s.Adapt.StanWarmup
	return &Adaptation{w}
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
	w.Done++
	if w.Moments == nil && w.Pairs == nil || len(w.Schedule.Ends) == 0 {
		return false
	}
	if t >= w.Schedule.Start {
		if w.Pairs != nil {
			w.Pairs.add(x, grad)
		} else {
			w.Moments.add(x, grad)
		}
	}
	return t == w.Schedule.Ends[0]
}

// Metric ends a window: it returns the metric estimated in it, old being the one in force, and
// opens the next window.
func (a *Adaptation) Metric(old Metric) (Metric, error) {
	w := &a.state
	w.Schedule.Ends = w.Schedule.Ends[1:]
	if w.Pairs != nil {
		m, err := w.Pairs.metric(w.Kind, old, w.Auto)
		w.Pairs.reset()
		return m, err
	}
	m, err := w.Moments.metric(w.Kind, w.Est, old)
	w.Moments.reset()
	return m, err
}

// Restart begins to tune the step size anew from eps, found under a new metric.
func (a *Adaptation) Restart(eps float64) {
	a.state.Step.restart(eps)
	a.state.StepSize, a.state.Found = eps, eps
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
	case n < fewUpdates && !a.state.Stan:
		return a.state.Found / 2
	case n == 0:
		return a.state.Found
	}
	return a.state.Step.final()
}

// GobEncode returns the whole state.
func (a *Adaptation) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(a.state)
	return b.Bytes(), err
}

// GobDecode restores a state.
func (a *Adaptation) GobDecode(b []byte) error {
	return gob.NewDecoder(bytes.NewReader(b)).Decode(&a.state)
}
