package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/causal/graph"
	"bayeskernel/internal/long"
)

// The cheapest setting, on all rows.
const cheap = "kept, residuals, 20 inputs"

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args         []string
		code         int
		want, errors string
	}{
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
	}
}

// A study goes on where it was, to the same tables.
func TestResume(t *testing.T) {
	long.Skip(t)
	path := filepath.Join(t.TempDir(), "study.jsonl")
	call := func() string {
		var out, errs strings.Builder
		args := []string{"-only", cheap, "-data", path, "-sets", "2"}
		if code := run(t.Context(), args, &out, &errs); code != 0 {
			t.Fatal(code, errs.String())
		}
		return out.String()
	}
	want := call()
	if !strings.Contains(want, "| "+cheap+" | 5 | not adjacent, p = 0.15 given InvTmp | 1 |") {
		t.Error(want)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Fatal(string(text), err)
	}
	if err := os.WriteFile(path, text[:len(text)-20], 0o644); err != nil {
		t.Fatal(err)
	}
	if got := call(); got != want {
		t.Errorf("resumed: %q, want %q", got, want)
	}
}

// The picture, and the row of a table, of results made up.
func TestTables(t *testing.T) {
	made := func(edges ...graph.Edge) result {
		g, err := graph.FromEdges([]string{"Ozone", "Temp", "Wind"}, edges...)
		if err != nil {
			t.Fatal(err)
		}
		return result{Graphs: []*graph.Graph{g}, P: 0.002}
	}
	back := graph.Edge{From: "Ozone", To: "Temp", MarkFrom: graph.Arrow, MarkTo: graph.Arrow}
	of := map[int]result{0: made(graph.Directed("Temp", "Ozone")), 1: made(back),
		2: made(graph.Directed("Ozone", "Temp")), 3: made(), 4: made(graph.Directed("Temp", "Ozone"))}
	if got := row(of, 0); got != "1 | Temp → Ozone, p = 0.002 | 4 | 75% | 25% | 25% | 0% | 25%" {
		t.Error(got)
	}
	path := filepath.Join(t.TempDir(), "ozone.png")
	if err := draw(path, of); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(b), "\x89PNG") {
		t.Errorf("no picture: %v", err)
	}
}

// What README.md says of temperature and ozone on all rows.
func TestTemperatureLong(t *testing.T) {
	long.Skip(t)
	for k, want := range map[int]string{0: relations[1], 1: relations[1], 2: relations[0],
		4: relations[4]} {
		if k > long.Of(1, 4) {
			continue
		}
		s := settings()[k]
		r, err := s.measure(t.Context(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := relation(r.Graphs[0]); got != want {
			t.Errorf("%s: %s, want %s", s.name(), got, want)
		}
	}
}
