package main

import (
	"os"
	"strings"
	"testing"
)

// No file that is read is written over, by whatever name it is called, and nothing is written through a
// link under the name that once was temporary.
func TestOutputIsInput(t *testing.T) {
	inFolder(t, shardFiles())
	must(t, "", "plan", "p0.csv", "p2.csv", "-inputs", "8", "-bins", "16", "-out", "plan.json")
	must(t, "", "summarize", "-plan", "plan.json", "p0.csv", "-out", "a.sum")
	must(t, "", "summarize", "-plan", "plan.json", "p2.csv", "-out", "b.sum")
	os.WriteFile("names.txt", []byte("a.sum\nb.sum\n"), 0o666)
	os.WriteFile("empty.csv", nil, 0o666)
	if os.Symlink("a.sum", "link.sum") != nil {
		os.WriteFile("link.sum", []byte("x"), 0o666)
	}
	before := contents(t, ".")
	for _, args := range []string{
		"summarize -plan plan.json -out p0.csv p0.csv",
		"summarize -plan plan.json -out ./p0.csv p*.csv",
		"summarize -plan plan.json -out plan.json p0.csv",
		"summarize -plan plan.json -out empty.csv empty.csv",
		"plan -out p0.csv p0.csv p2.csv",
		"merge -out a.sum a.sum b.sum",
		"merge -out link.sum a.sum b.sum",
		"merge -out b.sum -files-from names.txt",
		"merge -out b.sum a.sum -remove b.sum",
		"summarize -plan plan.json -out a.sum nothing.csv",
	} {
		if got := call(t, "", strings.Fields(args)...); got.code == 0 || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", args, got.code, got.stderr)
		}
	}
	after := contents(t, ".")
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("left %d files, want %d", len(after), len(before))
	}
	os.WriteFile("theirs", []byte("theirs"), 0o666)
	if os.Symlink("theirs", "q.sum.part") != nil {
		return
	}
	must(t, "", "merge", "-out", "q.sum", "a.sum", "b.sum")
	if fileText(t, "theirs") != "theirs" {
		t.Error("written through a link")
	}
}

// A run that reads a file of an earlier run does not replace it, even with -force.
func TestOutputHoldsInput(t *testing.T) {
	inFolder(t, shardFiles())
	must(t, "", "-iter", "40", "-chains", "1", "p0.csv", "p2.csv", "-out", "a")
	const in = "a/witness.csv"
	text := fileText(t, in)
	got := call(t, "", "-iter", "40", "-chains", "1", in, "-out", "a", "-force")
	if got.code != 2 || !strings.Contains(got.stderr, "would be replaced") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
	if fileText(t, in) != text {
		t.Error("the input was changed")
	}
}
