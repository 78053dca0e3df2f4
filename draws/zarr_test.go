package draws

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func zarrRun() *Run {
	r := testRun(testNames, 3, 12, 25, 1)
	denseMetric(r)
	low := testRun(testNames, 3, 12, 25, 1)
	lowRankMetric(low)
	r.Chains[1].Metric = low.Chains[1].Metric
	r.Stopped, r.Interrupted = "asked to", "disk full"
	for c := range r.Chains {
		ch := &r.Chains[c]
		ch.Last = []float64{1, 2, math.Pi}
		ch.Gradients, ch.WarmupGradients, ch.WarmupDivergences = 100+c, 200, 3
		ch.Divergences = []Divergence{
			{Draw: 4, Start: []float64{1, 2}, End: []float64{1e300, 5e-324}, EnergyError: math.Inf(1),
				Reason: ReasonOutside},
			{Draw: 7, Start: []float64{1}, End: []float64{1}, EnergyError: 1234.5, Reason: ReasonEnergy},
		}
	}
	r.Chains[0].Values[3][2] = math.Float64frombits(0x7ff8000000000123) // a NaN with a payload
	r.Chains[1].Values[4][0] = math.Inf(1)
	r.Chains[2].WarmupStats[4].LP = math.Inf(-1)
	return r
}

func TestZarrRoundTrip(t *testing.T) {
	run := zarrRun()
	dir := filepath.Join(t.TempDir(), "run.zarr")
	if err := WriteZarr(dir, run, ZarrOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := ReadZarr(dir)
	if err != nil {
		t.Fatal(err)
	}
	sameRun(t, got, run)
	if got.Stopped != run.Stopped {
		t.Errorf("stopped %q", got.Stopped)
	}
	for c := range run.Chains {
		g, w := got.Chains[c], run.Chains[c]
		if !reflect.DeepEqual(g.Divergences, w.Divergences) || !reflect.DeepEqual(g.Last, w.Last) ||
			g.Gradients != w.Gradients || g.WarmupGradients != w.WarmupGradients ||
			g.WarmupDivergences != w.WarmupDivergences {
			t.Errorf("chain %d: %+v, want %+v", c, g.Divergences, w.Divergences)
		}
		if g.SampleSeconds != 0 {
			t.Error("seconds were recorded without being asked for")
		}
	}
	if g, w := got.Chains[0].Values[3][2], run.Chains[0].Values[3][2]; math.Float64bits(g) !=
		math.Float64bits(w) {
		t.Errorf("bits of NaN %x, want %x", math.Float64bits(g), math.Float64bits(w))
	}
	// Equal runs make equal folders, and what was read is written as it was.
	second := filepath.Join(t.TempDir(), "again.zarr")
	if err := WriteZarr(second, got, ZarrOptions{}); err != nil {
		t.Fatal(err)
	}
	sameTree(t, dir, second)
}

func sameTree(t *testing.T, a, b string) {
	t.Helper()
	count := func(root string) (n int) {
		_ = filepath.WalkDir(root, func(string, fs.DirEntry, error) error { n++; return nil })
		return n
	}
	if count(a) != count(b) {
		t.Errorf("%d files and folders, want %d", count(b), count(a))
	}
	err := filepath.WalkDir(a, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(a, path)
		if fileBytes(t, path) != fileBytes(t, filepath.Join(b, rel)) {
			t.Errorf("%s differs", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestZarrTimes(t *testing.T) {
	run := testRun([]string{"a"}, 2, 0, 5, 1)
	dir := filepath.Join(t.TempDir(), "run.zarr")
	created := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	if err := WriteZarr(dir, run, ZarrOptions{Created: created}); err != nil {
		t.Fatal(err)
	}
	attrs := fileBytes(t, filepath.Join(dir, "posterior", ".zattrs"))
	if !strings.Contains(attrs, `"created_at": "2026-01-02T02:04:05Z"`) {
		t.Errorf("attributes %s", attrs)
	}
	got, err := ReadZarr(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Chains[1].WarmupSeconds != 0.25 || got.Chains[1].SampleSeconds != 1e-7 {
		t.Errorf("seconds %v, %v", got.Chains[1].WarmupSeconds, got.Chains[1].SampleSeconds)
	}
}

// Chains of different lengths are cut, and a failed one is left out but keeps its number.
func TestZarrRagged(t *testing.T) {
	run := testRun([]string{"a"}, 4, 0, 20, 1)
	run.Chains[1].Values, run.Chains[1].Stats = run.Chains[1].Values[:2], run.Chains[1].Stats[:2]
	run.Chains[3].Values, run.Chains[3].Stats = run.Chains[3].Values[:18], run.Chains[3].Stats[:18]
	run.Chains[3].Err = errors.New("it failed")
	dir := filepath.Join(t.TempDir(), "run.zarr")
	if err := WriteZarr(dir, run, ZarrOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := ReadZarr(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Chains) != 3 || got.Chains[2].Err == nil || got.Chains[2].Err.Error() != "it failed" {
		t.Fatalf("%d chains, error %v", len(got.Chains), got.Chains[2].Err)
	}
	for k, c := range []int{0, 2, 3} {
		sameBits(t, "values", got.Chains[k].Values, run.Chains[c].Values[:18])
	}
	a, err := readZarrArray(filepath.Join(dir, "posterior", "chain"))
	if err != nil || !reflect.DeepEqual(a.values, []float64{0, 2, 3}) {
		t.Errorf("chains %v, error %v", a, err)
	}
}

func TestWriteZarrRefuses(t *testing.T) {
	for name, change := range map[string]func(*Run){
		"no draws":  func(r *Run) { r.Chains[0].Values, r.Chains[0].Stats = nil, nil },
		"no chains": func(r *Run) { r.Chains = nil },
		"no stats":  func(r *Run) { r.Chains[0].Stats = nil },
		"short row": func(r *Run) { r.Chains[0].Values[3] = nil },
		"slash":     func(r *Run) { r.Names[0] = "a/b" },
		"dots":      func(r *Run) { r.Names[0] = "../../a" },
		"hidden":    func(r *Run) { r.Names[0] = ".zattrs" },
		"twice":     func(r *Run) { r.Names[0] = "b" },
		"dimension": func(r *Run) { r.Names[0] = "draw" },
		"its own":   func(r *Run) { r.Names = []string{"a[1]", "a_dim_0"} },
	} {
		r := testRun([]string{"a", "b"}, 1, 0, 5, 1)
		change(r)
		dir := filepath.Join(t.TempDir(), "run.zarr")
		err := WriteZarr(dir, r, ZarrOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), "draws: ") {
			t.Errorf("%s: error %v", name, err)
		}
		if !missing(dir) || !missing(dir+".part") {
			t.Errorf("%s: something was left behind", name)
		}
	}
	r := testRun([]string{"a", "b"}, 1, 0, 5, 1)
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "precious"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := WriteZarr(work, r, ZarrOptions{}); err == nil {
		t.Error("a folder that is not Zarr was replaced")
	}
	if missing(filepath.Join(work, "precious")) {
		t.Error("a file is gone")
	}
	if err := WriteZarr(filepath.Join(work, "none", "a"), r, ZarrOptions{}); err == nil {
		t.Error("a missing folder was written to")
	}
}

func put(t *testing.T, dir, path, text string) {
	t.Helper()
	path = filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func meta(shape, chunks, dtype string) string {
	return `{"zarr_format":2,"shape":` + shape + `,"chunks":` + chunks + `,"dtype":"` + dtype +
		`","compressor":null,"fill_value":0,"order":"C","filters":null}`
}

// A folder as other programs write it: other chunks and types, no record of ours.
func foreignZarr(t *testing.T) (dir string) {
	dir = t.TempDir()
	put := func(path, text string) { put(t, dir, path, text) }
	put("posterior/.zgroup", `{"zarr_format":2}`)
	put("posterior/mu/.zarray", meta("[2,3]", "[2,2]", "<i4"))
	put("posterior/mu/.zattrs", `{"_ARRAY_DIMENSIONS":["chain","draw"]}`)
	put("posterior/mu/0.0", "\x01\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\xfe\xff\xff\xff")
	put("posterior/mu/0.1", "\x03\x00\x00\x00\x09\x09\x09\x09\xfd\xff\xff\xff\x09\x09\x09\x09")
	put("posterior/x/.zarray", meta("[2,3,1,2]", "[1,3,1,2]", "|i1"))
	put("posterior/x/.zattrs", `{"_ARRAY_DIMENSIONS":["chain","draw","row","col"]}`)
	put("posterior/x/0.0.0.0", "\x01\x02\x03\x04\x05\x06")
	put("posterior/x/1.0.0.0", "\x07\x08\x09\x0a\x0b\xf4")
	put("posterior/draw/.zarray", meta("[3]", "[3]", "<i8"))
	put("posterior/draw/.zattrs", `{"_ARRAY_DIMENSIONS":["draw"]}`)
	put("sample_stats/diverging/.zarray", meta("[2,3]", "[2,3]", "|b1"))
	put("sample_stats/diverging/0.0", "\x00\x01\x00\x00\x00\x01")
	put("sample_stats/energy/.zarray", meta("[2,3]", "[2,3]", "<f4"))
	put("sample_stats/energy/0.0", strings.Repeat("\x00\x00\x80\x3f", 6))
	return dir
}

func TestReadZarrForeign(t *testing.T) {
	dir := foreignZarr(t)
	r, err := ReadZarr(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"mu", "x[1,1]", "x[1,2]"}; !reflect.DeepEqual(r.Names, want) {
		t.Fatalf("names %q", r.Names)
	}
	sameBits(t, "chain 0", r.Chains[0].Values, [][]float64{{1, 1, 2}, {2, 3, 4}, {3, 5, 6}})
	sameBits(t, "chain 1", r.Chains[1].Values, [][]float64{{-1, 7, 8}, {-2, 9, 10}, {-3, 11, -12}})
	if s := r.Chains[0].Stats; s[0].Divergent || !s[1].Divergent || s[2].Energy != 1 {
		t.Errorf("statistics %+v", s)
	}
	if _, err := ReadZarr(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestReadZarrSpoilt(t *testing.T) {
	dir := foreignZarr(t)
	put := func(path, text string) { put(t, dir, path, text) }
	for name, spoil := range map[string]func(){
		"missing chunk": func() { os.Remove(filepath.Join(dir, "sample_stats/energy/0.0")) },
		"short chunk":   func() { put("posterior/mu/0.1", "\x03\x00") },
		"compressed": func() {
			put("posterior/mu/.zarray", strings.Replace(meta("[2,3]", "[2,2]", "<i4"),
				`"compressor":null`, `"compressor":{"id":"blosc"}`, 1))
		},
		"other length": func() {
			put("sample_stats/energy/.zarray", meta("[2,2]", "[2,2]", "<f4"))
			put("sample_stats/energy/0.0", strings.Repeat("\x00\x00\x80\x3f", 4))
		},
	} {
		before := map[string]string{}
		for _, f := range []string{"posterior/mu/.zarray", "posterior/mu/0.1",
			"sample_stats/energy/.zarray", "sample_stats/energy/0.0"} {
			before[f] = fileBytes(t, filepath.Join(dir, f))
		}
		spoil()
		if r, err := ReadZarr(dir); err == nil || r != nil || !strings.HasPrefix(err.Error(), "draws: ") {
			t.Errorf("%s: error %v", name, err)
		}
		for f, text := range before {
			put(f, text)
		}
	}
}

// Names in the record must not lead the reader elsewhere, nor make it reserve memory for nothing.
func TestReadZarrHostile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run.zarr")
	if err := WriteZarr(dir, zarrRun(), ZarrOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ file, old, new string }{
		{".zattrs", `"mu"`, `"../../mu"`},
		{".zattrs", `"mu"`, `"log τ"`},
		{".zattrs", `"mu"`, `"nu"`},
		{".zattrs", `"format": 1`, `"format": x`},
		{"posterior/mu/.zarray", "25", "26"},
		{"posterior/mu/.zarray", "25", "1099511627776"},
		{"posterior/mu/.zarray", "    25\n  ],\n  \"chunks\"", "    0\n  ],\n  \"chunks\""},
	} {
		before := fileBytes(t, filepath.Join(dir, test.file))
		put(t, dir, test.file, edit(t, before, test.old, test.new))
		if _, err := ReadZarr(dir); err == nil || !strings.HasPrefix(err.Error(), "draws: ") {
			t.Errorf("%s, %s: error %v", test.file, test.new, err)
		}
		put(t, dir, test.file, before)
	}
	if _, err := ReadZarr(dir); err != nil {
		t.Error(err)
	}
}

// Metadata that is accepted describes an array whose size is known to be affordable, and whose
// chunks cover it.
func FuzzZarrMetadata(f *testing.F) {
	for _, s := range []string{
		`{"zarr_format":2,"shape":[2,3],"chunks":[1,3],"dtype":"<f8","compressor":null,` +
			`"fill_value":null,"order":"C","filters":null}`,
		`{"zarr_format":2,"shape":[5],"chunks":[2],"dtype":"|b1","compressor":{"id":"blosc"}}`,
		`{"zarr_format":2,"shape":[0,9],"chunks":[1,9],"dtype":"<i8","order":"C"}`,
		`{"bayeskernel":{"format":1,"names":["a"],"seed":1,"sampler":{"draws":3,"t0":null},` +
			`"chains":[{"chain":0,"metric":{"kind":"diag_e","diag":[1,null]},"divergences":[{}]}]}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var attrs struct {
			Record *zarrRecord `json:"bayeskernel"`
		}
		if err := json.Unmarshal(b, &attrs); err == nil && attrs.Record != nil {
			r := &Run{Chains: make([]Chain, len(attrs.Record.Chains))}
			if err := attrs.Record.restore(r); err != nil {
				t.Fatal(err)
			}
			variables(attrs.Record.Names)
		}
		m, err := parseZarrMeta(b)
		if err != nil {
			return
		}
		n := m.elements()
		if n < 0 || n > maxElements || m.chunkBytes() < 0 && n > 0 || m.DType.size() == 0 {
			t.Fatalf("%s: %d elements in chunks of %d bytes", b, n, m.chunkBytes())
		}
		if n == 0 || n > 10000 {
			return
		}
		a, seen := &zarrArray{zarrMeta: m, values: make([]float64, n)}, 0
		for i := range a.values {
			a.values[i] = math.Inf(1)
		}
		if m.chunkBytes() > 1<<20 {
			return
		}
		_ = m.eachChunk(func(index []int, _ string) error {
			seen++
			a.place(index, make([]byte, m.chunkBytes()))
			return nil
		})
		for i, v := range a.values {
			if v != 0 {
				t.Fatalf("%s: element %d is in none of %d chunks", b, i, seen)
			}
		}
	})
}
