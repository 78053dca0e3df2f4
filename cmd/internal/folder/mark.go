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

// markName is the file that marks a folder as the program's own.
const markName = ".bkesample"

// mark is the contents of that file. Each file is listed before it is created, so that a killed
// process leaves no unlisted file.
type mark struct {
	Command string   `json:"command"`
	Files   []string `json:"files"`
}

// readMark reads the mark of a folder; nil if there is none.
func readMark(dir string) (*mark, error) {
	b, err := os.ReadFile(filepath.Join(dir, markName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m := new(mark)
	if err == nil {
		err = json.Unmarshal(b, m)
	}
	if err != nil {
		return nil, fmt.Errorf("-out %s: %s: %w", dir, markName, withoutPath(err))
	}
	for _, name := range m.Files {
		if name != filepath.Base(name) || name == "." || name == ".." {
			return nil, fmt.Errorf("-out %s: %s lists %q, want names of files in the folder", dir, markName,
				name)
		}
	}
	return m, nil
}

// write writes the mark of a folder.
func (m *mark) write(dir string) error {
	slices.Sort(m.Files)
	err := atomicfile.Write(filepath.Join(dir, markName), func(w io.Writer) error {
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

// own reports whether everything in a folder is the program's: the folder has the mark, or holds
// only such folders.
func own(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, markName)); err == nil {
		return true
	}
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0 && len(foreign(dir, entries)) == 0
}

// foreign lists what the program did not make in a folder without the mark.
func foreign(dir string, entries []os.DirEntry) []string {
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if base(e.Name()) == markName || e.Name() == recordName && isRecord(path) || e.IsDir() && own(path) {
			continue
		}
		out = append(out, e.Name())
	}
	return out
}

// refusal says why a folder must not be written into, whatever the flags; "" if it may be.
func refusal(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("-out %s: %w", dir, withoutPath(err))
	}
	m, err := readMark(dir)
	if m != nil || err != nil {
		return "", err
	}
	names := foreign(dir, entries)
	switch k := len(names); {
	case k == 0:
		return "", nil
	case leftBefore(dir):
		return "the results of an earlier version of this program, which are read but not replaced", nil
	case k > 3:
		return fmt.Sprintf("%d files that are not bkesample's, such as %s", k, names[0]), nil
	default:
		return "what is not bkesample's: " + strings.Join(names, ", "), nil
	}
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
