package zarr

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bayeskernel/draws"
	"bayeskernel/draws/internal/drawstest"
)

// testNames need an array, a scalar and a name that is not ASCII.
var testNames = []string{"mu", "theta[1]", "theta[2]", "log τ"}

func zarrRun() *draws.Run {
	r := drawstest.Run(testNames, 3, 12, 25, 1)
	drawstest.DenseMetric(r)
	low := drawstest.Run(testNames, 3, 12, 25, 1)
	drawstest.LowRankMetric(low)
	r.Chains[1].Metric = low.Chains[1].Metric
	drawstest.ChooseMetrics(r)
	r.Stopped, r.Interrupted = "asked to", "disk full"
	for c := range r.Chains {
		ch := &r.Chains[c]
		ch.Last = []float64{1, 2, math.Pi}
		ch.Gradients, ch.WarmupGradients, ch.WarmupDivergences = 100+c, 200, 3
		ch.Divergences = []draws.Divergence{
			{Draw: 4, Start: []float64{1, 2}, End: []float64{1e300, 5e-324}, EnergyError: math.Inf(1),
				Reason: draws.ReasonOutside},
			{Draw: 7, Start: []float64{1}, End: []float64{1}, EnergyError: 1234.5,
				Reason: draws.ReasonEnergy},
		}
	}
	r.Chains[0].Values[3][2] = math.Float64frombits(0x7ff8000000000123) // a NaN with a payload
	r.Chains[1].Values[4][0] = math.Inf(1)
	r.Chains[2].WarmupStats[4].LP = math.Inf(-1)
	return r
}

// stored is an array as the specification of the format lays it out: chunks of one chain each, or
// one chunk for one dimension, little-endian and not compressed.
func stored(t *testing.T, dir string) (meta arrayMeta, dims []string, values []float64) {
	t.Helper()
	if err := json.Unmarshal([]byte(drawstest.FileBytes(t, filepath.Join(dir, ".zarray"))),
		&meta); err != nil {
		t.Fatal(err)
	}
	var attrs struct {
		Dims []string `json:"_ARRAY_DIMENSIONS"`
	}
	if err := json.Unmarshal([]byte(drawstest.FileBytes(t, filepath.Join(dir, ".zattrs"))),
		&attrs); err != nil {
		t.Fatal(err)
	}
	chunks := 1
	if len(meta.Shape) > 1 {
		chunks = meta.Shape[0]
	}
	for c := range chunks {
		b := []byte(drawstest.FileBytes(t, filepath.Join(dir, string(rune('0'+c))+
			strings.Repeat(".0", len(meta.Shape)-1))))
		for ; len(b) >= 8 && meta.DType[:2] != "<U" && meta.DType != "|b1"; b = b[8:] {
			bits := binary.LittleEndian.Uint64(b)
			if meta.DType == "<i8" {
				values = append(values, float64(int64(bits)))
			} else {
				values = append(values, math.Float64frombits(bits))
			}
		}
		for _, v := range b {
			values = append(values, float64(v))
		}
	}
	return meta, attrs.Dims, values
}

// TestWrite: every value is where the format says, to the bit.
func TestWrite(t *testing.T) {
	run := zarrRun()
	dir := filepath.Join(t.TempDir(), "run.zarr")
	if err := Write(dir, run, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		cols []int
		dims []string
	}{
		{"mu", []int{0}, []string{"chain", "draw"}},
		{"theta", []int{1, 2}, []string{"chain", "draw", "theta_dim_0"}},
		{"log τ", []int{3}, []string{"chain", "draw"}},
	} {
		for prefix, rows := range map[string]func(draws.Chain) [][]float64{
			"":        func(c draws.Chain) [][]float64 { return c.Values },
			"warmup_": func(c draws.Chain) [][]float64 { return c.WarmupValues }} {
			_, dims, got := stored(t, filepath.Join(dir, prefix+"posterior", c.path))
			var want []float64
			for _, ch := range run.Chains {
				for _, row := range rows(ch) {
					for _, j := range c.cols {
						want = append(want, row[j])
					}
				}
			}
			drawstest.SameBits(t, c.path, [][]float64{got}, [][]float64{want})
			if !slices.Equal(dims, c.dims) {
				t.Errorf("%s: dimensions %q", c.path, dims)
			}
		}
	}
	_, _, diverging := stored(t, filepath.Join(dir, "sample_stats", "diverging"))
	for at, v := range diverging {
		if run.Chains[at/25].Stats[at%25].Divergent != (v == 1) {
			t.Errorf("divergence %d", at)
		}
	}
	attrs := drawstest.FileBytes(t, filepath.Join(dir, ".zattrs"))
	var record struct {
		Bayeskernel struct {
			Names  []string
			Chains []struct {
				Divergences []struct{ Draw int }
				Metric      struct{ Eigen []float64 }
			}
			Interrupted string
		}
	}
	if err := json.Unmarshal([]byte(attrs), &record); err != nil ||
		!slices.Equal(record.Bayeskernel.Names, testNames) ||
		record.Bayeskernel.Chains[2].Divergences[1].Draw != 7 ||
		!slices.Equal(record.Bayeskernel.Chains[1].Metric.Eigen, []float64{1. / 3, 1e6}) ||
		record.Bayeskernel.Interrupted != "disk full" {
		t.Errorf("%v, record %s", err, attrs)
	}
}

// Names that differ in case only have folders of their own, whatever the file system.
func TestCase(t *testing.T) {
	run := drawstest.Run([]string{"Mu", "mu", "m[1]", "M[1]", "mu_2", "MU"}, 1, 0, 5, 1)
	dir := filepath.Join(t.TempDir(), "run.zarr")
	if err := Write(dir, run, Options{}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	entries, err := os.ReadDir(filepath.Join(dir, "posterior"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if seen[strings.ToLower(e.Name())] {
			t.Errorf("%s shares its folder with another", e.Name())
		}
		seen[strings.ToLower(e.Name())] = true
	}
	for j, folder := range []string{"Mu", "mu_3", "m", "M_2", "mu_2", "MU_4"} {
		_, _, got := stored(t, filepath.Join(dir, "posterior", folder))
		for i, v := range got {
			if math.Float64bits(v) != math.Float64bits(run.Chains[0].Values[i][j]) {
				t.Errorf("%s holds other values", folder)
			}
		}
	}
}

// Groups with labelled dimensions, beside a run and alone.
func TestGroups(t *testing.T) {
	run := drawstest.Run([]string{"a"}, 2, 0, 3, 1)
	obs := Dim{Name: "obs", Size: 2, Names: []string{"é", "two"}}
	year := Dim{Name: "year", Size: 2, Labels: []int{1990, -2}}
	values := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	groups := []Group{
		{Name: "log_likelihood", Arrays: []Array{
			{Name: "y", Dims: append(ChainDraw(run), obs), Values: values},
			{Name: "z", Dims: []Dim{obs}, Values: []float64{7, 8}}}},
		{Name: "observed_data", Attrs: map[string]any{"unit": "m"}, Arrays: []Array{
			{Name: "y", Dims: []Dim{year}, Values: []float64{math.Inf(1), 5}}}},
	}
	dir := filepath.Join(t.TempDir(), "run.zarr")
	if err := Write(dir, run, Options{Groups: groups}); err != nil {
		t.Fatal(err)
	}
	meta, dims, got := stored(t, filepath.Join(dir, "log_likelihood", "y"))
	if !slices.Equal(got, values) || !slices.Equal(dims, []string{"chain", "draw", "obs"}) ||
		!slices.Equal(meta.Shape, []int{2, 3, 2}) {
		t.Errorf("%v, %q, %v", meta, dims, got)
	}
	meta, _, _ = stored(t, filepath.Join(dir, "log_likelihood", "obs"))
	text := drawstest.FileBytes(t, filepath.Join(dir, "log_likelihood", "obs", "0"))
	if meta.DType != "<U3" || text != "\xe9\x00\x00\x00"+strings.Repeat("\x00", 8)+
		"t\x00\x00\x00w\x00\x00\x00o\x00\x00\x00" {
		t.Errorf("type %s, %q", meta.DType, text)
	}
	alone := filepath.Join(t.TempDir(), "alone.zarr")
	if err := WriteGroups(alone, groups); err != nil {
		t.Fatal(err)
	}
	if _, _, got := stored(t, filepath.Join(alone, "observed_data", "year")); !slices.Equal(got,
		[]float64{1990, -2}) {
		t.Errorf("years %v", got)
	}
	two := []float64{1, 2}
	one := func(name string, d ...Dim) Group {
		return Group{Name: "g", Arrays: []Array{{Name: name, Dims: d, Values: two}}}
	}
	for name, g := range map[string]Group{
		"no name":    {Arrays: []Array{{Name: "y", Dims: []Dim{obs}, Values: two}}},
		"taken":      {Name: "Posterior", Arrays: []Array{{Name: "y", Dims: []Dim{obs}, Values: two}}},
		"no values":  {Name: "g", Arrays: []Array{{Name: "y", Dims: []Dim{obs}}}},
		"no dims":    one("y"),
		"two labels": one("y", Dim{Name: "d", Size: 2, Labels: []int{1, 2}, Names: []string{"a", "b"}}),
		"few labels": one("y", Dim{Name: "d", Size: 2, Labels: []int{1}}),
		"no size":    one("y", Dim{Name: "d"}),
		"itself":     one("obs", obs),
		"other sizes": {Name: "g", Arrays: []Array{{Name: "y", Dims: []Dim{obs}, Values: two},
			{Name: "z", Dims: []Dim{{Name: "obs", Size: 2}}, Values: two}}},
	} {
		err := Write(filepath.Join(t.TempDir(), "x.zarr"), run, Options{Groups: []Group{g}})
		if err == nil || !strings.HasPrefix(err.Error(), "zarr: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A run with its draws on disk makes the folder of one in memory: of chains of different lengths, with more
// draws than a file holds together, and while a chain is under way.
func TestDrawsOnDisk(t *testing.T) {
	run := drawstest.Run(testNames, 3, 0, 1500, 1)
	run.Chains[1].Values, run.Chains[1].Stats = run.Chains[1].Values[:1400], run.Chains[1].Stats[:1400]
	want, got := filepath.Join(t.TempDir(), "run.zarr"), filepath.Join(t.TempDir(), "run.zarr")
	if err := Write(want, run, Options{}); err != nil {
		t.Fatal(err)
	}
	for k := range run.Chains {
		c := &run.Chains[k]
		values, stats := c.Values, c.Stats
		c.Values, c.Stats = nil, nil
		if err := c.CreateFile(filepath.Join(t.TempDir(), "chain.draws"), len(run.Names)); err != nil {
			t.Fatal(err)
		}
		for i, row := range values {
			if err := c.Keep(row, stats[i]); err != nil {
				t.Fatal(err)
			}
		}
		if k > 0 {
			if err := c.File.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := Write(got, run, Options{}); err != nil {
		t.Fatal(err)
	}
	drawstest.SameTree(t, want, got)
	if err := os.Truncate(run.Chains[2].File.Path, 100); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(t.TempDir(), "run.zarr")
	if err := Write(gone, run, Options{}); err == nil || !drawstest.Missing(gone) {
		t.Errorf("a file that was cut short: error %v", err)
	}
	run.Chains[0].File.Close()
}

func TestTimes(t *testing.T) {
	run := drawstest.Run([]string{"a"}, 2, 0, 5, 1)
	dir := filepath.Join(t.TempDir(), "run.zarr")
	created := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	if err := Write(dir, run, Options{Created: created}); err != nil {
		t.Fatal(err)
	}
	attrs := drawstest.FileBytes(t, filepath.Join(dir, "posterior", ".zattrs"))
	if !strings.Contains(attrs, `"created_at": "2026-01-02T02:04:05Z"`) {
		t.Errorf("attributes %s", attrs)
	}
	attrs = drawstest.FileBytes(t, filepath.Join(dir, ".zattrs"))
	if !strings.Contains(attrs, `"warmup_seconds": 0.25`) {
		t.Errorf("attributes %s", attrs)
	}
}

// Chains of different lengths are cut, and a failed one is left out but keeps its number.
func TestRagged(t *testing.T) {
	run := drawstest.Run([]string{"a"}, 4, 0, 20, 1)
	run.Chains[1].Values, run.Chains[1].Stats = run.Chains[1].Values[:2], run.Chains[1].Stats[:2]
	run.Chains[3].Values, run.Chains[3].Stats = run.Chains[3].Values[:18], run.Chains[3].Stats[:18]
	run.Chains[3].Err = errors.New("it failed")
	dir := filepath.Join(t.TempDir(), "run.zarr")
	if err := Write(dir, run, Options{}); err != nil {
		t.Fatal(err)
	}
	_, _, got := stored(t, filepath.Join(dir, "posterior", "a"))
	for k, c := range []int{0, 2, 3} {
		for i, row := range run.Chains[c].Values[:18] {
			if math.Float64bits(got[18*k+i]) != math.Float64bits(row[0]) {
				t.Fatalf("chain %d, draw %d: %v", c, i, got[18*k+i])
			}
		}
	}
	if _, _, chains := stored(t, filepath.Join(dir, "posterior", "chain")); !slices.Equal(chains,
		[]float64{0, 2, 3}) || !slices.Equal(ChainDraw(run)[0].Labels, []int{0, 2, 3}) {
		t.Errorf("chains %v", chains)
	}
	if !strings.Contains(drawstest.FileBytes(t, filepath.Join(dir, ".zattrs")), "it failed") {
		t.Error("the error is not recorded")
	}
}

func TestRefuses(t *testing.T) {
	for name, change := range map[string]func(*draws.Run){
		"no draws":  func(r *draws.Run) { r.Chains[0].Values, r.Chains[0].Stats = nil, nil },
		"no chains": func(r *draws.Run) { r.Chains = nil },
		"no stats":  func(r *draws.Run) { r.Chains[0].Stats = nil },
		"short row": func(r *draws.Run) { r.Chains[0].Values[3] = nil },
		"slash":     func(r *draws.Run) { r.Names[0] = "a/b" },
		"dots":      func(r *draws.Run) { r.Names[0] = "../../a" },
		"parent":    func(r *draws.Run) { r.Names[0] = ".." },
		"hidden":    func(r *draws.Run) { r.Names[0] = ".zattrs" },
		"twice":     func(r *draws.Run) { r.Names[0] = "b" },
		"dimension": func(r *draws.Run) { r.Names[0] = "draw" },
		"its own":   func(r *draws.Run) { r.Names = []string{"a[1]", "a_dim_0"} },
	} {
		r := drawstest.Run([]string{"a", "b"}, 1, 0, 5, 1)
		change(r)
		dir := filepath.Join(t.TempDir(), "run.zarr")
		err := Write(dir, r, Options{})
		prefix := map[string]string{"no stats": "draws: ", "short row": "draws: "}[name]
		if err == nil || !strings.HasPrefix(err.Error(), cmp.Or(prefix, "zarr: ")) {
			t.Errorf("%s: error %v", name, err)
		}
		if !drawstest.Missing(dir) || !drawstest.Missing(dir+".part") {
			t.Errorf("%s: something was left behind", name)
		}
	}
	r := drawstest.Run([]string{"a", "b"}, 1, 0, 5, 1)
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "precious"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(work, r, Options{}); err == nil {
		t.Error("a folder that is not Zarr was replaced")
	}
	if drawstest.Missing(filepath.Join(work, "precious")) {
		t.Error("a file is gone")
	}
	if err := Write(filepath.Join(work, "new", "folder", "a"), r, Options{}); err != nil {
		t.Errorf("a missing folder was not made: %v", err)
	}
	if err := Write(filepath.Join(work, "precious", "a"), r, Options{}); err == nil ||
		!strings.HasPrefix(err.Error(), "zarr: ") {
		t.Errorf("a folder inside a file: error %v", err)
	}
}
