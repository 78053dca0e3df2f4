package main

import (
	"context"
	"strings"
	"testing"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/long"
)

// One run of each construction: faults are told, by the gradients or by R-hat, sound runs are not (two suspect ones of nine have a
// probability of .004), and no sentence claims too much. The study has 40 and four more.
func TestSentencesOnRuns(t *testing.T) {
	suspect := 0
	for _, c := range constructions {
		sets := 1
		if long.Enabled() {
			sets = c.sets
		}
		for set := range sets {
			r, err := inspect(t.Context(), c, set, 71+uint64(set))
			if err != nil {
				t.Fatal(err)
			}
			if r.Faulty != "" {
				t.Errorf("%s: the sentence %s: %s", c.name, r.Faulty, r.Sentence)
			}
			switch {
			case c.kind == fault && !r.Suspect && !r.Warned:
				t.Errorf("%s: not told: %s", c.name, r.Sentence)
			case c.kind == sound && r.Suspect:
				suspect++
			}
		}
	}
	if suspect > 1 && !long.Enabled() || suspect > 4 {
		t.Errorf("%d sound runs are suspect", suspect)
	}
}

// The table of three data sets has the p-values of R's checks, finds the obvious models wrong and the adequate ones not.
func TestData(t *testing.T) {
	for _, set := range []string{"mammals", "trees", "light"} {
		var out strings.Builder
		if err := tables(t.Context(), report.Study{Only: set, Seed: 5}, "", &out); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		obvious, adequate := lines[len(lines)-2], lines[len(lines)-1]
		if !strings.Contains(obvious, "more at") || strings.Contains(adequate, "more at") {
			t.Errorf("%s\n%s", obvious, adequate)
		}
	}
}

// A study of one set of each level runs.
func TestLevels(t *testing.T) {
	var out strings.Builder
	if code := run(context.Background(), []string{"-part", "levels", "-sets", "1", "-only", "20 rows"}, &out, &out); code != 0 ||
		!strings.Contains(out.String(), "| normal, 20 rows | 1 |") {
		t.Errorf("code %d\n%s", code, out.String())
	}
}
