package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/internal/long"
)

func TestRun(t *testing.T) {
	long.Skip(t)
	for _, c := range []struct {
		args         []string
		code         int
		want, errors string
	}{
		{[]string{"-sets", "2", "-only", "one law, n = 50"}, 0, "| one law, n = 50 | 2 |", ""},
		{[]string{"-sets", "1", "-only", "Laplace, n = 50"}, 0, "| Laplace, n = 50 | 1 |", ""},
		{[]string{"-sets", "1", "-only", "pairs, correlation .8, n"}, 0, "| as pairs | pairs,", ""},
		{[]string{"-sets", "-1"}, 2, "", "want -sets"},
		{[]string{"-only", "nothing"}, 1, "", `no case has "nothing"`},
		{[]string{"-what"}, 2, "", "not defined"},
		{[]string{"-help"}, 0, "", "data sets of each case"},
	} {
		var out, errs strings.Builder
		code := run(t.Context(), c.args, &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.want) ||
			!strings.Contains(errs.String(), c.errors) {
			t.Errorf("%s: code %d, stdout %q, stderr %q", c.args, code, out.String(), errs.String())
		}
		// The answers to one question, whose values are known.
		if code == 0 && c.want != "" && !(strings.Contains(out.String(), "as compiled | 7.311 |") &&
			strings.Contains(out.String(), "algebra wants | -28.549 |") &&
			strings.Contains(out.String(), "| density | 0.113 |")) {
			t.Errorf("%s: %s", c.args, out.String())
		}
	}
}

// A study goes on where it was, to the same table, and draws a picture.
func TestResume(t *testing.T) {
	long.Skip(t)
	dir := t.TempDir()
	path, plot := filepath.Join(dir, "study.jsonl"), filepath.Join(dir, "null.png")
	call := func() string {
		var out, errs strings.Builder
		args := []string{"-only", "one law, n = 50", "-data", path, "-sets", "3", "-plot", plot}
		if code := run(t.Context(), args, &out, &errs); code != 0 {
			t.Fatal(code, errs.String())
		}
		return out.String()
	}
	want := call()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-20], 0o644); err != nil {
		t.Fatal(err)
	}
	if got := call(); got != want {
		t.Errorf("resumed: %q, want %q", got, want)
	}
	if s, err := os.Stat(plot); err != nil || s.Size() == 0 {
		t.Error(err)
	}
}
