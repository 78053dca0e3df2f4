package draws_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/draws/cmdstan"
	"bayeskernel/draws/internal/drawstest"
	"bayeskernel/draws/zarr"
)

var update = flag.Bool("update", false, "write the golden files again")

// goldenNames needs every rule of the layout: a row-major matrix, indices from 0, a name to clean.
var goldenNames = []string{"mu", "theta[1]", "theta[2]", "theta[3]", "R[1,1]", "R[1,2]", "R[2,1]",
	"R[2,2]", "x[0]", "x[1]", "log tau"}

// goldenVariables are the same parameters as readers are to see them.
var goldenVariables = []goldenVariable{
	{CSV: "mu", Zarr: "mu", Cols: []int{0}},
	{CSV: "theta", Zarr: "theta", Dims: []int{3}, Cols: []int{1, 2, 3}},
	{CSV: "R", Zarr: "R", Dims: []int{2, 2}, Cols: []int{4, 5, 6, 7}},
	{CSV: "x", Zarr: "x", Dims: []int{2}, Cols: []int{8, 9}},
	{CSV: "log_tau", Zarr: "log tau", Cols: []int{10}},
}

// goldenVariable holds the values of a variable by chain, draw and element, rows of a matrix one
// after the other.
type goldenVariable struct {
	CSV    string        `json:"csv_name"`
	Zarr   string        `json:"zarr_name"`
	Dims   []int         `json:"dims"`
	Cols   []int         `json:"-"`
	Draws  [][][]float64 `json:"draws"`
	Warmup [][][]float64 `json:"warmup"`
}

type goldenFile struct {
	SaveWarmup bool                   `json:"save_warmup"`
	Thin       int                    `json:"thin"`
	NumSamples int                    `json:"num_samples"`
	NumWarmup  int                    `json:"num_warmup"`
	Metric     string                 `json:"metric"`
	StepSize   []float64              `json:"step_size"`
	InvMetric  [][][]float64          `json:"inverse_metric"` // chain, row, column
	Stats      map[string][][]float64 `json:"stats"`          // by name in CSV files, chain and draw
	Variables  []goldenVariable       `json:"variables"`
}

// goldenRuns are the runs whose files other programs read; see testdata/README.md.
func goldenRuns() map[string]*draws.Run {
	diag := drawstest.Run(goldenNames, 2, 10, 24, 42)
	diag.Model = "golden run"
	drawstest.ChooseMetrics(diag)
	dense := drawstest.Run(goldenNames, 2, 11, 13, 43)
	drawstest.DenseMetric(dense)
	dense.Sampler.Thin, dense.Sampler.Draws, dense.Sampler.SaveWarmup = 2, 25, false
	unit := drawstest.Run(goldenNames[:4], 3, 0, 12, 44)
	unit.Model, unit.Sampler.Algorithm, unit.Sampler.PathLength = "", "hmc", 1.5
	unit.Sampler.Metric, unit.Sampler.Warmup, unit.Sampler.MaxDepth = "unit_e", 100, 0
	for c := range unit.Chains {
		unit.Chains[c].Metric = draws.Metric{Kind: "unit_e"}
	}
	for c := range dense.Chains {
		dense.Chains[c].WarmupValues, dense.Chains[c].WarmupStats = nil, nil
	}
	return map[string]*draws.Run{"diag": diag, "dense": dense, "unit": unit}
}

func goldenExpectation(r *draws.Run) goldenFile {
	s := r.Sampler
	g := goldenFile{SaveWarmup: s.SaveWarmup, Thin: s.Thin, NumSamples: s.Draws,
		NumWarmup: s.Warmup, Metric: s.Metric, Stats: map[string][][]float64{}}
	pick := func(rows [][]float64, cols []int) [][]float64 {
		out := [][]float64{}
		for _, row := range rows {
			var v []float64
			for _, j := range cols {
				v = append(v, row[j])
			}
			out = append(out, v)
		}
		return out
	}
	for _, v := range goldenVariables {
		if v.Cols[len(v.Cols)-1] >= len(r.Names) {
			continue
		}
		for _, c := range r.Chains {
			v.Draws = append(v.Draws, pick(c.Values, v.Cols))
			v.Warmup = append(v.Warmup, pick(c.WarmupValues, v.Cols))
		}
		g.Variables = append(g.Variables, v)
	}
	for _, c := range r.Chains {
		g.StepSize = append(g.StepSize, c.StepSize)
		m := c.Metric.Dense
		if c.Metric.Kind == "diag_e" {
			m = [][]float64{c.Metric.Diag}
		}
		g.InvMetric = append(g.InvMetric, m)
		stats := map[string][]float64{}
		for _, s := range c.Stats {
			add := func(name string, v float64) { stats[name] = append(stats[name], v) }
			add("lp__", s.LP)
			add("accept_stat__", s.AcceptStat)
			add("stepsize__", s.StepSize)
			add("treedepth__", float64(s.TreeDepth))
			add("n_leapfrog__", float64(s.Leapfrogs))
			add("energy__", s.Energy)
			add("divergent__", map[bool]float64{true: 1}[s.Divergent])
		}
		for name, v := range stats {
			g.Stats[name] = append(g.Stats[name], v)
		}
	}
	return g
}

// The files in testdata were written by the packages below and are read by other programs in
// testdata/readers at the top of the repository. Here they must not change by a byte.
func TestGolden(t *testing.T) {
	root := t.TempDir()
	if *update {
		root = filepath.Join("testdata", "golden")
		if err := os.RemoveAll(root); err != nil {
			t.Fatal(err)
		}
	}
	for name, run := range goldenRuns() {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for base, o := range map[string]cmdstan.Options{"default": {}, "word": {WordBooleans: true}} {
			_, err := cmdstan.Write(dir, base, run, o)
			if err != nil {
				t.Fatal(err)
			}
		}
		if name == "diag" {
			if err := zarr.Write(filepath.Join(dir, "run.zarr"), run, zarr.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		b, err := json.Marshal(goldenExpectation(run))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "expected.json"), append(b, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if !*update {
		drawstest.SameTree(t, filepath.Join("testdata", "golden"), root)
	}
}
