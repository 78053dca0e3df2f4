package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	out, plot := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, "s.png")
	args := []string{"-problem", "normal:n=20,shift=0/3", "-methods", "fixed:theta=1 median",
		"-replicates", "5", "-permutations", "39", "-out", out, "-plot", plot, "-against", "median"}
	var first string
	for i := range 2 { // the second time all is in the file
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), args, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
			t.Fatalf("exit code %d, stderr %s", code, &stderr)
		}
		for _, want := range []string{"| normal:shift=3,n=20 ", "| 1.000 [0.566, 1.000] of 5 ",
			"- normal:shift=3,n=20, median: theta ", "level 0.05, 39 permutations"} {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("run %d: %q is not in %s", i, want, &stdout)
			}
		}
		if i == 0 {
			first = stdout.String()
		} else if first != stdout.String() {
			t.Errorf("the second time it is %s, the first time %s", &stdout, first)
		}
	}
	if text, err := os.ReadFile(out); err != nil || bytes.Count(text, []byte("\n")) != 10 {
		t.Errorf("the file is %s, error %v", text, err)
	}
	if picture, err := os.ReadFile(plot); err != nil || !bytes.HasPrefix(picture, []byte("\x89PNG")) {
		t.Errorf("the picture has %d bytes, error %v", len(picture), err)
	}
}

func TestErrors(t *testing.T) {
	bg := context.Background()
	ended, cancel := context.WithCancel(bg)
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		args string
		code int
		want string
	}{
		{bg, "-h", 0, "normal-laplace:n=100"},
		{bg, "-unknown", 2, "-unknown"},
		{bg, "file", 2, "unexpected argument"},
		{bg, "-problem nothing", 2, "want one of normal, "},
		{bg, "-methods nothing", 2, "want fixed, "},
		{bg, "-replicates 0", 2, "power: -replicates is 0"},
		{bg, "-first -1", 2, "power: -first is -1"},
		{bg, "-first 9223372036854775807", 2, "power: -first is 9223372036854775807"},
		{bg, "-parallel -1", 2, "power: -parallel is -1"},
		{bg, "-permutations 0", 2, "power: -permutations is 0"},
		{bg, "-alpha 5", 2, "power: -alpha is 5"},
		{bg, "-alpha 0", 2, "power: -alpha is 0"},
		{bg, "-alpha NaN", 2, "power: -alpha is NaN"},
		{bg, "-level 95", 2, "power: -level is 95"},
		{bg, "-level NaN", 2, "power: -level is NaN"},
		{bg, "-problem normal,n=10", 2, "there is no problem"},
		{bg, "-problem normal:n=1e7,dim=1e4", 2, "at most 1e8"},
		{bg, "-problem perturbed:dim=30", 2, "at most 1e7"},
		{bg, "-problem normal:n=10,shift=0/0.0", 2, "power: -problem names normal:n=10 twice"},
		{bg, "-methods median,median", 2, "want fixed"},
		{bg, "-methods median/sqrt2", 0, ""},
		{bg, "-against fuse -methods median", 2, "want one of the methods: median"},
		{bg, "-plot x.png", 2, "exactly one"},
		{bg, "-plot x.png -problem normal:n=9/10,dim=1/2", 2, "exactly one"},
		{bg, "-plot x.png -problem circle:n=9/10,noise=1/2", 2, "exactly one"},
		{bg, "-plot /nowhere/x.png -problem normal:n=9/10", 2, "a folder that exists"},
		{bg, "-out /nowhere/x.jsonl", 1, "power: open /nowhere/x.jsonl: no such file"},
		{bg, "-out .", 1, "power: open .: is a directory"},
		{ended, "-replicates 5", 1, "stopped after 0 new records"},
	} {
		args := strings.Fields(c.args)
		if c.code == 0 {
			args = append(args, "-replicates", "1", "-permutations", "19", "-problem", "normal:n=5")
		}
		var stdout, stderr bytes.Buffer
		code := run(c.ctx, args, &stdout, &stderr)
		if code != c.code || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit code %d, want %d; stderr %s", c.args, code, c.code, &stderr)
		}
		if c.args != "-h" && c.args != "-unknown" && strings.Count(stderr.String(), "\n") > 1 {
			t.Errorf("%s: more than one line: %s", c.args, &stderr)
		}
	}
}

// Two kinds of problem make no picture, also where they have the same parameters.
func TestPlotOfTwoKinds(t *testing.T) {
	for _, problems := range []string{"sinusoid:n=9 circle:n=9", "ties:dim=1 normal:shift=1"} {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), []string{"-problem", problems, "-plot", "x.png"}, &stdout,
			&stderr)
		if code != 2 || !strings.Contains(stderr.String(), "problems of one kind") {
			t.Errorf("%s: exit code %d, stderr %s", problems, code, &stderr)
		}
	}
}

// What a study lacks that was cut short is left out of tables and picture.
func TestCutShort(t *testing.T) {
	dir := t.TempDir()
	out, plot := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, "s.png")
	args := []string{"-problem", "normal:n=9/10", "-replicates", "2", "-permutations", "19", "-out", out,
		"-methods", "median"}
	if code := run(context.Background(), args, io.Discard, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	args[len(args)-1] = "median fixed:theta=1"
	args = append(args, "-plot", plot, "-against", "median", "-level", "0.57")
	var stdout, stderr bytes.Buffer
	code := run(ended, args, &stdout, &stderr)
	if code != 1 || !strings.HasPrefix(stderr.String(), "power: stopped after 0 new records") ||
		strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit code %d, stderr %s", code, &stderr)
	}
	if !strings.Contains(stdout.String(), "with 57% Wilson") ||
		!strings.Contains(stdout.String(), "of 2 |") {
		t.Errorf("stdout %s", &stdout)
	}
	if picture, err := os.ReadFile(plot); err != nil || !bytes.HasPrefix(picture, []byte("\x89PNG")) {
		t.Errorf("the picture has %d bytes, error %v", len(picture), err)
	}
}

// Whoever reads that tests failed also reads why.
func TestReasons(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"-problem", "normal:n=9", "-replicates", "3",
		"-permutations", "5", "-methods", "median"}, &stdout, &stderr)
	want := "- normal:n=9, median: 3 of 3, kerneltest: permutations are 5"
	if code != 0 || !strings.Contains(stdout.String(), want) {
		t.Errorf("exit code %d, stdout %s, want %s; stderr %s", code, &stdout, want, &stderr)
	}
}

// The name of the method to compare with may be written as those of the methods may.
func TestAgainst(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"-problem", "normal:n=9", "-replicates", "3",
		"-permutations", "19", "-methods", "median fixed:unbiased=1,theta=1",
		"-against", "fixed:unbiased=1,theta=1"}, &stdout, &stderr)
	if code != 0 || !strings.Contains(stdout.String(), "| median | fixed:theta=1,unbiased=1 | 3 ") {
		t.Errorf("exit code %d, stdout %s; stderr %s", code, &stdout, &stderr)
	}
}
