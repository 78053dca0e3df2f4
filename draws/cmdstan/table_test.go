package cmdstan_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/draws/cmdstan"
)

// Tables come back as they were written, with the digits asked for.
func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.csv")
	want := cmdstan.Table{Head: []string{"method = optimize", "  file = a"}, Names: []string{"lp__", "x.1"},
		Rows: [][]float64{{-1.0 / 3, 2}, {math.Inf(-1), math.NaN()}}, Tail: cmdstan.Times(1, 2)}
	if err := cmdstan.WriteTable(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := cmdstan.ReadTable(path)
	if err != nil || strings.Join(got.Names, " ") != "lp__ x.1" || len(got.Rows) != 2 || got.Rows[0][0] != -1.0/3 || !math.IsInf(got.Rows[1][0], -1) ||
		!math.IsNaN(got.Rows[1][1]) {
		t.Errorf("%+v, %v", got, err)
	}
	text, _ := os.ReadFile(path)
	if !strings.HasPrefix(string(text), "# method = optimize\n#   file = a\nlp__,x.1\n") ||
		!strings.Contains(string(text), "\n#  Elapsed Time: 1 seconds (Warm-up)\n#                2 seconds (Sampling)\n") {
		t.Errorf("%s", text)
	}
	want.Digits = 3
	if err := cmdstan.WriteTable(path, want); err != nil {
		t.Fatal(err)
	}
	if got, err = cmdstan.ReadTable(path); err != nil || got.Rows[0][0] != -.333 {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{"": "no line with the names", "a,b\n1\n": ":2: 1 values, want 2", "a\nx\n": `a is "x", want a number`} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := cmdstan.ReadTable(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A head of somebody else takes the place of that of the run, and Read understands the file still.
func TestHead(t *testing.T) {
	run := &draws.Run{Names: []string{"x[0]", "x[1]"}, Sampler: draws.Sampler{Metric: "diag_e", Warmup: 5, Draws: 1}, Chains: []draws.Chain{{
		Values: [][]float64{{1.0 / 3, 2}}, Stats: []draws.Stat{{LP: -1}}, StepSize: .5, Metric: draws.Metric{Kind: "diag_e", Diag: []float64{1, 1}}}}}
	dir := t.TempDir()
	paths, err := cmdstan.Write(dir, "o", run, cmdstan.Options{Head: []string{"method = sample", "num_samples = 1 (Default)", "metric = diag_e", "id = 7"},
		Digits: 4})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(paths[0])
	if !strings.HasPrefix(string(text), "# method = sample\n# num_samples = 1 (Default)\n# metric = diag_e\n# id = 7\nlp__,") ||
		!strings.Contains(string(text), ",0.3333,2\n") {
		t.Errorf("%s", text)
	}
	got, err := cmdstan.Read(paths...)
	if err != nil || got.Chains[0].Values[0][0] != .3333 || got.Sampler.Draws != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
