package temper

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
)

// stripped is a run and its report without what time decides.
func stripped(run *draws.Run, rep *Report) (draws.Run, Report) {
	r := *run
	r.Chains = nil
	for _, c := range run.Chains {
		c.WarmupSeconds, c.SampleSeconds = 0, 0
		r.Chains = append(r.Chains, c)
	}
	return r, *rep
}

// cancelling is a factory of targets that cancel after so many evaluations.
func cancelling(after int64, cancel func()) hmc.Factory {
	var calls atomic.Int64
	bi := testmodels.Bimodal(2, 0.3, 3)
	return hmc.Shared(testmodels.Func{N: 2, F: func(x, g []float64) float64 {
		if calls.Add(1) == after {
			cancel()
		}
		return bi.F(x, g)
	}})
}

// TestResume: a run that is stopped anywhere, again and again, and resumed each time makes the draws
// of one that is not, to the bit; so does its report, and recorders see the same.
func TestResume(t *testing.T) {
	wide := normal(t, 2, 0, 5)
	for name, cfg := range map[string]Config{
		"given": {Settings: hmc.Settings{Seed: 3, Chains: 3, Warmup: 150, Draws: 120, Thin: 2},
			Reference: func() (Reference, error) { return wide.clone(), nil }},
		"low rank": {Settings: hmc.Settings{Seed: 3, Chains: 2, Warmup: 150, Draws: 60,
			Adapt: hmc.Adapt{Metric: hmc.LowRankMetric}},
			Reference: func() (Reference, error) { return wide.clone(), nil }},
		"fitted": {Settings: hmc.Settings{Seed: 4, Chains: 2, Warmup: 120, Draws: 300,
			Adapt: hmc.Adapt{Metric: hmc.DiagMetric}}},
	} {
		want := log{}
		cfg.Record = want.record
		run, rep := sample(t, cancelling(-1, nil), cfg)
		wantRun, wantRep := stripped(run, rep)
		cfg.Checkpoints.File = filepath.Join(t.TempDir(), "c")
		cfg.Checkpoints.Every = time.Millisecond
		stops := 0
		for after := int64(2500); ; {
			ctx, cancel := context.WithCancel(context.Background())
			got := log{}
			cfg.Record = got.record
			run, rep, err := Sample(ctx, cancelling(after, cancel), cfg)
			cancel()
			cfg.Checkpoints.Resume = cfg.Checkpoints.File
			if err == nil {
				gotRun, gotRep := stripped(run, rep)
				if !reflect.DeepEqual(gotRun, wantRun) {
					t.Errorf("%s: another run after %d stops", name, stops)
				}
				if !reflect.DeepEqual(gotRep, wantRep) {
					t.Errorf("%s: report %+v, want %+v", name, gotRep, wantRep)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: recorders saw something else", name)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if run == nil { // in the run of the reference
				cfg.Checkpoints.Resume = ""
				after *= 2
				continue
			}
			after = 700
			stops++
		}
		if stops < 3 {
			t.Errorf("%s: stopped %d times only", name, stops)
		}
	}
}

// TestCancelBetweenGradients cancels a run at one after another of its gradients: not one more is
// evaluated but where a state that has been reached is stored, and the run that goes on makes the
// draws of the uninterrupted one, counting as many gradients.
func TestCancelBetweenGradients(t *testing.T) {
	wide := normal(t, 2, 0, 5)
	cfg := Config{Settings: hmc.Settings{Seed: 3, Chains: 2, Parallel: 1, Warmup: 100, Draws: 4},
		Reference: func() (Reference, error) { return wide.clone(), nil }}
	run, rep := sample(t, cancelling(-1, nil), cfg)
	wantRun, wantRep := stripped(run, rep)
	total := int64(0)
	for _, c := range run.Chains {
		total += int64(c.Gradients + c.WarmupGradients)
	}
	path := filepath.Join(t.TempDir(), "c")
	bi := testmodels.Bimodal(2, 0.3, 3)
	for at := int64(1); at <= total; at += 1 + at/10 {
		ctx, cancel := context.WithCancel(context.Background())
		var n atomic.Int64
		f := hmc.Shared(testmodels.Func{N: 2, F: func(x, g []float64) float64 {
			if n.Add(1) == at {
				cancel()
			}
			return bi.F(x, g)
		}})
		first, rest := cfg, cfg
		first.Checkpoints.File = path
		_, _, err := Sample(ctx, f, first)
		cancel()
		if n.Load() > at+1 {
			t.Fatalf("cancelled at gradient %d of %d, %d made", at, total, n.Load())
		}
		if at < total && !errors.Is(err, context.Canceled) {
			t.Fatalf("gradient %d: %v", at, err)
		}
		rest.Checkpoints.Resume = path
		run, rep := sample(t, cancelling(-1, nil), rest)
		gotRun, gotRep := stripped(run, rep)
		if !reflect.DeepEqual(gotRun, wantRun) || !reflect.DeepEqual(gotRep, wantRep) {
			t.Fatalf("cancelled at gradient %d of %d and resumed: another run", at, total)
		}
	}
}

// TestPanicInGradientCheck: the point reported is the one at which the target panicked.
func TestPanicInGradientCheck(t *testing.T) {
	wide := normal(t, 2, 0, 5)
	for at := int64(11); at < 40; at += 7 { // the states of ten rungs come first
		var n atomic.Int64
		var x []float64
		bi := testmodels.Bimodal(2, 0.3, 3)
		_, _, err := Sample(context.Background(), hmc.Shared(testmodels.Func{N: 2,
			F: func(p, g []float64) float64 {
				if n.Add(1) == at {
					x = append(x, p...)
					panic("here")
				}
				return bi.F(p, g)
			}}), Config{Settings: hmc.Settings{Chains: 1},
			Reference: func() (Reference, error) { return wide.clone(), nil }})
		var p *hmc.PanicError
		if !errors.As(err, &p) || !reflect.DeepEqual(p.X, x) {
			t.Errorf("error %v, want it at %v", err, x)
		}
	}
}

// TestEveryGradientCounts: those of the gradient check and of the references' draws too.
func TestEveryGradientCounts(t *testing.T) {
	var n atomic.Int64
	bi := testmodels.Bimodal(2, 0.3, 3)
	wide := normal(t, 2, 0, 5)
	run, _ := sample(t, hmc.Shared(testmodels.Func{N: 2, F: func(x, g []float64) float64 {
		n.Add(1)
		return bi.F(x, g)
	}}), Config{Settings: hmc.Settings{Seed: 3, Chains: 2, Warmup: 100, Draws: 20},
		Reference: func() (Reference, error) { return wide.clone(), nil }})
	sum := 0
	for _, c := range run.Chains {
		sum += c.Gradients + c.WarmupGradients
	}
	if int64(sum) != n.Load() {
		t.Errorf("%d gradients counted of %d", sum, n.Load())
	}
}

// log is a recorder of everything but times.
type log map[int]*[]any

func (l log) record(head *draws.Run, chain int) (draws.Recorder, error) {
	l[chain] = &[]any{*head}
	return recorder{l[chain]}, nil
}

type recorder struct{ events *[]any }

func (r recorder) Draw(values []float64, s draws.Stat, warmup bool) error {
	*r.events = append(*r.events, append([]float64(nil), values...), s, warmup)
	return nil
}

func (r recorder) Adapted(stepSize float64, m draws.Metric) error {
	*r.events = append(*r.events, stepSize, m)
	return nil
}

func (r recorder) Close(warmup, sample float64) error {
	*r.events = append(*r.events, "closed")
	return nil
}

// TestMoreDraws: a run that has ended goes on to more draws.
func TestMoreDraws(t *testing.T) {
	wide := normal(t, 2, 0, 5)
	cfg := Config{Settings: hmc.Settings{Seed: 5, Chains: 2, Warmup: 100, Draws: 90},
		Reference: func() (Reference, error) { return wide.clone(), nil }}
	want, rep := sample(t, cancelling(-1, nil), cfg)
	if text := rep.String(); !strings.Contains(text, "rung") || !strings.Contains(text, "log Z = ") {
		t.Error(text)
	}
	_ = new(Report).String()
	cfg.Draws, cfg.Checkpoints.File = 40, filepath.Join(t.TempDir(), "c")
	sample(t, cancelling(-1, nil), cfg)
	cfg.Draws, cfg.Checkpoints.Resume = 90, cfg.Checkpoints.File
	got, _ := sample(t, cancelling(-1, nil), cfg)
	if !reflect.DeepEqual(got.Column(0), want.Column(0)) {
		t.Error("other draws")
	}
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Seed = 6 }, "its seed is 5, here it is 6"},
		{func(c *Config) { c.Rungs = 7 }, "its number of rungs is 0, here it is 7"},
		{func(c *Config) { c.Seed, c.Thin = 6, 3 },
			":\n  its seed is 5, here it is 6;\n  its thinning is 1, here it is 3"},
		{func(c *Config) { c.Draws = 10 }, "Draws is 10, and cannot be fewer"},
		{func(c *Config) { c.Reference = nil }, "its reference is given, here it is fitted"},
		{func(c *Config) { c.Checkpoints.Resume += "x" }, "no such file"},
		{func(c *Config) { c.Checkpoints.File += "/x" }, "not a directory"},
		{func(c *Config) { c.Checkpoints.File, c.Checkpoints.Every = "", 1 },
			"Checkpoints.Every is 1ns"},
	} {
		bad := cfg
		c.change(&bad)
		_, _, err := Sample(context.Background(), cancelling(-1, nil), bad)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "temper: ") || len(err.Error()) > 400 {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	shifted := hmc.Shared(testmodels.Bimodal(2, 0.3, 4))
	if _, _, err := Sample(context.Background(), shifted, cfg); err == nil ||
		!strings.Contains(err.Error(), "checkpoint is of another target") {
		t.Errorf("error %v", err)
	}
	if b, err := os.ReadFile(cfg.Checkpoints.File); err != nil || len(b) == 0 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// funnel diverges at its neck; its Constrain panics where a trajectory has left it.
type funnel struct{ testmodels.Func }

func (funnel) Names() []string { return []string{"y"} }
func (funnel) Constrain(dst, x []float64) {
	if !(math.Abs(x[0]) < 1) {
		panic("outside")
	}
	dst[0] = x[0]
}

// TestConstrainOutside: what Constrain does outside the support is no reason to fail.
func TestConstrainOutside(t *testing.T) {
	f := hmc.Shared(funnel{testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		g[0] = 0
		if !(math.Abs(x[0]) < 1) {
			return math.Inf(-1)
		}
		return 0
	}}})
	wide := normal(t, 1, 0, 1)
	run, _ := sample(t, f, Config{Settings: hmc.Settings{Seed: 1, Chains: 2, Warmup: 100,
		Draws: 200}, Reference: func() (Reference, error) { return wide.clone(), nil }})
	n := 0
	for _, c := range run.Chains {
		for _, d := range c.Divergences {
			if math.IsNaN(d.End[0]) && math.Abs(d.Start[0]) < 1 {
				n++
			}
		}
	}
	if n == 0 {
		t.Error("no trajectory left the support")
	}
}

// nameless names three values but has no Constrain to compute them.
type nameless struct{ testmodels.Func }

func (nameless) Names() []string { return []string{"a", "b", "c"} }

// TestNamesWithoutConstrain: names of values that nothing computes are refused.
func TestNamesWithoutConstrain(t *testing.T) {
	wide := normal(t, 1, 0, 2)
	_, _, err := Sample(t.Context(), hmc.Shared(nameless{testmodels.Normal(1)}),
		Config{Settings: hmc.Settings{Seed: 1, Chains: 1, Warmup: 100, Draws: 5},
			Reference: func() (Reference, error) { return wide.clone(), nil }})
	if err == nil || !strings.Contains(err.Error(), "no Constrain") {
		t.Errorf("error %v, want one that names Constrain", err)
	}
}

// fixed is a standard normal, and a value that is always 1.
type fixed struct{}

func (fixed) Dim() int { return 1 }
func (fixed) LogDensity(x, grad []float64) float64 {
	grad[0] = -x[0]
	return -x[0] * x[0] / 2
}
func (fixed) Names() []string            { return []string{"x", "one"} }
func (fixed) Labels() []string           { return []string{"the value", "one"} }
func (fixed) Constants() []string        { return []string{"one"} }
func (fixed) Constrain(dst, x []float64) { dst[0], dst[1] = x[0], 1 }

// Runs have what a target tells of its values: constants by construction make no warning.
func TestValuesOfTarget(t *testing.T) {
	cfg := Config{Settings: hmc.Settings{Chains: 2, Warmup: 100, Draws: 50, Seed: 1}}
	run, _, err := Sample(t.Context(), func() (hmc.Target, error) { return fixed{}, nil }, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range run.Warnings() {
		if w.Kind == draws.WarnConstant {
			t.Errorf("%v", w)
		}
	}
	if len(run.Constants) != 1 || len(run.Labels) != 2 {
		t.Errorf("constants %v, labels %v", run.Constants, run.Labels)
	}
}

// TestHooks: progress is told, in order; a hook or a recorder that fails, and a target that ends
// its goroutine, end the run with an error.
func TestHooks(t *testing.T) {
	wide := normal(t, 2, 0, 5)
	var seen []hmc.Progress
	cfg := Config{Settings: hmc.Settings{Seed: 5, Chains: 2, Warmup: 100, Draws: 50,
		OnProgress: func(p hmc.Progress) {
			seen = append(seen, p)
		}}, Reference: func() (Reference, error) { return wide.clone(), nil }}
	sample(t, cancelling(-1, nil), cfg)
	done := 0
	for _, p := range seen {
		if p.Done {
			done++
			if p.Iteration != 150 || p.Total != 150 || p.Err != nil || p.Warmup || p.Gradients == 0 {
				t.Errorf("%+v", p)
			}
		}
	}
	if done != 2 || len(seen) < 3 {
		t.Errorf("%d told, %d of them the end", len(seen), done)
	}
	fails := func(what string, f hmc.Factory, cfg Config) {
		if _, _, err := Sample(context.Background(), f, cfg); err == nil ||
			!strings.Contains(err.Error(), what) || !strings.HasPrefix(err.Error(), "temper: ") {
			t.Errorf("error %v, want %q", err, what)
		}
	}
	panics := cfg
	panics.OnProgress = func(hmc.Progress) { panic("hook") }
	fails("OnProgress panicked: hook", cancelling(-1, nil), panics)
	full := errors.New("disk full")
	cfg.Record = func(*draws.Run, int) (draws.Recorder, error) { return nil, full }
	fails("recorder of chain 1: disk full", cancelling(-1, nil), cfg)
	cfg.Record = func(*draws.Run, int) (draws.Recorder, error) { return broke{}, nil }
	fails("disk full", cancelling(-1, nil), cfg)
	cfg.Record = nil
	fails("its goroutine ended", cancelling(5000, runtime.Goexit), cfg)
}

// broke is a recorder on a full disk.
type broke struct{}

func (broke) Draw([]float64, draws.Stat, bool) error         { return errors.New("disk full") }
func (broke) Adapted(stepSize float64, m draws.Metric) error { return nil }
func (broke) Close(warmup, sample float64) error             { return nil }
