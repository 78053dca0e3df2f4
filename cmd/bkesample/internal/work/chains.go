package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/draws"
	"bayeskernel/draws/format"
	"bayeskernel/hmc"
)

// Sample draws, with every chain's file growing as it runs.
func (f *SamplerFlags) Sample(ctx context.Context, s *Study, dir *folder.Folder) (*draws.Run,
	error) {
	set, err := f.settings(s, dir)
	if err != nil {
		return nil, err
	}
	if err := s.tabulate(ctx); err != nil {
		return nil, err
	}
	kept, err := format.Named(growing, f.formats())
	if err != nil {
		return nil, err
	}
	set.Record = format.Recorder(kept, dir.Dir, FewestDrawn)
	shown := newProgress(s.con, set.Chains)
	shown.attach(&set)
	began := time.Now()
	run, err := f.draw(ctx, s, set)
	shown.clear()
	if shown != nil && shown.line == nil {
		s.con.Warn("sampled in %s", time.Since(began).Round(time.Millisecond))
	}
	if run == nil {
		return nil, fmt.Errorf("sampling: %w", err)
	}
	if err == nil {
		dir.Worth()
		return run, tidy(dir, kept, run)
	}
	if Drawn(run) >= FewestDrawn {
		e := os.Rename(set.Checkpoints.File, dir.Path(folder.Checkpoint))
		if e != nil && errors.Is(err, context.Canceled) {
			err = e // any other error says already what went wrong
		}
	}
	return run, err
}

// FewestDrawn is the number of draws of a chain below which a run leaves no results.
const FewestDrawn = 2

// growing is the format that the draws are kept in as they are made.
const growing = "csv"

// formats are the options of formats.
func (f *SamplerFlags) formats() format.Options {
	return format.Options{DigitBooleans: f.stanBool == "digit"}
}

// tidy leaves, after a run that is complete, what the next one can start from, and takes away the
// files of chains that an earlier run had and this one has not.
func tidy(dir *folder.Folder, kept format.Format, run *draws.Run) error {
	if err := hmc.WriteWarmStart(dir.Path("warmstart.json"), run); err != nil {
		return err
	}
	return kept.Tidy(dir.Dir, len(run.Chains))
}

// Drawn is the number of draws of the chain that has most.
func Drawn(run *draws.Run) int {
	most := 0
	for _, c := range run.Chains {
		most = max(most, len(c.Values))
	}
	return most
}

// Nothing ends a run that has no draws to speak of.
func Nothing(dir *folder.Folder, err error) error {
	if err == nil {
		return errors.New("fewer than 2 draws of each chain were kept, want at least 2: raise -iter " +
			"or lower -thin")
	}
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return cli.Resumablef("interrupted before the first draws; %s has a new checkpoint and is "+
		"otherwise unchanged; continue with: %s", dir.Dir, dir.GoOn())
}

// Stopped ends a run that was stopped, once what there is has been written.
func Stopped(dir *folder.Folder, run *draws.Run, err error) error {
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; the partial results are in %s", err, dir.Dir)
	}
	return cli.Resumablef("interrupted after %d of %d draws per chain; the partial results "+
		"are in %s; continue with: %s", Drawn(run), (run.Sampler.Draws+run.Sampler.Thin-1)/
		run.Sampler.Thin, dir.Dir, dir.GoOn())
}

// WriteZarr writes the draws in the formats that are asked for too, and takes away those of an earlier
// run that are not.
func (f *SamplerFlags) WriteZarr(dir *folder.Folder, run *draws.Run) error {
	for _, other := range format.All(f.formats()) {
		var err error
		switch asked := f.also[other.Name()]; {
		case other.Name() == growing:
		case asked != nil && *asked:
			err = other.Write(dir.Dir, run)
		default:
			err = other.Tidy(dir.Dir, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
