package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"bayeskernel/cmd/bkesample/internal/cli"
)

// build makes the program and returns its path.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bkesample.exe")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// The real program is interrupted in the middle of sampling, says so, and leaves what there is; and
// the command that it suggests ends with the files of a run that was not interrupted.
func TestInterruptAndResume(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	bin := build(t)
	dir := t.TempDir()
	args := []string{"-iter", "6000", "-n", "100", "-path", "portable"}
	command := func(out string, more ...string) *exec.Cmd {
		c := exec.Command(bin, append(append(more, args...), "-out", out)...)
		c.Dir = dir
		return c
	}
	if out, err := command("whole").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var stderr bytes.Buffer
	c := command("parts")
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	// Draws are on the disk soon after warm-up.
	first := filepath.Join(dir, "parts", "draws_1.csv.part")
	for range 2000 {
		if b, err := os.ReadFile(first); err == nil && bytes.Count(b, []byte("\n")) > 200 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != cli.ExitInterrupted {
		t.Fatalf("exit %d, want %d: %s", code, cli.ExitInterrupted, &stderr)
	}
	line := strings.TrimSuffix(stderr.String(), "\n")
	if strings.Contains(line, "\n") || !strings.Contains(line, "interrupted after ") ||
		!strings.Contains(line, "-resume parts/checkpoint") {
		t.Fatalf("standard error is %q", stderr.String())
	}
	for _, name := range []string{"summary.json", "draws_4.csv", "report.html", "checkpoint"} {
		if _, err := os.Stat(filepath.Join(dir, "parts", name)); err != nil {
			t.Error(err)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "parts", "summary.json")); !bytes.Contains(b,
		[]byte(`"partial": true`)) {
		t.Error("summary.json does not say that it is partial")
	}
	if out, err := command("parts", "-resume", "parts/checkpoint").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sameFiles(t, filepath.Join(dir, "whole"), filepath.Join(dir, "parts"))
}

// times are what may differ between two runs: the seconds that a chain took.
var times = regexp.MustCompile(`(?m)^#.*seconds \((Warm-up|Sampling|Total)\)$`)

// sameFiles holds all files of two folders to each other, byte for byte.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	read := func(dir string) map[string]string {
		out := map[string]string{}
		for name := range listing(t, dir) {
			if text, err := os.ReadFile(name); err == nil {
				rel, _ := filepath.Rel(dir, name)
				out[rel] = times.ReplaceAllString(string(text), "")
			}
		}
		return out
	}
	x, y := read(a), read(b)
	for name, text := range x {
		if other, ok := y[name]; !ok {
			t.Errorf("%s is in one folder only", name)
		} else if text != other {
			t.Errorf("%s differs: %s", name, firstDifference(text, other))
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			t.Errorf("%s is in one folder only", name)
		}
	}
}
