package nuts

import (
	"encoding/json"
	"math"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/internal/fixture"
	"bayeskernel/internal/testmodels"
)

// trace is the part of testdata/stan_nuts_trace.json with the step size held fixed.
type trace struct {
	Fixed []struct {
		Name      string
		Kind      int
		Seed      uint64
		Eps       float64
		MaxDepth  int             `json:"max_depth"`
		InvMetric json.RawMessage `json:"inv_metric"`
		Q0        []float64
		Rows      []struct {
			LP, AcceptStat, Energy float64
			AcceptStat_            float64 `json:"accept_stat"`
			Treedepth              int
			Leapfrogs              int `json:"n_leapfrog"`
			Divergent              int
			Uniforms               int
			Q                      []float64
		}
	}
}

func readTrace(t *testing.T) trace {
	t.Helper()
	var tr trace
	fixture.JSON(t, "../testdata/stan_nuts_trace.json", &tr)
	return tr
}

func parseMetric(t *testing.T, raw json.RawMessage) hmc.Metric {
	t.Helper()
	var diag []float64
	var m hmc.Metric
	var err error
	if json.Unmarshal(raw, &diag) == nil {
		m, err = hmc.NewDiagMetric(diag)
	} else {
		var dense [][]float64
		if err := json.Unmarshal(raw, &dense); err != nil {
			t.Fatal(err)
		}
		m, err = hmc.NewDenseMetric(dense)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// spread writes a diagonal metric as one of low rank: scales that are off, mended by a direction
// along each axis.
func spread(t *testing.T, m hmc.Metric) hmc.Metric {
	t.Helper()
	w := m.Record().Diag
	scale, eigen := make([]float64, len(w)), make([]float64, len(w))
	axes := make([][]float64, len(w))
	for i, v := range w {
		scale[i] = 0.5 + float64(i)
		eigen[i] = v / (scale[i] * scale[i])
		axes[i] = make([]float64, len(w))
		axes[i][i] = 1
	}
	low, err := hmc.NewLowRankMetric(scale, axes, eigen)
	if err != nil {
		t.Fatal(err)
	}
	return low
}

// TestStanTrace repeats 360 transitions of Stan's own sampler, draw for draw: all integers equal,
// all floats to 1e-11; with the diagonal metrics as metrics of low rank too.
func TestStanTrace(t *testing.T) {
	worst, transitions := 0.0, 0
	for _, run := range readTrace(t).Fixed {
		metrics := map[string]hmc.Metric{"": parseMetric(t, run.InvMetric)}
		if m := metrics[""]; m.Kind() == hmc.DiagMetric {
			metrics[", low rank"] = spread(t, m)
		}
		for shape, metric := range metrics {
			t.Run(run.Name+shape, func(t *testing.T) {
				h := hmc.NewHamiltonian(testmodels.Recorded(run.Kind), metric)
				z := hmc.NewPoint(len(run.Q0))
				copy(z.X, run.Q0)
				h.Evaluate(z)
				s := New(h, run.MaxDepth)
				r := &testmodels.Scripted{State: run.Seed}
				for i, want := range run.Rows {
					got := s.Step(z, run.Eps, r)
					transitions++
					div := 0
					if got.Divergent {
						div = 1
					}
					if got.TreeDepth != want.Treedepth || got.Leapfrogs != want.Leapfrogs ||
						div != want.Divergent || r.Uniforms != want.Uniforms {
						t.Fatalf("row %d: depth %d leapfrogs %d divergent %d uniforms %d, "+
							"Stan has %d %d %d %d", i, got.TreeDepth, got.Leapfrogs, div, r.Uniforms,
							want.Treedepth, want.Leapfrogs, want.Divergent, want.Uniforms)
					}
					check := func(what string, got, want float64) {
						t.Helper()
						e := math.Abs(got-want) / max(1, math.Abs(want))
						worst = max(worst, e)
						if !(e <= 1e-11) {
							t.Fatalf("row %d: %s %v, Stan has %v", i, what, got, want)
						}
					}
					check("lp", got.LP, want.LP)
					check("accept_stat", got.AcceptStat, want.AcceptStat_)
					check("energy", got.Energy, want.Energy)
					for j := range z.X {
						check("position", z.X[j], want.Q[j])
					}
				}
			})
		}
	}
	t.Logf("%d transitions, largest error %.1e", transitions, worst)
}
