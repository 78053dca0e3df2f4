package draws

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// twoModes puts each chain around one of two modes, at -5 and 5 in a: chains[c] is the share of
// draws at 5. The modes are of mass 0.3 and 0.7.
func twoModes(chains []float64) *Run {
	run := idealRun([]string{"a", "b"}, len(chains), 1000, 1)
	for c, share := range chains {
		for i, row := range run.Chains[c].Values {
			row[0] -= 5
			// In stretches, as a chain that crosses now and then.
			if float64(i%100) < 100*share {
				row[0] += 10
			}
		}
	}
	run.Modes = &Modes{Starts: 8, Modes: []Mode{
		{Values: []float64{5, 0}, LogMass: math.Log(0.7) + 3},
		{Values: []float64{-5, 0}, LogMass: math.Log(0.3) + 3},
	}}
	return run
}

func TestWarnMissedMode(t *testing.T) {
	run := twoModes([]float64{1, 1, 1, 1})
	ws := run.Warnings()
	w := find(t, ws, WarnMissedMode)
	says(t, w, "Mode 2 of 2 (a = -5, b = 0) holds 30% of the mass", "0% of the draws",
		"threshold 3%")
	if w.Value != 0 || math.Abs(w.Threshold-0.03) > 1e-12 || len(ws) != 1 {
		t.Errorf("%+v", ws)
	}
	// Nothing else would have told.
	run.Modes = nil
	if ws := run.Warnings(); len(ws) != 0 {
		t.Errorf("%v", ws)
	}
	// A few stray draws nearest to the mode are no visit, but a tenth of its share is.
	run = twoModes([]float64{0.98, 0.98, 0.98, 0.98})
	find(t, run.Warnings(), WarnMissedMode)
	run = twoModes([]float64{0.96, 0.96, 0.96, 0.96})
	if slices.Contains(kinds(run.Warnings()), WarnMissedMode) {
		t.Error("a mode was called missed that has 4% of the draws")
	}
	// All of the mass may be where no draw is.
	run = twoModes([]float64{1, 1, 1, 1})
	run.Modes.Modes[1].LogMass += 20
	says(t, find(t, run.Warnings(), WarnMissedMode), "holds 100% of the mass", "threshold 10%")
	// Modes of negligible mass may be missed.
	run = twoModes([]float64{1, 1, 1, 1})
	run.Modes.Modes[1].LogMass = run.Modes.Modes[0].LogMass + math.Log(0.009)
	if ws := run.Warnings(); len(ws) != 0 {
		t.Errorf("%v", ws)
	}
}

func TestWarnSeparateModes(t *testing.T) {
	run := twoModes([]float64{1, 0, 1, 1})
	ws := run.Warnings()
	w := find(t, ws, WarnSeparateModes)
	says(t, w, "100.0% or more of their draws", "chains 1, 3 and 4 in mode 1 (a = 5, b = 0)",
		"chain 2 in mode 2 (a = -5, b = 0)")
	if !slices.Equal(w.Chains, []int{1, 2, 3, 4}) {
		t.Errorf("%+v", w)
	}
	if slices.Contains(kinds(ws), WarnMissedMode) {
		t.Error("a visited mode was called missed")
	}
	find(t, ws, WarnRHat)

	// Chains that cross are well, whatever R-hat says of their speed.
	for _, shares := range [][]float64{{0.7, 0.7, 0.7, 0.7}, {0.9, 0.9, 0.3, 0.3}} {
		ws = twoModes(shares).Warnings()
		if slices.Contains(kinds(ws), WarnSeparateModes) || slices.Contains(kinds(ws), WarnMissedMode) {
			t.Errorf("%v: %v", shares, ws)
		}
	}
}

// Without a search for modes, chains are compared with each other.
func TestWarnSeparateChains(t *testing.T) {
	for _, modes := range []*Modes{nil, {Modes: []Mode{{Values: []float64{5, 0}}}},
		{Modes: []Mode{{}, {}}}} {
		run := twoModes([]float64{1, 0, 1, 0})
		run.Modes = modes
		w := find(t, run.Warnings(), WarnSeparateModes)
		says(t, w, "2 groups", "a about 5.0", "in chains 1 and 3", "a about -5.0", "in chains 2 and 4",
			"mean lp__ -")
		if w.Value != 2 || !slices.Equal(w.Parameters, []string{"a"}) {
			t.Errorf("%+v", w)
		}
	}
	// A chain between the others connects them: slow, but not separate.
	run := twoModes([]float64{1, 0, 0.5, 1})
	run.Modes = nil
	if ws := run.Warnings(); slices.Contains(kinds(ws), WarnSeparateModes) {
		t.Errorf("%v", ws)
	}
	// Apart in a parameter each, three groups.
	run = idealRun([]string{"a", "b"}, 3, 60, 1)
	run.Modes = nil
	for i := range 60 {
		run.Chains[0].Values[i][0] += 50
		run.Chains[1].Values[i][1] += 9
	}
	says(t, find(t, run.Warnings(), WarnSeparateModes), "3 groups")
	// Too few draws to tell.
	for c := range run.Chains {
		run.Chains[c].Values, run.Chains[c].Stats = run.Chains[c].Values[:40], run.Chains[c].Stats[:40]
	}
	if ws := run.Warnings(); slices.Contains(kinds(ws), WarnSeparateModes) {
		t.Errorf("%v", ws)
	}
}

func TestMasses(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct{ log, want []float64 }{
		{[]float64{1000, 1000 + math.Log(3)}, []float64{0.25, 0.75}},
		{[]float64{-2000, math.NaN(), -inf}, []float64{1, 0, 0}},
		{[]float64{0, inf}, []float64{1, 0}},
	} {
		m := &Modes{}
		for _, l := range test.log {
			m.Modes = append(m.Modes, Mode{LogMass: l})
		}
		for k, got := range m.masses() {
			if math.Abs(got-test.want[k]) > 1e-12 {
				t.Errorf("%v: masses %v, want %v", test.log, m.masses(), test.want)
			}
		}
	}
}

// A mode with constant coordinates, as of a fixed parameter, is found by the others.
func TestModesConstantParameter(t *testing.T) {
	run := twoModes([]float64{1, 1, 1, 1})
	for c := range run.Chains {
		for i := range run.Chains[c].Values {
			run.Chains[c].Values[i][1] = 7
		}
	}
	w := find(t, run.Warnings(), WarnMissedMode)
	if !strings.Contains(w.Finding, "Mode 2 of 2") {
		t.Errorf("%q", w.Finding)
	}
}
