package draws

// Run is everything that a sampler leaves behind.
type Run struct {
	Names   []string // x[0], x[1], … unless the target has its own
	Chains  []Chain
	Model   string // what was sampled, in the user's words
	Seed    uint64
	Sampler Sampler
	Modes   *Modes // what a search for modes saw, nil if none was made
	// Ending says whether the run made all planned draws, and how its stopping rule came out; Stopped
	// says that in words, which are empty for a run without one.
	Ending  Ending
	Stopped string
	// Interrupted is the error with which the run ended before its time, empty if there was none.
	// The chains concerned have their own in Err.
	Interrupted string
}

// Ending is how a run ended, as far as its plan and its stopping rule go. What went wrong beside them is
// in Interrupted and in the chains' Err.
type Ending int

// The endings.
const (
	Planned   Ending = iota // no rule, or none that was asked: all planned draws, or what an error left
	RuleMet                 // a stopping rule was met
	RuleUnmet               // the planned draws were made, and the rule still asks for more
)

// String is how the rule came out, in words.
func (e Ending) String() string {
	return [...]string{"", "targets met", "the targets of the stopping rule are not met"}[e]
}

// Sampler is the record of how a run was made.
type Sampler struct {
	Algorithm    string // "nuts" or "hmc"
	Chains       int
	Warmup       int // transitions per chain
	Draws        int // planned transitions per chain after warm-up; the first of each Thin is kept
	Thin         int
	SaveWarmup   bool
	TargetAccept float64
	MaxDepth     int     // nuts
	PathLength   float64 // hmc: length of a trajectory in units of time
	MaxSteps     int     // hmc: a trajectory has at most this many steps
	Jitter       float64 // relative jitter: of the step size (nuts) or of the length (hmc)
	Metric       string  // the kind of metric, such as "dense_e"
	AskedMetric  string  // the kind that was asked for, "" if the draws of warm-up were to choose
	Estimator    string  // "covariance", "fisher" or "" where the metric is not adapted
	InitBuffer   int
	Window       int
	TermBuffer   int
	Gamma        float64
	Kappa        float64
	T0           float64
	InitRadius   float64
	Source       string // random source: "pcg" or "chacha8"
	Path         string // numerical path of the model, "" if it has only one
}

// Chain is one chain of a run.
type Chain struct {
	Values [][]float64 // one row per kept draw, on the user's scale
	Stats  []Stat      // one per kept draw
	Err    error       // why the chain ended before its time

	WarmupValues [][]float64 // kept when Sampler.SaveWarmup
	WarmupStats  []Stat

	StepSize float64 // after warm-up
	Metric   Metric  // after warm-up
	// Unadapted says that no window of warm-up came to an end: Metric is what the chain began with.
	Unadapted bool
	Windows   []Window  // how the metric was chosen, window by window
	Last      []float64 // the last position, on the sampler's own scale: a warm start for another run

	// Divergences are those after warm-up; WarmupDivergences counts those before.
	Divergences       []Divergence
	WarmupDivergences int

	Gradients       int // evaluations after warm-up
	WarmupGradients int // evaluations during warm-up, step-size searches included
	WarmupSeconds   float64
	SampleSeconds   float64
}

// Stat describes one transition.
type Stat struct {
	LP, AcceptStat, StepSize, Energy float64
	TreeDepth, Leapfrogs             int
	Divergent                        bool
}

// Window is how the metric was chosen at the end of a window of warm-up.
type Window struct {
	End   int     `json:"end"`             // its last transition, from 0
	Draws int     `json:"draws"`           // that the metric was estimated from
	Kind  string  `json:"kind"`            // of the metric chosen, or "old": the one in force was kept
	Rank  int     `json:"rank"`            // of its correlations, 0 for a diagonal metric
	Tried []Trial `json:"tried,omitempty"` // what was compared; nothing where draws were plenty
}

// Trial is a metric fitted to the first two thirds of a window's draws, and its Fisher divergence
// on the last third: the mean, over draws and dimensions, of g'Wg + x'W^-1 x for deviations of draws
// and gradients from their means. 2 would be perfect for a normal target.
type Trial struct {
	Kind  string  `json:"kind"`
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

// Divergence says where a trajectory left the energy surface.
type Divergence struct {
	Draw        int       // index of the transition after warm-up, from 0, before thinning
	Start, End  []float64 // on the user's scale: where the trajectory began and where it broke
	EnergyError float64   // H - H0 where it broke; +Inf if the density was not finite there
	Reason      string    // one of the Reason constants
}

// The reasons for a divergence.
const (
	ReasonEnergy   = "energy error above the limit"
	ReasonOutside  = "log density -Inf"
	ReasonNaN      = "log density NaN"
	ReasonGradient = "gradient not finite"
)

// Modes is the report of a multi-start search.
type Modes struct {
	Starts int    // searches made
	Failed int    // searches that found no mode
	Modes  []Mode // highest density first
}

// Mode is a local maximum of the log density on the sampler's own scale.
type Mode struct {
	X       []float64 // on the sampler's own scale
	Values  []float64 // on the user's scale
	LP      float64
	LogMass float64     // Laplace's approximation of the log of the mass around it
	Hits    int         // searches that ended here
	Cov     [][]float64 // inverse of the negative Hessian
}

// Draws returns one parameter, chain by chain.
func (r *Run) Draws(name string) ([][]float64, bool) {
	for j, n := range r.Names {
		if n == name {
			return r.Column(j), true
		}
	}
	return nil, false
}

// Column returns the j-th parameter, chain by chain.
func (r *Run) Column(j int) [][]float64 {
	out := make([][]float64, len(r.Chains))
	for c := range r.Chains {
		col := make([]float64, len(r.Chains[c].Values))
		for i, row := range r.Chains[c].Values {
			col[i] = row[j]
		}
		out[c] = col
	}
	return out
}

// Recorder receives one chain's events in the order of time, from that chain's goroutine. The
// slices are only lent.
type Recorder interface {
	// Draw is called for each kept draw, those of warm-up included when warm-up is saved.
	Draw(values []float64, s Stat, warmup bool) error
	// Adapted is called once, between warm-up and sampling.
	Adapted(stepSize float64, m Metric) error
	// Close is called once, when the run ends for whatever reason, from the goroutine of the run.
	Close(warmupSeconds, sampleSeconds float64) error
}

// WindowRecorder is a Recorder that is also told, just before Adapted, how warm-up chose the metric.
type WindowRecorder interface{ Windows([]Window) error }

// Discarder is a Recorder that can go away without a trace: it is told to, in the place of Close, if
// the run never began.
type Discarder interface{ Discard() error }
