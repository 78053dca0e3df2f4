package hmc

import (
	"fmt"
	"math"
	"time"

	"bayeskernel/draws"
	"bayeskernel/internal/rng"
)

// NoWarmup as Settings.Warmup asks for no warm-up at all. The step size, and the metric if it is
// not the identity, must then come from Settings.StepSize or Settings.WarmStart.
const NoWarmup = -1

// InitKind says where chains start when Settings.Init gives no points.
type InitKind int

// allChains as Parallel runs all chains at once, so that a run that is stopped has draws of each.
const allChains = math.MaxInt

// mostTransitions bounds what a chain can be asked for, far above what any memory holds.
const mostTransitions = min(1<<40, math.MaxInt/8)

// The kinds of initial points.
const (
	// InitUniform draws each coordinate uniformly on (-InitRadius, InitRadius).
	InitUniform InitKind = iota
	// InitTarget asks the target, which must be an Initializer: draws from the priors, say.
	InitTarget
)

// Settings is what every sampler of this module understands. Zero values mean the defaults in
// parentheses.
type Settings struct {
	// Warmup and Draws are per chain (4, 1000, 1000); NoWarmup as Warmup runs none.
	Chains, Warmup, Draws int
	Seed                  uint64
	// TargetAccept is the mean acceptance that warm-up tunes the step size to (0.8; more, up to 0.95,
	// where some transitions accept little).
	TargetAccept float64
	Thin         int    // keep every Thin-th draw (1)
	SaveWarmup   bool   // keep the draws of warm-up too
	Parallel     int    // chains run at once (all of them); changes no draw
	Source       string // random source: "pcg" or "chacha8" ("pcg")

	// Adaptation.
	Metric     MetricKind // (by the draws of warm-up: diagonal, low rank or dense)
	Estimator  Estimator  // (Fisher; Covariance with StanWarmup)
	Windows    Windows    // (as described at Windows)
	StanWarmup bool       // Stan's schedule, start of the step size and estimators, to the letter
	Acceptance Acceptance // (SymmetricAcceptance; PlainAcceptance with StanWarmup)
	StepSize   float64    // where the search for a step size begins (1)
	StepJitter float64    // draw each transition's step size within ±StepJitter of itself (0)

	// Where chains start. Init holds points on the sampler's own scale, one per chain or one for
	// all.
	Init       [][]float64
	InitFrom   InitKind    // (InitUniform)
	InitRadius float64     // (2)
	WarmStart  []WarmStart // what an earlier run learned, one per chain or one for all

	SkipGradientCheck bool // do not compare the gradient at the initial point with differences

	// Until ends the run early, once its targets are met; Draws is then the most that are made.
	Until *Until

	// Checkpoint names a file into which the state of the run is written when it begins, when it
	// ends for whatever reason, and every CheckpointEvery if that is positive. Resume names one to
	// go on from; a run that ended can be resumed for more Draws.
	Checkpoint      string
	CheckpointEvery time.Duration
	Resume          string

	// Record, if not nil, is called once per chain, before it starts, for a Recorder of its draws.
	// head is the run as it will be recorded, without its chains.
	Record func(head *draws.Run, chain int) (draws.Recorder, error)
	// OnProgress, if not nil, is called from time to time and at the end of each phase of each
	// chain, never twice at once.
	OnProgress func(Progress)
	// OnDraw, if not nil, is called after every transition, never twice at once; the values are a
	// copy, valid until it returns.
	OnDraw func(chain, iteration int, warmup bool, values []float64, s draws.Stat)

	Model string // what is sampled, for the record
	Path  string // its numerical path, for the record: resuming on another is refused

	stepGiven bool // StepSize was set by the user
	raise     bool // TargetAccept was not: warm-up may raise it
}

// Progress says how far a chain has come.
type Progress struct {
	Chain       int // from 0
	Iteration   int // transitions made, warm-up included
	Total       int // transitions planned
	Warmup      bool
	StepSize    float64
	Divergences int // after warm-up
	Gradients   int // evaluations of the target
	Elapsed     time.Duration
	Done        bool
	Err         error
}

// defaults returns s with its zero values replaced, or an error that names the field at fault.
func (s Settings) defaults() (Settings, error) {
	for _, f := range []struct {
		name string
		v    *int
		def  int
	}{{"Chains", &s.Chains, 4}, {"Draws", &s.Draws, 1000}, {"Thin", &s.Thin, 1},
		{"Parallel", &s.Parallel, allChains}} {
		if *f.v < 0 {
			return s, fmt.Errorf("hmc: %s is %d: it must be positive, or 0 for "+
				"the default", f.name, *f.v)
		}
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	s.Parallel = min(s.Parallel, s.Chains)
	if s.Draws > mostTransitions || s.Warmup > mostTransitions {
		return s, fmt.Errorf("hmc: Warmup is %d and Draws is %d: neither may exceed %d", s.Warmup,
			s.Draws, mostTransitions)
	}
	switch {
	case s.Warmup == 0:
		s.Warmup = 1000
	case s.Warmup == NoWarmup:
		s.Warmup = 0
	case s.Warmup < 0:
		return s, fmt.Errorf("hmc: Warmup is %d: it must be positive, 0 for 1000 or NoWarmup",
			s.Warmup)
	}
	s.raise = s.TargetAccept == 0
	if s.raise {
		s.TargetAccept = 0.8
	}
	if !(s.TargetAccept > 0 && s.TargetAccept < 1) {
		return s, fmt.Errorf("hmc: TargetAccept is %v: it must be between 0 and 1",
			s.TargetAccept)
	}
	if !(s.StepJitter >= 0 && s.StepJitter < 1) {
		return s, fmt.Errorf("hmc: StepJitter is %v: it must be at least 0 and below 1",
			s.StepJitter)
	}
	if !(s.StepSize >= 0) || s.StepSize > 1e7 {
		return s, fmt.Errorf("hmc: StepSize is %v: it must be positive and at most 1e7, "+
			"or 0 for a search from 1", s.StepSize)
	}
	if s.InitRadius == 0 {
		s.InitRadius = 2
	}
	if !(s.InitRadius > 0) || math.IsInf(s.InitRadius, 1) {
		return s, fmt.Errorf("hmc: InitRadius is %v: it must be positive and finite",
			s.InitRadius)
	}
	return s.adaptationDefaults()
}

func (s Settings) adaptationDefaults() (Settings, error) {
	if s.Warmup == 0 && s.StepSize == 0 && len(s.WarmStart) == 0 && s.Resume == "" {
		return s, fmt.Errorf("hmc: without warm-up nothing sets the step size: " +
			"give StepSize or WarmStart")
	}
	s.stepGiven = s.StepSize > 0
	if !s.stepGiven {
		s.StepSize = 1
	}
	if s.Estimator == AutoEstimator {
		s.Estimator = Fisher
		if s.StanWarmup {
			s.Estimator = Covariance
		}
	}
	if err := s.checkWindows(); err != nil {
		return s, err
	}
	if s.Acceptance == AutoAcceptance {
		s.Acceptance = SymmetricAcceptance
		if s.StanWarmup {
			s.Acceptance = PlainAcceptance
		}
	}
	if s.Acceptance < AutoAcceptance || s.Acceptance > SymmetricAcceptance {
		return s, fmt.Errorf("hmc: unknown Acceptance %d", s.Acceptance)
	}
	if s.Metric < AutoMetric || s.Metric > LowRankMetric {
		return s, fmt.Errorf("hmc: unknown Metric %v", s.Metric)
	}
	if s.Estimator < AutoEstimator || s.Estimator > Fisher {
		return s, fmt.Errorf("hmc: unknown Estimator %v", s.Estimator)
	}
	if s.InitFrom != InitUniform && s.InitFrom != InitTarget {
		return s, fmt.Errorf("hmc: unknown InitFrom %d", s.InitFrom)
	}
	if s.CheckpointEvery < 0 {
		return s, fmt.Errorf("hmc: CheckpointEvery is %v: it must not be negative",
			s.CheckpointEvery)
	}
	if s.CheckpointEvery > 0 && s.Checkpoint == "" {
		return s, fmt.Errorf("hmc: CheckpointEvery is %v but Checkpoint names no file",
			s.CheckpointEvery)
	}
	return s.startDefaults()
}

// checkWindows refuses windows that leave no room for a metric.
func (s *Settings) checkWindows() error {
	w := s.Windows
	if w.Init < 0 || w.Base < 0 || w.Term < 0 {
		return fmt.Errorf("hmc: Windows are %d, %d, %d: none may be negative", w.Init, w.Base, w.Term)
	}
	if w == (Windows{}) || s.Warmup < shortest {
		return nil
	}
	full := w.defaults(s.Warmup, s.Estimator)
	if s.StanWarmup {
		full = w.stanDefaults()
	}
	if full.Init+full.Term >= s.Warmup {
		return fmt.Errorf("hmc: Windows begin after %d transitions and end %d before the end of a "+
			"warm-up of %d: nothing is left for them", full.Init, full.Term, s.Warmup)
	}
	return nil
}

// startDefaults is the part of defaults that concerns where chains start and when they stop.
func (s Settings) startDefaults() (Settings, error) {
	for i, w := range s.WarmStart {
		if !(w.StepSize >= 0) || w.StepSize > 1e7 {
			return s, fmt.Errorf("hmc: WarmStart[%d].StepSize is %v: it must be positive and at "+
				"most 1e7, or 0 if it is not known", i, w.StepSize)
		}
		if s.Warmup == 0 && w.StepSize == 0 && !s.stepGiven {
			return s, fmt.Errorf("hmc: without warm-up nothing sets the step size: "+
				"WarmStart[%d] has none", i)
		}
	}
	if n := len(s.Init); n > 1 && n != s.Chains {
		return s, fmt.Errorf("hmc: Init has %d points for %d chains: give one, or one per chain",
			n, s.Chains)
	}
	if n := len(s.WarmStart); n > 1 && n != s.Chains {
		return s, fmt.Errorf("hmc: WarmStart has %d entries for %d chains: "+
			"give one, or one per chain", n, s.Chains)
	}
	switch rng.Kind(s.Source) {
	case "":
		s.Source = string(rng.PCG)
	case rng.PCG, rng.ChaCha8:
	default:
		return s, fmt.Errorf("hmc: unknown Source %q: known are %q and %q",
			s.Source, rng.PCG, rng.ChaCha8)
	}
	if s.Until != nil {
		u, err := s.Until.defaults(s.Draws)
		if err != nil {
			return s, err
		}
		s.Until = &u
	}
	return s, nil
}
