package hmc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"bayeskernel/draws"
	"bayeskernel/internal/rng"
)

// NoWarmup, as Settings.Warmup, skips warm-up. Adapt.StepSize or Start.Warm must then give the step
// size, and Start.Warm the metric unless it is the identity.
const NoWarmup = -1

// allChains, as Parallel, runs all chains at once, so a stopped run has draws from each.
const allChains = math.MaxInt

// mostTransitions bounds the transitions of a chain. No memory holds that many.
const mostTransitions = min(1<<40, math.MaxInt/8)

// Settings configures every sampler of this module. Zero values mean the defaults in parentheses.
type Settings struct {
	// Warmup and Draws are per chain (4, 1000, 1000). Warmup is the most transitions of warm-up; see
	// Adapt.Fixed. NoWarmup as Warmup runs none.
	Chains, Warmup, Draws int
	Seed                  uint64
	// TargetAccept is the mean acceptance that warm-up tunes the step size to (0.8, raised up to
	// 0.95 if some trajectories have large energy errors).
	TargetAccept float64
	StepJitter   float64 // draw each step size within ±StepJitter of itself (0)
	Thin         int     // keep every Thin-th draw (1)
	SaveWarmup   bool    // keep the draws of warm-up too
	Parallel     int     // chains run at once (all of them); changes no draw
	Source       string  // random source: "pcg" or "chacha8" ("pcg")

	Adapt       Adapt
	Start       Start
	Checkpoints Checkpoints

	// Until ends the run early, once its targets are met; Draws is then the maximum.
	Until *Until

	// DrawsDir, if not empty, is a folder: draws are then kept in its files chain_1.draws and so on, and
	// not in memory. draws.Chain.Values and Stats are nil, and Run.Draws, Chain.EachStat and Summary read
	// the files. Checkpoints hold the state of the chains only, and a resumed run appends.
	DrawsDir string

	// Record, if not nil, is called once per chain, before the chain starts, and returns a Recorder
	// for its draws. head is the record of the run without its chains.
	Record func(head *draws.Run, chain int) (draws.Recorder, error)
	// OnProgress, if not nil, is called from time to time and at the end of each phase of each
	// chain. Calls never overlap.
	OnProgress func(Progress)
	// OnDraw, if not nil, is called after every transition. Calls never overlap. values is a copy,
	// valid until OnDraw returns.
	OnDraw func(chain, iteration int, warmup bool, values []float64, s draws.Stat)
	// OnTransition, if not nil, is called after every transition, from the goroutine of its chain. It is
	// for those who count: no values are computed for it.
	OnTransition func(chain, iteration int, warmup bool)

	Model string // what is sampled, for the record
	Path  string // the numerical path, for the record; a run resumes only on the same path

	raise bool // warm-up may raise TargetAccept
}

// Adapt says how warm-up learns the metric and the step size.
type Adapt struct {
	Metric    MetricKind // (AutoMetric: by the draws of warm-up, diagonal, low rank or dense)
	Estimator Estimator  // (Fisher; Covariance with StanWarmup)
	Windows   Windows    // (as described at Windows)
	// Fixed makes warm-up exactly Warmup transitions long, each chain for itself. Otherwise chains
	// share what they learn at the ends of windows, and warm-up ends when that is enough.
	Fixed      bool
	StanWarmup bool       // exactly Stan's schedule, initial step size and estimators
	Acceptance Acceptance // (SymmetricAcceptance; PlainAcceptance with StanWarmup)
	StepSize   float64    // where the search for a step size begins (1)
	// OwnCoordinates samples a Reparametrizer in its own coordinates, as StanWarmup does.
	OwnCoordinates bool
	// Raise lets warm-up raise TargetAccept where trajectories break although it is given, as it does where
	// it is not.
	Raise bool
}

// Start says where chains begin.
type Start struct {
	// Points are on the sampler's own scale, one per chain or one for all. If neither Points nor
	// Warm gives a position, it is drawn at random.
	Points [][]float64
	From   InitKind    // how they are drawn (InitUniform)
	Radius float64     // of InitUniform (2)
	Warm   []WarmStart // what an earlier run learned, one per chain or one for all

	SkipGradientCheck bool // do not compare the gradient at the initial point with differences
}

// InitKind says how initial points are drawn.
type InitKind int

// The kinds of initial points.
const (
	// InitUniform draws each coordinate uniformly on (-Radius, Radius).
	InitUniform InitKind = iota
	// InitTarget asks the target, which must be an Initializer: draws from the priors, say.
	InitTarget
)

// Checkpoints says where to save the state of a run. A run resumed after an interruption makes the
// same draws, bit for bit, as one that was not interrupted.
type Checkpoints struct {
	// File is written when the run begins and when it ends for any reason. If Every is positive, it
	// is also written at that interval.
	File  string
	Every time.Duration
	// Resume names the checkpoint to resume from. A finished run can be resumed for more Draws.
	Resume string
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

// defaults returns s with defaults for zero values, or an error that names the invalid field.
func (s Settings) defaults() (Settings, error) {
	if err := s.counts(); err != nil {
		return s, err
	}
	if err := s.stepSizes(); err != nil {
		return s, err
	}
	if err := s.Adapt.complete(s.Warmup); err != nil {
		return s, err
	}
	if err := s.Start.complete(s.Chains); err != nil {
		return s, err
	}
	if err := s.Checkpoints.check(); err != nil {
		return s, err
	}
	switch rng.Kind(s.Source) {
	case "":
		s.Source = string(rng.PCG)
	case rng.PCG, rng.ChaCha8:
	default:
		return s, fmt.Errorf("hmc: unknown Source %q: known are %q and %q",
			s.Source, rng.PCG, rng.ChaCha8)
	}
	if s.DrawsDir != "" && s.SaveWarmup {
		return s, fmt.Errorf("hmc: DrawsDir is %q and SaveWarmup is true: draws of warm-up are kept in memory",
			s.DrawsDir)
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

// counts sets the defaults for the numbers of chains and transitions.
func (s *Settings) counts() error {
	for _, f := range []struct {
		name string
		v    *int
		def  int
	}{{"Chains", &s.Chains, 4}, {"Draws", &s.Draws, 1000}, {"Thin", &s.Thin, 1},
		{"Parallel", &s.Parallel, allChains}} {
		if *f.v < 0 {
			return fmt.Errorf("hmc: %s is %d, want a positive number, or 0 for "+
				"the default", f.name, *f.v)
		}
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	s.Parallel = min(s.Parallel, s.Chains)
	if s.Draws > mostTransitions || s.Warmup > mostTransitions {
		return fmt.Errorf("hmc: Warmup is %d and Draws is %d: neither may exceed %d", s.Warmup,
			s.Draws, mostTransitions)
	}
	switch {
	case s.Warmup == 0:
		s.Warmup = 1000
	case s.Warmup == NoWarmup:
		s.Warmup = 0
	case s.Warmup < 0:
		return fmt.Errorf("hmc: Warmup is %d, want a positive number, 0 for 1000 or NoWarmup",
			s.Warmup)
	}
	return nil
}

// stepSizes sets the defaults for the step size, and checks that something sets the step size
// itself.
func (s *Settings) stepSizes() error {
	s.raise = s.TargetAccept == 0 || s.Adapt.Raise
	if s.TargetAccept == 0 {
		s.TargetAccept = 0.8
	}
	if !(s.TargetAccept > 0 && s.TargetAccept < 1) {
		return fmt.Errorf("hmc: TargetAccept is %v, want a number between 0 and 1", s.TargetAccept)
	}
	if !(s.StepJitter >= 0 && s.StepJitter < 1) {
		return fmt.Errorf("hmc: StepJitter is %v, want at least 0 and below 1", s.StepJitter)
	}
	if s.Warmup > 0 || s.Adapt.StepSize != 0 {
		return nil
	}
	if len(s.Start.Warm) == 0 && s.Checkpoints.Resume == "" {
		return fmt.Errorf("hmc: without warm-up nothing sets the step size: " +
			"give Adapt.StepSize or Start.Warm")
	}
	for i, w := range s.Start.Warm {
		if w.StepSize == 0 {
			return fmt.Errorf("hmc: without warm-up nothing sets the step size: "+
				"Start.Warm[%d] has none", i)
		}
	}
	return nil
}

// complete replaces zero values for a warm-up of the given length.
func (a *Adapt) complete(warmup int) error {
	if !(a.StepSize >= 0) || a.StepSize > longestStep {
		return fmt.Errorf("hmc: Adapt.StepSize is %v, want a positive number of at most %.0g, "+
			"or 0 for a search from 1", a.StepSize, longestStep)
	}
	if a.StepSize == 0 {
		a.StepSize = 1
	}
	if a.Metric == nil {
		a.Metric = AutoMetric
	}
	estimator, acceptance := Fisher, SymmetricAcceptance
	if a.StanWarmup {
		estimator, acceptance = Covariance, PlainAcceptance
	}
	a.Estimator = cmp.Or(a.Estimator, estimator)
	a.Acceptance = cmp.Or(a.Acceptance, acceptance)
	switch {
	case a.Acceptance < AutoAcceptance || a.Acceptance > SymmetricAcceptance:
		return fmt.Errorf("hmc: unknown Adapt.Acceptance %d", a.Acceptance)
	case a.Metric != AutoMetric && !slices.ContainsFunc(kinds(), func(k kind) bool { return k == a.Metric }):
		return fmt.Errorf("hmc: unknown Adapt.Metric %v", a.Metric)
	case a.Estimator < AutoEstimator || a.Estimator > Fisher:
		return fmt.Errorf("hmc: unknown Adapt.Estimator %v", a.Estimator)
	}
	w := a.Windows
	if w.Init < 0 || w.Base < 0 || w.Term < 0 {
		return fmt.Errorf("hmc: Adapt.Windows are %d, %d, %d: none may be negative", w.Init, w.Base,
			w.Term)
	}
	if w == (Windows{}) || warmup < shortest {
		return nil
	}
	if w = a.windows(warmup); w.Init+w.Term >= warmup {
		return fmt.Errorf("hmc: Adapt.Windows begin after %d transitions and end %d before the end of "+
			"a warm-up of %d: nothing is left for them", w.Init, w.Term, warmup)
	}
	return nil
}

// windows returns the windows for a warm-up of the given length, with zeros replaced by defaults.
func (a *Adapt) windows(warmup int) Windows {
	if a.StanWarmup {
		return a.Windows.stanDefaults()
	}
	return a.Windows.defaults(warmup, a.Estimator)
}

// complete replaces zero values for the given number of chains.
func (p *Start) complete(chains int) error {
	if p.From != InitUniform && p.From != InitTarget {
		return fmt.Errorf("hmc: unknown Start.From %d", p.From)
	}
	if p.Radius == 0 {
		p.Radius = 2
	}
	if !(p.Radius > 0) || math.IsInf(p.Radius, 1) {
		return fmt.Errorf("hmc: Start.Radius is %v, want a positive, finite number", p.Radius)
	}
	for i, w := range p.Warm {
		if !(w.StepSize >= 0) || w.StepSize > longestStep {
			return fmt.Errorf("hmc: Start.Warm[%d].StepSize is %v, want a positive number of at "+
				"most %.0g, or 0 if it is not known", i, w.StepSize, longestStep)
		}
	}
	if n := len(p.Points); n > 1 && n != chains {
		return fmt.Errorf("hmc: Start.Points has %d points for %d chains: give one, or one per chain",
			n, chains)
	}
	if n := len(p.Warm); n > 1 && n != chains {
		return fmt.Errorf("hmc: Start.Warm has %d entries for %d chains: give one, or one per chain", n,
			chains)
	}
	return nil
}

func (c *Checkpoints) check() error {
	switch {
	case c.Every < 0:
		return fmt.Errorf("hmc: Checkpoints.Every is %v: it must not be negative", c.Every)
	case c.Every > 0 && c.File == "":
		return fmt.Errorf("hmc: Checkpoints.Every is %v but Checkpoints.File is empty", c.Every)
	}
	return nil
}
