package folder

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"bayeskernel/cmd/internal/cli"
)

// A folder is held once, its holder is named, and nothing is left of one that was not used.
func TestHold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	h, err := hold("prog", dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.take("sample", []string{"-n", "7"}, "note"); err != nil {
		t.Fatal(err)
	}
	var used *inUseError
	if _, err := hold("prog", dir); !errors.As(err, &used) || used.process != os.Getpid() {
		t.Errorf("held twice: %v", err)
	}
	// A process that was killed leaves its record, and no lock.
	h.letGo(true)
	if h, err = hold("prog", dir); err != nil {
		t.Fatal(err)
	}
	if !h.found || !slices.Equal(h.earlier.Args, []string{"-n", "7"}) {
		t.Errorf("the record is %+v", h.earlier)
	}
	h.letGo(false)
	if h, err = hold("prog", filepath.Join(dir, "c", "d")); err != nil {
		t.Fatal(err)
	}
	h.letGo(false)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// Of many that come at once and go again, one at a time has the folder.
func TestHoldByMany(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var inside, entered int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				h, err := hold("prog", dir)
				if used := (*inUseError)(nil); errors.As(err, &used) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				inside++
				entered++
				if inside > 1 {
					t.Error("two have the folder")
				}
				mu.Unlock()
				_ = h.take("sample", nil, "")
				time.Sleep(time.Millisecond)
				mu.Lock()
				inside--
				mu.Unlock()
				h.letGo(false)
			}
		})
	}
	wg.Wait()
	// The folder itself stays where whoever made it left before another.
	if left, _ := os.ReadDir(dir); entered == 0 || len(left) > 0 {
		t.Errorf("entered %d times, left %v", entered, left)
	}
}

// The newest checkpoint is found by what it begins with, not by its name.
func TestFindCheckpoint(t *testing.T) {
	dir := t.TempDir()
	if got := findCheckpoint(dir); got != "" {
		t.Errorf("found %s in an empty folder", got)
	}
	for i, f := range [][2]string{{"checkpoint", checkpointMagic + "1\n"},
		{"kept", checkpointMagic + "1\n"}, {"checkpoint.part.part", checkpointMagic + "1\n"},
		{"notes.txt", "nothing of the kind"}, {"empty", ""}} {
		path := filepath.Join(dir, f[0])
		if err := os.WriteFile(path, []byte(f[1]), 0o666); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if got := filepath.Base(findCheckpoint(dir)); got != "kept" {
		t.Errorf("found %s, want kept", got)
	}
}

// A run that is interrupted leaves its record where there is a checkpoint to go on from, and else nothing.
func TestLeft(t *testing.T) {
	for _, checkpoint := range []bool{false, true} {
		h, err := hold("prog", filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		if err := h.list(); err != nil {
			t.Fatal(err)
		}
		if err := h.take("sample", nil, ""); err != nil {
			t.Fatal(err)
		}
		d := &Folder{Dir: h.dir, held: h}
		path := func(name string) string {
			p, err := d.Path(name)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		if checkpoint {
			os.WriteFile(path(Checkpoint+".part"), []byte(checkpointMagic), 0o666)
		}
		os.WriteFile(path("draws_1.csv.part"), nil, 0o666)
		if err := d.close(cli.Resumablef("interrupted")); err == nil {
			t.Error("the error is gone")
		}
		left, _ := os.ReadDir(h.dir)
		if want := map[bool]int{false: 0, true: 4}[checkpoint]; len(left) != want {
			t.Errorf("checkpoint %v: %d files are left, want %d", checkpoint, len(left), want)
		}
	}
}

// A run that fails takes the draws that it wrote under their own names with it, unless there are results beside them.
func TestFailed(t *testing.T) {
	for _, results := range []bool{false, true} {
		h, err := hold("prog", filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		if err := h.take("fit", nil, ""); err != nil {
			t.Fatal(err)
		}
		d := &Folder{Dir: h.dir, held: h, left: results}
		p, err := d.Path("draws_1.csv")
		if err == nil {
			err = os.WriteFile(p, nil, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := d.close(errors.New("the disk is full")); err == nil {
			t.Error("the error is gone")
		}
		if _, err := os.Stat(p); (err == nil) != results {
			t.Errorf("results %v: %v", results, err)
		}
	}
}
