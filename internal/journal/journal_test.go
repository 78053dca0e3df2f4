package journal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Wherever a file is cut, the units before the cut are read, and those that are written again follow them.
func TestCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	open := func() (*Journal, []int) {
		var got []int
		j, err := Open(path, "a test", func(line []byte) error {
			var n int
			err := json.Unmarshal(line, &n)
			got = append(got, n)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return j, got
	}
	write := func(from int) {
		j, got := open()
		if from < 0 {
			from = len(got)
		}
		for n := from; n < 12; n++ {
			if err := j.Write(n); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(0)
	whole, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(whole), Start("a test")) {
		t.Fatal(string(whole), err)
	}
	for cut := range whole {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		write(-1)
		if b, _ := os.ReadFile(path); !slices.Equal(b, whole) {
			t.Fatalf("cut at %d: %q", cut, b)
		}
	}
	if _, err := Open(path, "another", nil); err == nil || !strings.Contains(err.Error(), `the file is of "a test", want "another"`) {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(path, []byte("1,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, "a test", nil); err == nil {
		t.Error("a table is taken for a journal")
	}
	if b, _ := os.ReadFile(path); string(b) != "1,2\n" {
		t.Errorf("what is no journal is now %q", b)
	}
}

// What Lines reads is what was written, but for a line that was cut short, and Fill writes the same file.
func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, err := Open(path, "a test", nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if err := j.Write(n); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(slices.Clone(whole), `{"cut`...), 0o644); err != nil {
		t.Fatal(err)
	}
	about, lines, err := Lines(path)
	if err != nil || about != "a test" || len(lines) != 3 {
		t.Fatalf("%q, %q, %v", about, lines, err)
	}
	var b strings.Builder
	if err := Fill(&b, about, lines); err != nil || b.String() != string(whole) {
		t.Errorf("%q, want %q: %v", b.String(), whole, err)
	}
}
