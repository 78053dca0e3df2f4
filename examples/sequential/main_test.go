package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"bayeskernel/kerneltest/power"
)

func TestLevel(t *testing.T) {
	var out, wrong bytes.Buffer
	if code := run(context.Background(), []string{"-part", "level", "-sets", "1", "-rows", "60"}, &out, &wrong); code != 0 ||
		strings.Count(out.String(), " of 1\n") != 8 {
		t.Errorf("exit %d, output %q, error %q", code, out.String(), wrong.String())
	}
	if code := run(context.Background(), []string{"-part", "luck"}, &out, &wrong); code != 2 {
		t.Errorf("exit %d with another part, want 2", code)
	}
}

func TestSettings(t *testing.T) {
	problems, err := power.ParseProblems(settings)
	if err != nil || len(problems) != 10 {
		t.Errorf("%d problems, error %v", len(problems), err)
	}
}
