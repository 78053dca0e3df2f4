package hmc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/internal/testmodels"
)

// TestResumeAfterPanic: a chain whose target panics in the midst of a transition goes on from there
// once the cause is gone, as if nothing had happened, wherever it was.
func TestResumeAfterPanic(t *testing.T) {
	s := short()
	s.Chains = 1
	want := mustSample(t, testmodels.Banana(), s)
	path := filepath.Join(t.TempDir(), "run.ckpt")
	for at := 60; at < 560; at += 23 {
		calls := 0
		f := Shared(testmodels.Func{N: 2, F: func(x, g []float64) float64 {
			if calls++; calls == at {
				panic("out of\nmemory")
			}
			return testmodels.Banana().F(x, g)
		}})
		part := s
		part.Checkpoints.File = path
		_, err := Sample(context.Background(), f, Config{Settings: part})
		var p *PanicError
		if !errors.As(err, &p) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("call %d: error %v", at, err)
		}
		rest := s
		rest.Checkpoints.Resume = path
		if got := mustSample(t, testmodels.Banana(), rest); !sameRun(got, want) {
			t.Fatalf("resumed after a panic in call %d: another run", at)
		}
	}
}

// TestResumeAfterRecorderFailure: no draw is lost or doubled when a recorder fails.
func TestResumeAfterRecorderFailure(t *testing.T) {
	s := short()
	s.SaveWarmup = true
	want := mustSample(t, testmodels.Gauss2(), s)
	for _, at := range []int{1, 59, 60, 61, 100} {
		part := s
		part.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
		part.Record = func(*draws.Run, int) (draws.Recorder, error) {
			return &recorder{failAt: at}, nil
		}
		if _, err := Sample(context.Background(), Shared(testmodels.Gauss2()),
			Config{Settings: part}); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Fatalf("error %v", err)
		}
		rest := s
		rest.Checkpoints.Resume = part.Checkpoints.File
		if got := mustSample(t, testmodels.Gauss2(), rest); !sameRun(got, want) {
			t.Errorf("recorder failed at draw %d, resumed: another run", at)
		}
	}
}

// discarder is a recorder that can be given up.
type discarder struct {
	recorder
	discarded bool
}

func (d *discarder) Discard() error { d.discarded = true; return nil }

// TestRefusedRunOverwritesNothing: no recorder is made for a run that is refused, and those made
// before one that cannot be are given up.
func TestRefusedRunOverwritesNothing(t *testing.T) {
	s := short()
	s.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
	mustSample(t, testmodels.Gauss2(), s)
	made := 0
	s.Checkpoints.Resume, s.Checkpoints.File = s.Checkpoints.File, ""
	s.Record = func(*draws.Run, int) (draws.Recorder, error) {
		made++
		return &recorder{}, nil
	}
	if _, err := Sample(context.Background(), Shared(testmodels.Normal(1, 3)),
		Config{Settings: s}); err == nil || made > 0 {
		t.Errorf("%d recorders made, error %v", made, err)
	}
	s.Checkpoints.Resume = ""
	var list []*discarder
	s.Record = func(_ *draws.Run, chain int) (draws.Recorder, error) {
		if chain == 2 {
			return nil, errors.New("no room")
		}
		list = append(list, &discarder{})
		return list[chain], nil
	}
	if _, err := Sample(context.Background(), Shared(testmodels.Gauss2()),
		Config{Settings: s}); err == nil || len(list) != 2 || !list[0].discarded || !list[1].discarded {
		t.Errorf("error %v, %d recorders", err, len(list))
	}
}

// TestRecordedMetric: the metric that a chain ends with has the kind that the head of the run says,
// whether or not it was adapted.
func TestRecordedMetric(t *testing.T) {
	warm := []WarmStart{{Metric: draws.Metric{Kind: "diag_e", Diag: []float64{1, 100}}, StepSize: 0.5}}
	dense := []WarmStart{{Metric: draws.Metric{Kind: "dense_e",
		Dense: [][]float64{{1, 3}, {3, 100}}}, StepSize: 0.5}}
	for i, s := range []Settings{
		{Warmup: NoWarmup, Adapt: Adapt{StepSize: 0.5}}, {Warmup: 10}, {Warmup: 19,
			Adapt: Adapt{Metric: DiagMetric}},
		{Warmup: 100, Adapt: Adapt{StanWarmup: true}}, {Warmup: 10, Start: Start{Warm: warm}},
		{Warmup: NoWarmup, Start: Start{Warm: warm}}, {Warmup: 10,
			Adapt: Adapt{Metric: DenseMetric}, Start: Start{Warm: warm}},
		{Warmup: NoWarmup, Adapt: Adapt{Metric: LowRankMetric}, Start: Start{Warm: dense}},
		{Warmup: 60, Start: Start{Warm: dense}}, {Warmup: 60, Adapt: Adapt{Metric: LowRankMetric}},
	} {
		s.Chains, s.Draws = 1, 5
		want := ""
		s.Record = func(head *draws.Run, _ int) (draws.Recorder, error) {
			want = head.Sampler.Metric
			return &recorder{}, nil
		}
		run := mustSample(t, testmodels.Gauss2(), s)
		if got := run.Chains[0].Metric.Kind; got != want || run.Sampler.Metric != want {
			t.Errorf("case %d: metric is %s, the head says %s", i, got, want)
		}
	}
}

// TestWarmStartKeepsCorrelations: a short warm-up after a warm start does not throw the metric away
// for a diagonal.
func TestWarmStartKeepsCorrelations(t *testing.T) {
	target := testmodels.Equicorrelated(20, 0.99)
	first := mustSample(t, target, Settings{Seed: 1, Chains: 1, Warmup: 600, Draws: 5})
	run := mustSample(t, target, Settings{Seed: 2, Chains: 1, Warmup: 30, Draws: 5,
		Start: Start{Warm: WarmStarts(first)}})
	m, err := NewMetric(run.Chains[0].Metric)
	if err != nil {
		t.Fatal(err)
	}
	if w := m.dense(); w[1] < 0.9*math.Sqrt(w[0]*w[21]) {
		t.Errorf("metric begins %v, %v", w[0], w[1])
	}
}

func TestNegativeZero(t *testing.T) {
	zero := math.Copysign(0, -1)
	f := testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		if g[0] = 0; math.Abs(x[0]) < 1 {
			return zero // a flat top
		}
		g[0] = -2 * (math.Abs(x[0]) - 1) * math.Copysign(1, x[0])
		return -math.Pow(math.Abs(x[0])-1, 2)
	}}
	s := short()
	want := mustSample(t, f, s)
	part, ctx := stopAt(s, 70)
	part.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
	if _, err := Sample(ctx, Shared(f), Config{Settings: part}); err == nil {
		t.Fatal("not stopped")
	}
	s.Checkpoints.Resume = part.Checkpoints.File
	if got := mustSample(t, f, s); !sameRun(got, want) {
		t.Error("another run")
	}
}

// TestUntilIsNotFooled: chains that do not move meet no target, and a chain that fails does not stop
// the others.
func TestUntilIsNotFooled(t *testing.T) {
	s := short()
	s.Draws, s.Until = 300, &Until{MinDraws: 50}
	s.Warmup, s.Adapt.StepSize = NoWarmup, 0.3
	s.Start.Points = [][]float64{{0.5}}
	stuck := testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		if g[0] = -1; math.Abs(x[0]-0.5) > 1e-3 {
			return math.Inf(-1)
		}
		return -x[0]
	}}
	s.Start.SkipGradientCheck = true
	run := mustSample(t, stuck, s)
	if len(run.Chains[0].Values) != 300 || !strings.Contains(run.Stopped, "not met") {
		t.Errorf("%d draws, stopped: %q", len(run.Chains[0].Values), run.Stopped)
	}

	s = short()
	s.Draws, s.Until = 300, &Until{MinDraws: 50, ESSBulk: 1e9}
	made := 0
	f := func() (Target, error) {
		made++
		if made == 2 {
			return testmodels.Func{N: 2, F: func(x, g []float64) float64 { panic("boom") }}, nil
		}
		return testmodels.Gauss2(), nil
	}
	run, err := Sample(context.Background(), f, Config{Settings: s})
	if err == nil || len(run.Chains[0].Values) != 300 || len(run.Chains[2].Values) != 300 {
		t.Errorf("error %v; %d and %d draws", err, len(run.Chains[0].Values),
			len(run.Chains[2].Values))
	}
}

func TestMoreSettingsErrors(t *testing.T) {
	warm := func(eps float64) []WarmStart { return []WarmStart{{StepSize: eps}} }
	dense := []WarmStart{{Metric: draws.Metric{Kind: "diag_e", Diag: []float64{1, 2}}}}
	for _, c := range []struct {
		change func(s *Settings)
		want   string
	}{
		{func(s *Settings) { s.Draws = math.MaxInt }, "neither may exceed"},
		{func(s *Settings) { s.Warmup, s.Until = math.MaxInt, &Until{} }, "neither may exceed"},
		{func(s *Settings) { s.Start.Warm = warm(-1) }, "Start.Warm[0].StepSize is -1"},
		{func(s *Settings) { s.Start.Warm = warm(math.NaN()) }, "Start.Warm[0].StepSize is NaN"},
		{func(s *Settings) { s.Start.Warm = warm(math.Inf(1)) }, "Start.Warm[0].StepSize is +Inf"},
		{func(s *Settings) { s.Warmup, s.Start.Warm = NoWarmup, warm(0) },
			"Start.Warm[0] has none"},
		{func(s *Settings) { s.Adapt.Windows.Init = 59 }, "nothing is left"},
		{func(s *Settings) { s.Adapt.StanWarmup, s.Adapt.Windows.Base = true, 10 },
			"nothing is left"},
		{func(s *Settings) { s.Adapt.Metric, s.Start.Warm = UnitMetric, dense },
			"Metric is unit_e, but"},
		{func(s *Settings) { s.Checkpoints.File = "no/such/folder/run.ckpt" }, "no/such/folder"},
	} {
		s := short()
		c.change(&s)
		calls := 0
		f := Shared(testmodels.Func{N: 2, F: func(x, g []float64) float64 {
			calls++
			return testmodels.Gauss2().F(x, g)
		}})
		_, err := Sample(context.Background(), f, Config{Settings: s})
		if err == nil || !strings.Contains(err.Error(), c.want) || calls > 0 {
			t.Errorf("error %v after %d evaluations, expected %q before any", err, calls, c.want)
		}
	}
	// Stan's windows may be given in part.
	s := short()
	s.Warmup, s.Adapt.StanWarmup, s.Adapt.Windows = 300, true, Windows{Base: 50}
	run := mustSample(t, testmodels.Gauss2(), s)
	if run.Sampler.InitBuffer != 75 || run.Sampler.Window != 50 || run.Sampler.TermBuffer != 50 {
		t.Errorf("windows %+v", run.Sampler)
	}
}

func TestResumeUnderOtherSettings(t *testing.T) {
	s := short()
	s.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
	mustSample(t, testmodels.Gauss2(), s)
	s.Checkpoints.Resume, s.Checkpoints.File = s.Checkpoints.File, ""
	for name, cfg := range map[string]Config{
		"MaxSteps": {MaxSteps: 7}, "PathLength": {PathLength: 3}, "Jitter": {Jitter: 0.1},
		"StepJitter": {}, "Draws": {},
	} {
		cfg.Settings = s
		switch name {
		case "StepJitter":
			cfg.StepJitter = 0.1
		case "Draws":
			cfg.Draws = 30
		}
		if _, err := Sample(context.Background(), Shared(testmodels.Gauss2()), cfg); err == nil {
			t.Errorf("resumed under another %s", name)
		}
	}
}

func TestTargetThatChangesItsArgument(t *testing.T) {
	f := testmodels.Func{N: 2, F: func(x, g []float64) float64 {
		x[1] *= 0.5
		return testmodels.Gauss2().F(x, g)
	}}
	_, err := Sample(context.Background(), Shared(f), Config{Settings: short()})
	if err == nil || !strings.Contains(err.Error(), "the target changed its argument: x[1]") {
		t.Errorf("error %v", err)
	}
}

func TestCancelledBefore(t *testing.T) {
	cause := errors.New("the\nlights went out")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	calls := 0
	f := Shared(testmodels.Func{N: 2, F: func(x, g []float64) float64 {
		calls++
		return testmodels.Gauss2().F(x, g)
	}})
	_, err := Sample(ctx, f, Config{Settings: short()})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) || calls > 0 ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v after %d evaluations", err, calls)
	}
}

// TestHooksThatPanic end their chain, by name, and no more.
func TestHooksThatPanic(t *testing.T) {
	s := short()
	s.OnDraw = func(chain, i int, warm bool, v []float64, st draws.Stat) {
		if chain == 1 && !warm && i == 3 {
			panic("hook")
		}
	}
	run, err := Sample(context.Background(), Shared(testmodels.Gauss2()), Config{Settings: s})
	if err == nil || !strings.Contains(err.Error(), "OnDraw panicked: hook") ||
		len(run.Chains[2].Values) != 50 {
		t.Errorf("error %v", err)
	}
	s.OnDraw = nil
	s.OnProgress = func(p Progress) { panic("hook") }
	if _, err := Sample(context.Background(), Shared(testmodels.Gauss2()),
		Config{Settings: s}); err == nil || !strings.Contains(err.Error(), "OnProgress panicked") {
		t.Errorf("error %v", err)
	}
	// A Constrain that panics outside the support only leaves the report without an end point.
	holes := constrainedHole{testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		if g[0] = -x[0]; x[0] > 1 {
			return math.Inf(-1)
		}
		return -x[0] * x[0] / 2
	}}}
	s = short()
	s.Start.Radius = 0.5
	run = mustSample(t, holes, s)
	for _, c := range run.Chains {
		for _, d := range c.Divergences {
			if !math.IsNaN(d.End[0]) || math.IsNaN(d.Start[0]) {
				t.Errorf("divergence from %v to %v", d.Start, d.End)
			}
		}
	}
}

type constrainedHole struct{ testmodels.Func }

func (constrainedHole) Names() []string { return []string{"a"} }
func (constrainedHole) Constrain(dst, x []float64) {
	if x[0] > 1 {
		panic(fmt.Sprintf("outside: %v", x[0]))
	}
	dst[0] = x[0]
}

func TestGoexit(t *testing.T) {
	calls := 0
	f := Shared(testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		if calls++; calls == 200 {
			runtime.Goexit()
		}
		return testmodels.Normal(1).F(x, g)
	}})
	s := short()
	s.Parallel = 1
	if _, err := Sample(context.Background(), f, Config{Settings: s}); err == nil {
		t.Error("no error")
	}
}

// TestCheckpointAtOnce: the file is there from the beginning, whatever happens then.
func TestCheckpointAtOnce(t *testing.T) {
	s := short()
	s.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
	f := Shared(testmodels.Func{N: 1, F: func(x, g []float64) float64 { return math.Inf(1) }})
	if _, err := Sample(context.Background(), f, Config{Settings: s}); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(s.Checkpoints.File); err != nil {
		t.Error(err)
	}
}

// TestMetricNotHad: a metric that was asked for and that warm-up does not come to is a warning.
func TestMetricNotHad(t *testing.T) {
	diag := []WarmStart{{Metric: draws.Metric{Kind: "diag_e", Diag: []float64{1, 100}}, StepSize: 0.5}}
	for _, c := range []struct {
		s    Settings
		want bool
	}{
		{Settings{Warmup: 19}, false}, // none was asked for
		{Settings{Warmup: 19, Adapt: Adapt{Metric: DiagMetric}}, true},
		{Settings{Warmup: 100, Adapt: Adapt{Metric: DiagMetric}}, false},
		{Settings{Warmup: 19, Adapt: Adapt{Metric: DenseMetric}}, true},
		{Settings{Warmup: 100, Adapt: Adapt{Metric: DenseMetric}}, false},
		{Settings{Warmup: 100, Adapt: Adapt{Metric: DenseMetric, StanWarmup: true}}, true},
		{Settings{Warmup: 19, Adapt: Adapt{Metric: LowRankMetric}}, true},
		{Settings{Warmup: 100, Adapt: Adapt{Metric: LowRankMetric}}, false},
		{Settings{Warmup: NoWarmup, Start: Start{Warm: diag}, Adapt: Adapt{Metric: DenseMetric}}, true},
		{Settings{Warmup: NoWarmup, Start: Start{Warm: diag}, Adapt: Adapt{Metric: DiagMetric}}, false},
		{Settings{Warmup: 19, Adapt: Adapt{Metric: UnitMetric}}, false},
	} {
		c.s.Draws = 20
		run := mustSample(t, testmodels.Gauss2(), c.s)
		got := slices.ContainsFunc(run.Warnings(), func(w draws.Warning) bool {
			return w.Kind == draws.WarnMetric
		})
		if got != c.want {
			t.Errorf("%+v: warned %v, want %v; metric %v", c.s.Adapt, got, c.want, run.Chains[0].Metric)
		}
	}
}
