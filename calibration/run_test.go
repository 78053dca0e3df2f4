package calibration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
	"bayeskernel/nuts"
)

// quick are settings for tests of the harness itself.
var quick = NUTS(nuts.Config{Settings: hmc.Settings{Warmup: 50, Draws: 50}})

func encode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSameBytes: neither the number of processors, nor how many simulations run at once or in all,
// changes a replicate; each can be made alone, and passes through JSON unchanged.
func TestSameBytes(t *testing.T) {
	cfg := Options{Simulations: 12, Ranks: 19, Bins: 5, Seed: 42, Sampler: quick}
	m := groups()
	want := mustRun(t, m, cfg)
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		got := mustRun(t, m, cfg)
		runtime.GOMAXPROCS(old)
		if !bytes.Equal(encode(t, got), encode(t, want)) {
			t.Errorf("GOMAXPROCS=%d: other replicates", procs)
		}
	}
	cfg.Parallel, cfg.Simulations = 3, 7
	got := mustRun(t, m, cfg)
	if !reflect.DeepEqual(got.Replicates, want.Replicates[:7]) {
		t.Error("Parallel=3, 7 simulations: other replicates")
	}
	rep, run, err := Once(context.Background(), m, cfg, 11)
	if err != nil || !reflect.DeepEqual(rep, want.Replicates[11]) || len(run.Chains) != 1 {
		t.Errorf("alone: %+v, %v, expected %+v", rep, err, want.Replicates[11])
	}
	line := encode(t, rep)
	var back Replicate
	if err := json.Unmarshal(line, &back); err != nil || !reflect.DeepEqual(back, rep) {
		t.Errorf("through JSON: %+v, %v", back, err)
	}
	if bytes.ContainsRune(line, '\n') {
		t.Errorf("not one line: %s", line)
	}
	cfg.Seed++
	if got := mustRun(t, m, cfg); reflect.DeepEqual(got.Replicates[0], want.Replicates[0]) {
		t.Error("another seed, the same replicate")
	}
}

// TestStreams: simulation, sampler and ties use different streams, in all replicates.
func TestStreams(t *testing.T) {
	h := &harness{}
	seen := map[uint64]bool{}
	for i := range 50 {
		for _, purpose := range []string{"simulate", "sample", "ties"} {
			v := h.stream(i, purpose).Uint64()
			if seen[v] {
				t.Fatalf("replicate %d, %s: a stream used before", i, purpose)
			}
			seen[v] = true
		}
	}
}

func TestHave(t *testing.T) {
	cfg := Options{Simulations: 10, Ranks: 19, Bins: 5, Seed: 1, Sampler: quick}
	m := normal{n: 3}.model()
	want := mustRun(t, m, cfg)
	var made []int
	cfg.OnReplicate = func(r Replicate) { made = append(made, r.Index) }
	cfg.Have = []Replicate{want.Replicates[8], want.Replicates[2], {Index: 99,
		Ranks: []int{0, 0, 0}}}
	got := mustRun(t, m, cfg)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, expected %+v", got, want)
	}
	slices.Sort(made)
	if !slices.Equal(made, []int{0, 1, 3, 4, 5, 6, 7, 9}) {
		t.Errorf("made %d", made)
	}
	for _, bad := range []Replicate{{Index: -1}, {Index: 3, Ranks: []int{1, 2}},
		{Index: 3, Ranks: []int{1, 2, 20}}, {Index: 3, Ranks: []int{1, -1, 2}}} {
		cfg.Have = []Replicate{bad}
		if _, err := Run(context.Background(), m, cfg); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	n := 0
	cfg := Options{Simulations: 1000, Ranks: 19, Bins: 5, Sampler: quick, Parallel: 2,
		OnReplicate: func(Replicate) {
			if n++; n == 5 {
				cancel(why)
			}
		}}
	m := normal{n: 3}.model()
	res, err := Run(ctx, m, cfg)
	if !errors.Is(err, why) || res == nil || len(res.Replicates) < 5 || len(res.Replicates) > 10 {
		t.Fatalf("%+v, %v", res, err)
	}
	for _, rep := range res.Replicates {
		if rep.Error != "" || len(rep.Ranks) != 3 {
			t.Errorf("%+v", rep)
		}
	}
	cfg.Have, cfg.Simulations, cfg.OnReplicate = res.Replicates, 12, nil
	whole := mustRun(t, m, cfg)
	cfg.Have = nil
	if !reflect.DeepEqual(whole, mustRun(t, m, cfg)) {
		t.Error("completed differs from uninterrupted")
	}
	if res, err := Run(ctx, m, cfg); err == nil || len(res.Replicates) != 0 {
		t.Errorf("under a context that has ended: %v, %v", res, err)
	}
}

// TestFailures: simulations that fail are counted, and what comes from the user's functions never
// ends the program.
func TestFailures(t *testing.T) {
	good := normal{n: 3}.model()
	var mu sync.Mutex
	calls := 0
	sometimes := good
	sometimes.Simulate = func(r *rand.Rand) (Simulation, error) {
		mu.Lock()
		calls++
		k := calls
		mu.Unlock()
		sim, err := good.Simulate(r)
		switch k { // 1 is the harness asking for names
		case 3:
			return sim, errors.New("no luck")
		case 4:
			panic("bad luck")
		case 5:
			sim.Truth = []float64{1, math.NaN()}
		case 6:
			sim.Truth = []float64{1}
		case 7:
			sim.Quantities = func(dst, v []float64) { dst[0] = math.NaN() }
		case 8:
			sim.Posterior = func() (hmc.Target, error) { return nil, errors.New("no target") }
		case 9:
			sim.Posterior = target{names: []string{"a", "b"}, dim: 2,
				density:   testmodels.Normal(1, 1).LogDensity,
				constrain: func(dst, x []float64) { copy(dst, x) }}.factory
		}
		return sim, err
	}
	res := mustRun(t, sometimes, Options{Simulations: 20, Ranks: 19, Bins: 5, Sampler: quick,
		Parallel: 1})
	for i, want := range map[int]string{0: "", 1: "no luck", 2: "bad luck", 3: "NaN for sd",
		4: "1 parameters", 5: "log likelihood", 6: "no target", 7: `["a" "b"]`, 8: ""} {
		got := res.Replicates[i]
		if (got.Error == "") != (want == "") || !strings.Contains(got.Error, want) {
			t.Errorf("replicate %d: error %q, expected %q", i, got.Error, want)
		}
		if (got.Error == "") != (got.Ranks != nil) || strings.Contains(got.Error, "\n") {
			t.Errorf("replicate %d: %+v", i, got)
		}
	}
	notes := mustCheck(t, res, 0.05).Notes
	if !strings.Contains(notes[0], "7 of 20 simulations failed") {
		t.Errorf("notes %q", notes)
	}
	_, err := Run(context.Background(), normal{n: 3, badGradient: true}.model(),
		Options{Simulations: 3, Sampler: quick})
	if err == nil || !strings.Contains(err.Error(), "all 3 simulations failed") {
		t.Errorf("wrong gradient: %v", err)
	}
}

// A simulator that ends its goroutine, as testing's FailNow does, is one failure; nothing waits. A
// hook that panics ends the calibration with an error.
func TestGoexit(t *testing.T) {
	good := normal{n: 3}.model()
	var calls atomic.Int64
	ends := good
	ends.Simulate = func(r *rand.Rand) (Simulation, error) {
		if k := calls.Add(1); k == 3 || k == 5 {
			runtime.Goexit()
		}
		return good.Simulate(r)
	}
	cfg := Options{Simulations: 6, Ranks: 19, Bins: 5, Sampler: quick, Parallel: 2}
	failed := 0
	for _, rep := range mustRun(t, ends, cfg).Replicates {
		if strings.Contains(rep.Error, "calibration: its goroutine ended") {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d simulations failed, want 2", failed)
	}
	cfg.OnReplicate = func(Replicate) { panic("hook") }
	if _, err := Run(context.Background(), good, cfg); err == nil ||
		err.Error() != "calibration: OnReplicate panicked: hook" {
		t.Errorf("error %v", err)
	}
}

func TestRunErrors(t *testing.T) {
	good := normal{n: 3}.model()
	model := func(change func(*Simulation)) Model {
		m := good
		m.Simulate = func(r *rand.Rand) (Simulation, error) {
			sim, err := good.Simulate(r)
			change(&sim)
			return sim, err
		}
		return m
	}
	twice := good
	twice.Quantities = []string{"mu"}
	file := NUTS(nuts.Config{Settings: hmc.Settings{Checkpoints: hmc.Checkpoints{File: "x"}}})
	none := func(context.Context, hmc.Factory, uint64) (*draws.Run, error) {
		return &draws.Run{Names: []string{"mu", "sd"}}, nil
	}
	for name, c := range map[string]struct {
		m   Model
		cfg Options
	}{
		"no Simulate":   {Model{}, Options{}},
		"Simulations":   {good, Options{Simulations: -1}},
		"Ranks":         {good, Options{Ranks: 100}},
		"Bins":          {good, Options{Bins: 1}},
		"Parallel":      {good, Options{Parallel: -1}},
		"no truth":      {model(func(s *Simulation) { s.Truth = nil }), Options{}},
		"no posterior":  {model(func(s *Simulation) { s.Posterior = nil }), Options{}},
		"no quantities": {model(func(s *Simulation) { s.Quantities = nil }), Options{}},
		"no target": {model(func(s *Simulation) {
			s.Posterior = func() (hmc.Target, error) { return nil, nil }
		}), Options{}},
		"truth too short": {model(func(s *Simulation) { s.Truth = s.Truth[:1] }), Options{}},
		"name twice":      {twice, Options{}},
		"checkpoint":      {good, Options{Simulations: 2, Sampler: file}},
		"no draws":        {good, Options{Simulations: 2, Sampler: none}},
	} {
		_, err := Run(context.Background(), c.m, c.cfg)
		if err == nil || !strings.HasPrefix(err.Error(), "calibration: ") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		t.Log(err)
	}
	if _, _, err := Once(context.Background(), good, Options{}, -1); err == nil {
		t.Error("index -1: no error")
	}
}
