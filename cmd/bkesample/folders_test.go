package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bayeskernel/cmd/internal/cli"
)

// contents reads all files below a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name := range listing(t, dir) {
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(b)
	}
	return out
}

// No command touches the files of another, and a folder that is given for two is refused.
func TestFoldersOfCommands(t *testing.T) {
	inFolder(t, sound())
	calls := [][]string{
		{"-iter", "40", "p.csv", "q.csv"},
		{"learn", "p.csv", "q.csv"},
		{"twosample", "-permutations", "19", "p.csv", "q.csv"},
		{"independence", "-permutations", "19", "-x", "1", "-y", "2", "plane_q.csv"},
	}
	before := map[string]string{}
	for _, args := range calls {
		if got := call(t, "", args...); got.code != 0 {
			t.Fatalf("%v: %s", args, got.stderr)
		}
		after := contents(t, "bkesample-out")
		for name, text := range before {
			if after[name] != text {
				t.Errorf("bkesample %s changes %s", args[0], name)
			}
		}
		before = after
	}
	for i, args := range calls {
		name := args[0]
		if i == 0 {
			name = "sample"
		}
		b, err := os.ReadFile(filepath.Join(folderOf(args), "summary.json"))
		var s struct{ Command string }
		if err != nil || json.Unmarshal(b, &s) != nil || s.Command != name {
			t.Errorf("%v: %v, summary.json is that of %q", args, err, s.Command)
		}
		if i > 0 {
			got := call(t, "", slices.Concat(args[:1], []string{"-out", "bkesample-out"}, args[1:])...)
			want := "bkesample: -out bkesample-out: holds the results of bkesample sample, want another " +
				"folder, or -force to write there\n"
			if got.code != cli.ExitUsage || got.stderr != want {
				t.Errorf("exit %d, %q, want %q", got.code, got.stderr, want)
			}
		}
	}
	if !maps.Equal(before, contents(t, "bkesample-out")) {
		t.Error("a command that was refused changed files")
	}
}

// Pictures that a second run does not make are not left from the first.
func TestStalePictures(t *testing.T) {
	inFolder(t, sound())
	for _, c := range []struct{ first, second, gone string }{
		{"learn p.csv q.csv", "learn -ard space_p.csv space_q.csv",
			"profile.csv profile.png profile.svg"},
		{"twosample p.csv q.csv", "twosample -null gamma space_p.csv space_q.csv",
			"null.png null.svg figure.png figure.svg"},
		{"independence -x 1 -y 2 plane_q.csv", "independence -null gamma -x 1,2 -y 3 space_p.csv",
			"null.png null.svg figure.png figure.svg"},
	} {
		for i, line := range []string{c.first, c.second} {
			args := strings.Fields(line)
			if args[0] != "learn" {
				args = slices.Insert(args, 1, "-theta", "1", "-permutations", "19")
			}
			if got := call(t, "", anew(args...)...); got.code != 0 {
				t.Fatalf("%v: %s", args, got.stderr)
			}
			for _, name := range strings.Fields(c.gone) {
				_, err := os.Stat(filepath.Join(folderOf(args), name))
				if there := err == nil; there != (i == 0) {
					t.Errorf("after %v: %s is there: %v", args, name, there)
				}
			}
		}
	}
}

// Of two columns of which one is constant the other is tested, as it is alone, and that is said.
func TestConstantColumn(t *testing.T) {
	inFolder(t, map[string]string{"p.csv": "x,y\n1,7\n2,7\n3,7\n4,7\n",
		"q.csv": "x,y\n3,7\n4,7\n6,7\n"})
	got := call(t, "", "twosample", "-permutations", "19", "p.csv", "q.csv")
	if _, err := os.Stat("bkesample-out/twosample/figure.png"); got.code != 0 || err != nil ||
		!strings.Contains(got.stdout, "constant columns: y (always 7)") {
		t.Errorf("exit %d: %s%s, figure.png: %v", got.code, got.stdout, got.stderr, err)
	}
	alone := call(t, "", "twosample", "-permutations", "19", "-columns", "x", "-out", "alone", "p.csv", "q.csv")
	first, _, _ := strings.Cut(got.stdout, "\nColumn used")
	if !strings.HasPrefix(alone.stdout, first) {
		t.Errorf("with a constant column: %s\nwithout: %s", got.stdout, alone.stdout)
	}
}

// So it is in the commands of other kinds, and columns that flags name are not left out without a word.
func TestConstantColumnElsewhere(t *testing.T) {
	table := func(shift int) string {
		var b strings.Builder
		b.WriteString("g,v,x,y,z,c\n")
		for i := range 48 {
			fmt.Fprintf(&b, "%c,%d,%d.5,%d,%d.25,7\n", 'a'+i%12, i%12, (i*i+shift)%31, i*7%11, i*5%13)
		}
		return b.String()
	}
	inFolder(t, map[string]string{"p.csv": table(0), "q.csv": table(9)})
	for _, line := range []string{"embed -columns x,y,c p.csv q.csv", "novelty -columns x,y,c p.csv q.csv",
		"power -columns x,y,c -replicates 20 -permutations 19 -most 50 p.csv q.csv", "bags -bag g -y v -drop z p.csv",
		"causal -columns x,y,z,c -depth 0 -stability 0 p.csv"} {
		got := call(t, "", strings.Fields(line)...)
		text := strings.Join(strings.Fields(got.stdout), " ")
		if got.code != 0 || !strings.Contains(text, "constant columns: c (always 7)") || strings.Contains(text, "do not fill") ||
			strings.Contains(text, "y, c.") {
			t.Errorf("%s: exit %d: %s%s", line, got.code, got.stdout, got.stderr)
		}
	}
	for line, want := range map[string]string{
		"causal -columns x,y,z,c -forbid c->x p.csv": `p.csv: column "c" has one value`,
		"causal -effects -columns x,y p.csv":         "-effects wants a value (effects), found the flag -columns",
	} {
		if got := call(t, "", strings.Fields(line)...); got.code == 0 || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: exit %d, %q, want %q", line, got.code, got.stderr, want)
		}
	}
}

// An interrupt in warm-up leaves the files of an earlier run as they were, says so, and names the
// command that goes on.
func TestInterruptBeforeDraws(t *testing.T) {
	inFolder(t, sound())
	for _, args := range [][]string{{"-iter", "60", "-chains", "2", "p.csv"},
		{"-force", "-iter", "60", "p.csv", "q.csv"}} {
		if got := call(t, "", args...); got.code != 0 {
			t.Fatal(got.stderr)
		}
	}
	before := contents(t, "bkesample-out")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for range 5000 {
			if _, err := os.Stat("bkesample-out/draws_4.csv.part"); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	var stderr bytes.Buffer
	args := []string{"-iter", "30000", "-warmup", "29980", "q.csv"}
	code := program().Run(ctx, anew(args...), strings.NewReader(""), io.Discard, &stderr)
	command := "bkesample -resume bkesample-out " + strings.Join(args, " ") + "\n"
	want := "bkesample: interrupted before the first draws; bkesample-out has a new checkpoint " +
		"and is otherwise unchanged; go on with: " + command
	if code != cli.ExitInterrupted || stderr.String() != want {
		t.Fatalf("exit %d, %q, want %q", code, &stderr, want)
	}
	after := contents(t, "bkesample-out")
	for _, name := range []string{"bkesample-out/checkpoint.part", "bkesample-out/bkesample.run"} {
		if after[name] == "" {
			t.Errorf("there is no %s", name)
		}
		delete(after, name)
	}
	if !maps.Equal(before, after) {
		t.Errorf("files were %v, are %v, or differ", slices.Sorted(maps.Keys(before)),
			slices.Sorted(maps.Keys(after)))
	}
	// Without the flags of the run they are named.
	got := call(t, "", "-resume", "bkesample-out", "-quiet")
	if want := "bkesample: -resume bkesample-out: wants the other flags and the files of that run, as " +
		"here: " + command; got.code != cli.ExitUsage || got.stderr != want {
		t.Errorf("exit %d, %q, want %q", got.code, got.stderr, want)
	}
	// The same command, and any other that would write there, offers to go on.
	for _, typed := range [][]string{args, {"-iter", "50", "-out", "bkesample-out", "p.csv"}} {
		got := call(t, "", typed...)
		want := "bkesample: bkesample-out holds a run that is not finished; -force gives it up, and " +
			"this goes on with it: " + command
		if got.code != cli.ExitUsage || got.stderr != want {
			t.Errorf("%v: exit %d, %q, want %q", typed, got.code, got.stderr, want)
		}
	}
	got = call(t, "", append([]string{"-resume", "bkesample-out"}, args...)...)
	if got.code != 0 {
		t.Fatalf("resumed: exit %d: %s", got.code, got.stderr)
	}
	for name := range listing(t, "bkesample-out") {
		if strings.Contains(name, "checkpoint") || strings.HasSuffix(name, ".part") ||
			strings.HasSuffix(name, ".run") {
			t.Errorf("%s is left after the end", name)
		}
	}
}

// Where results go when there are some, by default and with -out.
func TestTakenFolders(t *testing.T) {
	inFolder(t, sound())
	test := func(more ...string) called {
		return call(t, "", slices.Concat([]string{"twosample", "-theta", "1", "-permutations", "19"},
			more, []string{"p.csv", "q.csv"})...)
	}
	for _, name := range []string{"mine", "many", "hidden", "before", "empty"} {
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"mine/notes.txt", "mine/summary.json", "many/a", "many/b", "many/c",
		"many/witness.csv", "hidden/.gitignore"} {
		if err := os.WriteFile(name, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	writeAll(t, map[string]string{"before/summary.json": `{"schema_version": 1, "command": "learn"}`})
	const base = "bkesample-out/twosample"
	for _, c := range []struct {
		args   string
		code   int
		stderr string
		into   string // has a new summary
	}{
		{"", 0, "", base},
		{"", 0, base + " is taken: the results go to " + base + "-2", base + "-2"},
		{"-quiet", 0, "", base + "-3"},
		{"-force", 0, "", base},
		{"-out a", 0, "", "a"},
		{"-out a", 2, "-out a: holds the results of bkesample twosample, want another folder, or " +
			"-force to write there", ""},
		{"-out a -force", 0, "", "a"},
		{"-out mine", 2, "-out mine: holds what is not bkesample's: notes.txt, summary.json, want an " +
			"empty folder or a new one", ""},
		{"-out many -force", 2, "-out many: holds 4 files that are not bkesample's, such as a, want an " +
			"empty folder or a new one", ""},
		{"-out mine -force", 2, "-out mine: holds what is not bkesample's: notes.txt, summary.json, want " +
			"an empty folder or a new one", ""},
		{"-out hidden", 2, "-out hidden: holds what is not bkesample's: .gitignore, want an empty folder " +
			"or a new one", ""},
		{"-out before -force", 2, "-out before: holds the results of an earlier version of this program, " +
			"which are read but not replaced, want an empty folder or a new one", ""},
		{"-out empty", 0, "", "empty"},
	} {
		before := contents(t, ".")
		got := test(strings.Fields(c.args)...)
		stderr := c.stderr
		if stderr != "" {
			stderr = "bkesample: " + stderr + "\n"
		}
		if got.code != c.code || got.stderr != stderr {
			t.Errorf("%s: exit %d, %q, want %d, %q", c.args, got.code, got.stderr, c.code, stderr)
		}
		after := contents(t, ".")
		if c.code != 0 && !maps.Equal(before, after) {
			t.Errorf("%s: changes files", c.args)
		}
		if c.into != "" && after[c.into+"/summary.json"] == "" {
			t.Errorf("%s: no results in %s", c.args, c.into)
		}
	}
	// A file that somebody puts among results is left alone, and not written over.
	writeAll(t, map[string]string{"a/notes.txt": "mine"})
	if got := test("-out", "a", "-force"); got.code != 0 || contents(t, "a")["a/notes.txt"] != "mine" {
		t.Errorf("%+v, notes.txt is %q", got, contents(t, "a")["a/notes.txt"])
	}
	writeAll(t, map[string]string{"a/profile.csv": "mine"})
	got := call(t, "", "learn", "-out", "a", "-force", "p.csv", "q.csv")
	if want := "bkesample: -out a: profile.csv is not a file of bkesample, want another folder, or another " +
		"name for that file\n"; got.code != 1 || got.stderr != want {
		t.Errorf("exit %d, %q, want %q", got.code, got.stderr, want)
	}
	if contents(t, "a")["a/profile.csv"] != "mine" {
		t.Error("-force touches what is not bkesample's")
	}
}

// What one command left in a folder goes when another takes it by force.
func TestForceClears(t *testing.T) {
	inFolder(t, sound())
	for _, args := range []string{"twosample -out d -permutations 19 p.csv q.csv",
		"learn -out d -force p.csv"} {
		if got := call(t, "", strings.Fields(args)...); got.code != 0 {
			t.Fatal(got.stderr)
		}
	}
	for name := range contents(t, "d") {
		if strings.Contains(name, "null") || strings.Contains(name, "figure") {
			t.Errorf("%s of the test is still there", name)
		}
	}
}

// A run that fails leaves no folder; one that has begun to write leaves nothing unfinished.
func TestNothingIsLeft(t *testing.T) {
	inFolder(t, mistaken())
	before := listing(t, ".")
	for _, args := range [][]string{{"-ard", "-out", "a/b/c", "twins.csv"},
		{"-resume", "damaged", "-out", "a", "p.csv"}} {
		if got := call(t, "", args...); got.code != 1 {
			t.Errorf("%v: exit %d", args, got.code)
		}
	}
	if !maps.Equal(before, listing(t, ".")) {
		t.Errorf("left: %v", listing(t, "."))
	}
}

// Results that cannot be written do not cost the draws.
func TestUnwritableResults(t *testing.T) {
	inFolder(t, sound())
	if got := call(t, "", "-out", "out", "-iter", "60", "p.csv"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	if err := errors.Join(os.Remove("out/summary.json"), os.MkdirAll("out/summary.json/x", 0o777)); err != nil {
		t.Fatal(err)
	}
	got := call(t, "", "-out", "out", "-iter", "60", "p.csv", "-force")
	_, command, found := strings.Cut(strings.TrimSuffix(got.stderr, "\n"), "goes on with them: bkesample ")
	if got.code != cli.ExitFailed || !found {
		t.Fatalf("exit %d, %q", got.code, got.stderr)
	}
	if err := os.RemoveAll("out/summary.json"); err != nil {
		t.Fatal(err)
	}
	if got := call(t, "", strings.Fields(command)...); got.code != 0 {
		t.Fatalf("%s: exit %d, %q", command, got.code, got.stderr)
	}
	if got := call(t, "", "-out", "whole", "-iter", "60", "p.csv"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	sameFiles(t, "whole", "out")
}

// The folder may be called like another word of the command line, which reads nothing.
func TestOutputFolderCalledLikeAValue(t *testing.T) {
	inFolder(t, weather())
	got := call(t, "", "causal", "-quiet", "-test", "fisherz", "-stability", "0", "-out", "fisherz", "weather.csv")
	if got.code != 0 {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
}
