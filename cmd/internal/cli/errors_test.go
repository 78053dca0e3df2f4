package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Names of packages are left out where an error or a note begins with them, and nowhere else.
func TestWithoutPackages(t *testing.T) {
	for in, want := range map[string]string{
		"bke: prior: priors: hmc: gamma(1,0)":  "prior: gamma(1,0)",
		"not learned (bke: modes: no maximum)": "not learned (no maximum)",
		"found 2 modes: 1 and 3":               "found 2 modes: 1 and 3",
	} {
		if got := WithoutPackages(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

// Every package whose errors begin with its name is in the list.
func TestLibrariesAreComplete(t *testing.T) {
	listed := strings.Split(libraries, "|")
	named := regexp.MustCompile(`(?:Errorf|errors\.New)\(\s*"([a-z]+): `)
	found := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"examples", "testdata", "cmd", ".git"}, d.Name()):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		b, err := os.ReadFile(path)
		for _, m := range named.FindAllSubmatch(b, -1) {
			name := string(m[1])
			if !strings.Contains(string(b), "\npackage "+name+"\n") && !strings.HasPrefix(string(b),
				"package "+name+"\n") {
				continue // the name of something else
			}
			found++
			if !slices.Contains(listed, name) {
				t.Errorf("%s: errors begin with %q, which is not in the list", path, name)
			}
		}
		return err
	})
	if err != nil || found < 100 {
		t.Errorf("%d errors, %v", found, err)
	}
}
