package draws

// Run is the complete result of a sampler.
type Run struct {
	Names  []string // x[0], x[1], … unless the target has its own
	Labels []string // what summaries call them, such as alpha[horsebean] for alpha[1]; nil: Names
	// Constants are those of Names that are constants by construction, such as the diagonal of a correlation
	// matrix: that they do not vary is no reason to warn.
	Constants []string
	Chains    []Chain
	Model     string // what was sampled, in the user's words
	Seed      uint64
	Sampler   Sampler
	Modes     *Modes // the result of a search for modes, nil if there was none
	// Ending says whether the run made all planned draws and whether its stopping rule was met.
	// Stopped says so in words; it is empty for a run without a stopping rule.
	Ending  Ending
	Stopped string
	// Interrupted is the error that ended the run early, or "". The chains concerned have their own
	// errors in Err.
	Interrupted string
}

// Ending says how a run ended with respect to its plan and its stopping rule. Errors are in
// Interrupted and in the Err of the chains.
type Ending int

// The endings.
const (
	Planned   Ending = iota // no stopping rule, or an error came before it was decided
	RuleMet                 // a stopping rule was met
	RuleUnmet               // all planned draws were made, but the rule was not met
)

// String says in words whether the rule was met.
func (e Ending) String() string {
	return [...]string{"", "targets met", "the targets of the stopping rule are not met"}[e]
}

// Sampler is the record of how a run was made.
type Sampler struct {
	Algorithm    string  `json:"algorithm" doc:"nuts, hmc, or fixed_param for a program without parameters."`
	Chains       int     `json:"chains" doc:"The number of chains."`
	Warmup       int     `json:"warmup" doc:"The number of transitions of each chain in warm-up."`
	Draws        int     `json:"draws" doc:"The number of transitions of each chain after warm-up that were planned."`
	Thin         int     `json:"thin" doc:"Of so many transitions one is kept."`
	SaveWarmup   bool    `json:"save_warmup" doc:"Whether draws of warm-up are kept too."`
	TargetAccept float64 `json:"target_accept" doc:"The acceptance statistic that the step size is tuned for."`
	MaxDepth     int     `json:"max_depth" doc:"nuts: the largest depth of a tree."`
	PathLength   float64 `json:"path_length" doc:"hmc: the length of a trajectory."`
	MaxSteps     int     `json:"max_steps" doc:"hmc: the largest number of steps of a trajectory."`
	Jitter       float64 `json:"jitter" doc:"The relative jitter of the step size (nuts) or the length (hmc)."`
	Metric       string  `json:"metric" doc:"The kind of metric: unit_e, diag_e, dense_e or low_rank."`
	AskedMetric  string  `json:"asked_metric,omitempty" doc:"The kind of metric that was asked for; not there if the draws chose."`
	Estimator    string  `json:"estimator" doc:"What the metric is estimated by: covariance, fisher, or empty."`
	InitBuffer   int     `json:"init_buffer" doc:"The first transitions of warm-up, in which the metric is not adapted."`
	Window       int     `json:"window" doc:"The first window of warm-up in which the metric is adapted."`
	TermBuffer   int     `json:"term_buffer" doc:"The last transitions of warm-up, in which the metric is not adapted."`
	Gamma        float64 `json:"gamma" doc:"The constant gamma of dual averaging."`
	Kappa        float64 `json:"kappa" doc:"The constant kappa of dual averaging."`
	T0           float64 `json:"t0" doc:"The constant t0 of dual averaging."`
	InitRadius   float64 `json:"init_radius" doc:"How far from 0 chains begin that have no other beginning."`
	Source       string  `json:"source" doc:"The source of random numbers: pcg or chacha8."`
	Path         string  `json:"path" doc:"The code that computed exponentials."`
}

// Chain is one chain of a run.
type Chain struct {
	Values [][]float64 // one row per kept draw, on the user's scale; nil if File has them
	File   *File       // the draws on disk, nil if they are in memory
	Stats  []Stat      // one per kept draw; nil if File has them
	Err    error       // why the chain ended early

	WarmupValues [][]float64 // kept when Sampler.SaveWarmup
	WarmupStats  []Stat

	StepSize float64 // after warm-up
	Metric   Metric  // after warm-up
	// Unadapted says that no window of warm-up was completed, so Metric is the initial metric.
	Unadapted bool
	// Coordinates describe those that warm-up learned for a target that has several (see
	// hmc.Reparametrizer), and Metric is in these; nil for the target's own.
	Coordinates []float64
	Windows     []Window // how the metric was chosen, window by window
	// Warmup is the number of transitions of warm-up made; 0 if it is not known. WarmupEnded says why
	// a warm-up of no fixed length ended there.
	Warmup      int
	WarmupEnded string
	// MovedFrom is where the chain was, on the user's scale, when warm-up moved it to a draw of
	// another chain because it was far below all of them; nil if that did not happen.
	MovedFrom []float64
	// LeftFrom is where the chain was, on the user's scale, when in the window of warm-up that ended after Left
	// transitions it was in another mode than in the end; nil if no such mode was seen.
	LeftFrom []float64
	Left     int
	Last     []float64 // the last position, in the target's own coordinates: a warm start for another run

	// Divergences lists the divergences after warm-up; WarmupDivergences counts those during
	// warm-up.
	Divergences       []Divergence
	WarmupDivergences int
	// DivergedFrom is the sum of the starting points of all Divergences, of a chain with its draws in
	// File: only the first of them have positions then.
	DivergedFrom []float64

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

// Window records how the metric was chosen at the end of a window of warm-up.
type Window struct {
	End   int     `json:"end" doc:"The last transition of the window, from 0."`
	Draws int     `json:"draws" doc:"The number of draws that the metric was estimated from."`
	Kind  string  `json:"kind" doc:"The kind of metric chosen, or old: that in force was kept."`
	Rank  int     `json:"rank" doc:"The rank of its correlations; 0 for a diagonal metric."`
	Tried []Trial `json:"tried,omitempty" doc:"The metrics compared on draws held out; missing where draws were plenty."`
}

// Trial is a metric fitted to the first two thirds of a window's draws, and its Fisher divergence
// on the last third: the mean, over draws and dimensions, of g'Wg + x'W^-1 x for deviations of draws
// and gradients from their means. 2 would be perfect for a normal target.
type Trial struct {
	Kind  string  `json:"kind" doc:"The kind of metric."`
	Rank  int     `json:"rank" doc:"The rank of its correlations."`
	Score float64 `json:"score" doc:"Its Fisher divergence there, per draw and dimension: 2 is perfect for a normal."`
}

// Divergence records where a trajectory left the energy surface.
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

// Draws returns one parameter, chain by chain, from memory or from the files of the chains. It returns
// false if there is no such parameter, or if a file cannot be read: Check says why.
func (r *Run) Draws(name string) ([][]float64, bool) {
	for j, n := range r.Names {
		if n == name {
			out := r.Column(j)
			return out, out != nil
		}
	}
	return nil, false
}

// Column returns the j-th parameter, chain by chain, or nil if a file cannot be read.
func (r *Run) Column(j int) [][]float64 {
	out := make([][]float64, len(r.Chains))
	for c := range r.Chains {
		col, err := r.Chains[c].Column(j, r.Chains[c].Len())
		if err != nil {
			return nil
		}
		out[c] = col
	}
	return out
}

// Recorder receives the events of one chain in order, from the goroutine of that chain. It must not
// retain the slices.
type Recorder interface {
	// Draw is called for each kept draw, including warm-up if warm-up is saved.
	Draw(values []float64, s Stat, warmup bool) error
	// Adapted is called once, between warm-up and sampling.
	Adapted(stepSize float64, m Metric) error
	// Close is called once, when the run ends for any reason, from the goroutine of the run.
	Close(warmupSeconds, sampleSeconds float64) error
}

// WindowRecorder is a Recorder that is also told, just before Adapted, how warm-up chose the metric.
type WindowRecorder interface{ Windows([]Window) error }

// CoordinateRecorder is a Recorder that is also told, just before Adapted, the coordinates that warm-up
// learned, in which the metric is, if it learned any.
type CoordinateRecorder interface{ Coordinates([]float64) error }

// Discarder is a Recorder that can remove what it wrote. If the run never begins, Discard is called
// instead of Close.
type Discarder interface{ Discard() error }
