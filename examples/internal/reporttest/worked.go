package reporttest

import (
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Worked runs an example that leaves its pictures, each as PNG and SVG, and a page with that title,
// and returns what it prints.
func Worked(t *testing.T, run Program, args, title string, pictures ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "report")
	var stdout, stderr strings.Builder
	if code := run(t.Context(), append(words(args), "-dir", dir), &stdout, &stderr); code != 0 {
		t.Fatalf("%s: exit code %d, stderr %q", args, code, stderr.String())
	}
	for _, name := range pictures {
		f, err := os.Open(filepath.Join(dir, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		im, err := png.Decode(f)
		if err != nil {
			t.Fatal(name, err)
		}
		f.Close()
		if im.Bounds().Dx() < 400 {
			t.Errorf("%s.png is %v", name, im.Bounds())
		}
		contains(t, filepath.Join(dir, name+".svg"), "</svg>")
	}
	contains(t, filepath.Join(dir, "index.html"), title)
	return stdout.String()
}

// Find returns what the first group of an expression matches, at each match, with single spaces
// between.
func Find(expression, text string) string {
	var all []string
	for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return strings.Join(all, " ")
}

// Number is Find for a single number.
func Number(t *testing.T, expression, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(Find(expression, text), 64)
	if err != nil {
		t.Errorf("%s: %v in\n%s", expression, err, text)
	}
	return v
}

func contains(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want) {
		t.Errorf("%s: %q is not in it", path, want)
	}
}
