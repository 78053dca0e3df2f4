// Package atomicfile writes files that are either whole or not there.
//
// A file is written under its name with ".part" appended, forced to the disk, and only then given
// its name. Whoever finds a file under its own name may therefore trust it to be complete: a full
// disk, a crash or an interrupt leaves the previous file, if there was one, and at most a ".part".
//
// Errors are those of the file system and say what was tried; callers put their own names before them.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Part is appended to the name of what is not finished.
const Part = ".part"

// Write calls fill with a buffered writer into path+Part, forces the result to the disk and renames
// it to path, replacing any file there. If anything fails, path is as it was before and the partial
// file is removed. An error of fill is returned as it is.
func Write(path string, fill func(io.Writer) error) error {
	f, err := os.Create(path + Part)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err = fill(w); err == nil {
		err = w.Flush()
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return err
	}
	if err = Commit(f, path); err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Commit forces the open file f to the disk, closes it and renames it to path, which must be in the
// same folder. It is for files that grow over time and are therefore opened by their writer. On an
// error f is closed and keeps its name.
func Commit(f *os.File, path string) error {
	err := f.Sync()
	// Devices and some network file systems cannot sync; their data are as safe as they will be.
	if errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
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

// WriteDir calls fill with the name of a new, empty folder path+Part and renames it to path. A
// folder that stands at path is replaced if replaceable says that it may be, which keeps a mistyped
// name from deleting somebody's work. If anything fails, the partial folder is removed.
func WriteDir(path string, replaceable func(dir string) bool, fill func(dir string) error) error {
	_, err := os.Lstat(path)
	exists := err == nil
	if exists && !replaceable(path) {
		return fmt.Errorf("%s exists and is not one of ours to replace", path)
	}
	part, old := path+Part, path+".old"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := os.Mkdir(part, 0o777); err != nil {
		return err
	}
	if err := fill(part); err != nil {
		os.RemoveAll(part)
		return err
	}
	// A folder cannot be renamed over another one, so the old one steps aside first.
	if exists {
		if err := errors.Join(os.RemoveAll(old), os.Rename(path, old)); err != nil {
			os.RemoveAll(part)
			return err
		}
	}
	if err := os.Rename(part, path); err != nil {
		if exists {
			err = errors.Join(err, os.Rename(old, path))
		}
		os.RemoveAll(part)
		return err
	}
	syncDir(filepath.Dir(path))
	return os.RemoveAll(old)
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
