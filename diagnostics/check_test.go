package diagnostics

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// every lists all functions of chains under their names.
var every = map[string]func([][]float64) float64{
	"RHat":              RHat,
	"ESSBulk":           ESSBulk,
	"ESSTail":           ESSTail,
	"ESSMean":           ESSMean,
	"ESSSD":             ESSSD,
	"ESSQuantile(0)":    atQuantile(ESSQuantile, 0),
	"ESSQuantile(0.3)":  atQuantile(ESSQuantile, 0.3),
	"ESSQuantile(1)":    atQuantile(ESSQuantile, 1),
	"MCSEMean":          MCSEMean,
	"MCSESD":            MCSESD,
	"MCSEQuantile(0)":   atQuantile(MCSEQuantile, 0),
	"MCSEQuantile(0.3)": atQuantile(MCSEQuantile, 0.3),
	"MCSEQuantile(1)":   atQuantile(MCSEQuantile, 1),
	"RHatNested":        func(c [][]float64) float64 { return RHatNested(c, singletons(len(c))) },
	"EBFMI": func(c [][]float64) float64 {
		if len(c) == 0 {
			return math.NaN()
		}
		return EBFMI(c[len(c)-1])
	},
	"ParetoK":         ParetoK,
	"Summary.RHat":    func(c [][]float64) float64 { return Summarize(c).RHat },
	"Summary.ESSBulk": func(c [][]float64) float64 { return Summarize(c).ESSBulk },
}

func TestCheck(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name   string
		chains [][]float64
		want   Error
		text   string
	}{
		{"nil", nil, Error{Reason: Empty}, "no draws"},
		{"no chains", [][]float64{}, Error{Reason: Empty}, "no draws"},
		{"empty chains", [][]float64{{}, nil}, Error{Reason: Empty}, "no draws"},
		{"ragged", [][]float64{{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, nan}},
			Error{Reason: Ragged, Chain: 2, Draws: 3, Want: 4},
			"chain 2 has 3 draws, want 4"},
		{"first empty", [][]float64{{}, {1}}, Error{Reason: Ragged, Chain: 1, Draws: 1},
			"chain 1 has 1 draws, want 0"},
		{"NaN", [][]float64{{1, 2, 3, 4}, {1, 2, nan, inf}},
			Error{Reason: NonFinite, Chain: 1, Iteration: 2, Value: nan},
			"chain 1, iteration 2: value NaN"},
		{"Inf", [][]float64{{1, 2, 3, -inf, 5, 6}},
			Error{Reason: NonFinite, Iteration: 3, Value: -inf},
			"chain 0, iteration 3: value -Inf"},
		{"one draw", [][]float64{{1}}, Error{Reason: TooShort, Draws: 1, Want: 6},
			"1 draws per chain, want at least 6 (4 for R-hat"},
		{"three equal draws", [][]float64{{1, 1, 1}, {1, 1, 1}},
			Error{Reason: TooShort, Draws: 3, Want: 6}, "3 draws per chain"},
		{"equal", [][]float64{{2, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 2}},
			Error{Reason: Constant, Value: 2}, "all draws equal 2"},
		{"zero", [][]float64{{0, 0, 0, 0, 0, math.Copysign(0, -1)}},
			Error{Reason: Constant}, "all draws equal 0"},
		{"huge and equal", [][]float64{{-1e308, -1e308, -1e308, -1e308, -1e308, -1e308}},
			Error{Reason: Constant, Value: -1e308}, "all draws equal -1e+308"},
		{"rounding", [][]float64{{1, 1, 1, 1, 1, math.Nextafter(1, 2)}},
			Error{Reason: Constant, Value: 1}, "all draws equal 1"},
		{"tiny and equal", [][]float64{{1e-320, 1e-320, 1e-320, 1e-320, 1e-320, 1e-320}},
			Error{Reason: Constant, Value: 1e-320}, "all draws equal 1e-320"},
	} {
		err := Check(c.chains)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v, want an *Error", c.name, err)
			continue
		}
		got := *e
		if math.IsNaN(got.Value) && math.IsNaN(c.want.Value) {
			got.Value, c.want.Value = 0, 0
		}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		msg := err.Error()
		if !strings.HasPrefix(msg, "diagnostics: ") || !strings.Contains(msg, c.text) ||
			strings.Contains(msg, "\n") {
			t.Errorf("%s: message %q", c.name, msg)
		}
		for name, f := range every {
			if v := f(c.chains); !math.IsNaN(v) && name != "EBFMI" {
				t.Errorf("%s: %s is %v, want NaN", c.name, name, v)
			}
		}
	}
}

func TestCheckAccepts(t *testing.T) {
	for name, chains := range map[string][][]float64{
		"six draws":        {{1, 2, 3, 1, 2, 1}},
		"two roundings":    {{1, 1, 1, 1, 1, 1 + 0x1p-51}},
		"smallest numbers": {{0, 5e-324, 0, 0, 5e-324, 0}},
		"largest numbers": {{math.MaxFloat64, -math.MaxFloat64, 0, 1, 2, math.MaxFloat64},
			{0, -math.MaxFloat64, 0, 1, 2, math.MaxFloat64}},
		"stuck chains": {{1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}},
		"big offset":   {{1e15, 1e15 + 1, 1e15, 1e15 + 2, 1e15, 1e15 + 1}},
	} {
		if err := Check(chains); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, f := range []string{"RHat", "ESSBulk", "ESSMean", "ESSQuantile(0.3)", "MCSEMean"} {
			if v := every[f](chains); math.IsNaN(v) {
				t.Errorf("%s: %s is NaN", name, f)
			}
		}
	}
}

// With four or five draws there is an R-hat and no effective sample size, and Check says so.
func TestShortChains(t *testing.T) {
	for n := 1; n <= 7; n++ {
		chains := [][]float64{{1, 3, 2, 5, 4, 7, 6}, {2, 5, 7, 3, 1, 6, 4}}
		for j := range chains {
			chains[j] = chains[j][:n]
		}
		if got := !math.IsNaN(RHat(chains)); got != (n >= 4) {
			t.Errorf("%d draws: R-hat is %v", n, RHat(chains))
		}
		if got := !math.IsNaN(ESSBulk(chains)); got != (n >= 6) {
			t.Errorf("%d draws: ESS is %v", n, ESSBulk(chains))
		}
		if got := Check(chains) == nil; got != (n >= 6) {
			t.Errorf("%d draws: Check returns %v", n, Check(chains))
		}
	}
}

// The reasons that Check finds in the reference draws; all others pass.
func TestCheckReference(t *testing.T) {
	faults := map[string]Reason{
		"constant": Constant, "has_inf": NonFinite, "has_nan": NonFinite, "len1": TooShort,
		"len2": TooShort, "len3": TooShort, "short4": TooShort, "len5": TooShort,
	}
	for name := range readReference(t) {
		var reason Reason
		var e *Error
		if errors.As(Check(readDraws(t, name)), &e) {
			reason = e.Reason
		}
		if reason != faults[name] {
			t.Errorf("%s: reason %q, want %q", name, reason, faults[name])
		}
	}
}
