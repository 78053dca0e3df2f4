package hmc

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"strings"
	"sync"
	"time"

	"bayeskernel/internal/checkpoint"
)

// A checkpoint holds, as package checkpoint writes it, a gob of the chainState of each chain.
const checkpointMagic = "bayeskernel checkpoint 1\n"

// fingerprint describes the run: runs with equal fields make equal draws. It leaves out Parallel,
// hooks, files, Draws and Until. They change no draw, so a resumed run may change them.
func (r *runner) fingerprint() []checkpoint.Field {
	s := r.settings
	sampler := r.head.Sampler
	start := sha256.Sum256(fmt.Appendf(nil, "%v %v %v", s.Start.Points, s.Start.From, s.Start.Warm))
	return []checkpoint.Field{
		checkpoint.New("sampler", sampler.Algorithm),
		checkpoint.New("dimension", r.dim),
		checkpoint.New("list of names", strings.Join(r.names, " ")),
		checkpoint.New("seed", s.Seed),
		checkpoint.New("number of chains", s.Chains),
		checkpoint.New("numerical path", s.Path),
		checkpoint.New("warm-up", s.Warmup),
		checkpoint.New("model", s.Model),
		checkpoint.New("thinning", s.Thin),
		checkpoint.New("keeping of warm-up draws", s.SaveWarmup),
		checkpoint.New("target acceptance", s.TargetAccept),
		checkpoint.New("raising of the target acceptance", s.raise),
		checkpoint.New("maximum tree depth", sampler.MaxDepth),
		checkpoint.New("length of trajectories", sampler.PathLength),
		checkpoint.New("maximum number of steps", sampler.MaxSteps),
		checkpoint.New("jitter of trajectories", sampler.Jitter),
		checkpoint.New("metric", s.Adapt.Metric),
		checkpoint.New("metric in use", sampler.Metric),
		checkpoint.New("estimator", sampler.Estimator),
		checkpoint.New("transitions before the first window", sampler.InitBuffer),
		checkpoint.New("length of the first window", sampler.Window),
		checkpoint.New("transitions after the last window", sampler.TermBuffer),
		checkpoint.New("warm-up as Stan's", s.Adapt.StanWarmup),
		checkpoint.New("warm-up of fixed length", s.Adapt.Fixed),
		checkpoint.New("statistic of acceptance", s.Adapt.Acceptance),
		checkpoint.New("first step size", s.Adapt.StepSize),
		checkpoint.New("jitter of the step size", s.StepJitter),
		checkpoint.New("radius of initial points", s.Start.Radius),
		checkpoint.New("random source", s.Source),
		checkpoint.New("keeping of the target's coordinates", s.Adapt.OwnCoordinates),
		checkpoint.New("gradient check", !s.Start.SkipGradientCheck),
		checkpoint.New("checksum of initial points", fmt.Sprintf("%x", start[:8])),
	}
}

// slots holds the newest snapshot of each chain.
type slots struct {
	mu    sync.Mutex
	bytes [][]byte
}

// snapshot encodes the states of chains between two transitions, and keeps all of them at once: a
// checkpoint written meanwhile holds none or all.
func (r *runner) snapshot(chains ...*chain) error {
	parts := make([][]byte, len(chains))
	for i, c := range chains {
		if err := c.save(); err != nil {
			return err
		}
		if f := c.state.Out.File; f != nil {
			if err := f.Sync(); err != nil {
				return fmt.Errorf("hmc: checkpoint of chain %d: %w", c.id+1, err)
			}
		}
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(&c.state); err != nil {
			return fmt.Errorf("hmc: checkpoint of chain %d: %w", c.id+1, err)
		}
		parts[i] = b.Bytes()
	}
	r.slots.mu.Lock()
	defer r.slots.mu.Unlock()
	for i, c := range chains {
		r.slots.bytes[c.id] = parts[i]
	}
	return nil
}

// checkpointNow starts writing checkpoints periodically, if asked for. Call stop to end it.
func (r *runner) checkpointNow() (stop func()) {
	if r.settings.Checkpoints.Every <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(r.settings.Checkpoints.Every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				r.wanted.Add(1)
				// This writes the snapshots taken since the last tick; those requested now are
				// written at the next. A failure shows at the end of the run, when the same file is
				// written again.
				_ = r.writeCheckpoint(false)
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// writeCheckpoint writes the newest snapshots. With final it takes new ones first, which is safe
// only when no chain is running.
func (r *runner) writeCheckpoint(final bool) error {
	if final {
		for _, c := range r.chains {
			if c.torn || !c.state.Started {
				continue // it resumes from its last snapshot, or starts over
			}
			if err := r.snapshot(c); err != nil {
				return err
			}
		}
	}
	r.slots.mu.Lock()
	defer r.slots.mu.Unlock()
	err := checkpoint.Write(r.settings.Checkpoints.File, checkpointMagic, r.mark, r.slots.bytes)
	if err != nil {
		return fmt.Errorf("hmc: checkpoint: %w", err)
	}
	return nil
}

// readCheckpoint returns the states in a checkpoint of this run. It returns an error for any other
// file.
func (r *runner) readCheckpoint(path string) ([]chainState, error) {
	var parts [][]byte
	if err := checkpoint.Read(path, checkpointMagic, r.mark, &parts); err != nil {
		return nil, fmt.Errorf("hmc: %w", err)
	}
	if len(parts) != len(r.chains) {
		return nil, fmt.Errorf("hmc: checkpoint %s: holds %d chains, want %d", path, len(parts),
			len(r.chains))
	}
	states := make([]chainState, len(parts))
	for i, p := range parts {
		if len(p) == 0 {
			continue // this chain had not begun
		}
		if err := gob.NewDecoder(bytes.NewReader(p)).Decode(&states[i]); err != nil {
			return nil, fmt.Errorf("hmc: checkpoint %s: chain %d is not readable: %w", path, i+1, err)
		}
	}
	return states, nil
}
