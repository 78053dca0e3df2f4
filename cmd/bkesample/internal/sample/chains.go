package sample

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/draws"
	"bayeskernel/draws/format"
	"bayeskernel/hmc"
)

// sample draws; the file of each chain grows as it runs.
func (f *SamplerFlags) sample(ctx context.Context, con *cli.Console, s *study.Study, dir *folder.Folder) (*draws.Run,
	error) {
	set, err := f.settings(s, dir)
	if err != nil {
		return nil, err
	}
	if err := s.Tabulate(ctx, con); err != nil {
		return nil, err
	}
	kept, err := format.Named(growing, f.formats())
	if err != nil {
		return nil, err
	}
	if err := dir.Paths(kept.Files(set.Chains)...); err != nil {
		return nil, err
	}
	set.Record = format.Recorder(kept, dir.Dir, fewestDrawn)
	shown := newProgress(con, set.Chains)
	shown.attach(&set)
	began := time.Now()
	run, err := f.draw(ctx, con, s, set)
	shown.clear()
	if shown != nil && shown.line == nil {
		con.Warn("sampled in %s", time.Since(began).Round(time.Millisecond))
	}
	if run == nil {
		return nil, fmt.Errorf("sampling: %w", err)
	}
	if err == nil {
		dir.Worth()
		warm, err := dir.Path("warmstart.json")
		if err == nil {
			err = hmc.WriteWarmStart(warm, run)
		}
		return run, err
	}
	if drawn(run) >= fewestDrawn {
		e := os.Rename(set.Checkpoints.File, filepath.Join(dir.Dir, folder.Checkpoint))
		if e != nil && errors.Is(err, context.Canceled) {
			err = e // any other error says already what went wrong
		}
	}
	return run, err
}

// fewestDrawn is the smallest number of draws of a chain for which a run writes results.
const fewestDrawn = 2

// growing is the format of the draws during sampling.
const growing = "csv"

// formats are the options of the output formats.
func (f *SamplerFlags) formats() format.Options {
	return format.Options{WordBooleans: f.stanBool == "word"}
}

// drawn is the number of draws of the longest chain.
func drawn(run *draws.Run) int {
	most := 0
	for _, c := range run.Chains {
		most = max(most, len(c.Values))
	}
	return most
}

// nothing ends a run that has too few draws for results.
func nothing(dir *folder.Folder, err error) error {
	if err == nil {
		return errors.New("fewer than 2 draws of each chain were kept, want at least 2: raise -iter " +
			"or lower -thin")
	}
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return cli.Resumablef("interrupted before the first draws; %s has a new checkpoint and is "+
		"otherwise unchanged; go on with: %s", dir.Dir, dir.GoOn())
}

// stopped ends an interrupted run after its results are written.
func stopped(dir *folder.Folder, run *draws.Run, err error) error {
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; the partial results are in %s", err, dir.Dir)
	}
	return cli.Resumablef("interrupted after %d of %d draws per chain; the partial results "+
		"are in %s; go on with: %s", drawn(run), (run.Sampler.Draws+run.Sampler.Thin-1)/
		run.Sampler.Thin, dir.Dir, dir.GoOn())
}

// kept ends an interrupted run whose results would take too long to write.
func kept(dir *folder.Folder, run *draws.Run) error {
	return cli.Resumablef("interrupted after %d of %d draws per chain, which are kept in %s; go on with: %s", drawn(run),
		(run.Sampler.Draws+run.Sampler.Thin-1)/run.Sampler.Thin, dir.Dir, dir.GoOn())
}

// writeOthers writes the draws in the other formats that the user asked for.
func (f *SamplerFlags) writeOthers(dir *folder.Folder, run *draws.Run) error {
	for _, other := range format.All(f.formats()) {
		if asked := f.also[other.Name()]; asked == nil || !*asked {
			continue
		}
		if err := dir.Paths(other.Files(len(run.Chains))...); err != nil {
			return err
		}
		if err := other.Write(dir.Dir, run); err != nil {
			return err
		}
	}
	return nil
}
