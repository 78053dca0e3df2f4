// Package examples_test runs the example programs.
package examples_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
