package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// farm has two samples of a number, a category and a day, with an identifier that pairs them, as CSV and as
// JSON lines (synthetic).
func farm() (csv, lines string) {
	var c, l strings.Builder
	c.WriteString("pen,hen,weight,feed,day\n")
	for i := range 48 {
		pen, hen := "north", i
		if i >= 24 {
			pen, hen = "south", (5*i+3)%24
		}
		weight, feed := float64(i*i%31)+float64(i%24), []string{"corn", "oats", "rye"}[i*7%5%3]
		day := fmt.Sprintf("2024-02-%02d", 1+i*11%28)
		if i >= 24 {
			weight += 6
		}
		fmt.Fprintf(&c, "%s,%d,%g,%s,%s\n", pen, hen, weight, feed, day)
		fmt.Fprintf(&l, `{"pen": "%s", "hen": %d, "weight": %g, "feed": "%s", "day": "%s"}`+"\n", pen, hen, weight, feed,
			day)
	}
	return c.String(), l.String()
}

// A table with columns of every kind gives the same in CSV and, at standard input, in JSON lines.
func TestColumnsAsTheyAre(t *testing.T) {
	csv, lines := farm()
	inFolder(t, map[string]string{"farm.csv": csv, "corn.csv": csv})
	test := func(stdin string, args ...string) (s struct {
		P, Statistic float64
		Columns      []string
		Notes        []string
		Samples      []struct{ Name string }
	}) {
		t.Helper()
		got := call(t, stdin, append(args, "-force", "-format", "json", "-permutations", "99")...)
		if err := json.Unmarshal([]byte(got.stdout), &s); err != nil || got.code != 0 || got.stderr != "" {
			t.Fatalf("%v: %v, %+v", args, err, got)
		}
		return s
	}
	a, b := test("", "twosample", "farm.csv", "-label", "pen"), test(lines, "twosample", "-", "-label", "pen")
	if a.Statistic != b.Statistic || a.P != b.P || !slices.Equal(a.Columns, []string{"weight", "feed", "day"}) {
		t.Errorf("%+v and %+v", a, b)
	}
	for _, want := range []string{"Used as categories: feed (corn, oats, rye).", "Used as days since 1970-01-01: day.",
		"Left out hen: each of its 24 values occurs once in each sample. If rows of one value belong together, -pairs " +
			"hen compares them as pairs; to use it as data, name it in -columns."} {
		if !slices.Contains(a.Notes, want) || !slices.Contains(b.Notes, want) {
			t.Errorf("notes %q, want %q", a.Notes, want)
		}
	}
	pairs := test("", "twosample", "farm.csv", "-label", "pen", "-pairs", "hen", "-names", "north=before,south=after")
	if pairs.P == a.P || pairs.Samples[0].Name != "before" || pairs.Samples[1].Name != "after" {
		t.Errorf("%+v", pairs)
	}
	files := test("", "twosample", "farm.csv", "corn.csv", "-drop", "pen,hen", "-names", "P=one,Q=two")
	if files.P != 1 || files.Samples[0].Name != "one" {
		t.Errorf("%+v", files)
	}
	// The main command tests what it cannot sample.
	if main := test("", "farm.csv", "-label", "pen"); main.Statistic != a.Statistic {
		t.Errorf("%+v, want %+v", main, a)
	}
	if xy := test("", "independence", "farm.csv", "-x", "weight,feed", "-y", "pen"); xy.P > 1 || xy.P <= 0 {
		t.Errorf("%+v", xy)
	}
	for _, args := range []string{"novelty farm.csv corn.csv -drop pen", "embed farm.csv -label pen",
		"causal farm.csv -columns weight,feed"} {
		if got := call(t, "", append(strings.Fields(args), "-force")...); got.code != 0 {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
