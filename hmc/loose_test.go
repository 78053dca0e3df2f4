package hmc

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bayeskernel/draws"
	"bayeskernel/internal/testmodels"
)

// counting is a target that counts its evaluations and can do something at one of them.
type counting struct {
	Target
	n    *atomic.Int64
	at   int64
	then func(x []float64)
}

func (c counting) LogDensity(x, grad []float64) float64 {
	if c.n.Add(1) == c.at {
		c.then(x)
	}
	return c.Target.LogDensity(x, grad)
}

// TestEveryGradientCounts: those of the initial points, of the gradient check and of all searches
// too.
func TestEveryGradientCounts(t *testing.T) {
	for _, d := range []int{1, 10, 120} {
		sd := make([]float64, d)
		for i := range sd {
			sd[i] = float64(1 + i%3)
		}
		target := counting{Target: testmodels.Normal(sd...), n: new(atomic.Int64)}
		run := mustSample(t, target, Settings{Chains: 2, Warmup: 60, Draws: 20, Seed: 3})
		sum := 0
		for _, c := range run.Chains {
			sum += c.Gradients + c.WarmupGradients
		}
		if n := target.n.Load(); int64(sum) != n {
			t.Errorf("d = %d: %d gradients counted of %d", d, sum, n)
		}
	}
}

// TestPanicInGradientCheck: the point reported is the one at which the target panicked.
func TestPanicInGradientCheck(t *testing.T) {
	var x []float64
	target := counting{Target: testmodels.Gauss2(), n: new(atomic.Int64), at: 20,
		then: func(at []float64) {
			x = append(x, at...)
			panic("twenty")
		}}
	_, err := Sample(context.Background(), Shared(target),
		Config{Settings: Settings{Chains: 1, Warmup: 20, Draws: 5}})
	var p *PanicError
	if !errors.As(err, &p) || !reflect.DeepEqual(p.X, x) {
		t.Errorf("error %v at %v, want it at %v", err, p, x)
	}
}

// TestCancelBetweenGradients cancels a run at every one of its gradients in turn, among them those
// of the searches for a step size: not one more is evaluated, and the run that goes on makes the
// draws of the uninterrupted one.
func TestCancelBetweenGradients(t *testing.T) {
	s := Settings{Chains: 1, Warmup: 24, Draws: 6, Seed: 5}
	whole := mustSample(t, testmodels.Banana(), s)
	total := whole.Chains[0].Gradients + whole.Chains[0].WarmupGradients
	path := t.TempDir() + "/run.ckpt"
	for at := 1; at <= total; at += 1 + at/40 {
		ctx, cancel := context.WithCancel(context.Background())
		target := counting{Target: testmodels.Banana(), n: new(atomic.Int64), at: int64(at),
			then: func([]float64) { cancel() }}
		first := s
		first.Checkpoints.File = path
		run, err := Sample(ctx, Shared(target), Config{Settings: first})
		cancel()
		if n := target.n.Load(); n != int64(at) {
			t.Fatalf("cancelled at gradient %d, returned after %d", at, n)
		}
		if at < total {
			if !errors.Is(err, context.Canceled) || run.Stopped != "" || run.Interrupted == "" {
				t.Fatalf("gradient %d: error %v, stopped %q, interrupted %q", at, err, run.Stopped,
					run.Interrupted)
			}
		}
		s2 := s
		s2.Checkpoints.Resume = path
		rest := mustSample(t, testmodels.Banana(), s2)
		if !reflect.DeepEqual(rest.Chains[0].Values, whole.Chains[0].Values) {
			t.Fatalf("cancelled at gradient %d of %d: other draws", at, total)
		}
		if a, b := rest.Chains[0], whole.Chains[0]; a.WarmupGradients != b.WarmupGradients ||
			a.Gradients != b.Gradients {
			t.Fatalf("cancelled at gradient %d: %d and %d gradients counted, want %d and %d", at,
				a.WarmupGradients, a.Gradients, b.WarmupGradients, b.Gradients)
		}
	}
}

// TestShortLastWindow: after fewer than five updates dual averaging is not to be trusted. 40 chains
// a case; a step size beyond 2 is unstable for a standard normal.
func TestShortLastWindow(t *testing.T) {
	sd := make([]float64, 10)
	for i := range sd {
		sd[i] = 1
	}
	for warmup := 1; warmup <= 6; warmup++ {
		for seed := range uint64(10) {
			run := mustSample(t, testmodels.Normal(sd...), Settings{Chains: 4, Warmup: warmup,
				Draws: 20, Seed: seed})
			for id, c := range run.Chains {
				if !(c.StepSize < 2) {
					t.Errorf("warm-up %d, seed %d, chain %d: step size %.3g", warmup, seed, id+1,
						c.StepSize)
				}
			}
		}
	}
}

// TestShortestWindows: windows that leave dual averaging a single update at the end.
func TestShortestWindows(t *testing.T) {
	for _, d := range []int{1, 3} {
		sd := []float64{1, 1, 1}[:d]
		for seed := range uint64(10) {
			run := mustSample(t, testmodels.Normal(sd...), Settings{Warmup: 100, Draws: 400, Seed: seed,
				Adapt: Adapt{Windows: Windows{Init: 1, Base: 1, Term: 1}}})
			for _, p := range run.Summary().Parameters {
				if !(p.RHat < 1.05) {
					t.Errorf("d = %d, seed %d: R-hat %.3f of %s", d, seed, p.RHat, p.Name)
				}
			}
		}
	}
}

// TestOnDrawKeepsNothing: what a hook writes into the values that it is lent changes no draw.
func TestOnDrawKeepsNothing(t *testing.T) {
	s := Settings{Chains: 2, Warmup: 30, Draws: 20, Seed: 1, SaveWarmup: true}
	want := mustSample(t, testmodels.Gauss2(), s)
	s.OnDraw = func(_, _ int, _ bool, v []float64, _ draws.Stat) { v[0], v[1] = 99, 99 }
	got := mustSample(t, testmodels.Gauss2(), s)
	for i := range want.Chains {
		if !reflect.DeepEqual(got.Chains[i].Values, want.Chains[i].Values) ||
			!reflect.DeepEqual(got.Chains[i].WarmupValues, want.Chains[i].WarmupValues) {
			t.Error("OnDraw changed draws")
		}
	}
}

// TestErrorIsNoStoppingRule: the error of one chain is told as such, and the rule that was not
// asked again says nothing.
func TestErrorIsNoStoppingRule(t *testing.T) {
	target := counting{Target: testmodels.Gauss2(), n: new(atomic.Int64), at: 400,
		then: func([]float64) { panic("disk full") }}
	run, err := Sample(context.Background(), Shared(target), Config{Settings: Settings{Chains: 2,
		Warmup: 50, Draws: 200, Seed: 2, Until: &Until{ESSBulk: 1e6}}})
	if err == nil || run.Stopped != "" || !strings.Contains(run.Interrupted, "disk full") {
		t.Errorf("error %v, stopped %q, interrupted %q", err, run.Stopped, run.Interrupted)
	}
	failed := 0
	for _, c := range run.Chains {
		if c.Err != nil {
			failed++
		}
	}
	if failed != 1 {
		t.Errorf("%d chains have an error", failed)
	}
}

// TestUntilSameEverywhere: where a rule stops does not depend on how many chains run at once.
func TestUntilSameEverywhere(t *testing.T) {
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	var want []draws.Chain
	for _, procs := range []int{1, 2, 8} {
		for _, parallel := range []int{1, 4} {
			runtime.GOMAXPROCS(procs)
			run := mustSample(t, testmodels.Gauss2(), Settings{Seed: 3, Warmup: 100, Draws: 4000,
				Parallel: parallel, Until: &Until{ESSBulk: 600, RHat: 1.05}})
			if n := len(run.Chains[0].Values); n == 4000 || !strings.HasPrefix(run.Stopped, "targets met") {
				t.Fatalf("%d draws, stopped %q", n, run.Stopped)
			}
			for i := range run.Chains {
				run.Chains[i].WarmupSeconds, run.Chains[i].SampleSeconds = 0, 0
			}
			if want == nil {
				want = run.Chains
			}
			if !reflect.DeepEqual(run.Chains, want) {
				t.Errorf("GOMAXPROCS %d, %d chains at once: other draws", procs, parallel)
			}
		}
	}
}

// explosive is a normal whose density falls to about -1e40 where |x[0]| > 1, as that of a recursion
// of 200 steps does.
func explosive() testmodels.Func {
	return testmodels.Func{N: 3, F: func(x, g []float64) float64 {
		lp := 0.0
		for i, v := range x {
			g[i] = -v / 0.09
			lp -= v * v / 0.18
		}
		e := math.Pow(x[0], 400)
		g[0] -= 400 * e / x[0]
		return lp - e
	}}
}

// TestNoAstronomicalStart: no chain starts, and so stays, where the density is astronomically low.
func TestNoAstronomicalStart(t *testing.T) {
	for seed := range uint64(20) {
		run := mustSample(t, explosive(), Settings{Seed: seed, Warmup: 200, Draws: 50})
		for id, c := range run.Chains {
			if c.StepSize < 1e-3 || math.Abs(c.Last[0]) > 1.1 {
				t.Errorf("seed %d, chain %d: step size %.2g, at %v", seed, id+1, c.StepSize, c.Last)
			}
		}
	}
}

// TestSlowGradientCancelled: with a gradient of 5 ms the run ends with the gradient under way.
func TestSlowGradientCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var after atomic.Int64
	slow := testmodels.Func{N: 2, F: func(x, g []float64) float64 {
		if ctx.Err() != nil {
			after.Add(1)
		}
		time.Sleep(5 * time.Millisecond)
		g[0], g[1] = -x[0], -1e4*x[1]
		return -(x[0]*x[0] + 1e4*x[1]*x[1]) / 2
	}}
	time.AfterFunc(300*time.Millisecond, cancel)
	_, err := Sample(ctx, Shared(slow), Config{Settings: Settings{Chains: 2}})
	if n := after.Load(); !errors.Is(err, context.Canceled) || n > 2 {
		t.Errorf("error %v, %d gradients begun after the end", err, n)
	}
}

// TestShapes: one metric in its two correlated shapes is the same matrix.
func TestShapes(t *testing.T) {
	for name, m := range testMetrics(t) {
		low, err := as(LowRankMetric, m)
		if err != nil {
			t.Fatal(err)
		}
		dense, err := as(DenseMetric, low)
		if err != nil {
			t.Fatal(err)
		}
		a, b, c := make([]float64, 3), make([]float64, 3), make([]float64, 3)
		for i := range 3 {
			p := make([]float64, 3)
			p[i] = 1
			m.apply(a, p)
			low.apply(b, p)
			dense.apply(c, p)
			for j := range a {
				if math.Abs(a[j]-b[j]) > 1e-13 || math.Abs(a[j]-c[j]) > 1e-13 {
					t.Errorf("%s: column %d is %v, as low rank %v, as dense %v", name, i, a, b, c)
				}
			}
		}
	}
}
