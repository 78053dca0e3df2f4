package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayeskernel/cmd/internal/cli"
)

// ofEachCommand is a quick call of every command that writes into a folder.
func ofEachCommand() [][]string {
	return [][]string{
		{"-iter", "20", "-chains", "2", "-zarr", "p.csv", "q.csv"},
		{"learn", "p.csv", "q.csv"},
		{"twosample", "-permutations", "19", "p.csv", "q.csv"},
		{"independence", "-permutations", "19", "-x", "1", "-y", "2", "plane_q.csv"},
		{"power", "-sizes", "20", "-sets", "20", "-permutations", "19", "p.csv", "q.csv"},
		{"causal", "-null", "gamma", "space_p.csv"},
		{"novelty", "p.csv", "q.csv"},
		{"embed", "p.csv", "q.csv", "p2.csv"},
	}
}

// into is a call with further flags after the name of the command.
func into(args []string, flags ...string) []string {
	if strings.HasPrefix(args[0], "-") {
		return slices.Concat(flags, args)
	}
	return slices.Concat(args[:1], flags, args[1:])
}

// A folder of somebody else's files has the same bytes after any command, with -force too, whatever
// its files are called, and if it is given as a link.
func TestForeignFolder(t *testing.T) {
	files := sound()
	files["p2.csv"] = strings.ReplaceAll(files["p.csv"], "\n1", "\n2")
	for _, name := range []string{"summary.json", "witness.csv", "figure.png", "report.html", "draws_1.csv",
		"draws_1.csv.part", "checkpoint.part", "bkesample.run", "profile.csv", "graph.dot", ".bkesample.old"} {
		files["mine/"+name] = "mine\n"
	}
	files["record/bkesample.run"] = `{"mine": true}`
	files["deep/bkesample-out/notes.txt"] = "mine\n"
	inFolder(t, files)
	if err := os.Symlink("mine", "link"); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if err := os.Mkdir("linked", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../p.csv", "linked/bkesample.run"); err != nil {
		t.Fatal(err)
	}
	before := contents(t, ".")
	for _, args := range ofEachCommand() {
		for _, flags := range [][]string{{"-out", "mine"}, {"-force", "-out", "mine"}, {"-force", "-out", "link"},
			{"-force", "-out", "record"}, {"-force", "-out", "linked"}, {"-force", "-out", "."},
			{"-force", "-out", "deep"}} {
			got := call(t, "", into(args, flags...)...)
			if got.code != cli.ExitUsage || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("%s %v: exit %d, %q", args[0], flags, got.code, got.stderr)
			}
		}
	}
	for _, args := range [][]string{{"-resume", "mine", "p.csv"}, {"plan", "p.csv", "-o", "mine/witness.csv"},
		{"plan", "p.csv", "-o", "q.csv"}} {
		if got := call(t, "", args...); got.code == 0 || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%v: exit %d, %q", args, got.code, got.stderr)
		}
	}
	if after := contents(t, "."); !maps.Equal(before, after) {
		t.Errorf("files were %v, are %v, or differ", slices.Sorted(maps.Keys(before)),
			slices.Sorted(maps.Keys(after)))
	}
}

// Where the default folder is somebody else's, results go elsewhere.
func TestForeignDefaultFolder(t *testing.T) {
	files := sound()
	files["bkesample-out/summary.json"] = "mine\n"
	files["bkesample-out/learn/notes.txt"] = "mine\n"
	inFolder(t, files)
	for _, line := range []string{"-iter 20 -chains 2 p.csv", "learn p.csv"} {
		if got := call(t, "", strings.Fields(line)...); got.code != 0 {
			t.Errorf("%s: exit %d, %s", line, got.code, got.stderr)
		}
	}
	got := contents(t, "bkesample-out")
	for name := range got {
		if strings.HasPrefix(name, "bkesample-out/learn-2/") {
			delete(got, name)
		}
	}
	want := map[string]string{"bkesample-out/summary.json": "mine\n", "bkesample-out/learn/notes.txt": "mine\n"}
	if !maps.Equal(got, want) {
		t.Errorf("bkesample-out holds %v", slices.Sorted(maps.Keys(got)))
	}
	if _, err := os.Stat("bkesample-out-2/summary.json"); err != nil {
		t.Error(err)
	}
}

// Links under the names of results are replaced, and nothing is written through them.
func TestLinksAmongResults(t *testing.T) {
	files := sound()
	files["mine/a.txt"] = "mine\n"
	inFolder(t, files)
	args := into(ofEachCommand()[0], "-out", "a")
	if got := call(t, "", args...); got.code != 0 {
		t.Fatal(got.stderr)
	}
	entries, err := os.ReadDir("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join("a", e.Name())
		if e.Name() == ".bkesample" {
			continue
		}
		target := "../mine/a.txt"
		if e.IsDir() {
			target = "../mine"
		}
		for _, link := range []string{path, path + ".part"} {
			os.RemoveAll(link)
			if err := os.Symlink(target, link); err != nil {
				t.Skipf("no links here: %v", err)
			}
		}
	}
	if got := call(t, "", append([]string{"-force"}, args...)...); got.code != 0 {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
	if got := contents(t, "mine"); len(got) != 1 || got["mine/a.txt"] != "mine\n" {
		t.Errorf("mine holds %q", got)
	}
	for name, text := range contents(t, "a") {
		if text == "mine\n" {
			t.Errorf("%s is still a link", name)
		}
	}
}
