// Package folder keeps the folder that a command writes into: whose it is, what may be written
// there, whole files or none, and nothing left of an earlier run or of one that failed.
//
// A run holds its folder by a lock of the operating system on the file bkesample.run. That file
// stays behind where a run can be resumed: it has the command that was typed. The file .bkesample
// marks a folder as the program's own and lists its files. Only those are ever replaced or removed,
// and a folder without the mark is used only if it is empty.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/workers"
)

// Folder is the folder of a run, which holds it.
type Folder struct {
	Dir    string
	Resume string // the checkpoint to resume from, or ""

	held     *held
	con      *cli.Console
	grown    map[string]bool // files that this run writes by their path
	finished bool
	worth    bool // resuming, whatever happens
}

// Checkpoint is what an interrupted run is resumed from. Until there are draws it ends in .part, so
// that it does not replace that of an earlier run.
const Checkpoint = "checkpoint"

// Path is the path of a file that the command is about to write itself, such as one that grows. The
// mark lists it from now on.
func (d *Folder) Path(name string) (string, error) {
	base := base(name)
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

// write writes files, and removes those of an earlier run that this one has not written.
func (d *Folder) write(files []report.File) error {
	written := map[string]bool{}
	for _, f := range files {
		written[f.Name] = true
		if err := d.held.mine(f.Name); err != nil {
			return err
		}
	}
	// What there is is written whatever ended the run.
	errs := workers.Run(context.Background(), len(files), runtime.GOMAXPROCS(0), func(i int) error {
		return atomicfile.Write(filepath.Join(d.Dir, files[i].Name), files[i].Fill)
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return d.held.forget(func(name string) bool { return !written[name] && !d.grown[name] })
}

// Worth notes that what there is so far took long: if the run fails now, it can be resumed.
func (d *Folder) Worth() { d.worth = true }

// close gives the folder back. It takes away what a run that ended with err has begun, unless that
// can be resumed from what is in the folder; the error says what could not be taken away.
func (d *Folder) close(err error) error {
	var left []error
	again := (*cli.Resumable)(nil)
	keep := errors.As(err, &again) && !d.finished && findCheckpoint(d.Dir) != ""
	if d.worth && !d.finished && !keep && err != nil {
		keep = true
		err = fmt.Errorf("%w; the draws are kept, and this goes on with them: %s", err, d.GoOn())
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

// over are the checkpoints and unfinished files that a finished run has no use for.
func (d *Folder) over() []string {
	return d.names(func(n string) bool {
		return d.held.lists(n) && (base(n) == Checkpoint || strings.HasSuffix(n, atomicfile.Part)) ||
			d.Resume != "" && filepath.Join(d.Dir, n) == d.Resume
	})
}

// begun are the unfinished files of this run.
func (d *Folder) begun() []string {
	return d.names(func(n string) bool {
		return strings.HasSuffix(n, atomicfile.Part) && !d.held.existing[n]
	})
}

// names lists those in the folder that are wanted.
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

// GoOn is the command that resumes the run of this folder.
func (d *Folder) GoOn() string {
	return d.con.CommandLine(d.con.Args(), []string{"-resume", d.Dir}, "resume", "force")
}

// base is the name of a file without what is appended while it is not finished.
func base(name string) string {
	for {
		short := strings.TrimSuffix(strings.TrimSuffix(name, atomicfile.Part), ".old")
		if short == name {
			return name
		}
		name = short
	}
}

// remove removes a file or a folder that may have gone already.
func remove(path string) error {
	err := os.RemoveAll(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// withoutPath takes from an error the name of a file that the message has already.
func withoutPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
