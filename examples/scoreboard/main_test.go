package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
)

func runArgs(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(context.Background(), args, &out, &errs); code != want {
		t.Fatalf("%v: exit code %d, want %d; stderr %q", args, code, want, errs.String())
	}
	return out.String(), errs.String()
}

// TestRun measures two cheap models, once: asked again, it makes the same table without a run, also
// of a file whose last line an interruption has cut short.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	args := []string{"-only", "logmesquite_logvash,kilpisjarvi", "-seeds", "1", "-warmup", "300",
		"-draws", "500", "-file", file}
	table, log := runArgs(t, 0, args...)
	if n := strings.Count(log, "\n"); n != 2 {
		t.Errorf("the log has %d lines, want 2: %q", n, log)
	}
	for _, want := range []string{"| logmesquite_logvash | 1/1 |", "| kilpisjarvi | 1/1 |",
		"models with published figures: 1 of 1.", "Ratio to CmdStan"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table is %q, want %q in it", table, want)
		}
	}
	records, err := readRecords(file)
	if err != nil || len(records) != 2 {
		t.Fatalf("%d records, error %v", len(records), err)
	}
	for _, r := range records {
		// Four chains make at least one gradient per transition, and check the first one.
		if r.Gradients < 2400 || r.WarmupGradients < 1200 || r.WarmupGradients >= r.Gradients {
			t.Errorf("%s: %d gradients, %d before the draws", r.Model, r.Gradients,
				r.WarmupGradients)
		}
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"model":"kilp`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again, log := runArgs(t, 0, args...)
	if log != "" || again != table {
		t.Errorf("the second time the log is %q and the table %q, want none and %q", log, again,
			table)
	}
}

// TestARMA11: chains of arma11 can begin where its recursion explodes, with log densities of -1e9 to
// -1e97. None stays there: the gates are passed on all of 20 seeds, which are fixed.
func TestARMA11(t *testing.T) {
	table, log := runArgs(t, 0, "-only", "arma11", "-seeds", "20", "-file",
		filepath.Join(t.TempDir(), "runs.jsonl"))
	if !strings.Contains(table, "| arma11 | 20/20 |") {
		t.Error(log)
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-only nothing", `"nothing"`},
		{"-metric round", "-metric"},
		{"-seeds 0", "-seeds is 0"},
		{"-warmup -1", "-warmup is -1"},
		{"-draws 0", "-draws is 0"},
		{"all", `"all"`},
	} {
		_, stderr := runArgs(t, 2, strings.Fields(c.args)...)
		if !strings.Contains(stderr, c.want) {
			t.Errorf("%s: stderr is %q, want %q in it", c.args, stderr, c.want)
		}
	}
	if _, stderr := runArgs(t, 0, "-h"); !strings.Contains(stderr, "-only") {
		t.Errorf("-h prints %q", stderr)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"-only", "blr", "-file", file}, &stdout, &stderr); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("an interrupted run was kept")
	}
}

// TestRegistry wants every posterior of package models on the board, once, under its own name.
func TestRegistry(t *testing.T) {
	names := map[string]int{}
	for _, e := range registry {
		p, err := e.posterior()
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != e.name {
			t.Errorf("%s is called %s", p.Name, e.name)
		}
		names[e.name]++
	}
	all, err := models.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if names[p.Name] != 1 {
			t.Errorf("%s is there %d times", p.Name, names[p.Name])
		}
	}
}

// TestNoReference measures a factory that is not on the board and has no reference moments.
func TestNoReference(t *testing.T) {
	e := entry{name: "normal", posterior: func() (models.Posterior, error) {
		return models.Posterior{Name: "normal",
			Factory: hmc.Shared(testmodels.Normal(1, 2, 3))}, nil
	}}
	k := key{Model: "normal", Seed: 1, Chains: 4, Warmup: 300, Draws: 500}
	r, err := measure(context.Background(), e, k, hmc.DiagMetric)
	if err != nil {
		t.Fatal(err)
	}
	if !r.passed() || r.Z != 0 || r.ESSBulkOf == "" {
		t.Errorf("the run is %+v", r)
	}
	if sum := r.Gradients - r.WarmupGradients; sum < 4*500 || r.WarmupGradients < 4*300 {
		t.Errorf("%d gradients before the draws and %d after", r.WarmupGradients, sum)
	}
}

// TestFailedRun wants a chain that finds no start to be a result, with what it cost.
func TestFailedRun(t *testing.T) {
	e := entry{name: "nowhere", posterior: func() (models.Posterior, error) {
		return models.Posterior{Name: "nowhere", Factory: hmc.Shared(nowhere{})}, nil
	}}
	k := key{Model: "nowhere", Seed: 1, Chains: 4, Warmup: 300, Draws: 500}
	r, err := measure(context.Background(), e, k, hmc.AutoMetric)
	if err != nil {
		t.Fatal(err)
	}
	if r.passed() || r.Error == "" || r.Gradients != 400 { // four chains, a hundred tries each
		t.Errorf("the run is %+v", r)
	}
}

type nowhere struct{}

func (nowhere) Dim() int                          { return 1 }
func (nowhere) LogDensity(_, _ []float64) float64 { return math.Inf(-1) }

func good(seed uint64, gradients int64) record {
	return record{key: key{Model: "m", Seed: seed}, Gradients: gradients, ESSBulk: 1000,
		ESSTail: 800, RHat: 1.001, Z: 2}
}

func TestGates(t *testing.T) {
	if !good(1, 1).passed() {
		t.Error("a good run fails")
	}
	for name, spoil := range map[string]func(*record){
		"R-hat":       func(r *record) { r.RHat = 1.011 },
		"bulk":        func(r *record) { r.ESSBulk = 399 },
		"tail":        func(r *record) { r.ESSTail = 399 },
		"divergences": func(r *record) { r.Divergences = 1 },
		"means":       func(r *record) { r.Z = 5.1 },
		"error":       func(r *record) { r.Error = "no start" },
		"undefined":   (*record).undefined,
	} {
		r := good(1, 1)
		if spoil(&r); r.passed() {
			t.Errorf("a run passes in spite of its %s", name)
		}
	}
}

// TestRatio compares medians by hand: 1000 effective draws of 10,000, 20,000 and 50,000 gradients
// are 100, 50 and 20 per 1000.
func TestRatio(t *testing.T) {
	r := row{runs: []record{good(1, 10000), good(2, 50000), good(3, 20000)}}
	if e := r.efficiency(); e != 50 {
		t.Errorf("efficiency %v, want 50", e)
	}
	if q, ok := r.ratio(&published{2, 10}); !ok || q != 5 {
		t.Errorf("ratio %v, %v, want 5", q, ok)
	}
	if _, ok := r.ratio(&published{1, 10}); ok {
		t.Error("a ratio to a sampler that failed")
	}
	r.runs[0].Divergences = 1
	if _, ok := r.ratio(&published{2, 10}); !ok {
		t.Error("no ratio, though two of three runs pass")
	}
	r.runs[1].Divergences = 1
	if _, ok := r.ratio(&published{2, 10}); ok {
		t.Error("a ratio, though two of three runs fail")
	}
	if g := geometricMean([]float64{2, 8}); math.Abs(g-4) > 1e-12 {
		t.Errorf("geometric mean of 2 and 8 is %v", g)
	}
}

func TestRecords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	failed := good(2, 30)
	failed.Error = "hmc: no start"
	failed.undefined()
	for _, r := range []record{good(1, 20), failed} {
		if err := appendRecord(file, r); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readRecords(file)
	if err != nil || len(got) != 2 {
		t.Fatalf("%d records, error %v", len(got), err)
	}
	if !reflect.DeepEqual(got[0], good(1, 20)) {
		t.Errorf("read %+v", got[0])
	}
	if !got[1].anyNaN() || got[1].Error != failed.Error || got[1].efficiency() != 0 {
		t.Errorf("read %+v", got[1])
	}
	if err := os.WriteFile(file, []byte("{}\nnonsense\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readRecords(file); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v, want one that names line 2", err)
	}
}

// TestRobust compares the metrics on one target, once: asked again, it makes the same table without
// a run.
func TestRobust(t *testing.T) {
	file := filepath.Join(t.TempDir(), "robust.jsonl")
	args := []string{"-robust", "-only", "correlated2", "-seeds", "2", "-warmup", "200", "-file", file}
	table, log := runArgs(t, 0, args...)
	if n := strings.Count(log, "\n"); n != 8 {
		t.Errorf("the log has %d lines, want 8: %q", n, log)
	}
	for _, want := range []string{"| correlated2 | 4 x 1000 | 2 |", "| dense 2 |", "over 1 targets"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table is %q, want %q in it", table, want)
		}
	}
	again, log := runArgs(t, 0, args...)
	if again != table || log != "" {
		t.Errorf("asked again, it makes %q with the log %q", again, log)
	}
	if _, errs := runArgs(t, 2, "-robust", "-only", "nothing"); !strings.Contains(errs, "nothing") {
		t.Errorf("an unknown target is refused with %q", errs)
	}
}

// Every model of the board is declared.
func TestDeclared(t *testing.T) {
	published := slices.DeleteFunc(slices.Clone(registry), func(e entry) bool {
		return strings.HasSuffix(e.name, "_like") || e.name == "scales17" || e.name == "rotated50"
	})
	entries, err := declare(published)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		p, err := e.posterior()
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		target, err := p.Factory()
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		names := target.(hmc.Constrainer).Names()
		for name := range p.Reference {
			if !slices.Contains(names, name) {
				t.Errorf("%s: %s has reference moments and is not recorded", e.name, name)
			}
		}
	}
	if _, err := declare([]entry{{name: "nothing"}}); err == nil {
		t.Error("a model that is not declared was taken")
	}
}
