package hmc

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/internal/testmodels"
)

// together are settings of a run whose chains share their warm-up.
func together() Settings {
	return Settings{Chains: 4, Warmup: 300, Draws: 40, Seed: 7, Parallel: 2}
}

// TestSharedSameBytes: the draws do not depend on how many chains run at once, and a chain of four
// is another than the same chain alone.
func TestSharedSameBytes(t *testing.T) {
	s := together()
	want := mustSample(t, testmodels.Banana(), s)
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	for _, procs := range []int{1, 2, 8} {
		for _, parallel := range []int{1, 3, 4} {
			runtime.GOMAXPROCS(procs)
			s.Parallel = parallel
			if got := mustSample(t, testmodels.Banana(), s); !sameRun(got, want) {
				t.Errorf("GOMAXPROCS %d, %d at once: another run", procs, parallel)
			}
		}
	}
	s.Chains = 1
	one := mustSample(t, testmodels.Banana(), s)
	if reflect.DeepEqual(one.Chains[0].Values, want.Chains[0].Values) {
		t.Error("chain 1 alone is chain 1 of four")
	}
}

// TestSharedResumes: a run stopped at any transition goes on to the same bytes, warm-up included.
func TestSharedResumes(t *testing.T) {
	for _, kind := range []MetricKind{AutoMetric, DiagMetric} {
		s := together()
		s.Draws, s.Parallel, s.SaveWarmup, s.Adapt.Metric = 20, 1, true, kind
		want := mustSample(t, testmodels.Banana(), s)
		total := want.Chains[0].Warmup + 20
		for at := 7; at < total; at += 7 {
			part, ctx := stopAt(s, at, at%4)
			part.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
			if _, err := Sample(ctx, Shared(testmodels.Banana()), Config{Settings: part}); err == nil {
				t.Fatalf("not stopped after %d", at)
			}
			again := s
			again.Checkpoints.Resume = part.Checkpoints.File
			if got := mustSample(t, testmodels.Banana(), again); !sameRun(got, want) {
				t.Fatalf("%v, stopped after %d transitions: another run", kind, at)
			}
		}
	}
}

// TestSharedEnds: an easy target needs a short warm-up, the record says so, all chains sample with
// one metric and step size, and as many draws are made as were asked for.
func TestSharedEnds(t *testing.T) {
	s := together()
	s.Warmup = 1000
	for _, chains := range []int{1, 4} {
		s.Chains = chains
		run := mustSample(t, testmodels.Normal(1, 10, 100), s)
		for _, c := range run.Chains {
			if c.Warmup < 100 || c.Warmup > 500 || len(c.Values) != 40 || c.WarmupEnded == "" ||
				c.Unadapted {
				t.Errorf("%d chains: warm-up of %d, %q, %d draws", chains, c.Warmup, c.WarmupEnded,
					len(c.Values))
			}
			if first := run.Chains[0]; c.StepSize != first.StepSize ||
				!reflect.DeepEqual(c.Metric, first.Metric) {
				t.Errorf("%d chains: metrics or step sizes differ", chains)
			}
		}
		s.Adapt.Fixed = true
		if run := mustSample(t, testmodels.Normal(1, 10, 100), s); run.Chains[0].Warmup != 1000 {
			t.Errorf("%d chains: a warm-up of fixed length takes %d", chains, run.Chains[0].Warmup)
		}
		s.Adapt.Fixed = false
	}
}

// TestSharedFailure: a chain that fails during warm-up leaves the others to finish.
func TestSharedFailure(t *testing.T) {
	var made atomic.Int64
	factory := func() (Target, error) {
		c := counting{Target: testmodels.Banana(), n: new(atomic.Int64)}
		if made.Add(1) == 2 {
			c.at, c.then = 300, func([]float64) { panic("enough") }
		}
		return c, nil
	}
	run, err := Sample(context.Background(), factory, Config{Settings: together()})
	var failed *ChainError
	if !errors.As(err, &failed) || failed.Chain != 1 {
		t.Fatalf("error is %v", err)
	}
	for id, c := range run.Chains {
		if want := 40; id != 1 && len(c.Values) != want || id == 1 && len(c.Values) > 0 {
			t.Errorf("chain %d has %d draws", id+1, len(c.Values))
		}
	}
}

// heavy is a density that hardly rises far away.
func heavy() Target {
	return testmodels.Func{N: 2, F: func(x, g []float64) float64 {
		s := 1 + (x[0]*x[0]+x[1]*x[1])/4
		g[0], g[1] = -2*x[0]/s, -2*x[1]/s
		return -4 * math.Log(s)
	}}
}

// TestSharedStraggler: a chain that comes in too slowly from far away, where the density hardly
// rises, is moved to a draw of another. The record keeps where it was, and the summary warns. Two
// such chains are left where they are.
func TestSharedStraggler(t *testing.T) {
	s := together()
	s.Warmup, s.Seed = 600, 1
	s.Start.Points = [][]float64{{1, 1}, {-1, 1}, {1, -1}, {1e5, -1e5}}
	run := mustSample(t, heavy(), s)
	for id, c := range run.Chains {
		if moved := c.MovedFrom != nil; moved != (id == 3) {
			t.Fatalf("chain %d: moved is %v", id+1, moved)
		}
		for _, v := range c.Values {
			if math.Hypot(v[0], v[1]) > 100 {
				t.Fatalf("chain %d draws %v", id+1, v)
			}
		}
	}
	if v := run.Chains[3].MovedFrom; math.Hypot(v[0], v[1]) < 100 {
		t.Errorf("moved from %v", v)
	}
	if !slices.ContainsFunc(run.Warnings(), func(w draws.Warning) bool { return w.Kind == draws.WarnMoved }) {
		t.Error("no warning")
	}
	s.Start.Points[2] = []float64{-1e5, -1e5}
	for id, c := range mustSample(t, heavy(), s).Chains {
		if c.MovedFrom != nil {
			t.Errorf("two far away: chain %d is moved", id+1)
		}
	}
}
