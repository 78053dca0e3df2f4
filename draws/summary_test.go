package draws

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayeskernel/diagnostics"
)

// idealRun makes a run of independent normal draws. With 1000 draws in each of four chains nothing
// deserves a warning: R-hat would have to be 20 standard deviations from 1, Pareto's k 9 from 0.
func idealRun(names []string, chains, n int, seed uint64) *Run {
	rng := rand.New(rand.NewPCG(seed, 2))
	r := &Run{Names: names, Model: "ideal", Seed: seed, Modes: &Modes{Starts: 8},
		Sampler: Sampler{Algorithm: "nuts", Chains: chains, Draws: n, Thin: 1, TargetAccept: 0.8,
			MaxDepth: 10, Metric: "diag_e"}}
	for range chains {
		c := Chain{StepSize: 0.5}
		for range n {
			row := make([]float64, len(names))
			for j := range row {
				row[j] = rng.NormFloat64()
			}
			c.Values = append(c.Values, row)
			c.Stats = append(c.Stats, Stat{LP: -rng.ExpFloat64(), AcceptStat: 0.75, StepSize: 0.5,
				Energy: rng.NormFloat64(), TreeDepth: 3, Leapfrogs: 7})
		}
		r.Chains = append(r.Chains, c)
	}
	return r
}

func TestSummary(t *testing.T) {
	run := idealRun([]string{"a", "b"}, 4, 100, 1)
	for c := range run.Chains {
		run.Chains[c].Gradients = 10 * c
		for i := range run.Chains[c].Values {
			run.Chains[c].Values[i][1] = 100 + 3*run.Chains[c].Values[i][1]
		}
	}
	run.Chains[1].Stats[7].TreeDepth = 10
	run.Chains[1].Stats[8].Divergent = true
	s := run.Summary()
	if s.SchemaVersion != SchemaVersion || s.Model != "ideal" || s.Seed != 1 || s.Draws != 100 ||
		s.Sampler != run.Sampler {
		t.Errorf("summary %+v", s)
	}
	x, _ := run.Draws("b")
	want := Parameter{Name: "b", Estimates: diagnostics.Summarize(x)}
	if got := s.Parameters[1]; got.Name != want.Name || got.Estimates != want.Estimates {
		t.Errorf("%+v, want %+v", s.Parameters[1], want)
	}
	if math.Abs(want.Mean-100) > 1 || math.Abs(want.SD-3) > 1 || want.Q05 > 97 || want.Q95 < 103 {
		t.Errorf("%+v is not N(100, 3)", want)
	}
	c := s.Chains[1]
	if c.Chain != 2 || !c.Used || c.Draws != 100 || c.MaxDepthHits != 1 || c.Divergences != 1 ||
		c.Gradients != 10 || c.AcceptStat != 0.75 || c.StepSize != 0.5 || !(c.EBFMI > 1) {
		t.Errorf("chain %+v", c)
	}
}

// Values that differ by the rounding of a few operations are constant, and nothing is said of how they mix; those that
// differ by more are not.
func TestSummaryOfRounding(t *testing.T) {
	run := idealRun([]string{"a", "diagonal", "narrow"}, 4, 100, 1)
	for _, c := range run.Chains {
		for i, v := range c.Values {
			v[1] = 1 + 2.2e-16*float64(i*i%7)
			v[2] = 1 + 1e-12*v[2]
		}
	}
	s := run.Summary()
	var e *diagnostics.Error
	if p := s.Parameters[1]; !errors.As(p.Err, &e) || e.Reason != diagnostics.Constant || p.RHat == p.RHat || p.Mean < 1 {
		t.Errorf("rounding: %+v", p)
	}
	if p := s.Parameters[2]; p.Err != nil || p.RHat != p.RHat {
		t.Errorf("narrow: %+v", p)
	}
	if s.Warnings != nil && s.Warnings[0].Kind != WarnConstant {
		t.Errorf("%+v", s.Warnings)
	}
}

// Chains are cut and left out so that the most draws remain.
func TestSummaryRagged(t *testing.T) {
	for _, test := range []struct {
		lengths, used []int
		n             int
	}{
		{[]int{100, 100, 100, 100}, []int{0, 1, 2, 3}, 100},
		{[]int{100, 100, 100, 0}, []int{0, 1, 2}, 100},
		{[]int{100, 10, 100, 100}, []int{0, 2, 3}, 100},
		{[]int{100, 100, 100, 99}, []int{0, 1, 2, 3}, 99},
		{[]int{48, 50, 47, 49}, []int{0, 1, 2, 3}, 47},
		{[]int{50, 100}, []int{0, 1}, 50}, // equal numbers: rather more chains
		{[]int{100, 50}, []int{0, 1}, 50},
		{[]int{49, 100}, []int{1}, 100},
		{[]int{0, 0}, nil, 0},
		{nil, nil, 0},
	} {
		run := idealRun([]string{"a"}, len(test.lengths), 100, 1)
		for c, n := range test.lengths {
			ch := &run.Chains[c]
			ch.Values, ch.Stats = ch.Values[:n], ch.Stats[:n]
		}
		s := run.Summary()
		var used []int
		for c := range s.Chains {
			if s.Chains[c].Used {
				used = append(used, c)
			}
		}
		if !slices.Equal(used, test.used) || s.Draws != test.n {
			t.Errorf("%v: chains %v of %d draws, want %v of %d", test.lengths, used, s.Draws,
				test.used, test.n)
		}
		if test.n == 0 {
			if len(s.Parameters) != 1 || !math.IsNaN(s.Parameters[0].Mean) {
				t.Errorf("%v: parameters %+v", test.lengths, s.Parameters)
			}
			continue
		}
		sum, count := 0.0, 0.0
		for _, c := range test.used {
			for _, row := range run.Chains[c].Values[:test.n] {
				sum, count = sum+row[0], count+1
			}
		}
		if math.Abs(s.Parameters[0].Mean-sum/count) > 1e-12 {
			t.Errorf("%v: mean %v, want %v", test.lengths, s.Parameters[0].Mean, sum/count)
		}
		cut := slices.Max(test.lengths) > test.n
		if said := strings.Contains(strings.Join(s.Notes, " "), "differ in length"); said != cut {
			t.Errorf("%v: notes %q", test.lengths, s.Notes)
		}
	}
}

func TestNotes(t *testing.T) {
	run := idealRun([]string{"a"}, 2, 20, 1)
	for _, modes := range []*Modes{run.Modes, nil} {
		run.Modes = modes
		if notes := run.Summary().Notes; len(notes) != 0 {
			t.Errorf("notes %q", notes)
		}
	}
}

// Labels are what tables and warnings call parameters; names stay names, in files too.
func TestLabels(t *testing.T) {
	run := idealRun([]string{"mu", "alpha[1]"}, 2, 20, 1)
	run.Labels = []string{"mu", "alpha[horsebean]"}
	for c := range run.Chains {
		for i := range run.Chains[c].Values {
			run.Chains[c].Values[i][1] = 3
		}
	}
	s := run.Summary()
	if text := s.String(); !strings.Contains(text, "alpha[horsebean]") || strings.Contains(text, "alpha[1]") {
		t.Errorf("summary\n%s", text)
	}
	if p := s.Parameters; p[1].Name != "alpha[1]" || p[0].Label != "" {
		t.Errorf("parameters %+v", p)
	}
	if _, ok := run.Draws("alpha[1]"); !ok {
		t.Error("there are no draws of that name")
	}
	b, err := json.Marshal(s.Parameters[1])
	if err != nil || !strings.Contains(string(b), `"name":"alpha[1]","label":"alpha[horsebean]"`) {
		t.Errorf("JSON %s, %v", b, err)
	}
	var p Parameter
	if err := json.Unmarshal(b, &p); err != nil || p.Label != "alpha[horsebean]" {
		t.Errorf("read %+v, %v", p, err)
	}
}

func TestSummaryJSON(t *testing.T) {
	run := idealRun([]string{"a", "b"}, 4, 100, 1)
	run.Seed = math.MaxUint64
	run.Sampler.PathLength = math.NaN() // never by a sampler, but it must not break the file
	run.Stopped, run.Interrupted = `at "dawn"`, "disk full"
	run.Chains[2].Err = context.Canceled
	run.Chains[1].Windows = []Window{{End: 19, Draws: 10, Kind: "diag_e",
		Tried: []Trial{{"diag_e", 0, 2.5}, {"dense_e", 2, 3}}}}
	run.Chains[2].StepSize = math.Inf(1)
	for c := range run.Chains {
		for i := range run.Chains[c].Values {
			run.Chains[c].Values[i][1] = 3 // R-hat, ESS and MCSE are NaN
		}
	}
	run.Chains[3].Values, run.Chains[3].Stats = nil, nil // no mean acceptance
	s := run.Summary()
	path := filepath.Join(t.TempDir(), "summary.json")
	if err := WriteSummary(path, s); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"schema_version", "parameters", "model", "sampler", "warnings"} {
		if _, ok := raw[key]; !ok {
			t.Errorf("no key %s", key)
		}
	}
	keys := []string{"name", "mean", "sd", "mcse_mean", "mcse_sd", "q05", "q50", "q95", "mcse_q05",
		"mcse_q50", "mcse_q95", "rhat", "ess_bulk", "ess_tail"}
	p := raw["parameters"].([]any)[1].(map[string]any)
	if len(p) != len(keys) {
		t.Errorf("%d keys of a parameter, want %d", len(p), len(keys))
	}
	for _, key := range keys {
		if _, ok := p[key]; !ok {
			t.Errorf("no key %s in a parameter", key)
		}
	}
	if p["rhat"] != nil || p["ess_bulk"] != nil || p["mean"] != 3.0 {
		t.Errorf("parameter %v", p)
	}
	got, err := ReadSummary(path)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(got.Sampler.PathLength) || !math.IsNaN(got.Chains[2].StepSize) ||
		!math.IsNaN(got.Parameters[1].RHat) || !math.IsNaN(got.Chains[3].AcceptStat) {
		t.Error("null did not become NaN")
	}
	// All else comes back as it was; NaN hinders comparison, so print.
	s.Chains[2].StepSize = math.NaN() // an infinity is null, too
	if g, w := dump(t, got), dump(t, s); g != w || got.Seed != math.MaxUint64 {
		t.Errorf("read\n%s\nwant\n%s", g, w)
	}
	if !reflect.DeepEqual(got.Chains[1].Windows, run.Chains[1].Windows) {
		t.Errorf("windows %+v", got.Chains[1].Windows)
	}
	got.Parameters[0].ParetoK = s.Parameters[0].ParetoK // which is not written
	if !reflect.DeepEqual(got.Parameters[0], s.Parameters[0]) {
		t.Errorf("read %+v, want %+v", got.Parameters[0], s.Parameters[0])
	}
}

func dump(t *testing.T, s *Summary) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The keys of the sampler are part of the schema.
func TestSamplerJSON(t *testing.T) {
	b, err := json.Marshal(Sampler{Algorithm: "nuts", T0: 10, SaveWarmup: true})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"algorithm":"nuts","chains":0,"warmup":0,"draws":0,"thin":0,"save_warmup":true,` +
		`"target_accept":0,"max_depth":0,"path_length":0,"max_steps":0,"jitter":0,"metric":"","estimator":"",` +
		`"init_buffer":0,"window":0,"term_buffer":0,"gamma":0,"kappa":0,"t0":10,"init_radius":0,` +
		`"source":"","path":""`
	if !strings.HasPrefix(string(b), want) {
		t.Errorf("%s, want %s", b, want)
	}
	var s Sampler
	if err := json.Unmarshal(b, &s); err != nil || s.T0 != 10 || !s.SaveWarmup {
		t.Errorf("%+v, %v", s, err)
	}
}

// Every field but Pareto's k and the error, which are not written, has a key.
func TestMembers(t *testing.T) {
	var fields []member
	for _, c := range Columns() {
		if c.field != nil {
			fields = append(fields, member{key: c.Key})
		}
	}
	for _, c := range []struct {
		members []member
		of      any
		without int
	}{{new(Sampler).members(), Sampler{}, 0}, {new(ChainSummary).members(), ChainSummary{}, 0},
		{new(Warning).members(), Warning{}, 0},
		{fields, diagnostics.Estimates{}, 2}} {
		if got, want := len(c.members), reflect.TypeOf(c.of).NumField()-c.without; got != want {
			t.Errorf("%T has %d keys, want %d", c.of, got, want)
		}
	}
}

func TestReadSummaryErrors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty": "", "cut": `{"schema_version": 1, "parameters": [{"name"`, "array": "[]",
		"version": `{"schema_version": 99}`, "none": `{}`,
		"type": `{"schema_version": 1, "parameters": [{"name": 3}]}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadSummary(path)
		if err == nil || !strings.HasPrefix(err.Error(), "draws: "+path) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := ReadSummary(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if err := WriteSummary(filepath.Join(dir, "no", "s.json"), &Summary{}); err == nil {
		t.Error("a missing folder was written to")
	}
}

// A nil run is an empty one.
func TestSummaryOfNil(t *testing.T) {
	if s := (*Run)(nil).Summary(); len(s.Parameters) != 0 || len(s.Warnings) != 1 || s.Warnings[0].Kind != WarnNoDraws {
		t.Errorf("%+v", s)
	}
}
