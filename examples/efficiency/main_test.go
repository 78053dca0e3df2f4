package main

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args   string
		code   int
		stdout []string // to be found in it
		stderr string
	}{
		{"-seeds 2 -warmup 150 -only correlated -stan -metric diag", 0, []string{"Metric diag_e",
			"estimator covariance", "plain", "as Stan does", "| correlated |"}, ""},
		{"-seeds 1 -warmup 150 -only eight_schools_noncentered -acceptance symmetric -metric dense",
			0,
			[]string{"Metric dense_e", "estimator Fisher", "symmetric", "| eight_schools"}, ""},
		{"-seeds 1 -warmup 60 -large -only student200 -metric lowrank", 0,
			[]string{"Metric low_rank", "| student200"}, ""},
		{"-only nothing", 2, nil, `"nothing"`},
		{"-metric round", 2, nil, "-metric"},
		{"-estimator mean", 2, nil, "-estimator"},
		{"-acceptance high", 2, nil, "-acceptance"},
		{"-seeds 0", 2, nil, "-seeds is 0"},
		{"-warmup -1", 2, nil, "-warmup is -1"},
		{"all", 2, nil, `"all"`},
		{"-h", 0, nil, "-acceptance"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), strings.Fields(c.args), &stdout, &stderr)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.args, code, c.code)
		}
		if !strings.Contains(stderr.String(), c.stderr) || c.stderr == "" && stderr.Len() > 0 {
			t.Errorf("%s: stderr is %q, want %q in it", c.args, stderr.String(), c.stderr)
		}
		for _, want := range c.stdout {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%s: stdout is %q, want %q in it", c.args, stdout.String(), want)
			}
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, nil, &stdout, &stderr); code != 1 || stderr.Len() == 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
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
