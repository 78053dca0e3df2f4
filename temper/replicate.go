package temper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/rng"
	"bayeskernel/internal/workers"
	"bayeskernel/nuts"
)

// replicate is one ladder with its states. Replicates share nothing but the betas.
type replicate struct {
	id       int
	cfg      *Config
	path     path
	h        *hmc.Hamiltonian
	step     *nuts.Sampler
	z, work  *hmc.Point
	src      *rng.Source
	rand     *rand.Rand
	progress progress
	mark     mark
	rungs    []rung
	parity   int
	tally    tally
	scans    int // since the beginning
	iterates int // scans after warm-up
	out      draws.Chain

	rec    draws.Recorder
	kept   []float64 // the draw of the last scan, nil if none was kept
	watch  func(r *replicate) error
	caller string // the hook that is running, "" for the target
	began  time.Time
}

// progress says where a replicate stands: the round, whether it has been opened, and how many of
// its scans are made. Warm-up's first round is 0, and sampling is the round after warm-up's last.
// In the scan under way it has the next rung, and whether that only wants a step size, because a
// window of its metric has just ended.
type progress struct {
	Round  int
	Open   bool
	Done   int
	Next   int
	Search bool
}

// mark is the state to return to if a part of a scan is interrupted. Each part has two stretches.
// The first evaluates densities; a context may interrupt it, and it can be repeated. The second
// changes the replicate and cannot be repeated.
type mark struct {
	undo             bool // the first stretch is under way
	torn             bool // the second stretch is under way
	gradients, extra int
}

// attempt begins the first stretch of a part.
func (r *replicate) attempt() {
	r.src.Mark()
	r.mark = mark{undo: true, gradients: r.h.Gradients, extra: r.path.extra}
}

// commit begins the second.
func (r *replicate) commit() { r.mark.undo, r.mark.torn = false, true }

// rewind undoes a first stretch that did not end.
func (r *replicate) rewind() {
	if !r.mark.undo {
		return
	}
	r.src.Rewind()
	r.h.Gradients, r.path.extra = r.mark.gradients, r.mark.extra
	r.mark.undo = false
}

// rung is one temperature of a ladder. At beta = 0 it only has a state.
type rung struct {
	state
	beta   float64
	metric hmc.Metric
	eps    float64
	adapt  *hmc.Adaptation // nil after warm-up
}

// tally holds the statistics of a series of scans on one ladder.
type tally struct {
	scans     int
	reject    []float64 // sums of 1 - alpha, one per pair
	step      []logMean // stepping stones, one per pair
	divergent []int     // one per rung
	phase     []phase   // one per walker
	trips     int       // round trips
}

// phase says which end of the ladder a walker visited last.
type phase int8

const (
	nowhere phase = iota
	bottom
	top
)

func newTally(k int) tally {
	return tally{reject: make([]float64, k-1), step: make([]logMean, k-1),
		divergent: make([]int, k), phase: make([]phase, k)}
}

func newReplicate(id int, cfg *Config, t hmc.Target, values *workers.Values,
	ref Reference) (*replicate, error) {
	d := t.Dim()
	if ref.Dim() != d {
		return nil, fmt.Errorf("temper: the reference has dimension %d, the target %d",
			ref.Dim(), d)
	}
	r := &replicate{id: id, cfg: cfg, z: hmc.NewPoint(d), work: hmc.NewPoint(d),
		path: path{target: t, values: values, ref: ref, gradRef: make([]float64, d), at: make([]float64, d)}}
	r.h = hmc.NewHamiltonian(&r.path, hmc.NewUnitMetric(d))
	r.step = nuts.New(r.h, cfg.MaxDepth)
	var err error
	r.src, err = rng.New(rng.Kind(cfg.Source), rng.Name{Seed: cfg.Seed, Purpose: "temper"},
		uint64(id))
	if err != nil {
		return nil, fmt.Errorf("temper: %w", err)
	}
	r.rand = rand.New(r.src)
	return r, nil
}

// scan moves every rung, keeps the draw of the last one if asked, and exchanges neighbours.
func (r *replicate) scan(ctx context.Context, keep bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	next := &r.progress.Next
	if *next == 0 {
		r.attempt()
		if err := r.rungs[0].draw(&r.path, r.rand); err != nil {
			return at(r.rungs, 0, err)
		}
		*next, r.mark.undo = 1, false
	}
	for last := len(r.rungs) - 1; ; *next++ {
		out, err := r.part(*next)
		if err != nil {
			return at(r.rungs, *next, err)
		}
		if *next < last {
			continue
		}
		r.mark.torn = true
		if keep {
			r.keep(out)
		}
		r.scans++
		r.exchange()
		*next, r.mark.torn = 0, false
		return nil
	}
}

// part is rung i's part of a scan. The outcome is that of its transition, if that was made now.
func (r *replicate) part(i int) (out hmc.Outcome, err error) {
	if !r.progress.Search {
		if out, err = r.explore(i); err != nil {
			return out, err
		}
	}
	if r.progress.Search {
		err = r.search(&r.rungs[i])
	}
	return out, err
}

// at adds the rung to an error.
func at(rungs []rung, i int, err error) error {
	return fmt.Errorf("rung %d of %d (beta %.4g): %w", i+1, len(rungs), rungs[i].beta, err)
}

// enter makes the Hamiltonian that of rung g and loads its state.
func (r *replicate) enter(g *rung) {
	r.path.beta = g.beta
	r.h.SetMetric(g.metric)
	g.load(r.z, g.beta)
}

// explore makes one transition of NUTS on rung i.
func (r *replicate) explore(i int) (hmc.Outcome, error) {
	g := &r.rungs[i]
	r.enter(g)
	eps := g.eps
	if g.adapt != nil {
		eps = g.adapt.StepSize()
	}
	copy(r.work.X, r.z.X) // where a divergence started
	r.attempt()
	out := r.step.Step(r.z, eps, r.rand)
	if err := r.h.Err(); err != nil {
		return out, err
	}
	r.commit()
	if out.Divergent {
		r.diverged(i, out)
	}
	search := g.adapt != nil && g.adapt.Update(out, r.z.X, r.z.Grad)
	if search {
		var err error
		if g.metric, err = g.adapt.Metric(g.metric); err != nil {
			return out, err
		}
	}
	if err := g.store(r.z, &r.path); err != nil {
		return out, err
	}
	r.progress.Search, r.mark.torn = search, false
	return out, nil
}

// search finds a step size for the new metric of rung g at the position in r.z.
func (r *replicate) search(g *rung) error {
	r.path.beta = g.beta
	r.h.SetMetric(g.metric)
	r.attempt()
	eps, err := hmc.FindStepSize(r.h, r.z, r.work, g.adapt.StepSize(), r.rand)
	if err != nil {
		return err
	}
	g.adapt.Restart(eps)
	r.progress.Search, r.mark.undo = false, false
	return nil
}

// alpha is the probability that rungs i and i+1 exchange their states when offered.
func (r *replicate) alpha(i int) float64 {
	a, b := &r.rungs[i], &r.rungs[i+1]
	if e := (b.beta - a.beta) * (a.ratio() - b.ratio()); e < 0 {
		return math.Exp(e)
	}
	return 1
}

// exchange offers exchanges to every other pair, even and odd ones in turn. All pairs are counted:
// the states before it are draws of their rungs whether they are offered an exchange or not.
func (r *replicate) exchange() {
	t := &r.tally
	t.scans++
	for i := range t.reject {
		a, b := &r.rungs[i], &r.rungs[i+1]
		alpha := r.alpha(i)
		t.reject[i] += 1 - alpha
		t.step[i].add((b.beta - a.beta) * a.ratio())
	}
	for i := r.parity; i+1 < len(r.rungs); i += 2 {
		if r.rand.Float64() < r.alpha(i) {
			a, b := &r.rungs[i], &r.rungs[i+1]
			a.state, b.state = b.state, a.state
		}
	}
	r.parity = 1 - r.parity
	low, high := r.rungs[0].walker, r.rungs[len(r.rungs)-1].walker
	if t.phase[low] == top {
		t.trips++
	}
	t.phase[low] = bottom
	if t.phase[high] == bottom {
		t.phase[high] = top
	}
}

// keep stores the state of the last rung after the transition out.
func (r *replicate) keep(out hmc.Outcome) {
	index := r.iterates
	r.iterates++
	r.kept = nil
	if index%r.cfg.Thin != 0 {
		return
	}
	r.kept = r.path.values.Row(r.rungs[len(r.rungs)-1].x)
	r.out.Values = append(r.out.Values, r.kept)
	r.out.Stats = append(r.out.Stats, out.Stat)
}

// diverged counts a divergence on rung i, and keeps it if it is one of the target's own.
func (r *replicate) diverged(i int, out hmc.Outcome) {
	r.tally.divergent[i]++
	if i < len(r.rungs)-1 {
		return
	}
	if r.rungs[i].adapt != nil {
		r.out.WarmupDivergences++
		return
	}
	r.out.Divergences = append(r.out.Divergences, draws.Divergence{Draw: r.iterates,
		EnergyError: out.EnergyError, Reason: out.Reason, Start: r.path.values.Row(r.work.X),
		End: r.path.values.Anywhere(out.Broke)})
}
