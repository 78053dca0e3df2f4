package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"bayeskernel/examples/internal/report"
)

// Without rstan a program runs by itself, and the table says how fast.
func TestAlone(t *testing.T) {
	dir := t.TempDir()
	program, data := filepath.Join(dir, "line.stan"), filepath.Join(dir, "line.json")
	for file, text := range map[string]string{
		program: "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 1); y ~ normal(mu, 1); }",
		data:    `{"N": 3, "y": [1, 2, 0.5]}`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"-alone", "-seeds", "1", program, data}, &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	if !strings.Contains(out.String(), "line") || !strings.Contains(out.String(), "1, 0 of 1") {
		t.Errorf("the table is\n%s", out.String())
	}
	if code := run(context.Background(), []string{program}, &out, &errs); code != 2 {
		t.Errorf("a program without data ends with code %d, want 2", code)
	}
}

// The time to 400 draws counts the warm-up once and drawing as often as it takes; runs that did not mix are left
// out of the mean.
func TestRatio(t *testing.T) {
	good := pair{Program: "a", Ours: side{Warm: 1, Draw: 2, ESS: 800, RHat: 1}, RStan: side{Warm: 4, Draw: 3, ESS: 200, RHat: 1.01}}
	if got := ratio(good); math.Abs(got-5) > 1e-12 {
		t.Errorf("ratio %v, want (4 + 3*2)/(1 + 2/2) = 5", got)
	}
	if got := faster(good); math.Abs(got-6) > 1e-12 {
		t.Errorf("%v times as many draws a second, want 6", got)
	}
	bad := good
	bad.RStan.RHat = 1.3
	if n, mean := geometric([]pair{good, bad}, ratio); n != 1 || math.Abs(mean-5) > 1e-12 {
		t.Errorf("mean %v of %d runs, want 5 of 1", mean, n)
	}
}

// Arrays are written for R with the first index fastest.
func TestDump(t *testing.T) {
	got, err := rdump([]byte(`{"x": [[1, 2, 3], [4, 5, 6.5]], "n": 2, "e": [], "one": [7]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := "`e` <- array(as.numeric(c()), dim = c(0))\n`n` <- array(as.numeric(c(2)))[1]\n" +
		"`one` <- array(as.numeric(c(7)), dim = c(1))\n`x` <- array(as.numeric(c(1,4,2,5,3,6.5)), dim = c(2,3))\n"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := rdump([]byte(`{"x": [[1, 2], [3]]}`)); err == nil {
		t.Error("rows of two lengths, no error")
	}
}

// Means are apart by their difference over the Monte Carlo errors of both; runs add up to a normal again, those that
// did not mix are left out, and a name that one side lacks is an error.
func TestApart(t *testing.T) {
	a := side{Draw: 1, ESS: 1, means: map[string]estimate{"x.1": {2, 3}, "y": {1, 1}}}
	b := side{Draw: 1, ESS: 1, means: map[string]estimate{"x.1": {12, 4}, "y": {1, 2}, "z": {0, 1}}}
	z, err := apart(a, b)
	if err != nil || len(z) != 2 || z["x.1"] != -2 || z["y"] != 0 {
		t.Errorf("%v, %v, want -10/5 and 0", z, err)
	}
	if _, err := apart(b, a); err == nil {
		t.Error("z is missing, no error")
	}
	stuck := a
	stuck.RHat = 2
	runs := []pair{{Ours: a, RStan: b, Apart: z}, {Ours: a, RStan: b, Apart: z}, {Ours: stuck, RStan: b, Apart: z}}
	if got := farthest(runs); got != "2.83" {
		t.Errorf("%s, want 4/sqrt(2) = 2.83", got)
	}
}

// Kept runs come back.
func TestKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	want := pair{Program: "a", Seed: 2, Ours: side{Warm: 1, Draw: 2, ESS: 3, RHat: 1}, Apart: map[string]float64{"x": 1.5}}
	for range 2 {
		if err := report.Keep(file, want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := kept(file)
	if err != nil || !reflect.DeepEqual(got, []pair{want, want}) {
		t.Errorf("%+v, %v", got, err)
	}
}
