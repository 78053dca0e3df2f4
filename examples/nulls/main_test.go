package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// Of 60 data sets more than 11 are rejected at .05 with a probability below .0001, and more than 5 at .01 with one below
// .0001.
func TestCount(t *testing.T) {
	for _, n := range nulls() {
		if n.name != "ten blocks of eight" && n.name != "weights exp(x + normal), 40 and 30" {
			continue
		}
		five, one, err := n.count(context.Background(), 60, 0, 3)
		if err != nil || five > 11 || one > 5 {
			t.Errorf("%s: %d and %d of 60 are rejected, error %v", n.name, five, one, err)
		}
	}
}

func TestRun(t *testing.T) {
	var out, wrong bytes.Buffer
	if code := run(context.Background(), []string{"-sets", "2", "-only", "Cauchy, 20"}, &out, &wrong); code != 0 ||
		strings.Count(out.String(), "\n") != 2 {
		t.Errorf("exit %d, output %q, error %q", code, out.String(), wrong.String())
	}
	if code := run(context.Background(), []string{"-sets", "0"}, &out, &wrong); code != 2 {
		t.Errorf("exit %d with no sets, want 2", code)
	}
	if code := run(context.Background(), []string{"-only", "nothing of the kind"}, &out, &wrong); code != 2 {
		t.Errorf("exit %d with no such law, want 2", code)
	}
	if got := limits(2000, 0.05); got != "69 to 133" {
		t.Errorf("limits are %s, want 69 to 133", got)
	}
}
