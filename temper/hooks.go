package temper

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"time"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/checkpoint"
)

// openKeeper reads the checkpoint to resume from, and checks that the new one can be written.
func (s *sampler) openKeeper(dim int) error {
	c := s.cfg
	s.keeper = &keeper{path: c.Checkpoints.File, every: c.Checkpoints.Every,
		head: s.fingerprint(dim)}
	k := s.keeper
	if c.Checkpoints.Resume != "" {
		if err := checkpoint.Read(c.Checkpoints.Resume, checkpointMagic, k.head,
			&k.saved); err != nil {
			return fmt.Errorf("temper: %w", err)
		}
	}
	if n := len(k.saved.Chains); n != c.Chains {
		if c.Checkpoints.Resume != "" {
			return fmt.Errorf("temper: checkpoint %s holds %d replicates, want %d",
				c.Checkpoints.Resume, n,
				c.Chains)
		}
		k.saved.Chains = make([][]byte, c.Chains)
	}
	if c.Checkpoints.File == "" {
		return nil
	}
	return k.write()
}

// restore restores the replicates from the checkpoint.
func (s *sampler) restore() error {
	for i, b := range s.keeper.saved.Chains {
		if len(b) == 0 {
			continue // it had not begun
		}
		st := new(replicateState)
		err := gob.NewDecoder(bytes.NewReader(b)).Decode(st)
		if err != nil {
			err = fmt.Errorf("temper: checkpoint: %w", err)
		} else {
			r := s.chains[i]
			err = r.run(context.Background(), func(*replicate) error { return r.restore(st) },
				new(float64))
		}
		if err != nil {
			return fmt.Errorf("%w (resuming replicate %d from %s)", err, i+1,
				s.cfg.Checkpoints.Resume)
		}
	}
	return nil
}

// openRecorders makes the recorders and replays the draws they missed. It comes after every check
// that can reject a run, so no recorder is made in vain.
func (s *sampler) openRecorders() error {
	if s.cfg.Record == nil {
		return nil
	}
	recs, err := draws.Listen(s.cfg.Record, s.describe(), s.outs())
	if err != nil {
		return fmt.Errorf("temper: %w", err)
	}
	for i, r := range s.chains {
		r.rec = recs[i]
	}
	s.recorders = recs
	return nil
}

// outs returns the records of the replicates.
func (s *sampler) outs() []*draws.Chain {
	var outs []*draws.Chain
	for _, r := range s.chains {
		outs = append(outs, &r.out)
	}
	return outs
}

// finish reports the end to OnProgress, closes the recorders and writes the last checkpoint. It
// returns the first error.
func (s *sampler) finish() error {
	var errs []error
	if err := s.recorders.Close(s.outs()); err != nil {
		errs = append(errs, fmt.Errorf("temper: %w", err))
	}
	for i, r := range s.chains {
		// A hook that panics here has no replicate left to end.
		tell := func(*replicate) error { s.tell(r, true, s.errs[i]); return nil }
		_ = r.run(context.Background(), tell, new(float64))
	}
	if s.cfg.Checkpoints.File != "" {
		for _, r := range s.chains {
			if r.mark.torn || len(r.rungs) == 0 {
				continue // it goes on from its last state, or begins anew
			}
			if err := s.keeper.take(r); err != nil {
				errs = append(errs, err)
			}
		}
		if err := s.keeper.write(); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs[0]
}

// watch returns a function to call after each scan. It reports progress and writes a checkpoint
// from time to time.
func (s *sampler) watch() func(*replicate) error {
	var last time.Time
	next := time.Now().Add(s.cfg.Checkpoints.Every)
	return func(r *replicate) error {
		now := time.Now()
		if s.cfg.OnProgress != nil && now.Sub(last) > 50*time.Millisecond {
			last = now
			s.tell(r, false, nil)
		}
		if s.cfg.Checkpoints.Every <= 0 || now.Before(next) {
			return nil
		}
		if err := s.keeper.take(r); err != nil {
			return err
		}
		// A failure shows at the end of the run, when the same file is written again.
		_ = s.keeper.write()
		// A state holds all draws, so limit checkpoints to a twentieth of the time.
		next = time.Now().Add(max(s.cfg.Checkpoints.Every, 20*time.Since(now)))
		return nil
	}
}

// tell calls OnProgress.
func (s *sampler) tell(r *replicate, done bool, err error) {
	if s.cfg.OnProgress == nil {
		return
	}
	s.told.Lock()
	defer s.told.Unlock()
	sampling := r.out.Metric.Kind != ""
	p := hmc.Progress{Chain: r.id, Iteration: r.scans, Total: s.cfg.Warmup + s.cfg.Draws,
		Warmup: !sampling, StepSize: r.out.StepSize, Divergences: len(r.out.Divergences),
		Gradients: r.evaluations(), Done: done, Err: err,
		Elapsed: time.Duration((r.out.WarmupSeconds + r.out.SampleSeconds) * float64(time.Second))}
	if !done {
		p.Elapsed += time.Since(r.began)
	}
	if n := len(r.rungs); !sampling && n > 0 {
		p.StepSize = r.rungs[n-1].eps
		if a := r.rungs[n-1].adapt; a != nil {
			p.StepSize = a.StepSize()
		}
	}
	r.caller = "OnProgress"
	s.cfg.OnProgress(p)
	r.caller = ""
}
