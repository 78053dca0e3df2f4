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

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	for _, want := range []string{"first", "", strings.Repeat("long", 1e5)} {
		if err := Write(path, fillWith(want)); err != nil {
			t.Fatal(err)
		}
		if content(t, path) != want {
			t.Fatalf("content differs from what was written (%d bytes)", len(want))
		}
		if !missing(path + Part) {
			t.Fatal("the partial file is still there")
		}
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
	if content(t, path) != "old" || !missing(path+Part) {
		t.Fatal("a failed write left something behind")
	}
}

func TestWriteFullDisk(t *testing.T) {
	if missing("/dev/full") {
		t.Skip("no /dev/full on this system")
	}
	path := filepath.Join(t.TempDir(), "a.json")
	for _, size := range []int{10, 1e6} { // fails in Flush, fails inside fill
		if err := os.Symlink("/dev/full", path+Part); err != nil {
			t.Skip(err)
		}
		err := Write(path, fillWith(strings.Repeat("x", size)))
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
	if !missing(path + Part) {
		t.Fatal("the partial file is still there")
	}
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
	if !missing(path+Part) || !missing(path+".old") {
		t.Fatal("a temporary folder is still there")
	}
}
