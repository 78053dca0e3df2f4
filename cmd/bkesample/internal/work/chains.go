package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/draws"
	"bayeskernel/draws/cmdstan"
	"bayeskernel/draws/zarr"
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
	var files []*chainFile
	set.Record = func(head *draws.Run, chain int) (draws.Recorder, error) {
		csv, err := cmdstan.New(chainName(dir, chain), head, chain,
			cmdstan.Options{DigitBooleans: f.stanBool == "digit"})
		if err != nil {
			return nil, err
		}
		file := &chainFile{Writer: csv, all: &files}
		files = append(files, file)
		return file, nil
	}
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
		return run, tidy(dir, run)
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

// chainFile is the file of a chain's draws. It replaces that of an earlier run only if there are
// draws to replace it with.
type chainFile struct {
	*cmdstan.Writer
	all   *[]*chainFile // the files of the run
	drawn int
}

// Draw adds a row.
func (f *chainFile) Draw(values []float64, s draws.Stat, warmup bool) error {
	if !warmup {
		f.drawn++
	}
	return f.Writer.Draw(values, s, warmup)
}

// Close is called when all chains have ended.
func (f *chainFile) Close(warmupSeconds, sampleSeconds float64) error {
	for _, other := range *f.all {
		if other.drawn >= FewestDrawn {
			return f.Writer.Close(warmupSeconds, sampleSeconds)
		}
	}
	return f.Discard()
}

// chainName is the name of a chain's file.
func chainName(dir *folder.Folder, chain int) string {
	return dir.Path(fmt.Sprintf("draws_%d.csv", chain+1))
}

var chainFiles = regexp.MustCompile(`^draws_([1-9][0-9]*)\.csv(\.part)?$`)

// tidy leaves, after a run that is complete, what the next one can start from, and takes away the
// files of chains that an earlier run had and this one has not.
func tidy(dir *folder.Folder, run *draws.Run) error {
	if err := hmc.WriteWarmStart(dir.Path("warmstart.json"), run); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		m := chainFiles.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		if k, err := strconv.Atoi(m[1]); err == nil && (k > len(run.Chains) || m[2] != "") {
			if err := os.Remove(dir.Path(e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
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

// WriteZarr writes the draws as a Zarr folder if that is asked for, and takes away that of an
// earlier run if not.
func (f *SamplerFlags) WriteZarr(dir *folder.Folder, run *draws.Run) error {
	name := dir.Path("draws.zarr")
	if f.zarr {
		return zarr.Write(name, run, zarr.Options{})
	}
	return os.RemoveAll(name)
}
