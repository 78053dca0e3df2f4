package main

import (
	"bytes"
	"context"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/cmd/internal/cli"
)

var update = flag.Bool("update", false, "write the golden files anew")

// called is what a call of the program left.
type called struct {
	code           int
	stdout, stderr string
}

// call runs the program in the test's own process.
func call(t *testing.T, stdin string, args ...string) called {
	t.Helper()
	var out, err bytes.Buffer
	con := &cli.Console{Program: program(), Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err}
	code := con.Run(context.Background(), args)
	return called{code, out.String(), err.String()}
}

// anew is a command that replaces what is in its folder.
func anew(args ...string) []string {
	at := 0
	for _, c := range program().Commands {
		if args[0] == c.Name {
			at = 1
		}
	}
	return slices.Insert(slices.Clone(args), at, "-force")
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(home, "testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) && !(strings.HasSuffix(name, ".json") && sameNumbers(got, string(want))) {
		t.Errorf("%s differs (go test -update writes it anew):\n%s", name, firstDifference(got,
			string(want)))
	}
}

// digits are numbers with so many of them that processors disagree about the last.
var digits = regexp.MustCompile(`-?[0-9]+\.[0-9]{6,}(e[-+][0-9]+)?`)

// sameNumbers reports whether two texts are equal but for rounding of numbers, eight digits of which are
// the same. Tests use the fastest instructions that a processor has, and these round differently.
func sameNumbers(got, want string) bool {
	if digits.ReplaceAllString(got, "#") != digits.ReplaceAllString(want, "#") {
		return false
	}
	b := digits.FindAllString(want, -1)
	for i, text := range digits.FindAllString(got, -1) {
		x, _ := strconv.ParseFloat(text, 64)
		y, _ := strconv.ParseFloat(b[i], 64)
		if math.Abs(x-y) > 2e-8*math.Max(math.Abs(x), math.Abs(y)) {
			return false
		}
	}
	return true
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(end)", "(end)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return "got  " + a + "\nwant " + b
		}
	}
	return ""
}

// home is the folder of this package; tests work in others.
var home = func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return dir
}()

// inFolder puts a test into an empty folder with some files.
func inFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	writeAll(t, files)
	return dir
}

// writeAll writes files into the folder of the test.
func writeAll(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, c := range program().Commands {
		args := []string{c.Name, "-h"}
		if c.Name == "sample" {
			args = args[1:]
		}
		got := call(t, "", args...)
		if got.code != 0 || got.stderr != "" {
			t.Errorf("%v: exit %d, %q", args, got.code, got.stderr)
		}
		golden(t, "help_"+c.Name+".stdout", got.stdout)
		for _, line := range strings.Split(got.stdout, "\n") {
			if len([]rune(line)) > 100 {
				t.Errorf("line of %d columns in the help: %s", len([]rune(line)), line)
			}
		}
	}
	if got := call(t, "", "help"); got.code != 0 || !strings.HasPrefix(got.stdout, "usage:") {
		t.Errorf("help: %+v", got)
	}
	if got := call(t, "", "-version"); got.code != 0 || !strings.HasPrefix(got.stdout, "bkesample ") {
		t.Errorf("-version: %+v", got)
	}
}
