// Package folder keeps the folder that a command writes into: whose it is, what may be written
// there, whole files or none, and nothing left of an earlier run or of one that failed.
//
// A run holds its folder by a lock of the operating system on the file bkesample.run. The file
// stays behind where a run can be gone on with: it has the command that was typed.
package folder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/workers"
)

// Folder is the folder of a run, which holds it.
type Folder struct {
	Dir    string
	Resume string // the checkpoint to go on from, or ""

	held     *held
	con      *cli.Console
	finished bool
	worth    bool // going on, whatever happens
}

// Checkpoint is what an interrupted run goes on from. Until there are draws it ends in .part, so
// that it does not replace that of an earlier run.
const Checkpoint = "checkpoint"

// checkpointMagic begins every checkpoint, whatever its name.
const checkpointMagic = "bayeskernel checkpoint "

// ours are the files that commands leave. Folders within are those of other commands.
var ours = regexp.MustCompile(`^(summary\.json|report\.html|(witness|profile|pairs|power)\.csv|` +
	`(edges|adjacency|tests|stability)\.csv|(scores|distances|map)\.csv|graph\.(json|dot|graphml|dagitty)|` +
	`(trace|figure|null|profile|power|graph)[a-z0-9_]*\.(png|svg)|draws_[0-9]+\.csv|draws\.zarr|` +
	`warmstart\.json|checkpoint|bkesample\.run)(\.part|\.old)*$`)

// Path is the path of a file in the folder.
func (d *Folder) Path(name string) string { return filepath.Join(d.Dir, name) }

// A File is one of those written, whole or not at all.
type File struct {
	Name string
	Fill func(io.Writer) error
}

// JSON is a file of v.
func JSON(name string, v any) File {
	return File{name, func(w io.Writer) error { return writeJSON(w, v) }}
}

// Write writes files, and removes those that an earlier run left and that are not written now; but
// keeps those of the draws, which are written as they come.
func (d *Folder) Write(files []File) error {
	written := map[string]bool{}
	// What there is is written whatever ended the run.
	errs := workers.Run(context.Background(), len(files), runtime.GOMAXPROCS(0), func(i int) error {
		return atomicfile.Write(d.Path(files[i].Name), files[i].Fill)
	})
	for i, err := range errs {
		if err != nil {
			return err
		}
		written[files[i].Name] = true
	}
	for name := range d.held.existing {
		if written[name] || !ours.MatchString(name) || strings.HasPrefix(name, recordName) ||
			isDraws(name) {
			continue
		}
		if err := remove(d.Path(name)); err != nil {
			return err
		}
	}
	return nil
}

// isDraws reports whether a file is written as draws come.
func isDraws(name string) bool {
	return strings.HasPrefix(name, "draws") || strings.HasPrefix(name, Checkpoint) ||
		name == "warmstart.json"
}

// Worth notes that what there is so far took long: if the run fails now, it can be gone on with.
func (d *Folder) Worth() { d.worth = true }

// Finished notes that all that the command was to leave is there.
func (d *Folder) Finished() { d.finished = true }

// close gives the folder back. It takes away what a run that ended with err has begun, unless that
// can be gone on with from what is in the folder; the error says what could not be taken away.
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
		if e := remove(d.Path(name)); e != nil {
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
	entries, err := os.ReadDir(d.Dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		n := e.Name()
		if ours.MatchString(n) && n != recordName && (strings.HasPrefix(n, Checkpoint) ||
			strings.HasSuffix(n, atomicfile.Part)) || d.Path(n) == d.Resume {
			out = append(out, n)
		}
	}
	return out
}

// begun are the unfinished files of this run.
func (d *Folder) begun() []string {
	entries, err := os.ReadDir(d.Dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if n := e.Name(); strings.HasSuffix(n, atomicfile.Part) && !d.held.existing[n] {
			out = append(out, n)
		}
	}
	return out
}

// remove removes a file or a folder that may have gone already.
func remove(path string) error {
	err := os.RemoveAll(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// findCheckpoint returns the newest checkpoint in a folder, "" if there is none.
func findCheckpoint(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	best, newest := "", int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || strings.HasSuffix(e.Name(), ".part.part") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if t := info.ModTime().UnixNano(); (best == "" || t > newest) && isCheckpoint(path) {
			best, newest = path, t
		}
	}
	return best
}

// isCheckpoint looks at the beginning of a file.
func isCheckpoint(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(checkpointMagic))
	_, err = io.ReadFull(f, b)
	return err == nil && bytes.Equal(b, []byte(checkpointMagic))
}

// withoutPath takes from an error the name of a file that the message has already.
func withoutPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// writeJSON writes v, indented.
func writeJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
