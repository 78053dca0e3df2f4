package main

import (
	"bytes"
	"context"
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
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		args string
		code int
		want string
	}{
		{context.Background(), "-h", 0, "normal-laplace:n=100"},
		{context.Background(), "-unknown", 2, "-unknown"},
		{context.Background(), "file", 2, "unexpected argument"},
		{context.Background(), "-problem nothing", 2, "want one of normal, "},
		{context.Background(), "-methods nothing", 2, "want fixed, "},
		{context.Background(), "-replicates 0", 1, "power: the first replicate is 0"},
		{context.Background(), "-replicates 1 -methods median -plot x.png", 1, "exactly one"},
		{context.Background(), "-replicates 1 -methods median -against fuse", 1, "no replicate"},
		{ended, "-replicates 5", 1, "stopped after 0 new records"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(c.ctx, strings.Fields(c.args), &stdout, &stderr)
		if code != c.code || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit code %d, want %d; stderr %s", c.args, code, c.code, &stderr)
		}
	}
}
