// Package assembly tests packages with generated assembly: those that have a folder gen, a module of its
// own, whose program writes it.
package assembly

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/internal/long"
)

// Builds checks that the package builds, and that vet finds the assembly in keeping with its Go
// declarations, on every platform.
func Builds(t *testing.T) {
	t.Helper()
	long.Skip(t)
	for _, c := range []struct{ os, arch, tags string }{
		{"linux", "amd64", ""}, {"linux", "amd64", "noasm"}, {"linux", "arm64", ""},
		{"linux", "386", ""}, {"windows", "amd64", ""}, {"darwin", "amd64", ""},
		{"darwin", "arm64", ""}, {"linux", "s390x", ""},
	} {
		cmd := exec.Command("go", "vet", "-tags="+c.tags, ".")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+c.os, "GOARCH="+c.arch)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s/%s %s: %v\n%s", c.os, c.arch, c.tags, err, out)
		}
	}
}

// Generated checks that files of the package, but for their first lines, which have the command, are
// what the generator writes.
func Generated(t *testing.T, files ...string) {
	t.Helper()
	long.Skip(t)
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir = "gen"
		return cmd.CombinedOutput()
	}
	if out, err := run("mod", "download"); err != nil {
		t.Skipf("the generator's modules are not to be had: %v\n%s", err, out)
	}
	dir := t.TempDir()
	if out, err := run("run", ".", "-dir", dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range files {
		var text [2][]byte
		for i, path := range []string{name, filepath.Join(dir, name)} {
			all, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, text[i], _ = bytes.Cut(all, []byte("\n"))
		}
		if !bytes.Equal(text[0], text[1]) {
			t.Errorf("%s differs from what the generator writes", name)
		}
	}
	if written, _ := filepath.Glob(filepath.Join(dir, "*")); len(written) != len(files) {
		t.Errorf("the generator writes %s, want %d files", strings.Join(written, ", "), len(files))
	}
}
