package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/journal"
)

// unitsAbout is what the first line of a journal of units begins with.
const unitsAbout = "bayeskernel checkpoint: "

// DefineUnits defines -resume and -shard, for a command whose work is units that are kept one by one: a run that
// was killed has lost at most those that were under way.
func (f *Flags) DefineUnits(s *cli.FlagSet) {
	s.Text(&f.Resume, "resume", "", "go on with the run that was interrupted in this `folder`; repeat the other "+
		"flags unchanged")
	s.Value(&f.Shard, "shard", "`k/n`: do the k-th of n shares of the work, and leave it for "+s.Program.Name+" merge")
}

// Units is the path of a journal in which a run keeps its units, which begins with those of the run that it
// resumes, and what it is about. Several journals of one run have different suffixes, one of which is "".
func (d *Folder) Units(suffix, about string) (path, what string, err error) {
	name := Checkpoint + suffix
	if path, err = d.Path(name); err != nil {
		return "", "", err
	}
	if d.units == nil {
		d.units = map[string]bool{}
	}
	d.units[name] = true
	switch from := filepath.Join(filepath.Dir(d.Resume), name); {
	case d.Resume == "":
		err = remove(path) // of a run that was given up
	case filepath.Clean(from) != filepath.Clean(path):
		err = copyFile(from, path)
	}
	return path, unitsAbout + about, err
}

// Journal opens such a journal, and calls each for the units in it.
func (d *Folder) Journal(about string, each func([]byte) error) (*journal.Journal, error) {
	path, what, err := d.Units("", about)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(path, what, each)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return j, nil
}

// Interrupted ends a run that keeps its units.
func (d *Folder) Interrupted(done string) error {
	return cli.Resumablef("interrupted%s; go on with: %s", done, d.GoOn())
}

// isUnits reports whether a file is a journal of units, by its name.
func isUnits(name string) bool {
	return base(name) == Checkpoint || strings.HasPrefix(base(name), Checkpoint+".")
}

// copyFile copies a file, if it exists.
func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return atomicfile.Write(to, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}
