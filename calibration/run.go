package calibration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"bayeskernel/draws"
	"bayeskernel/internal/rng"
	"bayeskernel/internal/workers"
)

// Result holds the ranks of a calibration. It is plain data: Check and Points need nothing else, so
// you can fill one with ranks computed elsewhere.
type Result struct {
	Names       []string // of what was ranked: parameters, then quantities
	Ranks, Bins int      // as in Options
	Seed        uint64
	Replicates  []Replicate // in the order of Index; when calibration stopped early, those made
}

// Replicate is the outcome of one simulation. It marshals to one line of JSON.
type Replicate struct {
	Index int       `json:"replicate"` // from 0; with the seed, it determines the rest
	Truth []float64 `json:"truth"`
	Ranks []int     `json:"ranks"` // of the truth, one per name, from 0 to Options.Ranks
	// ESS is the smallest bulk effective sample size of what was ranked. Kept is the number of
	// draws ranked: Options.Ranks, or fewer where ESS is below that.
	ESS         float64 `json:"ess"`
	Kept        int     `json:"kept"`
	Draws       int     `json:"draws"` // draws made, over all chains
	Divergences int     `json:"divergences"`
	Error       string  `json:"error,omitempty"` // why there are no ranks
}

// Run calibrates m. Failed replicates are kept with their errors; Run returns an error if none
// succeeds. If ctx ends early, Run returns the replicates so far together with the error. The
// unfinished ones tend to be the slower ones, so the result is biased until a later Run completes it
// through Options.Have.
//
// Every replicate has its own random streams, determined by the seed and its index. It does not depend
// on Parallel, the number of processors or Simulations.
func Run(ctx context.Context, m Model, cfg Options) (*Result, error) {
	h, err := newHarness(m, cfg)
	if err != nil {
		return nil, err
	}
	made, err := h.known()
	if err != nil {
		return nil, err
	}
	failure := h.makeAll(ctx, made)
	res := &Result{Names: h.names, Ranks: h.Ranks, Bins: h.Bins, Seed: h.Seed}
	failed, missing := 0, 0
	for i, rep := range made {
		if rep == nil {
			if h.wants(i) {
				missing++
			}
			continue
		}
		res.Replicates = append(res.Replicates, *rep)
		if rep.Error != "" {
			failed++
		}
	}
	n := len(res.Replicates)
	if failure != nil {
		return res, failure
	}
	if missing > 0 {
		return res, fmt.Errorf("calibration: stopped after %d of %d simulations: %w", n, n+missing,
			context.Cause(ctx))
	}
	if failed == n && n > 0 {
		return res, fmt.Errorf("calibration: all %d simulations failed, the first so: %s", n,
			res.Replicates[0].Error)
	}
	return res, nil
}

// Once makes a single replicate of Run, for inspection. It also returns the draws.
func Once(ctx context.Context, m Model, cfg Options, index int) (Replicate, *draws.Run, error) {
	h, err := newHarness(m, cfg)
	if err != nil {
		return Replicate{}, nil, err
	}
	if index < 0 {
		return Replicate{}, nil, fmt.Errorf("calibration: index is %d: it must not be negative",
			index)
	}
	return h.replicate(ctx, index)
}

// harness is a calibration under way.
type harness struct {
	Options
	model Model
	names []string
}

func newHarness(m Model, cfg Options) (*harness, error) {
	if m.Simulate == nil {
		return nil, fmt.Errorf("calibration: the model has no Simulate")
	}
	cfg, err := cfg.defaults()
	if err != nil {
		return nil, err
	}
	h := &harness{Options: cfg, model: m}
	err = guard(func() error {
		sim, err := h.simulate(0)
		if err != nil {
			return err
		}
		h.names, err = m.names(sim)
		return err
	})
	return h, err
}

// known lays out the replicates that need not be made.
func (h *harness) known() ([]*Replicate, error) {
	made := make([]*Replicate, h.Simulations)
	for _, rep := range h.Have {
		if rep.Index < 0 {
			return nil, fmt.Errorf("calibration: Have holds a replicate of index %d", rep.Index)
		}
		if rep.Error == "" {
			if err := rep.check(h.names, h.Ranks); err != nil {
				return nil, err
			}
		}
		if rep.Index < len(made) {
			made[rep.Index] = &rep
		}
	}
	return made, nil
}

// wants reports whether a replicate is one of those to be made.
func (h *harness) wants(i int) bool { return h.Only == nil || h.Only(i) }

// makeAll makes those replicates that are missing, until ctx ends. Its error is that of a hook: a
// simulation that fails is a replicate with an error.
func (h *harness) makeAll(ctx context.Context, made []*Replicate) error {
	var todo []int
	for i, rep := range made {
		if rep == nil && h.wants(i) {
			todo = append(todo, i)
		}
	}
	var report sync.Mutex
	tell := func(rep Replicate) {
		report.Lock()
		defer report.Unlock()
		if h.OnReplicate != nil {
			h.OnReplicate(rep)
		}
	}
	errs := workers.Run(ctx, len(todo), h.Parallel, func(k int) error {
		i := todo[k]
		made[i] = &Replicate{Index: i, Error: "calibration: " + workers.ErrGoexit.Error()}
		rep, _, err := h.replicate(ctx, i)
		if err != nil && ctx.Err() != nil {
			made[i] = nil
			return nil
		}
		made[i] = &rep
		tell(rep)
		return nil
	})
	for k, err := range errs {
		if rep := made[todo[k]]; errors.Is(err, workers.ErrGoexit) && rep.Ranks == nil {
			err = workers.Guard(func() error { tell(*rep); return nil })
		}
		if p := new(workers.Panic); errors.As(err, &p) {
			return fmt.Errorf("calibration: OnReplicate %w", err)
		}
	}
	return nil
}

// stream returns a random stream that belongs to one purpose within one replicate.
func (h *harness) stream(index int, purpose string) *rand.Rand {
	name := rng.Name{Seed: h.Seed, Replicate: uint64(index), Purpose: "calibration " + purpose}
	src, err := rng.New(rng.PCG, name, 0)
	if err != nil {
		panic("calibration: " + err.Error()) // the only error is an unknown kind of source
	}
	return rand.New(src)
}

func (h *harness) simulate(index int) (Simulation, error) {
	sim, err := h.model.Simulate(h.stream(index, "simulate"))
	if err != nil {
		return sim, fmt.Errorf("calibration: simulating: %w", err)
	}
	return sim, nil
}

// guard turns a panic of the user's functions into an error.
func guard(f func() error) error {
	err := workers.Guard(f)
	if p := new(workers.Panic); errors.As(err, &p) {
		return fmt.Errorf("calibration: the model %w", err)
	}
	return err
}
