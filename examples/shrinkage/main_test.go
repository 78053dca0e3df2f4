package main

import (
	"context"
	"math"
	"strings"
	"testing"

	"bayeskernel/examples/internal/report"
)

// The smallest case beside the independent program: 20 cells, each within 4 combined standard
// errors. If they were independent and normal, one of 500 seeds would have a cell further off.
func TestRisk(t *testing.T) {
	known, err := references()
	if err != nil {
		t.Fatal(err)
	}
	z := size{5, 20}
	sets := map[int]losses{}
	for set := range 30 {
		if sets[set], err = z.measure(context.Background(), 2, set); err != nil {
			t.Fatal(err)
		}
	}
	for i, kernel := range kernelNames() {
		base, want := column(sets, kernel, empirical), known[z.name()][i]
		for e := range 4 {
			got, se := change(column(sets, kernel, e+1), base)
			if f := distance(got, se, want.change[e], want.changeRound[e], 30); f > 4 {
				t.Errorf("%s, estimator %d: change is %v, want %v", kernel, e, got, want.change[e])
			}
		}
		for e := range estimators {
			if l := column(sets, kernel, e); e < posteriorBest && !(l[0] > 0) {
				t.Errorf("%s, estimator %d: loss is %v", kernel, e, l[0])
			}
		}
	}
}

func TestRounded(t *testing.T) {
	for text, want := range map[string][2]float64{".0221": {.0221, .00005}, "1.7e5": {1.7e5, 5e3},
		"623": {623, .5}, "-4.1": {-4.1, .05}, "+12": {12, .5}} {
		v, half, err := rounded(text)
		if err != nil || v != want[0] || math.Abs(half-want[1]) > 1e-9*want[1] {
			t.Errorf("%q is %v, %v, %v", text, v, half, err)
		}
	}
}

func TestPrograms(t *testing.T) {
	for part, want := range map[string]string{"risk": "combined standard errors",
		"pca": "was not reproduced"} {
		var out, stderr strings.Builder
		only := map[string]string{"risk": "5 20", "pca": "wine"}[part]
		if code := run(context.Background(), []string{"-part", part, "-sets", "2", "-only", only},
			&out, &stderr); code != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: code %d, %q, %q", part, code, out.String(), stderr.String())
		}
	}
	var out, stderr strings.Builder
	if run(context.Background(), []string{"-part", "none"}, &out, &stderr) != 2 {
		t.Error("an unknown part is accepted")
	}
	if err := drawRisk("none.png", nil); err != errTooFew {
		t.Errorf("error is %v", err)
	}
	if err := risk(context.Background(), report.Study{Only: "none"}, "", &out); err == nil {
		t.Error("no cases are accepted")
	}
}
