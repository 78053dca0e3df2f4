package hmc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/internal/testmodels"
)

// wide is a target of three coordinates of which many values are kept, so that a file has several tiles.
type wide struct{ Target }

const wideValues = 1000

func (wide) Names() []string {
	var names []string
	for i := range wideValues {
		names = append(names, fmt.Sprintf("v[%d]", i))
	}
	return names
}

func (wide) Constrain(dst, x []float64) {
	for i := range dst {
		dst[i] = x[i%3] + float64(i)*x[(i+1)%3]
	}
}

// same wants runs on disk and in memory to have the same draws and summaries.
func sameDraws(t *testing.T, disk, memory *draws.Run) {
	t.Helper()
	for i := range disk.Chains {
		if disk.Chains[i].Values != nil || disk.Chains[i].Stats != nil {
			t.Error("draws are in memory")
		}
		var stats []draws.Stat
		err := disk.Chains[i].EachStat(func(_ int, s draws.Stat) { stats = append(stats, s) })
		if err != nil || !reflect.DeepEqual(stats, memory.Chains[i].Stats) {
			t.Errorf("other statistics, error %v", err)
		}
	}
	for _, name := range []string{"v[0]", "v[434]", "v[999]"} {
		a, ok := disk.Draws(name)
		b, _ := memory.Draws(name)
		if !ok || !reflect.DeepEqual(a, b) {
			t.Errorf("other draws of %s", name)
		}
	}
	if err := disk.Check(); err != nil {
		t.Error(err)
	}
}

func sameSummary(t *testing.T, disk, memory *draws.Run) {
	t.Helper()
	a, err := json.Marshal(disk.Summary())
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(memory.Summary())
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Error("other summary")
	}
}

// A run with its draws on disk is that in memory: draws, summary, stopping rule, what recorders hear, and
// stopped anywhere and resumed.
func TestDrawsOnDisk(t *testing.T) {
	target := wide{testmodels.Gauss3()}
	for _, rule := range []*Until{nil, {ESSBulk: 60, ESSTail: 60, RHat: 2, MinDraws: 20}} {
		s := Settings{Chains: 2, Warmup: 60, Draws: 150, Seed: 3, Until: rule, Thin: 1}
		want := mustSample(t, target, s)
		if rule != nil && len(want.Chains[0].Values) == s.Draws {
			t.Fatal("the rule stopped nothing")
		}
		disk := s
		disk.DrawsDir = filepath.Join(t.TempDir(), "draws")
		got := mustSample(t, target, disk)
		sameDraws(t, got, want)
		if rule == nil {
			sameSummary(t, got, want)
		}
		for _, n := range []int{30, 100, 191, 192} {
			part, ctx := stopAt(disk, n)
			part.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
			if _, err := Sample(ctx, Shared(target), Config{Settings: part}); err != nil &&
				!errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			rest := disk
			rest.Checkpoints.Resume = part.Checkpoints.File
			var heard [2]int
			rest.Record = func(_ *draws.Run, chain int) (draws.Recorder, error) {
				return &counter{n: &heard[chain]}, nil
			}
			resumed := mustSample(t, target, rest)
			sameDraws(t, resumed, want)
			if k := len(want.Chains[0].Values); !slices.Equal(heard[:], []int{k, k}) {
				t.Errorf("recorders heard %v draws, want %d", heard, k)
			}
		}
	}
}

// TestDiskMemory: with draws on disk, neither a run nor its checkpoint grows with draws and divergences,
// beyond a line for each of these. The summary is that of a run in memory.
func TestDiskMemory(t *testing.T) {
	target := wide{divergent{testmodels.Gauss3()}}
	size := func(n int) (run *draws.Run, bytes int) {
		s := Settings{Chains: 1, Warmup: 60, Draws: n, Seed: 4, DrawsDir: t.TempDir()}
		s.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
		run = mustSample(t, target, s)
		info, err := os.Stat(s.Checkpoints.File)
		if err != nil {
			t.Fatal(err)
		}
		return run, int(info.Size())
	}
	_, few := size(6 * 130)
	run, many := size(18 * 130) // 130 draws a tile
	n := len(run.Chains[0].Divergences)
	if n < 3*placesOnDisk {
		t.Fatalf("%d divergences, want more", n)
	}
	if many > few+100*n {
		t.Errorf("a checkpoint of %d bytes after %d divergences, one of a third of the draws has %d", many, n, few)
	}
	memory := mustSample(t, target, Settings{Chains: 1, Warmup: 60, Draws: 18 * 130, Seed: 4})
	sameDraws(t, run, memory)
	sameSummary(t, run, memory)
}

// divergent is a target with a cliff, over which trajectories diverge.
type divergent struct{ Target }

func (d divergent) LogDensity(x, grad []float64) float64 {
	lp := d.Target.LogDensity(x, grad)
	if x[0] > 0.5 {
		return math.Inf(-1)
	}
	return lp
}

type counter struct{ n *int }

func (c *counter) Draw([]float64, draws.Stat, bool) error { *c.n++; return nil }
func (*counter) Adapted(float64, draws.Metric) error      { return nil }
func (*counter) Close(float64, float64) error             { return nil }

// A checkpoint and the folder of its draws belong together.
func TestDrawsOnDiskRefuses(t *testing.T) {
	target := testmodels.Gauss3()
	s := Settings{Chains: 2, Warmup: 30, Draws: 20, Seed: 3, SaveWarmup: true, DrawsDir: t.TempDir()}
	for _, c := range []struct {
		change func(s *Settings)
		want   string
	}{
		{func(s *Settings) {}, "SaveWarmup is true"},
		{func(s *Settings) { s.SaveWarmup, s.Checkpoints.Resume = false, checkpointOf(t, *s, false) },
			"want no DrawsDir"},
		{func(s *Settings) {
			s.SaveWarmup, s.Checkpoints.Resume = false, checkpointOf(t, *s, true)
			s.DrawsDir = ""
		}, "want their folder as DrawsDir"},
	} {
		s := s
		c.change(&s)
		_, err := Sample(t.Context(), Shared(target), Config{Settings: s})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q in it", err, c.want)
		}
	}
}

// checkpointOf returns the checkpoint of a finished run.
func checkpointOf(t *testing.T, s Settings, disk bool) string {
	t.Helper()
	s.SaveWarmup = false
	if !disk {
		s.DrawsDir = ""
	}
	s.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
	mustSample(t, testmodels.Gauss3(), s)
	return s.Checkpoints.File
}

// TestUntilOnDiskLong: a rule that is judged by streamed estimates ends a run on disk where it ends that
// in memory.
func TestUntilOnDiskLong(t *testing.T) {
	s := Settings{Chains: 2, Warmup: 150, Draws: 20_000, Seed: 5,
		Until: &Until{ESSBulk: 9000, ESSTail: 3000, RHat: 1.05, MinDraws: 1000}}
	memory := mustSample(t, testmodels.Gauss2(), s)
	n := len(memory.Chains[0].Values)
	if n <= exactUntil || n == s.Draws {
		t.Fatalf("%d draws of each chain, want a rule that is met between %d and %d", n, exactUntil, s.Draws)
	}
	s.DrawsDir = filepath.Join(t.TempDir(), "draws")
	disk := mustSample(t, testmodels.Gauss2(), s)
	if disk.Chains[0].Len() != n || disk.Stopped != memory.Stopped {
		t.Errorf("%d draws, %q; in memory %d, %q", disk.Chains[0].Len(), disk.Stopped, n, memory.Stopped)
	}
}
