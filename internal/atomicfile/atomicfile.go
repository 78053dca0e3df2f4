// Package atomicfile writes files that are either whole or not there.
//
// A file is written under a name of its own, drawn at random, that no file has yet: nothing is written
// through a link that somebody left, and two programs do not write into one file. It is forced to the
// disk, and only then given its name. Whoever finds a file under its own name may therefore trust it to
// be complete: a full disk, a crash or an interrupt leaves the previous file, if there was one, and at
// most a temporary one, which [Target] recognizes.
//
// Errors are those of the file system and say what was tried; callers put their own names before them.
package atomicfile

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Part is appended to the name of what is not finished.
const Part = ".part"

const old = ".old" // ends the name of a folder that has stepped aside

// temporaryName is a name that Write or WriteDir made.
var temporaryName = regexp.MustCompile(`\.[0-9a-f]{16}\.(part|old)$`)

// Target returns the name of the file that a temporary one was to become, and whether name is temporary.
func Target(name string) (string, bool) {
	end := temporaryName.FindStringIndex(name)
	if end == nil {
		return name, false
	}
	return name[:end[0]], true
}

// temporary returns a name for what is to become path, or was it.
func temporary(path, end string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return path + "." + hex.EncodeToString(b[:]) + end
}

// create makes a temporary file for path, which is not there yet.
func create(path string) (*os.File, error) {
	for range 100 {
		f, err := os.OpenFile(temporary(path, Part), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, unmarked(err, path)
		}
	}
	return nil, fmt.Errorf("%s: found no name for a temporary file", path)
}

// Anew makes a file that grows under a name that is known, in the place of one that an earlier run left. What a link
// of that name leads to, or another name of the file, stays as it is.
func Anew(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.IsDir() {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// Writable returns an error if no file can be made beside path, or in its place.
func Writable(path string) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// unmarked has an error name the file that is to be written, not the temporary one.
func unmarked(err error, path string) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: path, Err: pe.Err}
	}
	return err
}

// Write calls fill with a buffered writer into a temporary file, forces the result to the disk and
// renames it to path, replacing any file there; a device or a pipe is refused. If anything fails, path
// is as it was before and the temporary file is removed. An error of fill is returned as it is.
func Write(path string, fill func(io.Writer) error) error {
	p, err := Prepare(path, fill)
	if err == nil {
		err = p.Commit()
	}
	return err
}

// Pending is a file that is whole and on the disk, but not yet under its name.
type Pending struct{ temporary, path string }

// Prepare is the long part of Write, and Commit the short one: of several files, each can be whole before the
// first replaces what is there.
func Prepare(path string, fill func(io.Writer) error) (*Pending, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return nil, fmt.Errorf("%s: is a device or a pipe, want the name of a file", path)
	}
	f, err := create(path)
	if err != nil {
		return nil, err
	}
	return prepare(f, path, fill)
}

// prepare is Prepare with an open file.
func prepare(f *os.File, path string, fill func(io.Writer) error) (*Pending, error) {
	w := bufio.NewWriter(f)
	err := fill(w)
	if err == nil {
		err = unmarked(w.Flush(), path)
	}
	if err == nil {
		err = sync(f)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
		return nil, err
	}
	return &Pending{f.Name(), path}, nil
}

// Commit gives the file its name.
func (p *Pending) Commit() error {
	if err := os.Rename(p.temporary, p.path); err != nil {
		p.Discard()
		return err
	}
	syncDir(filepath.Dir(p.path))
	return nil
}

// Discard removes the file.
func (p *Pending) Discard() { os.Remove(p.temporary) }

// sync forces a file to the disk. Devices and some network file systems cannot sync; their data are as safe as
// they will be.
func sync(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// Commit forces the open file f to the disk, closes it and renames it to path, which must be in the
// same folder. It is for files that grow over time and are therefore opened by their writer. On an
// error f is closed and keeps its name.
func Commit(f *os.File, path string) error {
	err := sync(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return err
	}
	syncDir(filepath.Dir(path))
	return nil
}

// WriteDir calls fill with the name of a new, empty folder beside path and renames it to path. A
// folder that stands at path is replaced if replaceable says that it may be, which keeps a mistyped
// name from deleting somebody's work. If anything fails, the new folder is removed.
func WriteDir(path string, replaceable func(dir string) bool, fill func(dir string) error) error {
	path = strings.TrimRight(path, string(filepath.Separator))
	_, err := os.Lstat(path)
	exists := err == nil
	if exists && !replaceable(path) {
		return fmt.Errorf("%s exists and is not one of ours to replace", path)
	}
	part, aside := temporary(path, Part), temporary(path, old)
	if err := os.Mkdir(part, 0o777); err != nil {
		return unmarked(err, path)
	}
	if err := fill(part); err != nil {
		os.RemoveAll(part)
		return err
	}
	// A folder cannot be renamed over another one, so the old one steps aside first.
	if exists {
		if err := os.Rename(path, aside); err != nil {
			os.RemoveAll(part)
			return err
		}
	}
	if err := os.Rename(part, path); err != nil {
		if exists {
			err = errors.Join(err, os.Rename(aside, path))
		}
		os.RemoveAll(part)
		return err
	}
	syncDir(filepath.Dir(path))
	if !exists {
		return nil
	}
	return os.RemoveAll(aside)
}

// syncDir makes a rename durable where the system allows it; where it does not, the file is whole
// all the same.
func syncDir(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	_ = d.Sync()
}
