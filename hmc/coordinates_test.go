package hmc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/draws/cmdstan"
	"bayeskernel/internal/checkpoint"
	"bayeskernel/internal/testmodels"
)

// stretched is a normal with sds 1 and 1000 that can be sampled in units of its second coordinate: its
// coordinates are the log of that unit.
type stretched struct{ log float64 }

func (*stretched) Dim() int { return 2 }

func (t *stretched) LogDensity(u, grad []float64) float64 {
	s := math.Exp(t.log) / 1000
	grad[0], grad[1] = -u[0], -u[1]*s*s
	return -(u[0]*u[0]+u[1]*u[1]*s*s)/2 + t.log
}

func (*stretched) Names() []string { return []string{"a", "b"} }

func (t *stretched) Constrain(dst, u []float64) { dst[0], dst[1] = u[0], u[1]*math.Exp(t.log) }

func (t *stretched) SetCoordinates(c []float64) error {
	t.log = unitOf(c)
	return nil
}

func unitOf(c []float64) float64 {
	if c == nil {
		return 0
	}
	return c[0]
}

func (t *stretched) Carry(from, to, u, grad []float64) {
	by := math.Exp(unitOf(from) - unitOf(to))
	if u[1] *= by; grad != nil {
		grad[1] /= by
	}
}

// Learn takes the fourth root of var u / var g for the unit.
func (t *stretched) Learn(x, grad [][]float64) []float64 {
	if len(x) == 0 {
		return []float64{1}
	}
	vx, vg := 0.0, 0.0
	for i := range x {
		vx += x[i][1] * x[i][1]
		vg += grad[i][1] * grad[i][1]
	}
	return []float64{t.log + math.Log(vx/vg)/4}
}

var testMethod = Method{Name: "test", New: func(h *Hamiltonian) Transition {
	return NewStatic(h, 1.5, 0.1, 100)
}}

func stretchedFactory() (Target, error) { return &stretched{}, nil }

// All chains learn the same coordinates, nothing is learned where that is not wanted, and draws and last
// positions are in the target's own coordinates.
func TestCoordinates(t *testing.T) {
	s := Settings{Chains: 3, Warmup: 150, Draws: 200, Seed: 3}
	for name, change := range map[string]func(*Settings){
		"learned": func(*Settings) {},
		"fixed":   func(s *Settings) { s.Adapt.Fixed = true },
		"own":     func(s *Settings) { s.Adapt.OwnCoordinates = true },
		"stan":    func(s *Settings) { s.Adapt.StanWarmup = true },
		"none":    func(s *Settings) { s.Warmup, s.Adapt.StepSize = NoWarmup, 1 },
	} {
		s := s
		change(&s)
		run, err := Sample(t.Context(), stretchedFactory, Config{Settings: s})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range run.Chains {
			learned := name == "learned" || name == "fixed"
			if !learned && c.Coordinates != nil {
				t.Errorf("%s: coordinates %v", name, c.Coordinates)
			}
			if learned && (!slices.Equal(c.Coordinates, run.Chains[0].Coordinates) ||
				math.Abs(c.Coordinates[0]-math.Log(1000)) > 1e-9) {
				t.Errorf("chain %d: coordinates %v, want the log of 1000", i, c.Coordinates)
			}
			for k, v := range c.Values[len(c.Values)-1] {
				if math.Abs(v-c.Last[k]) > 1e-9*math.Abs(v) {
					t.Errorf("%s: last position %v, want %v", name, c.Last, v)
				}
			}
		}
	}
}

// A chain that is resumed from an earlier snapshot than the others takes the choice that these recorded:
// what a killed run leaves, whose snapshots are of different moments, ends with the same bytes.
func TestCoordinatesOfSnapshots(t *testing.T) {
	s := Settings{Chains: 3, Warmup: 100, Draws: 20, Seed: 3, SaveWarmup: true}
	want, err := Run(t.Context(), stretchedFactory, s, testMethod)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.ckpt")
	snapshots := func(n int) [][]byte {
		part, ctx := stopAt(s, n)
		part.Checkpoints.File = path
		_, _ = Run(ctx, stretchedFactory, part, testMethod)
		r := markOf(t, s)
		var parts [][]byte
		if err := checkpoint.Read(path, checkpointMagic, r.mark, &parts); err != nil {
			t.Fatal(err)
		}
		return parts
	}
	late := snapshots(s.Warmup + 10)
	for _, n := range []int{3, 35, 70} {
		early := snapshots(n)
		mixed := [][]byte{early[0], late[1], early[2]}
		if err := checkpoint.Write(path, checkpointMagic, markOf(t, s).mark, mixed); err != nil {
			t.Fatal(err)
		}
		rest := s
		rest.Checkpoints.Resume = path
		got, err := Run(t.Context(), stretchedFactory, rest, testMethod)
		if err != nil {
			t.Fatal(err)
		}
		if !sameRun(got, want) {
			t.Errorf("resumed from transition %d and %d: another run", n, s.Warmup+10)
		}
	}
}

// markOf returns a runner with the mark of a run of these settings.
func markOf(t *testing.T, s Settings) *runner {
	t.Helper()
	s, err := s.defaults()
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{settings: &s, method: testMethod}
	if err := r.makeChains(stretchedFactory); err != nil {
		t.Fatal(err)
	}
	return r
}

// restless is another target in the units of stretched. Learn adds by to the log of the unit.
type restless struct {
	stretched
	own Target
	by  float64
}

func (t *restless) LogDensity(u, grad []float64) float64 {
	s := math.Exp(t.log)
	lp := t.own.LogDensity([]float64{u[0], s * u[1]}, grad)
	grad[1] *= s
	return lp + t.log
}

func (t *restless) Learn(x, grad [][]float64) []float64 {
	if len(x) == 0 {
		return []float64{1}
	}
	return []float64{t.log + t.by}
}

func restlessFactory(own Target, by float64) Factory {
	return func() (Target, error) { return &restless{own: own, by: by}, nil }
}

// At a pause the chains carry their pairs to the coordinates learned: each gradient is that of the density
// there. Nothing is left of what was counted in others.
func TestSharedCoordinatesCarryPairs(t *testing.T) {
	s, err := Settings{Chains: 3, Warmup: 300, Draws: 10, Seed: 3}.defaults()
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{settings: &s, method: testMethod}
	if err := r.makeChains(stretchedFactory); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{20, 40} {
		if at > 20 {
			r.pause(20)
		}
		r.round(t.Context(), func(*chain) int { return at })
	}
	for _, c := range r.chains {
		of(c).Calm, of(c).Broken = 10, 3
	}
	m := &meeting{settings: &s, all: r.chains}
	m.sort()
	changed, err := m.recoordinate(false)
	if err != nil || !changed {
		t.Fatalf("changed is %v, error %v", changed, err)
	}
	g := make([]float64, 2)
	for _, c := range r.chains {
		if k := c.state.Coordinates.Now; math.Abs(k[0]-math.Log(1000)) > 1e-9 {
			t.Errorf("chain %d: coordinates %v, want the log of 1000", c.id, k)
		}
		if w := of(c); w.Calm != 0 || w.Broken != 0 {
			t.Errorf("chain %d: %d transitions count, and %d broken ones", c.id, w.Calm, w.Broken)
		}
		p := c.state.Warmup.learn.(*pairs)
		x, grad := p.rows(0, p.N)
		if len(x) < 20 {
			t.Fatalf("chain %d: %d pairs", c.id, len(x))
		}
		for i := range x {
			c.target.LogDensity(x[i], g)
			for j := range g {
				if math.Abs(grad[i][j]-g[j]) > 1e-12*(1+math.Abs(g[j])) {
					t.Fatalf("chain %d, pair %d: gradient %v, want %v", c.id, i, grad[i], g)
				}
			}
		}
		if lp := c.target.LogDensity(c.z.X, g); lp != c.z.LogP || !slices.Equal(g, c.z.Grad) {
			t.Errorf("chain %d: log density %v, want %v", c.id, c.z.LogP, lp)
		}
	}
}

// TestCoordinatesInFiles: files of draws hold the coordinates that the metric was learned in, so that a run
// read from them warm-starts another as the run itself does, with either warm-up.
func TestCoordinatesInFiles(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		dir := t.TempDir()
		path := func(chain int) string { return filepath.Join(dir, fmt.Sprintf("%d.csv", chain)) }
		s := Settings{Chains: 2, Warmup: 200, Draws: 10, Seed: 6, Adapt: Adapt{Fixed: fixed},
			Record: func(head *draws.Run, chain int) (draws.Recorder, error) {
				return cmdstan.New(path(chain), head, chain, cmdstan.Options{})
			}}
		run, err := Sample(t.Context(), stretchedFactory, Config{Settings: s})
		if err != nil {
			t.Fatal(err)
		}
		got, err := cmdstan.Read(path(0), path(1))
		if err != nil {
			t.Fatal(err)
		}
		want := WarmStarts(run)
		for i, w := range WarmStarts(got) {
			if want[i].Coordinates == nil {
				t.Fatal("learned no coordinates")
			}
			want[i].Position, want[i].Metric.Holds = nil, 0 // neither is in files
			if !reflect.DeepEqual(w, want[i]) {
				t.Errorf("fixed %v, chain %d: %+v, want %+v", fixed, i, w, want[i])
			}
		}
		// A run that is resumed leaves the same bytes.
		var whole [2][]byte
		for i := range whole {
			if whole[i], err = os.ReadFile(path(i)); err != nil {
				t.Fatal(err)
			}
		}
		part, ctx := stopAt(s, run.Chains[0].Warmup+5)
		part.Record, part.Checkpoints.File = nil, filepath.Join(dir, "run.ckpt")
		if _, err := Sample(ctx, stretchedFactory, Config{Settings: part}); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		s.Checkpoints.Resume = part.Checkpoints.File
		if _, err := Sample(t.Context(), stretchedFactory, Config{Settings: s}); err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			if b, err := os.ReadFile(path(i)); err != nil || !bytes.Equal(b, whole[i]) {
				t.Errorf("fixed %v, chain %d: other bytes after a resume, error %v", fixed, i, err)
			}
		}
	}
}

// A warm-up does not end with a change of coordinates: one that changes them at every pause goes on to the
// limit, where nothing changes.
func TestSharedCoordinatesSettle(t *testing.T) {
	s := together()
	s.Warmup, s.Seed = 600, 5
	warm := func(by float64) draws.Chain {
		run, err := Sample(t.Context(), restlessFactory(testmodels.Normal(1, 1), by), Config{Settings: s})
		if err != nil {
			t.Fatal(err)
		}
		return run.Chains[0]
	}
	if c := warm(0); c.Warmup > 200 {
		t.Errorf("without changes: warm-up of %d, %q", c.Warmup, c.WarmupEnded)
	}
	c := warm(1e-3)
	if want := s.Warmup - sharedTail + tuningLength; c.Warmup != want {
		t.Errorf("with changes: warm-up of %d, %q, want %d", c.Warmup, c.WarmupEnded, want)
	}
	if c.Coordinates[0] < 1+2.9e-3 {
		t.Errorf("coordinates %v, want three changes by 0.001 at least", c.Coordinates)
	}
}

// Chains that change coordinates and move a straggler have the same bytes for any GOMAXPROCS and any number
// of chains at once, and go on to them from wherever they are stopped.
func TestSharedCoordinatesSameBytes(t *testing.T) {
	s := together()
	s.Seed, s.Draws = 1, 20
	s.Start.Points = [][]float64{{1, 1}, {-1, 1}, {1, -1}, {1e5, -1e5}}
	factory := restlessFactory(heavy(), 1e-2)
	sample := func(s Settings) *draws.Run {
		run, err := Sample(t.Context(), factory, Config{Settings: s})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	want := sample(s)
	if want.Chains[3].MovedFrom == nil || want.Chains[0].Coordinates[0] < 1+2e-2 {
		t.Fatalf("moved from %v, coordinates %v", want.Chains[3].MovedFrom, want.Chains[0].Coordinates)
	}
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		for s.Parallel = 1; s.Parallel <= 4; s.Parallel++ {
			if !sameRun(sample(s), want) {
				t.Errorf("GOMAXPROCS %d, %d at once: another run", procs, s.Parallel)
			}
		}
	}
	s.Parallel = 2
	for at := 7; at < want.Chains[0].Warmup+20; at += 7 {
		part, ctx := stopAt(s, at, at%4)
		part.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
		if _, err := Sample(ctx, factory, Config{Settings: part}); !errors.Is(err, context.Canceled) {
			t.Fatalf("not stopped after %d: %v", at, err)
		}
		again := s
		again.Checkpoints.Resume = part.Checkpoints.File
		if !sameRun(sample(again), want) {
			t.Fatalf("stopped after %d transitions: another run", at)
		}
	}
}
