package nuts

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
)

// fingerprint is everything of a run that does not depend on the clock, as bytes.
func fingerprint(t *testing.T, run *draws.Run) []byte {
	t.Helper()
	for i := range run.Chains {
		run.Chains[i].WarmupSeconds, run.Chains[i].SampleSeconds = 0, 0
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(run); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sample(t *testing.T, target hmc.Target, s hmc.Settings) *draws.Run {
	t.Helper()
	run, err := Sample(context.Background(), hmc.Shared(target), Config{Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestSameBytes: the same seed makes the same bytes for any GOMAXPROCS, and for chains run together
// or one by one.
func TestSameBytes(t *testing.T) {
	s := hmc.Settings{Seed: 5, Warmup: 200, Draws: 200, SaveWarmup: true}
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	var want []byte
	for _, procs := range []int{1, 2, 8} {
		for _, parallel := range []int{1, 2, 4} {
			runtime.GOMAXPROCS(procs)
			s.Parallel = parallel
			got := fingerprint(t, sample(t, testmodels.Funnel(), s))
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("GOMAXPROCS %d, %d chains at once: other bytes", procs, parallel)
			}
		}
	}
}

// stopAndResume stops a run after every k-th of its transitions and resumes it: the bytes are to be
// those of the uninterrupted run. It returns the last checkpoint.
func stopAndResume(t *testing.T, target hmc.Target, cfg Config, k int, want []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.ckpt")
	for n := 1; n < cfg.Warmup+cfg.Draws; n += k {
		ctx, cancel := context.WithCancel(context.Background())
		part, rest, count := cfg, cfg, 0
		part.Checkpoints.File, rest.Checkpoints.Resume = path, path
		part.OnDraw = func(chain, _ int, _ bool, _ []float64, _ draws.Stat) {
			if chain == 0 {
				if count++; count == n {
					cancel()
				}
			}
		}
		if _, err := Sample(ctx, hmc.Shared(target), part); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at %d: %v", n, err)
		}
		run, err := Sample(context.Background(), hmc.Shared(target), rest)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(fingerprint(t, run), want) {
			t.Fatalf("stopped after %d transitions and resumed: other bytes", n)
		}
	}
	return path
}

// TestResumeBytes stops a run at every 7th of its transitions, in warm-up and after, and resumes it:
// the bytes are those of the uninterrupted run.
func TestResumeBytes(t *testing.T) {
	s := hmc.Settings{Chains: 2, Seed: 6, Warmup: 160, Draws: 100, SaveWarmup: true}
	want := fingerprint(t, sample(t, testmodels.Funnel(), s))
	path := stopAndResume(t, testmodels.Funnel(), Config{Settings: s}, 7, want)
	other := s
	other.Checkpoints.Resume = path
	if _, err := hmc.Sample(context.Background(), hmc.Shared(testmodels.Funnel()),
		hmc.Config{Settings: other}); err == nil || !strings.Contains(err.Error(), "its sampler is nuts") {
		t.Errorf("a checkpoint of another sampler: %v", err)
	}
}

// TestAdaptsToCorrelation: after warm-up on a correlated normal in 10 dimensions, what the dense
// Fisher metric leaves of its condition number of 191 is below 1.01, on each of 20 seeds.
func TestAdaptsToCorrelation(t *testing.T) {
	const d, rho = 10, 0.95
	target := testmodels.Equicorrelated(d, rho)
	cov := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			cov.SetSym(i, j, rho)
		}
		cov.SetSym(i, i, 1)
	}
	var chol mat.Cholesky
	chol.Factorize(cov)
	var l mat.TriDense
	chol.LTo(&l)
	for seed := range uint64(20) {
		run := sample(t, target, hmc.Settings{Chains: 1, Seed: seed, Warmup: 300, Draws: 1})
		w := mat.NewDense(d, d, nil)
		for i, row := range run.Chains[0].Metric.Dense {
			w.SetRow(i, row)
		}
		// L^-1 W L'^-1 has the eigenvalues of W P.
		var a, b mat.Dense
		if err := a.Solve(&l, w); err != nil {
			t.Fatal(err)
		}
		if err := b.Solve(&l, a.T()); err != nil {
			t.Fatal(err)
		}
		sym := mat.NewSymDense(d, nil)
		for i := range d {
			for j := i; j < d; j++ {
				sym.SetSym(i, j, (b.At(i, j)+b.At(j, i))/2)
			}
		}
		var eig mat.EigenSym
		if !eig.Factorize(sym, false) {
			t.Fatal("no eigenvalues")
		}
		v := eig.Values(nil)
		if cond := v[d-1] / v[0]; !(cond < 1.01) {
			t.Errorf("seed %d: condition %.4f after warm-up", seed, cond)
		}
	}
}

// A posterior may have any units: chains that start within 2 of 0 find sds of 1e-8 to 1e30.
func TestAnyUnits(t *testing.T) {
	for _, sd := range []float64{1e-8, 1e-4, 1e5, 1e9, 1e12, 1e30} {
		run, err := Sample(t.Context(), func() (hmc.Target, error) { return inUnits(sd), nil },
			Config{Settings: hmc.Settings{Seed: 4}})
		if err != nil {
			t.Errorf("sd %g: %v", sd, err)
			continue
		}
		x, _ := run.Draws("x[0]")
		mean, n := 0.0, 0.0
		for _, chain := range x {
			for _, v := range chain {
				mean, n = mean+v/sd, n+1
			}
		}
		// Five standard errors: a false alarm once in a million runs.
		if r := diagnostics.RHat(x); !(r < 1.02) || !(math.Abs(mean/n-3) < 5/math.Sqrt(diagnostics.ESSMean(x))) {
			t.Errorf("sd %g: mean %g sd, R-hat %g, want 3", sd, mean/n, r)
		}
	}
}

// inUnits is two independent normals with mean 3 sd.
type inUnits float64

func (inUnits) Dim() int { return 2 }

func (sd inUnits) LogDensity(x, grad []float64) float64 {
	sum := 0.0
	for i, v := range x {
		z := v/float64(sd) - 3
		sum -= z * z / 2
		grad[i] = -z / float64(sd)
	}
	return sum
}

// TestAcceptance: over 20 seeds, the mean acceptance comes out within 0.03 of its target, with either
// statistic.
func TestAcceptance(t *testing.T) {
	mean := func(target testmodels.Func, goal float64, stat hmc.Acceptance) float64 {
		sum, n := 0.0, 0.0
		for seed := range uint64(20) {
			run := sample(t, target, hmc.Settings{Chains: 2, Seed: seed, Warmup: 300, Draws: 100,
				TargetAccept: goal, Adapt: hmc.Adapt{Acceptance: stat}})
			for _, chain := range run.Chains {
				for _, st := range chain.Stats {
					sum += st.AcceptStat
					n++
				}
			}
		}
		return sum / n
	}
	for name, target := range map[string]testmodels.Func{"normal": testmodels.Normal(1, 1, 1, 1, 1),
		"logistic": testmodels.Logistic(5), "quartic": testmodels.Quartic()} {
		for _, goal := range []float64{0.8, 0.95} {
			got := mean(target, goal, hmc.SymmetricAcceptance)
			plain := mean(target, goal, hmc.PlainAcceptance)
			t.Logf("%s: mean acceptance %.3f for %.2f, %.3f plain", name, got, goal, plain)
			for _, v := range []float64{got, plain} {
				if !(math.Abs(v-goal) < 0.03) {
					t.Errorf("%s: mean acceptance %.3f for %.2f", name, v, goal)
				}
			}
		}
	}
}

// TestShortWarmup: warm-ups that Stan leaves without a metric get one. The sds are 1, 10 and 100.
func TestShortWarmup(t *testing.T) {
	for _, warmup := range []int{20, 50, 100, 149} {
		for _, kind := range []hmc.MetricKind{hmc.DiagMetric, hmc.DenseMetric} {
			run := sample(t, testmodels.Normal(1, 10, 100),
				hmc.Settings{Seed: 1, Warmup: warmup, Draws: 1, Adapt: hmc.Adapt{Metric: kind}})
			for i, c := range run.Chains {
				var w [3]float64
				for j := range w {
					if kind == hmc.DiagMetric {
						w[j] = c.Metric.Diag[j]
					} else {
						w[j] = c.Metric.Dense[j][j]
					}
				}
				if a, b := w[1]/w[0], w[2]/w[1]; !(a > 95 && a < 105 && b > 95 && b < 105) {
					t.Errorf("warm-up of %d, %v, chain %d: metric %v", warmup, kind, i, w)
				}
			}
		}
	}
}

func TestConfigErrors(t *testing.T) {
	for _, depth := range []int{-1, 31} {
		_, err := Sample(context.Background(), hmc.Shared(testmodels.Gauss2()), Config{MaxDepth: depth})
		if err == nil || !strings.HasPrefix(err.Error(), "nuts: MaxDepth is ") {
			t.Errorf("MaxDepth %d: %v", depth, err)
		}
	}
}

// TestDepthLimit: no trajectory has more than 2^MaxDepth - 1 steps.
func TestDepthLimit(t *testing.T) {
	run, err := Sample(context.Background(), hmc.Shared(testmodels.Gauss2()),
		Config{MaxDepth: 3, Settings: hmc.Settings{Seed: 1, Warmup: hmc.NoWarmup, Draws: 50,
			Adapt: hmc.Adapt{StepSize: 0.01}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range run.Chains {
		for _, st := range c.Stats {
			if st.TreeDepth != 3 || st.Leapfrogs != 7 {
				t.Fatalf("depth %d, %d steps", st.TreeDepth, st.Leapfrogs)
			}
		}
	}
}
