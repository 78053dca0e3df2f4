package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/internal/atomicfile"
)

// owner is the name of the program that folders belong to. The folders of another program are as
// foreign to it as anybody's.
type owner string

// mark is the name of the file that marks a folder as the program's own.
func (o owner) mark() string { return "." + string(o) }

// record is the name of the file that a run keeps locked. It stays in the folder if the run was
// killed or can be resumed.
func (o owner) record() string { return string(o) + ".run" }

// mark is the contents of the file that marks a folder. Each file is listed before it is created, so that a killed
// process leaves no unlisted file.
type mark struct {
	Command string   `json:"command"`
	Files   []string `json:"files"`
}

// readMark reads the mark of a folder; nil if there is none.
func (o owner) readMark(dir string) (*mark, error) {
	b, err := os.ReadFile(filepath.Join(dir, o.mark()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m := new(mark)
	if err == nil {
		err = json.Unmarshal(b, m)
	}
	if err != nil {
		return nil, fmt.Errorf("-out %s: %s: %w", dir, o.mark(), withoutPath(err))
	}
	for _, name := range m.Files {
		if name != filepath.Base(name) || name == "." || name == ".." {
			return nil, fmt.Errorf("-out %s: %s lists %q, want names of files in the folder", dir, o.mark(),
				name)
		}
	}
	return m, nil
}

// writeMark writes the mark of a folder.
func (o owner) writeMark(dir string, m *mark) error {
	slices.Sort(m.Files)
	err := atomicfile.Write(filepath.Join(dir, o.mark()), func(w io.Writer) error {
		b, err := json.MarshalIndent(m, "", "  ")
		if err != nil {
			return err
		}
		_, err = w.Write(append(b, '\n'))
		return err
	})
	if err != nil {
		return fmt.Errorf("-out %s: %w", dir, withoutPath(err))
	}
	return nil
}

// owns reports whether everything in a folder is the program's: the folder has the mark, or holds
// only such folders.
func (o owner) owns(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, o.mark())); err == nil {
		return true
	}
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0 && len(o.foreign(dir, entries)) == 0
}

// foreign lists what the program did not make in a folder without the mark.
func (o owner) foreign(dir string, entries []os.DirEntry) []string {
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if base(e.Name()) == o.mark() || e.Name() == o.record() && isRecord(path) || e.IsDir() && o.owns(path) {
			continue
		}
		out = append(out, e.Name())
	}
	return out
}

// refusal says why a folder must not be written into, whatever the flags; "" if it may be.
func (o owner) refusal(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("-out %s: %w", dir, withoutPath(err))
	}
	m, err := o.readMark(dir)
	if m != nil || err != nil {
		return "", err
	}
	names := o.foreign(dir, entries)
	switch k := len(names); {
	case k == 0:
		return "", nil
	case leftBefore(dir):
		if other := others(dir, entries); other != "" {
			return fmt.Sprintf("the results of %s, which %s does not replace", other, o), nil
		}
		return "the results of an earlier version of this program, which are read but not replaced", nil
	case k > 3:
		return fmt.Sprintf("%d files that are not %s's, such as %s", k, o, names[0]), nil
	default:
		return fmt.Sprintf("what is not %s's: %s", o, strings.Join(names, ", ")), nil
	}
}

// others is the program whose mark is among the entries of a folder, "" if there is none.
func others(dir string, entries []os.DirEntry) owner {
	for _, e := range entries {
		name, hidden := strings.CutPrefix(e.Name(), ".")
		if !hidden || !e.Type().IsRegular() {
			continue
		}
		if m, err := owner(name).readMark(dir); err == nil && m.Command != "" {
			return owner(name)
		}
	}
	return ""
}

// leftBefore reports whether a folder has a summary by a version of the program without marks.
func leftBefore(dir string) bool {
	var left struct {
		SchemaVersion int `json:"schema_version"`
		Command       string
	}
	b, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	return err == nil && json.Unmarshal(b, &left) == nil && left.SchemaVersion > 0 && left.Command != ""
}
