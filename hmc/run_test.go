package hmc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/internal/testmodels"
)

// short are settings for tests of what a run does rather than of what it draws.
func short() Settings {
	return Settings{Chains: 3, Warmup: 60, Draws: 50, Seed: 7, Parallel: 2}
}

func mustSample(t *testing.T, target Target, s Settings) *draws.Run {
	t.Helper()
	run, err := Sample(context.Background(), Shared(target), Config{Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// untimed clears what depends on the clock.
func untimed(run *draws.Run) *draws.Run {
	for i := range run.Chains {
		run.Chains[i].WarmupSeconds, run.Chains[i].SampleSeconds = 0, 0
	}
	return run
}

func sameRun(a, b *draws.Run) bool {
	return fmt.Sprintf("%#v", *untimed(a)) == fmt.Sprintf("%#v", *untimed(b))
}

func TestShape(t *testing.T) {
	s := short()
	s.SaveWarmup, s.Thin, s.Draws = true, 3, 50
	run := mustSample(t, testmodels.Gauss3(), s)
	if !reflect.DeepEqual(run.Names, []string{"x[0]", "x[1]", "x[2]"}) {
		t.Errorf("names %q", run.Names)
	}
	if len(run.Chains) != 3 {
		t.Fatalf("%d chains", len(run.Chains))
	}
	for i, c := range run.Chains {
		if len(c.Values) != 17 || len(c.Stats) != 17 || len(c.WarmupValues) != 20 {
			t.Errorf("chain %d keeps %d draws and %d of warm-up", i, len(c.Values),
				len(c.WarmupValues))
		}
		if c.Err != nil || !(c.StepSize > 0) || c.Metric.Kind != "dense_e" || c.Gradients < 50 ||
			c.WarmupGradients < 60 || len(c.Last) != 3 {
			t.Errorf("chain %d: %+v", i, c)
		}
	}
	if _, ok := run.Draws("x[1]"); !ok {
		t.Error("no draws of x[1]")
	}
	if _, ok := run.Draws("y"); ok {
		t.Error("draws of y")
	}
}

// TestDeterminism: the same seed makes the same bytes, whatever runs at once; another seed, source
// or chain does not.
func TestDeterminism(t *testing.T) {
	s := short()
	want := mustSample(t, testmodels.Banana(), s)
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	for _, procs := range []int{1, 2, 8} {
		for _, parallel := range []int{1, 3} {
			runtime.GOMAXPROCS(procs)
			s.Parallel = parallel
			if got := mustSample(t, testmodels.Banana(), s); !sameRun(got, want) {
				t.Errorf("GOMAXPROCS %d, %d at once: another run", procs, parallel)
			}
		}
	}
	s.Chains = 1
	one := mustSample(t, testmodels.Banana(), s)
	if !reflect.DeepEqual(one.Chains[0].Values, want.Chains[0].Values) {
		t.Error("chain 1 alone is another than chain 1 of three")
	}
	if reflect.DeepEqual(want.Chains[0].Values, want.Chains[1].Values) {
		t.Error("two chains are the same")
	}
	s.Source = "chacha8"
	if other := mustSample(t, testmodels.Banana(), s); reflect.DeepEqual(other.Chains[0].Values,
		one.Chains[0].Values) {
		t.Error("another source makes the same draws")
	}
	s.Source, s.Seed = "", 8
	if other := mustSample(t, testmodels.Banana(), s); reflect.DeepEqual(other.Chains[0].Values,
		one.Chains[0].Values) {
		t.Error("another seed makes the same draws")
	}
}

func TestSettingsErrors(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		change func(s *Settings)
		want   string
	}{
		{func(s *Settings) { s.Chains = -1 }, "Chains is -1"},
		{func(s *Settings) { s.Draws = -5 }, "Draws is -5"},
		{func(s *Settings) { s.Thin = -2 }, "Thin is -2"},
		{func(s *Settings) { s.Parallel = -2 }, "Parallel is -2"},
		{func(s *Settings) { s.Warmup = -7 }, "Warmup is -7"},
		{func(s *Settings) { s.Warmup = NoWarmup }, "without warm-up"},
		{func(s *Settings) { s.TargetAccept = 1 }, "TargetAccept is 1"},
		{func(s *Settings) { s.TargetAccept = nan }, "TargetAccept is NaN"},
		{func(s *Settings) { s.Adapt.StepSize = -1 }, "Adapt.StepSize is -1"},
		{func(s *Settings) { s.Adapt.StepSize = nan }, "Adapt.StepSize is NaN"},
		{func(s *Settings) { s.StepJitter = 1 }, "StepJitter is 1"},
		{func(s *Settings) { s.Start.Radius = math.Inf(1) }, "Start.Radius is +Inf"},
		{func(s *Settings) { s.Adapt.Metric = foreign{} }, "unknown Adapt.Metric"},
		{func(s *Settings) { s.Adapt.Estimator = 17 }, "unknown Adapt.Estimator"},
		{func(s *Settings) { s.Adapt.Windows.Base = -1 }, "Adapt.Windows are"},
		{func(s *Settings) { s.Start.From = 9 }, "unknown Start.From"},
		{func(s *Settings) { s.Source = "mixmax" }, `unknown Source "mixmax"`},
		{func(s *Settings) { s.Checkpoints.Every = 1 }, "but Checkpoints.File is empty"},
		{func(s *Settings) { s.Checkpoints.Every = -1 }, "Checkpoints.Every is -1"},
		{func(s *Settings) { s.Start.Points = [][]float64{{1, 1}, {2, 2}} },
			"Start.Points has 2 points for 3 chains"},
		{func(s *Settings) { s.Start.Points = [][]float64{{1}} },
			"has 1 components: the target has 2"},
		{func(s *Settings) { s.Start.Points = [][]float64{{nan, 1}} }, "position is NaN in x[0]"},
		{func(s *Settings) { s.Start.Warm = make([]WarmStart, 2) }, "Start.Warm has 2 entries"},
		{func(s *Settings) { s.Start.From = InitTarget }, "has no method Initial"},
		{func(s *Settings) { s.Until = &Until{RHat: 0.9} }, "Until.RHat is 0.9"},
		{func(s *Settings) { s.Until = &Until{Growth: 1} }, "Until.Growth is 1"},
		{func(s *Settings) { s.Until = &Until{ESSBulk: -1} }, "Until.ESSBulk is -1"},
		{func(s *Settings) { s.Until = &Until{MinDraws: 2} }, "Until.MinDraws is 2"},
		{func(s *Settings) { s.Checkpoints.Resume = "no-such-file" }, "no-such-file"},
	} {
		s := short()
		c.change(&s)
		_, err := Sample(context.Background(), Shared(testmodels.Gauss2()), Config{Settings: s})
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "hmc: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, expected one line with %q", err, c.want)
		}
	}
	for _, cfg := range []Config{{PathLength: -1}, {PathLength: nan}, {Jitter: 1}, {Jitter: -0.5},
		{MaxSteps: -1}} {
		cfg.Settings = short()
		if _, err := Sample(context.Background(), Shared(testmodels.Gauss2()), cfg); err == nil {
			t.Errorf("%+v was taken", cfg)
		}
	}
}

func TestBadTargets(t *testing.T) {
	ctx := context.Background()
	gauss := testmodels.Gauss2()
	odd := 0
	for _, c := range []struct {
		name    string
		factory Factory
		want    string
	}{
		{"zero dimensions", Shared(testmodels.Normal()), "dimension 0"},
		{"no target", func() (Target, error) { return nil, nil }, "made no target"},
		{"factory fails", func() (Target, error) { return nil, errors.New("no data") }, "no data"},
		{"factory panics", func() (Target, error) { panic("lost") }, "panicked: lost"},
		{"dimensions differ", func() (Target, error) {
			odd++
			return testmodels.Normal(make([]float64, odd)...), nil
		}, "dimension 1 (1 values) for chain 1 and of 2"},
		{"names repeat", Shared(named{gauss, []string{"a", "a"}}), `value 0 and value 1 "a"`},
		{"empty name", Shared(named{gauss, []string{"a", ""}}), "name 1 of the target is empty"},
		{"+Inf at the start", Shared(testmodels.Func{N: 1, F: func(x, g []float64) float64 {
			g[0] = 0
			return math.Inf(1)
		}}), "+Inf"},
		{"always -Inf", Shared(testmodels.Func{N: 1, F: func(x, g []float64) float64 {
			return math.Inf(-1)
		}}), "100 tries, uniform on (-2, 2): log density is -Inf (100 times)"},
		{"always NaN", Shared(testmodels.Func{N: 2, F: func(x, g []float64) float64 {
			g[1] = math.NaN()
			return math.NaN()
		}}), "log density is NaN, gradient is NaN in x[1] (100 times)"},
		{"wrong sign", Shared(testmodels.Func{N: 1, F: func(x, g []float64) float64 {
			g[0] = x[0]
			return -x[0] * x[0] / 2
		}}), "gradient is wrong in component 0"},
		{"improper", Shared(testmodels.Func{N: 1, F: func(x, g []float64) float64 {
			g[0] = 0
			return 0
		}}), "may be improper"},
	} {
		_, err := Sample(ctx, c.factory, Config{Settings: short()})
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, expected one line with %q", c.name, err, c.want)
		}
	}
}

// TestPanicEndsOneChain: the chain whose target panics ends with an error that names the point; the
// others finish.
func TestPanicEndsOneChain(t *testing.T) {
	var made atomic.Int64
	f := func() (Target, error) {
		id, calls := made.Add(1), 0
		return testmodels.Func{N: 2, F: func(x, g []float64) float64 {
			if calls++; id == 2 && calls > 200 {
				panic("index out of range")
			}
			return testmodels.Gauss2().F(x, g)
		}}, nil
	}
	run, err := Sample(context.Background(), f, Config{Settings: short()})
	var p *PanicError
	if !errors.As(err, &p) || !strings.Contains(err.Error(), "chain 2 failed after") ||
		!strings.Contains(err.Error(), "index out of range") || len(p.X) != 2 || len(p.Stack) == 0 {
		t.Errorf("error %v", err)
	}
	for i, c := range run.Chains {
		if i == 1 && (c.Err == nil || len(c.Values) == 50) || i != 1 &&
			(c.Err != nil || len(c.Values) != 50) {
			t.Errorf("chain %d: %d draws, error %v", i, len(c.Values), c.Err)
		}
	}
}

// TestInfinityOnTheWay: +Inf anywhere ends the chain with an error.
func TestInfinityOnTheWay(t *testing.T) {
	f := Shared(testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		if g[0] = -x[0]; x[0] > 2.5 {
			return math.Inf(1)
		}
		return -x[0] * x[0] / 2
	}})
	s := short()
	s.Draws = 2000
	_, err := Sample(context.Background(), f, Config{Settings: s})
	if err == nil || !strings.Contains(err.Error(), "transitions: log density is +Inf at (") {
		t.Errorf("error %v", err)
	}
}

// TestHolesAreDivergences: NaN, -Inf and gradients that are not finite, met on the way, are
// divergences with their reasons, and the chains go on.
func TestHolesAreDivergences(t *testing.T) {
	f := Shared(testmodels.Func{N: 3, F: func(x, g []float64) float64 {
		lp := testmodels.Normal(1, 1, 1).F(x, g)
		switch {
		case x[0] > 1.5:
			return math.NaN()
		case x[1] > 1.5:
			return math.Inf(-1)
		case x[2] > 1.5:
			g[2] = math.NaN()
		}
		return lp
	}})
	s := short()
	s.Draws, s.Start.Radius = 500, 1
	run, err := Sample(context.Background(), f, Config{Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]int{}
	for _, c := range run.Chains {
		if len(c.Values) != s.Draws {
			t.Errorf("%d draws", len(c.Values))
		}
		n := 0
		for _, st := range c.Stats {
			if st.Divergent {
				n++
			}
		}
		if n != len(c.Divergences) || n == 0 {
			t.Errorf("%d divergent draws, %d divergences", n, len(c.Divergences))
		}
		for _, d := range c.Divergences {
			reasons[d.Reason]++
			if len(d.Start) != 3 || len(d.End) != 3 || d.EnergyError < MaxEnergyError ||
				!c.Stats[d.Draw].Divergent || max(d.Start[0], d.Start[1], d.Start[2]) > 1.5 ||
				max(d.End[0], d.End[1], d.End[2]) <= 1.5 {
				t.Fatalf("divergence %+v", d)
			}
		}
		for _, v := range c.Values {
			if max(v[0], v[1], v[2]) > 1.5 {
				t.Fatalf("draw %v lies in a hole", v)
			}
		}
	}
	for _, r := range []string{draws.ReasonNaN, draws.ReasonOutside, draws.ReasonGradient} {
		if reasons[r] == 0 {
			t.Errorf("no divergence for %q: %v", r, reasons)
		}
	}
}

// constrained is a target on the logarithm whose draws are kept as pairs of value and square.
type constrained struct{ testmodels.Func }

func (constrained) Names() []string { return []string{"tau", "tau squared"} }
func (constrained) Constrain(dst, x []float64) {
	v := math.Exp(x[0])
	dst[0], dst[1] = v, v*v
}

func TestConstrained(t *testing.T) {
	run := mustSample(t, constrained{testmodels.Normal(1)}, short())
	tau, _ := run.Draws("tau")
	sq, ok := run.Draws("tau squared")
	if !ok {
		t.Fatal("no draws of tau squared")
	}
	for c := range tau {
		for i, v := range tau[c] {
			if v <= 0 || sq[c][i] != v*v {
				t.Fatalf("draw %v, squared %v", v, sq[c][i])
			}
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := short()
	s.Parallel = 3
	s.OnDraw = func(chain, iteration int, warm bool, v []float64, st draws.Stat) {
		if !warm && iteration == 10 {
			cancel()
		}
	}
	s.Draws = 1 << 20
	run, err := Sample(ctx, Shared(testmodels.Gauss2()), Config{Settings: s})
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	if run == nil || run.Interrupted == "" || run.Stopped != "" {
		t.Fatal("no partial run, or not marked as one")
	}
	kept := 0
	for _, c := range run.Chains {
		kept += len(c.Values)
		if len(c.Values) != len(c.Stats) {
			t.Errorf("%d draws, %d statistics", len(c.Values), len(c.Stats))
		}
	}
	if kept < 10 {
		t.Errorf("%d draws kept", kept)
	}
}

// recorder writes what it hears into a string.
type recorder struct {
	s      strings.Builder
	failAt int
	n      int
}

func (r *recorder) Draw(v []float64, st draws.Stat, warm bool) error {
	if r.n++; r.n == r.failAt {
		return errors.New("disk full")
	}
	fmt.Fprintf(&r.s, "%v %v %v\n", v, st, warm)
	return nil
}
func (r *recorder) Adapted(eps float64, m draws.Metric) error {
	fmt.Fprintf(&r.s, "adapted %v %v\n", eps, m)
	return nil
}
func (r *recorder) Close(w, s float64) error {
	fmt.Fprintf(&r.s, "closed\n")
	return nil
}

func TestRecorder(t *testing.T) {
	s := short()
	s.SaveWarmup = true
	recs := make([]*recorder, s.Chains)
	s.Record = func(head *draws.Run, chain int) (draws.Recorder, error) {
		recs[chain] = &recorder{}
		return recs[chain], nil
	}
	run := mustSample(t, testmodels.Gauss2(), s)
	for i, c := range run.Chains {
		var want recorder
		for j := range c.WarmupValues {
			_ = want.Draw(c.WarmupValues[j], c.WarmupStats[j], true)
		}
		_ = want.Adapted(c.StepSize, c.Metric)
		for j := range c.Values {
			_ = want.Draw(c.Values[j], c.Stats[j], false)
		}
		_ = want.Close(0, 0)
		if recs[i].s.String() != want.s.String() {
			t.Errorf("chain %d: the recorder heard something else than the run keeps", i)
		}
	}
	s.Record = func(head *draws.Run, chain int) (draws.Recorder, error) {
		recs[chain] = &recorder{failAt: 5}
		return recs[chain], nil
	}
	_, err := Sample(context.Background(), Shared(testmodels.Gauss2()), Config{Settings: s})
	if err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error %v", err)
	}
	for i, r := range recs {
		if !strings.HasSuffix(r.s.String(), "closed\n") {
			t.Errorf("recorder %d was not closed", i)
		}
	}
	s.Record = func(head *draws.Run, chain int) (draws.Recorder, error) { return nil, errors.New("no room") }
	if _, err := Sample(context.Background(), Shared(testmodels.Gauss2()),
		Config{Settings: s}); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("error %v", err)
	}
}

func TestProgress(t *testing.T) {
	s := short()
	done := make([]Progress, s.Chains)
	s.OnProgress = func(p Progress) {
		if p.Done {
			done[p.Chain] = p
		}
	}
	mustSample(t, testmodels.Gauss2(), s)
	for i, p := range done {
		if p.Iteration != 110 || p.Total != 110 || p.Warmup || !(p.StepSize > 0) || p.Gradients < 110 {
			t.Errorf("chain %d ends with %+v", i, p)
		}
	}
}

func TestWarmStart(t *testing.T) {
	target := testmodels.Normal(0.01, 1, 100)
	first := mustSample(t, target, Settings{Seed: 1, Warmup: 500, Draws: 10})
	path := t.TempDir() + "/warm.json"
	if err := WriteWarmStart(path, first); err != nil {
		t.Fatal(err)
	}
	warm, err := ReadWarmStart(path, first.Names)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(warm, WarmStarts(first)) {
		t.Error("a warm start changes on its way through a file")
	}
	// With the metric, the step size and the positions known, no warm-up is needed.
	second := mustSample(t, target, Settings{Seed: 2, Warmup: NoWarmup, Draws: 200,
		Start: Start{Warm: warm}})
	accept := 0.0
	for i, c := range second.Chains {
		if c.StepSize != first.Chains[i].StepSize ||
			!reflect.DeepEqual(c.Metric, first.Chains[i].Metric) {
			t.Errorf("chain %d does not start from what was learned", i)
		}
		for _, st := range c.Stats {
			accept += st.AcceptStat / 800
		}
	}
	if accept < 0.6 {
		t.Errorf("mean acceptance %v", accept)
	}
	for what, spoil := range map[string]func(string) string{
		"damaged":     func(s string) string { return strings.Replace(s, `"step_size": `, `"step_size": 1`, 1) },
		"not read":    func(s string) string { return s[:len(s)/2] },
		"format is":   func(s string) string { return strings.Replace(s, "start 1", "start 9", 1) },
		"made for":    func(s string) string { return strings.Replace(s, "x[0]", "y", 1) },
		"no chain":    func(s string) string { return `{"format":"bayeskernel warm start 1"}` },
		"dimension 2": nil,
	} {
		if spoil == nil {
			_, err = Sample(context.Background(), Shared(testmodels.Gauss2()),
				Config{Settings: Settings{Start: Start{Warm: []WarmStart{{Metric: draws.Metric{
					Kind: "diag_e", Diag: []float64{1}}}}}}})
			if err == nil || !strings.Contains(err.Error(), "metric of dimension 1") {
				t.Errorf("warm start of another dimension: %v", err)
			}
			continue
		}
		names := first.Names
		if what == "no chain" {
			names = nil
		}
		_, err := parseWarmStart([]byte(spoil(readString(t, path))), names)
		if err == nil {
			t.Errorf("%s: taken", what)
		}
	}
}

// foreign is no kind of metric that the package lists.
type foreign struct{ MetricKind }

func (foreign) String() string { return "foreign" }
