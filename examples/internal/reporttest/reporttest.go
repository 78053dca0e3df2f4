// Package reporttest has the tests that the example programs share.
package reporttest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Program is the run function of an example: it returns the exit code.
type Program func(ctx context.Context, args []string, stdout, stderr io.Writer) int

// Call is a command line and what should come of it.
type Call struct {
	Args   string // words with one space between them, or with a | where words have spaces
	Code   int
	Stdout []string // all to be found there
	Stderr string   // to be found there; nothing is written there if it is empty
}

// words are the arguments.
func words(args string) []string {
	if strings.Contains(args, "|") {
		return strings.Split(args, "|")
	}
	return strings.Fields(args)
}

// Calls makes all calls.
func Calls(t *testing.T, run Program, calls []Call) {
	t.Helper()
	for _, c := range calls {
		var stdout, stderr strings.Builder
		if code := run(t.Context(), words(c.Args), &stdout, &stderr); code != c.Code {
			t.Errorf("%s: exit code %d, want %d", c.Args, code, c.Code)
		}
		if got := stderr.String(); !strings.Contains(got, c.Stderr) || c.Stderr == "" && got != "" {
			t.Errorf("%s: stderr is %q, want %q in it", c.Args, got, c.Stderr)
		}
		for _, want := range c.Stdout {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%s: stdout is %q, want %q in it", c.Args, stdout.String(), want)
			}
		}
	}
}

// Interrupted runs the program with a context that has ended and returns what it writes to stderr.
// The exit code must be 1.
func Interrupted(t *testing.T, run Program, args string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	if code := run(ctx, words(args), &stdout, &stderr); code != 1 || stderr.Len() == 0 {
		t.Errorf("an ended context: exit code %d, stderr %q", code, stderr.String())
	}
	return stderr.String()
}

// Resumes makes a study of so many lines twice, the second time from a file whose last line was cut
// off, and wants the same table.
func Resumes(t *testing.T, run Program, args string, lines int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "study.jsonl")
	call := func() string {
		var out, errs strings.Builder
		all := append(words(args), "-data", path)
		if code := run(t.Context(), all, &out, &errs); code != 0 {
			t.Fatal(code, errs.String())
		}
		return out.String()
	}
	want := call()
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != lines {
		t.Fatalf("%s has %q, want %d lines (%v)", path, text, lines, err)
	}
	if err := os.WriteFile(path, text[:len(text)-20], 0o644); err != nil {
		t.Fatal(err)
	}
	if got := call(); got != want {
		t.Errorf("resumed: %q, want %q", got, want)
	}
}
