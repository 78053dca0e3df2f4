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
	"time"

	"bayeskernel/internal/atomicfile"
)

// record is the contents of the file that a run keeps locked.
type record struct {
	Process int      `json:"process"`
	Args    []string `json:"args"` // of the program
	Note    string   `json:"what_to_do"`
}

// unknown is the process of a record that is empty: its run was killed at once, or is about to write.
const unknown = -1

// readRecord reads the record of a folder.
func readRecord(path string) (r record, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return r, err
	}
	if !info.Mode().IsRegular() {
		return r, fmt.Errorf("%s: is no file of its own, want the record of a run", path)
	}
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 {
		return record{Process: unknown}, err
	}
	return r, json.Unmarshal(b, &r)
}

// isRecord reports whether a file is the record of a run, or has just gone.
func isRecord(path string) bool {
	r, err := readRecord(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && r.Process != 0
}

// killed returns the record of a run in a folder that was killed; false if there is none, or if the
// run goes on.
func (o owner) killed(dir string) (record, bool) {
	path := filepath.Join(dir, o.record())
	r, err := readRecord(path)
	if err != nil || r.Process <= 0 {
		return r, false
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return r, false
	}
	defer f.Close() // and with it the lock
	ok, err := lock(f)
	return r, ok && err == nil
}

// held is a folder that only one process at a time can hold.
type held struct {
	owner    owner
	dir      string
	file     *os.File // of the record, locked
	found    bool     // there was a record
	earlier  record   // the contents of that record
	made     []string // folders made for it, outermost first
	existing map[string]bool
	mark     mark // as it is now
}

// hold locks a folder, and makes it if necessary. An error names the folder; it is *inUseError if
// another process holds it.
func hold(o owner, dir string) (*held, error) {
	for {
		h := &held{owner: o, dir: dir}
		if err := h.makeFolder(); err != nil {
			return nil, err
		}
		again, err := h.takeLock()
		if err != nil {
			h.removeMade()
			return nil, err
		}
		if !again {
			return h, h.list()
		}
	}
}

// makeFolder makes the folder and its parents, and notes which ones it made.
func (h *held) makeFolder() error {
	for p := filepath.Clean(h.dir); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); err == nil || p == filepath.Dir(p) {
			break
		}
		h.made = append([]string{p}, h.made...)
	}
	if err := os.MkdirAll(h.dir, 0o777); err != nil {
		h.removeMade()
		return fmt.Errorf("-out %s: %w", h.dir, withoutPath(err))
	}
	return nil
}

// takeLock opens and locks the record; again is set if the record was removed at the same time.
func (h *held) takeLock() (again bool, err error) {
	path := filepath.Join(h.dir, h.owner.record())
	_, err = os.Lstat(path)
	if h.found = err == nil; h.found && !isRecord(path) {
		return false, fmt.Errorf("-out %s: %s is not a file of %s, want another folder, or another name "+
			"for that file", h.dir, h.owner.record(), h.owner)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // the folder has gone again
	}
	if err != nil {
		return false, fmt.Errorf("-out %s: %w", h.dir, withoutPath(err))
	}
	ok, err := lock(f)
	if err != nil {
		f.Close()
		return false, fmt.Errorf("-out %s: locking: %w", h.dir, withoutPath(err))
	}
	if !ok {
		defer f.Close()
		return false, &inUseError{h.dir, holder(f)}
	}
	// The record may have been removed, or another made, between opening and locking.
	mine, err := f.Stat()
	there, e := os.Stat(path)
	if err != nil || e != nil || !os.SameFile(mine, there) {
		f.Close()
		return true, nil
	}
	b, err := io.ReadAll(f)
	if err == nil {
		_ = json.Unmarshal(b, &h.earlier) // that of a run that was killed at once is empty
	}
	h.file = f
	return false, nil
}

// holder reads which process holds the lock of f, 0 if unknown.
func holder(f *os.File) int {
	for range 20 { // it may be about to write
		var r record
		b, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<20))
		if err == nil && json.Unmarshal(b, &r) == nil && r.Process != 0 {
			return r.Process
		}
		time.Sleep(5 * time.Millisecond)
	}
	return 0
}

// inUseError says that another process is using a folder.
type inUseError struct {
	dir     string
	process int
}

func (e *inUseError) Error() string {
	by := "another process"
	if e.process != 0 {
		by = fmt.Sprintf("process %d", e.process)
	}
	return fmt.Sprintf("-out %s: in use by %s, want another folder, or wait until it has ended",
		e.dir, by)
}

// list notes which files are in the folder.
func (h *held) list() error {
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		h.letGo(h.found)
		return fmt.Errorf("-out %s: %w", h.dir, withoutPath(err))
	}
	m, err := h.owner.readMark(h.dir)
	if err != nil {
		h.letGo(h.found)
		return err
	}
	if m != nil {
		h.mark = *m
	}
	h.existing = map[string]bool{}
	for _, e := range entries {
		name := e.Name()
		// What a killed run was writing: nobody else holds the folder.
		if _, ok := atomicfile.Target(name); ok && (h.lists(name) || base(name) == h.owner.mark()) &&
			remove(filepath.Join(h.dir, name)) == nil {
			continue
		}
		h.existing[name] = true
	}
	return nil
}

// lists reports whether a file of this name is the program's own, finished or unfinished.
func (h *held) lists(name string) bool { return slices.Contains(h.mark.Files, base(name)) }

// loses reports whether a run may replace or remove a file of this name in the folder.
func (h *held) loses(name string) bool { return h.lists(name) || name == h.owner.record() }

// mine lists a file that is about to be written. It returns an error if somebody else's file has
// that name.
func (h *held) mine(name string) error {
	if h.lists(name) {
		return nil
	}
	if h.existing[name] || h.existing[name+atomicfile.Part] || h.existing[name+".old"] {
		return fmt.Errorf("-out %s: %s is not a file of %s, want another folder, or another name "+
			"for that file", h.dir, name, h.owner)
	}
	h.mark.Files = append(h.mark.Files, name)
	return h.owner.writeMark(h.dir, &h.mark)
}

// forget removes the files that over selects, and takes them off the list.
func (h *held) forget(over func(name string) bool) error {
	var kept []string
	for _, name := range h.mark.Files {
		if !over(name) {
			kept = append(kept, name)
			continue
		}
		for _, end := range []string{"", atomicfile.Part, ".old"} {
			if err := remove(filepath.Join(h.dir, name+end)); err != nil {
				return err
			}
		}
	}
	h.mark.Files = kept
	return h.owner.writeMark(h.dir, &h.mark)
}

// unlink removes links that have the names of listed files, so that nothing is written through them.
func (h *held) unlink() error {
	for name := range h.existing {
		info, err := os.Lstat(filepath.Join(h.dir, name))
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || !h.lists(name) {
			continue
		}
		if err := os.Remove(filepath.Join(h.dir, name)); err != nil {
			return fmt.Errorf("-out %s: %s: %w", h.dir, name, withoutPath(err))
		}
	}
	return nil
}

// take marks the folder, and records the process that holds it, its arguments, and what to do if it
// was killed.
func (h *held) take(command string, args []string, note string) error {
	h.mark.Command = command
	if err := h.owner.writeMark(h.dir, &h.mark); err != nil {
		return err
	}
	return h.write(record{os.Getpid(), args, note})
}

// write replaces the contents of the record.
func (h *held) write(r record) error {
	b, err := json.Marshal(r)
	if err == nil {
		err = h.file.Truncate(0)
	}
	if err == nil {
		_, err = h.file.WriteAt(append(b, '\n'), 0)
	}
	if err != nil {
		return fmt.Errorf("-out %s: %w", h.dir, withoutPath(err))
	}
	return nil
}

// letGo releases the lock. With keep, the record stays, so that the run can be resumed. Folders
// that hold made are removed if they are empty.
func (h *held) letGo(keep bool) {
	if !keep {
		h.unmark()
	}
	path := filepath.Join(h.dir, h.owner.record())
	if !keep && os.Remove(path) != nil { // some systems do not remove what is open
		h.file.Close()
		os.Remove(path)
	}
	h.file.Close()
	h.removeMade()
}

// unmark removes the mark if none of the listed files exists.
func (h *held) unmark() {
	for _, name := range h.mark.Files {
		if _, err := os.Lstat(filepath.Join(h.dir, name)); err == nil {
			return
		}
	}
	os.Remove(filepath.Join(h.dir, h.owner.mark()))
}

// removeMade removes the folders that hold made, if they are empty.
func (h *held) removeMade() {
	for i := len(h.made) - 1; i >= 0; i-- {
		if os.Remove(h.made[i]) != nil {
			return
		}
	}
}
