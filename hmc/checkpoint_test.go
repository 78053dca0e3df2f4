package hmc

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayeskernel/draws"
	"bayeskernel/internal/testmodels"
)

func readString(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// stopAt returns settings under which chain 0, or the one given, stops the run after n of its
// transitions.
func stopAt(s Settings, n int, by ...int) (Settings, context.Context) {
	ctx, cancel := context.WithCancel(context.Background())
	count := 0
	s.OnDraw = func(chain, iteration int, warm bool, v []float64, st draws.Stat) {
		if len(by) == 0 && chain == 0 || len(by) > 0 && chain == by[0] {
			if count++; count == n {
				cancel()
			}
		}
	}
	return s, ctx
}

// TestResume: a run stopped after any 7th transition and resumed, and the same stopped once more,
// leaves what an uninterrupted one leaves, for every kind of adaptation.
func TestResume(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"dense fisher": func(*Settings) {},
		"diag fisher":  func(s *Settings) { s.Adapt.Metric = DiagMetric },
		"low rank":     func(s *Settings) { s.Adapt.Metric = LowRankMetric },
		"stan dense": func(s *Settings) {
			s.Adapt.StanWarmup, s.Adapt.Metric = true, DenseMetric
		},
		"jitter": func(s *Settings) {
			s.StepJitter, s.Adapt.Acceptance = 0.1, PlainAcceptance
		},
		"chacha8":       func(s *Settings) { s.Source, s.SaveWarmup = "chacha8", true },
		"thin":          func(s *Settings) { s.Thin = 4 },
		"stopping rule": func(s *Settings) { s.Until = &Until{ESSBulk: 3, ESSTail: 3, RHat: 3, MinDraws: 10} },
	} {
		t.Run(name, func(t *testing.T) {
			s := Settings{Chains: 2, Warmup: 160, Draws: 60, Seed: 3}
			change(&s)
			want := mustSample(t, testmodels.Banana(), s)
			if name == "stopping rule" && len(want.Chains[0].Values) == s.Draws {
				t.Fatal("the rule stopped nothing")
			}
			dir := t.TempDir()
			for n := 1; n < s.Warmup+s.Draws; n += 7 {
				path := filepath.Join(dir, "run.ckpt")
				part, ctx := stopAt(s, n)
				part.Checkpoints.File = path
				_, err := Sample(ctx, Shared(testmodels.Banana()), Config{Settings: part})
				if err == nil {
					break // the rule stopped the run before
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if n%2 == 0 { // once more
					part, ctx = stopAt(s, 5)
					part.Checkpoints.File, part.Checkpoints.Resume = path, path
					_, err = Sample(ctx, Shared(testmodels.Banana()), Config{Settings: part})
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
				}
				rest := s
				rest.Checkpoints.Resume = path
				got := mustSample(t, testmodels.Banana(), rest)
				if !sameRun(got, want) {
					t.Fatalf("stopped after %d transitions and resumed: another run", n)
				}
			}
		})
	}
}

// TestResumeReplays: a recorder of a resumed run hears everything from the beginning.
func TestResumeReplays(t *testing.T) {
	s := short()
	s.SaveWarmup = true
	var whole, resumed []*recorder
	record := func(list *[]*recorder) func(*draws.Run, int) (draws.Recorder, error) {
		return func(*draws.Run, int) (draws.Recorder, error) {
			*list = append(*list, &recorder{})
			return (*list)[len(*list)-1], nil
		}
	}
	s.Record = record(&whole)
	mustSample(t, testmodels.Gauss2(), s)
	part, ctx := stopAt(s, 80)
	var dropped []*recorder
	part.Record = record(&dropped)
	part.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
	if _, err := Sample(ctx, Shared(testmodels.Gauss2()), Config{Settings: part}); err == nil {
		t.Fatal("not stopped")
	}
	s.Record, s.Checkpoints.Resume = record(&resumed), part.Checkpoints.File
	mustSample(t, testmodels.Gauss2(), s)
	for i := range whole {
		if whole[i].s.String() != resumed[i].s.String() {
			t.Errorf("recorder %d heard something else", i)
		}
	}
}

// TestResumeExtends: a finished run goes on when more draws are asked for.
func TestResumeExtends(t *testing.T) {
	s := short()
	s.Checkpoints.File = filepath.Join(t.TempDir(), "run.ckpt")
	mustSample(t, testmodels.Gauss2(), s)
	s.Checkpoints.Resume, s.Draws = s.Checkpoints.File, 90
	got := mustSample(t, testmodels.Gauss2(), s)
	s.Checkpoints.Resume = ""
	if want := mustSample(t, testmodels.Gauss2(), s); !sameRun(got, want) {
		t.Error("50 draws and 40 more are not 90 draws")
	}
}

// TestPeriodicCheckpoint: a file written while the run goes on resumes to the same run.
func TestPeriodicCheckpoint(t *testing.T) {
	s := short()
	s.Parallel = 1
	s.Draws = 400
	want := mustSample(t, testmodels.Gauss2(), s)
	path := filepath.Join(t.TempDir(), "run.ckpt")
	s.Checkpoints.File, s.Checkpoints.Every = path, 10*time.Millisecond
	var copied string
	s.OnDraw = func(chain, iteration int, warm bool, v []float64, st draws.Stat) {
		if chain != 1 || warm || iteration < 100 || copied != "" {
			return
		}
		time.Sleep(5 * time.Millisecond)
		if iteration > 110 {
			if b, err := os.ReadFile(path); err == nil {
				copied = string(b)
			}
		}
	}
	mustSample(t, testmodels.Gauss2(), s)
	if copied == "" {
		t.Fatal("no checkpoint was written on the way")
	}
	if err := os.WriteFile(path, []byte(copied), 0o666); err != nil {
		t.Fatal(err)
	}
	s.Checkpoints.File, s.Checkpoints.Every, s.OnDraw, s.Checkpoints.Resume = "", 0, nil, path
	if got := mustSample(t, testmodels.Gauss2(), s); !sameRun(got, want) {
		t.Error("another run")
	}
}

func TestCheckpointRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.ckpt")
	s := short()
	s.Checkpoints.File, s.Path, s.Model = path, "portable", "two normals"
	mustSample(t, testmodels.Gauss2(), s)
	good := readString(t, path)
	resume := func(target Target, change func(*Settings)) error {
		r := s
		r.Checkpoints.File, r.Checkpoints.Resume, r.Draws = "", path, 90
		change(&r)
		_, err := Sample(context.Background(), Shared(target), Config{Settings: r})
		return err
	}
	if err := resume(testmodels.Gauss2(), func(*Settings) {}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		target Target
		change func(*Settings)
		want   string
	}{
		{testmodels.Gauss2(), func(s *Settings) { s.Seed++ }, "its seed is 7, here it is 8"},
		{testmodels.Gauss2(), func(s *Settings) { s.Chains-- }, "its number of chains is 3, here it is 2"},
		{testmodels.Gauss2(), func(s *Settings) { s.Warmup++ }, "its warm-up is 60"},
		{testmodels.Gauss2(), func(s *Settings) { s.Path = "avx2" }, "numerical path is portable"},
		{testmodels.Gauss2(), func(s *Settings) { s.Model = "x" }, "model is two normals"},
		{testmodels.Gauss2(), func(s *Settings) { s.TargetAccept = 0.9 },
			"its target acceptance is 0.8, here it is 0.9"},
		{testmodels.Gauss2(), func(s *Settings) { s.Thin = 2 }, "its thinning is 1, here it is 2"},
		{testmodels.Gauss2(), func(s *Settings) { s.Start.Radius = 1 },
			"its radius of initial points is 2, here it is 1"},
		{testmodels.Gauss2(), func(s *Settings) { s.Start.Points = [][]float64{{1, 1}} },
			"initial points"},
		{testmodels.Gauss3(), func(*Settings) {}, "its dimension is 2, here it is 3"},
		{named{testmodels.Gauss2(), []string{"a", "b"}}, func(*Settings) {}, "names"},
		{testmodels.Gauss2(), func(s *Settings) { s.Seed, s.StepJitter = 9, 0.1 },
			"\n  its seed is 7, here it is 9;\n  its jitter of the step size is 0, here it is 0.1"},
		{testmodels.Normal(1, 3), func(*Settings) {}, "another target"},
	} {
		err := resume(c.target, c.change)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) ||
			strings.Count(err.Error(), "\n") != strings.Count(err.Error(), ", here it is ") ||
			strings.Contains(err.Error(), "{") {
			t.Errorf("error %v, expected a line for each field and %q", err, c.want)
		}
	}
	flip := func(i int) string {
		b := []byte(good)
		b[i] ^= 1
		return string(b)
	}
	for _, c := range []struct{ what, file, want string }{
		{"empty", "", "not a checkpoint"},
		{"foreign", "lp__,accept_stat__,stepsize__\n1,2,3\n", "not a checkpoint"},
		{"newer version", strings.Replace(good, "checkpoint 1", "checkpoint 2", 1), "not a checkpoint"},
		{"cut in the checksum", good[:40], "cut short"},
		{"cut", good[:len(good)-1], "damaged"},
		{"grown", good + "x", "damaged"},
		{"flipped in the checksum", flip(30), "damaged"},
		{"flipped in the middle", flip(len(good) / 2), "damaged"},
		{"flipped at the end", flip(len(good) - 1), "damaged"},
	} {
		if err := os.WriteFile(path, []byte(c.file), 0o666); err != nil {
			t.Fatal(err)
		}
		err := resume(testmodels.Gauss2(), func(*Settings) {})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, expected one line with %q", c.what, err, c.want)
		}
	}
	// A directory that cannot be written to.
	s.Checkpoints.File = filepath.Join(dir, "no", "such", "dir", "run.ckpt")
	if _, err := Sample(context.Background(), Shared(testmodels.Gauss2()),
		Config{Settings: s}); err == nil {
		t.Error("a checkpoint nowhere was written")
	}
}

// FuzzCheckpoint: no bytes make the reader panic; those that carry a right checksum reach the
// decoder behind it.
func FuzzCheckpoint(f *testing.F) {
	path := filepath.Join(f.TempDir(), "run.ckpt")
	s := Settings{Chains: 1, Warmup: 30, Draws: 4, Checkpoints: Checkpoints{File: path}}
	run, err := Sample(context.Background(), Shared(testmodels.Gauss2()), Config{Settings: s})
	if err != nil || len(run.Chains) != 1 {
		f.Fatal(err)
	}
	good := readString(f, path)
	head := len(checkpointMagic) + sha256.Size
	f.Add([]byte(good[head:]))
	f.Add([]byte{})
	f.Add([]byte("foreign"))
	r := &runner{settings: &s, method: Method{Name: "hmc", Describe: func(*draws.Sampler) {}}}
	full, err := s.defaults()
	if err != nil {
		f.Fatal(err)
	}
	r.settings = &full
	r.method.New = func(h *Hamiltonian) Transition { return NewStatic(h, 1, 0.5, 10) }
	full.Checkpoints.Resume = ""
	if err := r.makeChains(Shared(testmodels.Gauss2())); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		whole := append(append([]byte(checkpointMagic), sum[:]...), body...)
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
		states, err := r.readCheckpoint(path)
		if err != nil {
			return
		}
		c, err := newChain(0, Shared(testmodels.Gauss2()), r.settings, r.method)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.restore(c, states[0])
	})
}

// FuzzWarmStart: no bytes make the reader panic, and what it takes can be sampled from.
func FuzzWarmStart(f *testing.F) {
	f.Add([]byte(`{"format":"bayeskernel warm start 1","names":["x[0]"],"chains":[{"metric_kind":` +
		`"diag_e","metric_diag":[1],"step_size":0.5,"position":[0]}],"sha256":""}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		warm, err := parseWarmStart(b, nil)
		if err != nil {
			return
		}
		for i := range warm {
			if _, err := warm[i].metric(1); err == nil && warm[i].Metric.Kind == "" {
				t.Error("a metric without a kind was read")
			}
		}
	})
}
