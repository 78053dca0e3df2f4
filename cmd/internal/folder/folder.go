// Package folder manages the folder that a command writes into. It protects other people's files,
// writes each file completely or not at all, and removes what earlier or failed runs left.
//
// A run of program P locks its folder through the file P.run, with a lock of the operating system. The
// file stays if the run can be resumed; it holds the command line. The file .P marks a folder as that
// program's own and lists its files. Only listed files are ever replaced or removed.
// A folder without the mark is used only if it is empty.
package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/checkpoint"
	"bayeskernel/internal/workers"
)

// Folder is the locked folder of a run.
type Folder struct {
	Dir    string
	Resume string // the checkpoint to resume from, or ""

	held     *held
	con      *cli.Console
	grown    map[string]bool // files that this run writes by their path
	units    map[string]bool // of these, journals of units
	finished bool
	left     bool // results were written, of a run that ended early perhaps
	worth    bool // resuming, whatever happens
	shared   bool // the units of a shard are done
	last     func() error
}

// Last sets what writes files by their paths after all others are whole, and before any of these replaces one of an
// earlier run: a run that is left behind until then has changed nothing.
func (d *Folder) Last(do func() error) { d.last = do }

// Checkpoint is the file that an interrupted run is resumed from. It ends in .part until there are
// draws, so that it does not replace the checkpoint of an earlier run.
const Checkpoint = "checkpoint"

// Path is the path of a file that the command writes itself, for example one that grows. It adds
// the file to the mark.
func (d *Folder) Path(name string) (string, error) {
	base := base(name)
	if d.con != nil {
		d.con.Stay()
	}
	if !d.grown[base] {
		if d.grown == nil {
			d.grown = map[string]bool{}
		}
		d.grown[base] = true
		if err := d.held.mine(base); err != nil {
			return "", err
		}
	}
	return filepath.Join(d.Dir, name), nil
}

// Paths is Path for files that something else writes into the folder, before it does.
func (d *Folder) Paths(names ...string) error {
	for _, name := range names {
		if _, err := d.Path(name); err != nil {
			return err
		}
	}
	return nil
}

// write writes files, and removes those of an earlier run that this one did not write. Until all are whole
// nothing of an earlier run is replaced, and a run that is interrupted may be left behind.
func (d *Folder) write(files []report.File) error {
	written := map[string]bool{}
	for _, f := range files {
		written[f.Name] = true
		if err := d.held.mine(f.Name); err != nil {
			return err
		}
	}
	pending := make([]*atomicfile.Pending, len(files))
	// Files are written even if the run was interrupted.
	errs := workers.Run(context.Background(), len(files), runtime.GOMAXPROCS(0), func(i int) (err error) {
		pending[i], err = atomicfile.Prepare(filepath.Join(d.Dir, files[i].Name), func(w io.Writer) error {
			return files[i].Fill(staying{w, d.con})
		})
		return err
	})
	err := cmp.Or(errs...)
	if err == nil {
		d.con.Hold()
		if d.last != nil {
			err = d.last()
		}
	}
	if err != nil {
		for _, p := range pending {
			if p != nil {
				p.Discard()
			}
		}
		return err
	}
	for _, p := range pending {
		if err := p.Commit(); err != nil {
			return err
		}
	}
	return d.held.forget(func(name string) bool { return !written[name] && !d.grown[name] })
}

// staying is a writer that goes no further in a run that was left behind.
type staying struct {
	io.Writer
	con *cli.Console
}

func (w staying) Write(p []byte) (int, error) {
	w.con.Stay()
	return w.Writer.Write(p)
}

// Worth notes that the draws so far took long: if the run fails now, it can be resumed.
func (d *Folder) Worth() { d.worth = true }

// close releases the folder. If the run ended with err and cannot be resumed, close removes its
// unfinished files; the error lists files that could not be removed.
func (d *Folder) close(err error) error {
	var left []error
	again := (*cli.Resumable)(nil)
	keep := (errors.As(err, &again) || d.shared && err == nil) && !d.finished && findCheckpoint(d.Dir) != ""
	if d.worth && !d.finished && !keep && err != nil {
		keep = true
		err = fmt.Errorf("%w; the draws are kept, and this goes on with them: %s", err, d.GoOn())
	}
	if err != nil && !keep && !d.finished && !d.left && d.held.earlier.Process > 0 && findCheckpoint(d.Dir) != "" {
		keep = true // for the run that this one did not go on with
		if e := d.held.write(d.held.earlier); e != nil {
			err = fmt.Errorf("%w (%v)", err, e)
		}
		if other := (*checkpoint.Other)(nil); errors.As(err, &other) {
			err = fmt.Errorf("%w; that run goes on with: %s", err, d.held.goOn(d.con))
		}
	}
	var names []string
	switch {
	case d.finished:
		names = d.over()
	case !keep:
		names = d.begun()
	}
	for _, name := range names {
		if e := remove(filepath.Join(d.Dir, name)); e != nil {
			left = append(left, e)
		}
	}
	d.held.letGo(keep)
	switch rest := errors.Join(left...); {
	case rest == nil:
		return err
	case err == nil:
		return fmt.Errorf("left behind: %w", rest)
	default:
		return fmt.Errorf("%w (left behind: %v)", err, rest)
	}
}

// abandon closes the folder for a command that does not notice that it was interrupted. End is what the run ends
// with, if the command knew.
func (d *Folder) abandon(end error) error {
	if end != nil {
		return d.close(end)
	}
	if len(d.units) > 0 || d.worth {
		return d.close(d.Interrupted(""))
	}
	return d.close(context.Canceled)
}

// over are the checkpoints and unfinished files that a finished run no longer needs.
func (d *Folder) over() []string {
	return d.names(func(n string) bool {
		return d.held.lists(n) && (isUnits(n) || strings.HasSuffix(n, atomicfile.Part)) ||
			d.Resume != "" && filepath.Join(d.Dir, n) == d.Resume
	})
}

// begun are the files of this run, which came to nothing.
func (d *Folder) begun() []string {
	return d.names(func(n string) bool {
		return (strings.HasSuffix(n, atomicfile.Part) || d.units[n] || d.grown[n] && !d.left) && !d.held.existing[n] && d.held.lists(n)
	})
}

// names lists the names in the folder that want selects.
func (d *Folder) names(want func(string) bool) (out []string) {
	entries, err := os.ReadDir(d.Dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if want(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out
}

// GoOn is the command line that resumes this run.
func (d *Folder) GoOn() string {
	return d.con.CommandLine(d.con.Args(), []string{"-resume", d.Dir}, "resume", "force")
}

// base is the name of a file without the suffixes of unfinished files.
func base(name string) string {
	for {
		short, _ := atomicfile.Target(name)
		short = strings.TrimSuffix(strings.TrimSuffix(short, atomicfile.Part), ".old")
		if short == name {
			return name
		}
		name = short
	}
}

// remove removes a file or a folder, if it still exists.
func remove(path string) error {
	err := os.RemoveAll(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// withoutPath strips from an error the path that the message already has.
func withoutPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
