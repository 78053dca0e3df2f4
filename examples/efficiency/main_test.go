package main

import (
	"bayeskernel/examples/internal/reporttest"
	"bytes"
	"context"
	"strconv"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	reporttest.Calls(t, run, []reporttest.Call{
		{Args: "-seeds 2 -warmup 150 -only correlated -stan -metric diag",
			Stdout: []string{"Metric diag_e",
				"estimator covariance", "plain", "as Stan does", "| correlated |"}},
		{Args: "-seeds 1 -warmup 150 -only eight_schools_noncentered -acceptance symmetric -metric dense",
			Stdout: []string{"Metric dense_e", "estimator Fisher", "symmetric", "| eight_schools"}},
		{Args: "-seeds 1 -warmup 60 -large -only student200 -metric lowrank",
			Stdout: []string{"Metric low_rank", "| student200"}},
		{Args: "-only nothing", Code: 2, Stderr: `"nothing"`},
		{Args: "-metric round", Code: 2, Stderr: "-metric"},
		{Args: "-estimator mean", Code: 2, Stderr: "-estimator"},
		{Args: "-acceptance high", Code: 2, Stderr: "-acceptance"},
		{Args: "-seeds 0", Code: 2, Stderr: "-seeds is 0"},
		{Args: "-warmup -1", Code: 2, Stderr: "-warmup is -1"},
		{Args: "all", Code: 2, Stderr: `"all"`},
		{Args: "-h", Stderr: "-acceptance"},
	})
	reporttest.Interrupted(t, run, "")
}

// TestFigures wants the table to say what a run without it says: a bulk ESS of about 1000 per 1000
// gradients at most, and 4000 transitions of one gradient at least.
func TestFigures(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"-seeds", "3", "-only", "correlated"}, &stdout,
		&stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	head, row := strings.Split(lines[len(lines)-3], "|"), strings.Split(lines[len(lines)-1], "|")
	if len(head) != len(row) {
		t.Fatalf("%d columns under a head of %d", len(row), len(head))
	}
	at := map[string]float64{}
	for i, h := range head {
		at[strings.TrimSpace(h)], _ = strconv.ParseFloat(strings.TrimSpace(row[i]), 64)
	}
	if g := at["gradients"]; !(g >= 4000 && g <= 40000) {
		t.Errorf("%v gradients", g)
	}
	if e := at["ESS/1000 gradients"]; !(e > 26 && e < 1000) { // Stan's is 26
		t.Errorf("ESS per 1000 gradients is %v", e)
	}
	if r := at["R-hat"]; !(r > 0.99 && r < 1.02) {
		t.Errorf("R-hat is %v", r)
	}
}
