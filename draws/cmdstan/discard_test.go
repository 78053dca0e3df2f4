package cmdstan

import (
	"os"
	"path/filepath"
	"testing"

	"bayeskernel/draws/internal/drawstest"
)

// TestCSVDiscard: what is given up leaves a finished file of the same name as it was, and no other.
func TestCSVDiscard(t *testing.T) {
	run := drawstest.Run(testNames, 1, 12, 4, 1)
	dir := t.TempDir()
	path := filepath.Join(dir, "out_1.csv")
	if err := os.WriteFile(path, []byte("finished"), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := New(path, run, 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Discard(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "finished" || len(files) != 1 {
		t.Errorf("file holds %q (%v), the folder %v", b, err, files)
	}
	if err := c.Close(0, 0); err == nil {
		t.Error("closed after it was given up")
	}
}
