// Package examples_test runs the example programs.
package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayeskernel/internal/long"
)

func TestPrograms(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is needed to build the programs")
	}
	dir := t.TempDir()
	names := []string{"ark", "eightschools", "garch", "gaussmix", "kidscore", "mesquite"}
	args := []string{"build", "-o", dir}
	for _, name := range names {
		args = append(args, "./"+name)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range names {
		cmd := exec.Command(filepath.Join(dir, name), "-warmup", "150", "-draws", "100")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || stderr.Len() > 0 {
			t.Errorf("%s: %v, stderr %q", name, err, stderr.String())
		}
		for _, want := range []string{"R-hat", "reference", "Gradients: "} {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: stdout is %q, want %q in it", name, out, want)
			}
		}
	}
}

// The programs that draw leave a picture, and those that measure print a table.
func TestFigures(t *testing.T) {
	long.Skip(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is needed to build the programs")
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir, "./figure1", "./figure3",
		"./coverage").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(name string, args ...string) string {
		cmd := exec.Command(filepath.Join(dir, name), args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	for _, name := range []string{"figure1", "figure3"} {
		run(name)
		b, err := os.ReadFile(filepath.Join(dir, name+".png"))
		if err != nil || !strings.HasPrefix(string(b), "\x89PNG") {
			t.Errorf("%s leaves no picture: %v", name, err)
		}
	}
	if out := run("figure3", "-share", "1"); strings.Count(out, "\n| normal") != 4 {
		t.Errorf("figure3 -share prints %q", out)
	}
	if out := run("coverage", "-sets", "1", "-only", "400"); strings.Count(out, "400 | 1 |") < 6 {
		t.Errorf("coverage prints %q", out)
	}
}

// The worked examples leave pictures and a page, and nothing when they are interrupted.
func TestWorked(t *testing.T) {
	long.Skip(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is needed to build the programs")
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir, "./radon", "./series",
		"./counts").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, pictures := range map[string][]string{"radon": {"pooling", "shrinkage", "check"},
		"series": {"volatility", "forecast", "check"}, "counts": {"rate", "check"}} {
		folder := filepath.Join(dir, name+"-report")
		cmd := exec.Command(filepath.Join(dir, name), "-warmup", "150", "-draws", "100", "-chains", "2",
			"-dir", folder)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
			continue
		}
		if !strings.Contains(string(out), "elpd") {
			t.Errorf("%s printed no comparison: %q", name, out)
		}
		for _, p := range append(pictures, "index") {
			for _, ext := range []string{".png", ".svg", ".html"} {
				if (p == "index") != (ext == ".html") {
					continue
				}
				if info, err := os.Stat(filepath.Join(folder, p+ext)); err != nil || info.Size() < 1000 {
					t.Errorf("%s: %s is missing or empty: %v", name, p+ext, err)
				}
			}
		}
	}
	interrupt(t, filepath.Join(dir, "series"), filepath.Join(dir, "interrupted"))
}

// interrupt wants a program that is interrupted to say so and to leave nothing.
func interrupt(t *testing.T, program, folder string) {
	cmd := exec.Command(program, "-draws", "10000000", "-dir", folder)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 1000 { // it makes the folder when it listens
		if _, err := os.Stat(folder); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if cmd.Wait(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("interrupted, it ended with %v and %q", cmd.ProcessState, stderr.String())
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("interrupted, it left %v, %v", left, err)
	}
}
