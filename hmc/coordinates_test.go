package hmc

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"bayeskernel/internal/checkpoint"
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
			if name != "learned" && c.Coordinates != nil {
				t.Errorf("%s: coordinates %v", name, c.Coordinates)
			}
			if name == "learned" && (!slices.Equal(c.Coordinates, run.Chains[0].Coordinates) ||
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
