package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bayeskernel/cmd/bkesample/internal/cli"
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
			want := "bkesample: -out bkesample-out: holds the results of bkesample sample, want " +
				"another folder for those of " + name + "\n"
			if got.code != cli.ExitFailed || got.stderr != want {
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
			if got := call(t, "", args...); got.code != 0 {
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

// Two columns of which one is constant are tested, without a picture.
func TestConstantColumn(t *testing.T) {
	inFolder(t, map[string]string{"p.csv": "x,y\n1,7\n2,7\n3,7\n4,7\n",
		"q.csv": "x,y\n3,7\n4,7\n6,7\n"})
	got := call(t, "", "twosample", "-permutations", "19", "p.csv", "q.csv")
	if _, err := os.Stat("bkesample-out/twosample/figure.png"); got.code != 0 || err == nil {
		t.Errorf("exit %d: %s, figure.png is there: %v", got.code, got.stderr, err == nil)
	}
}

// An interrupt in warm-up leaves the files of an earlier run as they were, says so, and names the
// command that goes on.
func TestInterruptBeforeDraws(t *testing.T) {
	inFolder(t, sound())
	for _, args := range [][]string{{"-iter", "60", "-chains", "2", "p.csv"},
		{"-iter", "60", "p.csv", "q.csv"}} {
		if got := call(t, "", args...); got.code != 0 {
			t.Fatal(got.stderr)
		}
	}
	if err := os.WriteFile("bkesample-out/checkpoint", []byte("of an earlier run"), 0o666); err != nil {
		t.Fatal(err)
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
	code := cli.Run(ctx, commands(), args, strings.NewReader(""), io.Discard, &stderr)
	want := "bkesample: interrupted before the first draws; bkesample-out has a new checkpoint.part " +
		"and is otherwise unchanged; continue with: bkesample -resume bkesample-out/checkpoint.part " +
		strings.Join(args, " ") + "\n"
	if code != cli.ExitInterrupted || stderr.String() != want {
		t.Fatalf("exit %d, %q, want %q", code, &stderr, want)
	}
	after := contents(t, "bkesample-out")
	if after["bkesample-out/checkpoint.part"] == "" {
		t.Error("there is no checkpoint.part")
	}
	delete(after, "bkesample-out/checkpoint.part")
	if !maps.Equal(before, after) {
		t.Errorf("files were %v, are %v, or differ", slices.Sorted(maps.Keys(before)),
			slices.Sorted(maps.Keys(after)))
	}
	got := call(t, "", append([]string{"-resume", "bkesample-out/checkpoint.part"}, args...)...)
	if got.code != 0 {
		t.Fatalf("resumed: exit %d: %s", got.code, got.stderr)
	}
	for name := range listing(t, "bkesample-out") {
		if strings.Contains(name, "checkpoint") || strings.HasSuffix(name, ".part") {
			t.Errorf("%s is left after the end", name)
		}
	}
}
