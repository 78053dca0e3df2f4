package temper

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/checkpoint"
)

const checkpointMagic = "bayeskernel tempering checkpoint 2\n"

// saved is the content of the file. Replicates may be in different rounds of warm-up, and each
// resumes where it was. Betas holds the ladder of every round that has begun.
type saved struct {
	Fitted *fitted // nil if the reference was given, or not fitted yet
	Betas  [][]float64
	Chains [][]byte // gobs of replicateState, empty for one that has not begun
}

// fitted is a reference that was fitted to a run.
type fitted struct {
	About       string
	Nu, LogNorm float64
	Mean, Chol  []float64
	Modes       *draws.Modes
}

func (f *fitted) reference() *StudentT {
	return &StudentT{nu: f.Nu, logNorm: f.LogNorm, mean: f.Mean, chol: f.Chol,
		u: make([]float64, len(f.Mean))}
}

// replicateState is what a checkpoint keeps of a replicate between two scans.
type replicateState struct {
	Progress         progress
	Parity           int
	Scans, Iterates  int
	Random           []byte
	Gradients, Extra int
	Rungs            []rungState
	X, Grad          []float64 // where a step size is to be found, if progress says so
	LogP             float64
	Tally            tallyState
	Out              draws.Chain
}

type rungState struct {
	X, GradRef, GradTarget []float64
	Ref, Target            float64
	Walker                 int
	Beta, Eps              float64
	Metric                 draws.Metric
	Adapt                  *hmc.Adaptation
}

type tallyState struct {
	Scans, Trips int
	Reject       []float64
	Top, Sum     []float64
	N, Divergent []int
	Phase        []phase
}

// keeper holds the newest states and writes them to the file.
type keeper struct {
	mu    sync.Mutex
	path  string
	every time.Duration
	head  []checkpoint.Field
	saved saved
}

// fingerprint identifies a run. Draws, Parallel, hooks and files change no draw, so a resumed run
// may change them.
func (s *sampler) fingerprint(dim int) []checkpoint.Field {
	c := s.cfg
	reference := "fitted"
	if c.Reference != nil {
		reference = "given"
	}
	return []checkpoint.Field{
		checkpoint.New("dimension", dim), checkpoint.New("list of names", s.names),
		checkpoint.New("seed", c.Seed), checkpoint.New("number of replicates", c.Chains),
		checkpoint.New("numerical path", c.Path), checkpoint.New("warm-up", c.Warmup),
		checkpoint.New("model", c.Model), checkpoint.New("reference", reference),
		checkpoint.New("number of rungs", c.Rungs), checkpoint.New("thinning", c.Thin),
		checkpoint.New("target acceptance", c.TargetAccept), checkpoint.New("metric",
			c.Adapt.Metric),
		checkpoint.New("maximum depth", c.MaxDepth), checkpoint.New("random source", c.Source),
		checkpoint.New("start of the search", [2]any{c.Start.From, c.Start.Radius}),
		checkpoint.New("gradient check", !c.Start.SkipGradientCheck),
	}
}

// write saves the newest states.
func (k *keeper) write() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := checkpoint.Write(k.path, checkpointMagic, k.head, k.saved); err != nil {
		return fmt.Errorf("temper: checkpoint: %w", err)
	}
	return nil
}

// keep takes the state of a replicate.
func (k *keeper) take(r *replicate) error {
	st, err := r.state()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(st); err != nil {
		return fmt.Errorf("checkpoint of replicate %d: %w", r.id+1, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.saved.Chains[r.id] = b.Bytes()
	return nil
}

// state is the replicate's own, between two scans.
func (r *replicate) state() (*replicateState, error) {
	r.rewind()
	random, err := r.src.MarshalBinary()
	if err != nil {
		return nil, err
	}
	t := &r.tally
	st := &replicateState{Progress: r.progress, Parity: r.parity, Scans: r.scans,
		Iterates: r.iterates, Random: append([]byte(nil), random...), Gradients: r.h.Gradients,
		Extra: r.path.extra, Out: r.out,
		Tally: tallyState{Scans: t.scans, Trips: t.trips, Reject: t.reject, Divergent: t.divergent,
			Phase: t.phase}}
	if r.progress.Search {
		st.X, st.Grad, st.LogP = slices.Clone(r.z.X), slices.Clone(r.z.Grad), r.z.LogP
	}
	for _, m := range t.step {
		st.Tally.Top = append(st.Tally.Top, m.top)
		st.Tally.Sum = append(st.Tally.Sum, m.sum)
		st.Tally.N = append(st.Tally.N, m.n)
	}
	for _, g := range r.rungs {
		st.Rungs = append(st.Rungs, rungState{X: g.x, GradRef: g.gradRef, GradTarget: g.gradTarget,
			Ref: g.ref, Target: g.target, Walker: g.walker, Beta: g.beta, Eps: g.eps,
			Metric: g.metric.Record(), Adapt: g.adapt})
	}
	return st, nil
}

// restore puts the replicate where st says, and makes sure that the target is still the same.
func (r *replicate) restore(st *replicateState) error {
	d := r.path.Dim()
	r.rungs = nil
	for i, g := range st.Rungs {
		if len(g.X) != d || len(g.GradRef) != d || len(g.GradTarget) != d {
			return fmt.Errorf("temper: rung %d of the checkpoint has a position of %d components: "+
				"the target has %d", i+1, len(g.X), d)
		}
		metric, err := hmc.NewMetric(g.Metric)
		if err != nil {
			return fmt.Errorf("temper: checkpoint: %w", err)
		}
		r.rungs = append(r.rungs, rung{state: state{x: g.X, gradRef: g.GradRef,
			gradTarget: g.GradTarget, ref: g.Ref, target: g.Target, walker: g.Walker}, beta: g.Beta,
			metric: metric, eps: g.Eps, adapt: g.Adapt})
	}
	k := len(st.Rungs)
	t := &st.Tally
	if k < 2 || len(t.Reject) != k-1 || len(t.Top) != k-1 || len(t.Sum) != k-1 ||
		len(t.N) != k-1 || len(t.Divergent) != k || len(t.Phase) != k {
		return fmt.Errorf("temper: checkpoint holds a ladder of %d rungs that does not fit its tally", k)
	}
	if st.Iterates > r.cfg.Draws {
		return fmt.Errorf("temper: checkpoint holds %d draws: Draws is %d, and cannot be fewer",
			st.Iterates, r.cfg.Draws)
	}
	if next := st.Progress.Next; next < 0 || next >= k || st.Progress.Search &&
		(next == 0 || st.Rungs[next].Adapt == nil || len(st.X) != d || len(st.Grad) != d) {
		return fmt.Errorf("temper: checkpoint stands at rung %d of %d, or lacks its position", next+1, k)
	}
	if err := r.src.UnmarshalBinary(st.Random); err != nil {
		return err
	}
	r.tally = tally{scans: t.Scans, trips: t.Trips, reject: t.Reject, divergent: t.Divergent,
		phase: t.Phase, step: make([]logMean, k-1)}
	for i := range r.tally.step {
		r.tally.step[i] = logMean{t.Top[i], t.Sum[i], t.N[i]}
	}
	r.progress, r.parity, r.scans, r.iterates = st.Progress, st.Parity, st.Scans, st.Iterates
	r.out = st.Out
	copy(r.z.X, st.X)
	copy(r.z.Grad, st.Grad)
	r.z.LogP = st.LogP
	if err := r.recognise(); err != nil {
		return err
	}
	r.h.Gradients, r.path.extra = st.Gradients, st.Extra
	return nil
}

// recognise compares the log density of the last state with what the checkpoint says. It need not
// agree to the bit, because it may have been recovered from that of a tempered density.
func (r *replicate) recognise() error {
	s := &r.rungs[len(r.rungs)-1].state
	copy(r.path.at, s.x)
	lp := r.path.target.LogDensity(s.x, make([]float64, len(s.x)))
	if !(math.Abs(lp-s.target) <= 1e-6*(1+math.Abs(s.target))) {
		return fmt.Errorf("temper: checkpoint is of another target: the log density at %.6g was %v "+
			"and is %v (are data and code the same?)", head(s.x), s.target, lp)
	}
	return nil
}
