package draws

import (
	"slices"
	"testing"
)

// A metric that was asked for and not had is told, and nothing where none was asked for.
func TestWarnMetric(t *testing.T) {
	unit := Metric{Kind: "unit_e", Diag: []float64{1, 1}}
	identity := Metric{Kind: "dense_e", Holds: Correlated, Dense: [][]float64{{1, 0}, {0, 1}}}
	apart := Metric{Kind: "dense_e", Holds: Correlated, Dense: [][]float64{{4, 0}, {0, 9}}}
	dense := Metric{Kind: "dense_e", Holds: Correlated, Dense: [][]float64{{4, 1}, {1, 9}}}
	ones := Metric{Kind: "diag_e", Holds: Diagonal, Diag: []float64{1, 1}}
	diag := Metric{Kind: "diag_e", Holds: Diagonal, Diag: []float64{1, 2}}
	flat := Metric{Kind: "low_rank", Holds: Correlated, Diag: []float64{1, 1}}
	low := Metric{Kind: "low_rank", Holds: Correlated, Diag: []float64{1, 1}, Rank: 1}
	for _, c := range []struct {
		asked string
		had   Metric
		want  string // "" for no warning
	}{
		{"", identity, ""}, {"", ones, ""}, {"unit_e", unit, ""},
		{"dense_e", dense, ""}, {"diag_e", diag, ""}, {"low_rank", low, ""},
		{"dense_e", identity, "asked for, and chains 1 and 3 sampled with the identity"},
		{"dense_e", apart, "of kind dense_e was asked for, and chains 1 and 3 sampled with a diagonal"},
		{"diag_e", ones, "the identity"}, {"low_rank", flat, "the identity"},
		{"dense_e", diag, "a diagonal one"},
	} {
		run := idealRun(abc, 4, 1000, 1)
		run.Sampler.AskedMetric = c.asked
		run.Chains[0].Metric, run.Chains[2].Metric = c.had, c.had
		if ws := run.Warnings(); len(ws) != 0 { // warm-up may well come to the identity
			t.Errorf("%s: %v", c.asked, ws)
		}
		run.Chains[0].Unadapted, run.Chains[2].Unadapted = true, true
		ws := run.Warnings()
		if c.want == "" {
			if len(ws) != 0 {
				t.Errorf("%s: %v", c.asked, ws)
			}
			continue
		}
		w := find(t, ws, WarnMetric)
		says(t, w, c.want)
		if !slices.Equal(w.Chains, []int{1, 3}) || w.Value != 2 || len(ws) != 1 {
			t.Errorf("%s: %+v", c.asked, ws)
		}
	}
}
