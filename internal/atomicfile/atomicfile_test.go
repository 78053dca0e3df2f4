package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func fillWith(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

// alone fails unless path is all that its folder holds.
func alone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	for _, want := range []string{"first", "", strings.Repeat("long", 1e5)} {
		if err := Write(path, fillWith(want)); err != nil {
			t.Fatal(err)
		}
		if content(t, path) != want {
			t.Fatalf("content differs from what was written (%d bytes)", len(want))
		}
		alone(t, path)
	}
}

func TestWriteFailsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	if err := Write(path, fillWith("old")); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err := Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("new", 1e5))
		if content(t, path) != "old" {
			t.Error("the old file was touched while the new one was written")
		}
		return boom
	})
	if err != boom {
		t.Fatalf("error %v, want that of fill as it is", err)
	}
	if content(t, path) != "old" {
		t.Fatal("a failed write changed the file")
	}
	alone(t, path)
}

func TestWriteFullDisk(t *testing.T) {
	if missing("/dev/full") {
		t.Skip("no /dev/full on this system")
	}
	path := filepath.Join(t.TempDir(), "a.json")
	for _, size := range []int{10, 1e6} { // fails in Flush, fails inside fill
		link := path + Part // so that what is removed is the link
		if err := os.Symlink("/dev/full", link); err != nil {
			t.Skip(err)
		}
		f, err := os.OpenFile(link, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = prepare(f, path, fillWith(strings.Repeat("x", size)))
		if err == nil {
			t.Fatalf("%d bytes on a full disk: no error", size)
		}
		if !missing(path) || !missing(path+Part) {
			t.Fatalf("%d bytes on a full disk: something was left behind", size)
		}
	}
}

func TestWriteNoFolder(t *testing.T) {
	err := Write(filepath.Join(t.TempDir(), "no", "a.json"), fillWith("x"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("error %v", err)
	}
}

func TestWriteOntoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.MkdirAll(filepath.Join(path, "b"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, fillWith("x")); err == nil {
		t.Fatal("a folder was replaced by a file")
	}
	alone(t, path)
}

func TestCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	f, err := os.Create(path + Part)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("rows"); err != nil {
		t.Fatal(err)
	}
	if err := Commit(f, path); err != nil {
		t.Fatal(err)
	}
	if content(t, path) != "rows" || !missing(path+Part) {
		t.Fatal("not renamed")
	}
	if err := Commit(f, path); err == nil {
		t.Fatal("a closed file was committed")
	}
}

func writeOne(name, s string) func(string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(s), 0o666) }
}

func TestWriteDir(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zarr")
	ours := func(dir string) bool { return !missing(filepath.Join(dir, "mark")) }
	if err := WriteDir(path, ours, writeOne("mark", "1")); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	if err := WriteDir(path, ours, func(string) error { return boom }); err != boom {
		t.Fatalf("error %v, want that of fill", err)
	}
	if content(t, filepath.Join(path, "mark")) != "1" {
		t.Fatal("a failed write changed the folder")
	}
	if err := WriteDir(path, ours, writeOne("other", "2")); err != nil {
		t.Fatal(err)
	}
	if !missing(filepath.Join(path, "mark")) || content(t, filepath.Join(path, "other")) != "2" {
		t.Fatal("the folder was not replaced as a whole")
	}
	if err := WriteDir(path, ours, writeOne("mark", "3")); err == nil {
		t.Fatal("a folder that is not ours was replaced")
	}
	if content(t, filepath.Join(path, "other")) != "2" {
		t.Fatal("a refused write changed the folder")
	}
	alone(t, path)
}

// What others left under the names that once were temporary is neither followed nor removed.
func TestForeignNames(t *testing.T) {
	dir := t.TempDir()
	theirs, path := filepath.Join(dir, "theirs"), filepath.Join(dir, "a")
	if err := os.WriteFile(theirs, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{Part, old} {
		if err := os.Symlink(theirs, path+end); err != nil {
			t.Skip(err)
		}
	}
	if err := Write(path, fillWith("ours")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := WriteDir(path, func(string) bool { return true }, writeOne("b", "ours")); err != nil {
			t.Fatal(err)
		}
	}
	if content(t, theirs) != "theirs" || content(t, path+Part) != "theirs" || content(t, path+old) != "theirs" {
		t.Error("a file of others was changed")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		t.Errorf("the folder holds %v", entries)
	}
}

// A link under the name of the result is replaced, and what it points to is left alone.
func TestWriteOntoLink(t *testing.T) {
	dir := t.TempDir()
	theirs, path := filepath.Join(dir, "theirs"), filepath.Join(dir, "a")
	if err := os.WriteFile(theirs, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(theirs, path); err != nil {
		t.Skip(err)
	}
	if err := Write(path, fillWith("ours")); err != nil {
		t.Fatal(err)
	}
	if content(t, theirs) != "theirs" || content(t, path) != "ours" {
		t.Error("written through a link")
	}
	if missing("/dev/full") {
		return
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, fillWith("ours")); err == nil || !strings.Contains(err.Error(), "device") {
		t.Errorf("a device was replaced: %v", err)
	}
}

func TestTarget(t *testing.T) {
	if got, ok := Target(temporary("x.sum", Part)); got != "x.sum" || !ok {
		t.Error(got, ok)
	}
	for _, name := range []string{"x.sum", "x.part", "x.0123.part", "x.0123456789abcdef"} {
		if got, ok := Target(name); got != name || ok {
			t.Error(name, got, ok)
		}
	}
}

// A file that grows is made anew: what a link of its name leads to, and another name of it, keep what they hold.
func TestAnew(t *testing.T) {
	dir := t.TempDir()
	victim, part := filepath.Join(dir, "victim"), filepath.Join(dir, "x.part")
	for name, link := range map[string]func(old, to string) error{"a symbolic link": os.Symlink, "a link": os.Link,
		"a file": func(_, to string) error { return os.WriteFile(to, []byte("old"), 0o666) }} {
		os.Remove(part)
		if err := os.WriteFile(victim, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := link(victim, part); err != nil {
			t.Skip(err)
		}
		f, err := Anew(part)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteString("new")
		f.Close()
		kept, _ := os.ReadFile(victim)
		made, _ := os.ReadFile(part)
		if string(kept) != "mine" || string(made) != "new" {
			t.Errorf("%s: the file holds %q, what is made %q", name, kept, made)
		}
	}
	if err := Writable(filepath.Join(dir, "none", "x")); err == nil {
		t.Error("a folder that is not there is writable")
	}
	if err := Writable(part); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("%d files are left, want 2", len(left))
	}
}
