// Package drawstest makes runs that are hard to write, and compares runs, for the tests of file
// formats.
package drawstest

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"bayeskernel/draws"
)

// Run makes a run whose values are standard normal but for some that are hard to write.
func Run(names []string, chains, warmup, n int, seed uint64) *draws.Run {
	rng := rand.New(rand.NewPCG(seed, 1))
	r := &draws.Run{
		Names: names, Model: "a model = #1 (Default)", Seed: math.MaxUint64 - seed,
		Sampler: draws.Sampler{
			Algorithm: "nuts", Chains: chains, Warmup: warmup, Draws: n, Thin: 1,
			SaveWarmup: warmup > 0, TargetAccept: 0.8, MaxDepth: 10, Jitter: 0.1, Metric: "diag_e",
			Estimator: "fisher", InitBuffer: 75, Window: 25, TermBuffer: 50, Gamma: 0.05,
			Kappa: 0.75, T0: 10, InitRadius: 2, Source: "pcg", Path: "avx2 (fma)",
		},
	}
	hard := []float64{math.Copysign(0, -1), 5e-324, math.MaxFloat64, -1e-300, 1. / 3, 1e6, 123456789}
	rows := func(n int) ([][]float64, []draws.Stat) {
		values, stats := make([][]float64, n), make([]draws.Stat, n)
		for i := range values {
			row := make([]float64, len(names))
			for j := range row {
				row[j] = rng.NormFloat64()
				if rng.IntN(20) == 0 {
					row[j] = hard[rng.IntN(len(hard))]
				}
			}
			values[i] = row
			stats[i] = draws.Stat{LP: -10 * rng.Float64(), AcceptStat: rng.Float64(), StepSize: 0.1 + 1./3,
				Energy: 20 * rng.Float64(), TreeDepth: rng.IntN(5), Leapfrogs: 1 + rng.IntN(31),
				Divergent: rng.IntN(10) == 0}
		}
		return values, stats
	}
	for range chains {
		c := draws.Chain{StepSize: 0.1 + 1./3, WarmupSeconds: 0.25, SampleSeconds: 1e-7,
			Metric: draws.Metric{Kind: "diag_e"}}
		for range names {
			c.Metric.Diag = append(c.Metric.Diag, rng.Float64())
		}
		if warmup > 0 {
			c.WarmupValues, c.WarmupStats = rows(warmup)
		}
		c.Values, c.Stats = rows(n)
		r.Chains = append(r.Chains, c)
	}
	return r
}

// DenseMetric gives every chain a dense metric.
func DenseMetric(r *draws.Run) {
	r.Sampler.Metric = "dense_e"
	for c := range r.Chains {
		m := &r.Chains[c].Metric
		d := m.Diag
		*m = draws.Metric{Kind: "dense_e"}
		for i := range d {
			row := make([]float64, len(d))
			for k := range row {
				row[k] = 0.1 * d[i] * d[k]
			}
			row[i] = d[i]
			m.Dense = append(m.Dense, row)
		}
	}
}

// SameBits compares rows bit for bit; NaN equals NaN.
func SameBits(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Fatalf("%s, row %d: %d values, want %d", what, i, len(got[i]), len(want[i]))
		}
		for j, w := range want[i] {
			g := got[i][j]
			if math.Float64bits(g) != math.Float64bits(w) && !(math.IsNaN(g) && math.IsNaN(w)) {
				t.Fatalf("%s, row %d, column %d: %v, want %v", what, i, j, g, w)
			}
		}
	}
}

// SameRun compares what every format keeps.
func SameRun(t *testing.T, got, want *draws.Run) {
	t.Helper()
	if !reflect.DeepEqual(got.Names, want.Names) {
		t.Fatalf("names %q, want %q", got.Names, want.Names)
	}
	if got.Model != want.Model || got.Seed != want.Seed {
		t.Fatalf("model %q, seed %d; want %q, %d", got.Model, got.Seed, want.Model, want.Seed)
	}
	if got.Sampler != want.Sampler {
		t.Fatalf("sampler\n%+v, want\n%+v", got.Sampler, want.Sampler)
	}
	if len(got.Chains) != len(want.Chains) {
		t.Fatalf("%d chains, want %d", len(got.Chains), len(want.Chains))
	}
	for c := range want.Chains {
		g, w := got.Chains[c], want.Chains[c]
		SameBits(t, "values", g.Values, w.Values)
		SameBits(t, "warm-up values", g.WarmupValues, w.WarmupValues)
		if !reflect.DeepEqual(g.Stats, w.Stats) || !reflect.DeepEqual(g.WarmupStats, w.WarmupStats) {
			t.Fatalf("chain %d: statistics differ", c)
		}
		if g.StepSize != w.StepSize || g.Metric.Kind != w.Metric.Kind {
			t.Fatalf("chain %d: step size %v, metric %v; want %v, %v", c, g.StepSize,
				g.Metric.Kind, w.StepSize, w.Metric.Kind)
		}
		if !reflect.DeepEqual(g.Windows, w.Windows) {
			t.Fatalf("chain %d: windows\n%+v, want\n%+v", c, g.Windows, w.Windows)
		}
		SameBits(t, "coordinates", [][]float64{g.Coordinates}, [][]float64{w.Coordinates})
		SameBits(t, "diagonal metric", [][]float64{g.Metric.Diag}, [][]float64{w.Metric.Diag})
		SameBits(t, "dense metric", g.Metric.Dense, w.Metric.Dense)
		if g.Metric.Rank != w.Metric.Rank {
			t.Fatalf("chain %d: rank %d, want %d", c, g.Metric.Rank, w.Metric.Rank)
		}
		for _, p := range append(w.Metric.Parts, g.Metric.Parts...) {
			SameBits(t, p.Name, append(g.Metric.Table(p.Name), g.Metric.List(p.Name)),
				append(w.Metric.Table(p.Name), w.Metric.List(p.Name)))
		}
	}
}

// ChooseMetrics gives every chain but the last windows of warm-up, with metrics tried and without, and
// learned coordinates.
func ChooseMetrics(r *draws.Run) {
	for c := range r.Chains[:len(r.Chains)-1] {
		r.Chains[c].Coordinates = []float64{-1e-9, 1. / 3, float64(c)}
		r.Chains[c].Windows = []draws.Window{
			{End: 19, Draws: 10, Kind: "low_rank", Rank: 1, Tried: []draws.Trial{
				{Kind: "diag_e", Score: 3}, {Kind: "low_rank", Rank: 1, Score: 7. / 3}}},
			{End: 39, Draws: 20, Kind: "old", Tried: []draws.Trial{{Kind: "old", Score: 1e-9 + float64(c)}}},
			{End: 899, Draws: 580, Kind: "low_rank", Rank: 4}}
	}
}

// Missing reports whether there is nothing at path.
func Missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

// FileBytes reads a file.
func FileBytes(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// SameTree compares the files in two folders.
func SameTree(t *testing.T, a, b string) {
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
		if FileBytes(t, path) != FileBytes(t, filepath.Join(b, rel)) {
			t.Errorf("%s differs", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// LowRankMetric gives every chain a metric of rank 2; the rank is 0 in the last one.
func LowRankMetric(r *draws.Run) {
	r.Sampler.Metric = "low_rank"
	for c := range r.Chains {
		m := &r.Chains[c].Metric
		scale := make([]float64, len(m.Diag))
		for i, v := range m.Diag {
			scale[i] = math.Sqrt(v) / 3
		}
		m.Kind, m.Parts = "low_rank", []draws.Part{{Name: "scale", List: scale}, {Name: "eigen"}}
		if c == len(r.Chains)-1 {
			continue
		}
		directions := [][]float64{make([]float64, len(m.Diag)), make([]float64, len(m.Diag))}
		directions[0][0], directions[1][len(m.Diag)-1] = 1, -1
		m.Rank, m.Parts[1].List = 2, []float64{1. / 3, 1e6}
		m.Parts = append(m.Parts, draws.Part{Name: "directions", Table: directions})
	}
}

// OtherMetric gives every chain a metric of a kind that no format knows.
func OtherMetric(r *draws.Run) {
	r.Sampler.Metric = "other"
	for c := range r.Chains {
		m := &r.Chains[c].Metric
		m.Kind, m.Rank, m.Parts = "other", c, []draws.Part{{Name: "w", List: []float64{1. / 3}},
			{Name: "none"}, {Name: "a_table", Table: [][]float64{{1e300, -2}, {0.1, 1e-9}}}}
	}
}
