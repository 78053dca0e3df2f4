package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args   []string
		code   int
		stdout string
	}{
		{[]string{"-seeds", "1", "-only", "schools"}, 0, "| schools | learned | 1 of 1 |"},
		{[]string{"-seeds", "x"}, 2, ""},
		{[]string{"-h"}, 0, ""},
	} {
		var stdout, stderr strings.Builder
		if code := run(t.Context(), c.args, &stdout, &stderr); code != c.code ||
			!strings.Contains(stdout.String(), c.stdout) {
			t.Errorf("%q: code %d, stdout %s, stderr %s", c.args, code, stdout.String(), stderr.String())
		}
	}
}

// Every shape compiles in each way, with data that differ from seed to seed.
func TestShapes(t *testing.T) {
	for _, s := range shapes() {
		for _, w := range ways {
			if _, err := s.declare(1, w.options...).Compile(); err != nil {
				t.Errorf("%s, %s: %v", s.name, w.name, err)
			}
		}
	}
}
