package main

import (
	"math"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args   []string
		code   int
		stdout string
	}{
		// Chains of two modes 6 sd apart disagree with either warm-up.
		{[]string{"-sets", "1", "-only", "6 apart"}, 0, "| two modes 6 apart, equal | 1 | 1 | 1 | 1 | 1 | 1 | 1 |"},
		{[]string{"-sets", "-1"}, 2, ""},
		{[]string{"-only", "nothing"}, 1, ""},
		{[]string{"-h"}, 0, ""},
	} {
		var stdout, stderr strings.Builder
		if code := run(t.Context(), c.args, &stdout, &stderr); code != c.code ||
			!strings.Contains(stdout.String(), c.stdout) {
			t.Errorf("%q: code %d, stdout %s, stderr %s", c.args, code, stdout.String(), stderr.String())
		}
	}
}

// The tails of binomials are counted by hand.
func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		lost, gained int
		p            float64
	}{{0, 0, 1}, {0, 5, 1}, {3, 0, 1. / 8}, {3, 1, 5. / 16}, {2, 2, 11. / 16}, {10, 0, 1. / 1024}} {
		if p := signTest(c.lost, c.gained); math.Abs(p-c.p) > 1e-15 {
			t.Errorf("%d of %d: %v, want %v", c.lost, c.lost+c.gained, p, c.p)
		}
	}
}

// The outcomes of both warm-ups are counted apart, and so are the runs that only one of them shows.
func TestPair(t *testing.T) {
	var p pair
	for _, b := range [][2]bool{{true, true}, {true, false}, {true, false}, {false, true}, {false, false}} {
		p.add(b[0], b[1])
	}
	if want := (pair{fixed: 3, shared: 2, lost: 2, gained: 1}); p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
}
