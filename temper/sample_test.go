package temper

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/internal/fixture"
	"bayeskernel/internal/long"
	"bayeskernel/internal/testmodels"
)

func sample(t *testing.T, f hmc.Factory, cfg Config) (*draws.Run, *Report) {
	t.Helper()
	run, rep, err := Sample(context.Background(), f, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return run, rep
}

// within tests an estimate against its Monte Carlo error. Five of them are a false alarm in 6e-7,
// as far as the error is known.
func within(t *testing.T, what string, got, want, mcse float64) {
	t.Helper()
	if z := (got - want) / mcse; !(math.Abs(z) < 5) {
		t.Errorf("%s is %.5g, expected %.5g: off by %.1f standard errors of %.2g", what, got, want,
			z, mcse)
	}
}

// moments tests mean, standard deviation and the probability of being below split.
func moments(t *testing.T, x [][]float64, mean, sd, split, below float64) {
	t.Helper()
	in := make([][]float64, len(x))
	for c := range x {
		for _, v := range x[c] {
			in[c] = append(in[c], map[bool]float64{true: 1}[v < split])
		}
	}
	if r := diagnostics.RHat(x); !(r < 1.02) {
		t.Errorf("R-hat is %v", r)
	}
	within(t, "mean", diagnostics.Mean(x), mean, diagnostics.MCSEMean(x))
	within(t, "sd", diagnostics.SD(x), sd, diagnostics.MCSESD(x))
	if !math.IsNaN(below) {
		within(t, "probability", diagnostics.Mean(in), below, diagnostics.MCSEMean(in))
	}
}

// evidence tests log Z with the quantile of Student's distribution that belongs to the few degrees
// of freedom of its error: a false alarm in 6e-7.
func evidence(t *testing.T, rep *Report, want float64) {
	t.Helper()
	q := distuv.StudentsT{Sigma: 1, Nu: float64(len(rep.ChainLogZ) - 1)}.Quantile(1 - 3e-7)
	if z := (rep.LogZ - want) / rep.LogZSE; !(math.Abs(z) < q) || !(rep.LogZSE < 0.05) {
		t.Errorf("log Z is %.4f, expected %.4f: off by %.1f standard errors of %.2g", rep.LogZ,
			want, z, rep.LogZSE)
	}
}

// ladder tests that the ladder was worth its name: rejections about equal, and round trips not far
// from as frequent as predicted for states that forget all in one transition.
func ladder(t *testing.T, rep *Report) {
	t.Helper()
	for _, r := range rep.Rejection {
		near(t, "rejection", r, rep.Barrier/float64(len(rep.Rejection)), 0.1)
	}
	if q := rep.ObservedRate / rep.PredictedRate; !(q > 0.5 && q < 1.2) {
		t.Errorf("%.3f of the predicted round trips", q)
	}
}

// TestBimodal: .3 N(-5, I) + .7 N(5, I), which a chain of NUTS never crosses, from a fitted
// reference and from a given one.
func TestBimodal(t *testing.T) {
	for _, d := range []int{2, 5} {
		wide := normal(t, d, 1, 8)
		for _, cfg := range []Config{
			{Settings: hmc.Settings{Seed: 1}},
			{Settings: hmc.Settings{Seed: 2}, Reference: func() (Reference,
				error) {
				return wide.clone(), nil
			}},
		} {
			cfg.Chains, cfg.Warmup, cfg.Draws = 8, 500, 2000
			run, rep := sample(t, hmc.Shared(testmodels.Bimodal(d, 0.3, 5)), cfg)
			for j := range d {
				// Beyond 0 lie 3e-7 of either mode.
				moments(t, run.Column(j), 2, math.Sqrt(22), 0, 0.3)
			}
			evidence(t, rep, float64(d)/2*math.Log(2*math.Pi))
			ladder(t, rep)
			fitted := cfg.Reference == nil
			if fitted != strings.HasPrefix(rep.Reference, "Student-t with 5 degrees") ||
				fitted != (run.Modes != nil) || fitted && len(run.Modes.Modes) != 2 {
				t.Errorf("reference %q, modes %+v", rep.Reference, run.Modes)
			}
		}
	}
}

type gpReference struct {
	LogZ  float64 `json:"log_evidence"`
	Mean  []float64
	SD    []float64
	Split float64            `json:"a_antimode"`
	Below float64            `json:"prob_a_below_antimode"`
	QA    map[string]float64 `json:"q_a"`
}

func readGP(t *testing.T) (ref gpReference) {
	t.Helper()
	fixture.JSON(t, "../testdata/gp_bimodal.json", &ref)
	return ref
}

func gpPrior() (Reference, error) { return models.GPPrior{}, nil }

// TestGPBimodal compares with two-dimensional quadrature.
func TestGPBimodal(t *testing.T) {
	ref := readGP(t)
	run, rep := sample(t, models.NewGPBimodal, Config{Settings: hmc.Settings{Seed: 1, Chains: 8,
		Warmup: 500, Draws: 1000}, Reference: gpPrior})
	moments(t, run.Column(0), ref.Mean[0], ref.SD[0], ref.Split, ref.Below)
	moments(t, run.Column(1), ref.Mean[1], ref.SD[1], 0, math.NaN())
	evidence(t, rep, ref.LogZ)
	ladder(t, rep)
}

func TestGPBimodalLong(t *testing.T) {
	long.Skip(t)
	ref := readGP(t)
	for seed := range uint64(3) {
		for _, reference := range []func() (Reference, error){gpPrior, nil} {
			run, rep := sample(t, models.NewGPBimodal,
				Config{Settings: hmc.Settings{Seed: 100 + seed, Chains: 16, Draws: 3000},
					Reference: reference})
			moments(t, run.Column(0), ref.Mean[0], ref.SD[0], ref.Split, ref.Below)
			moments(t, run.Column(1), ref.Mean[1], ref.SD[1], 0, math.NaN())
			evidence(t, rep, ref.LogZ)
			ladder(t, rep)
		}
	}
}

// TestLikelihood: prior N(0, 100^2), one observation 3 with error 0.1: the posterior and the
// evidence N(3; 0, 100^2 + 0.1^2) are known, and the ladder spans a factor of a million.
func TestLikelihood(t *testing.T) {
	prior := normal(t, 1, 0, 100)
	post := testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		lp := prior.clone().LogDensity(x, g)
		z := (x[0] - 3) / 0.1
		g[0] -= z / 0.1
		return lp - z*z/2 - math.Log(0.1) - math.Log(2*math.Pi)/2
	}}
	run, rep := sample(t, hmc.Shared(post), Config{Settings: hmc.Settings{Seed: 4, Chains: 8},
		Reference: func() (Reference, error) { return prior.clone(), nil }})
	v := 1 / (1/0.01 + 1/1e4)
	moments(t, run.Column(0), 300*v, math.Sqrt(v), 300*v, 0.5)
	evidence(t, rep, distuv.Normal{Sigma: math.Sqrt(1e4 + 0.01)}.LogProb(3))
	ladder(t, rep)
}

// TestMetrics: the reference is long in one direction, the target in the other, and each rung has
// the metric that suits it: trajectories stay short.
func TestMetrics(t *testing.T) {
	ref := student(t, 0, []float64{0, 0}, mat.NewDiagDense(2, []float64{1, 1e4}))
	run, rep := sample(t, hmc.Shared(testmodels.Normal(100, 1)),
		Config{Settings: hmc.Settings{Seed: 6, Chains: 8, Warmup: 400, Draws: 300},
			Reference: func() (Reference, error) { return ref.clone(), nil }})
	moments(t, run.Column(0), 0, 100, 0, 0.5)
	moments(t, run.Column(1), 0, 1, 0, 0.5)
	for _, c := range run.Chains {
		if n := c.Gradients / 300 / len(rep.Betas); n > 6 {
			t.Errorf("%d gradients per scan and rung", n)
		}
	}
}

// TestReferenceIsTarget: every exchange is accepted.
func TestReferenceIsTarget(t *testing.T) {
	g := student(t, 5, []float64{1, 2}, mat.NewSymDense(2, []float64{2, 1, 1, 2}))
	_, rep := sample(t, func() (hmc.Target, error) { return g.clone(), nil },
		Config{Settings: hmc.Settings{Chains: 2, Warmup: 100, Draws: 400},
			Reference: func() (Reference, error) { return g.clone(), nil }})
	near(t, "Lambda", rep.Barrier, 0, 1e-12)
	near(t, "log Z", rep.LogZ, 0, 1e-12)
	near(t, "predicted rate", rep.PredictedRate, 0.5, 1e-12)
	near(t, "observed rate", rep.ObservedRate, 0.5, 0.02)
	if len(rep.Betas) != 3 {
		t.Errorf("betas %v", rep.Betas)
	}
}

// positive is the density of a positive value with mode and mean known, sampled on its logarithm:
// gamma(3, 1), whose users see the value itself and its square.
type positive struct{}

func (positive) Dim() int { return 1 }
func (positive) LogDensity(x, g []float64) float64 {
	e := math.Exp(x[0])
	g[0] = 3 - e
	return 3*x[0] - e - math.Log(2)
}
func (positive) Names() []string { return []string{"y", "y^2"} }
func (positive) Constrain(dst, x []float64) {
	dst[0], dst[1] = math.Exp(x[0]), math.Exp(2*x[0])
}
func (positive) Initial(x []float64, r *rand.Rand) { x[0] = 50 + r.NormFloat64()/10 }

func TestUserScale(t *testing.T) {
	// From 50 the fit still finds the way, so Initial was not hidden with the names.
	run, rep := sample(t, hmc.Shared(positive{}), Config{Settings: hmc.Settings{Seed: 5, Chains: 8,
		Warmup: 200, Thin: 2, Start: hmc.Start{From: hmc.InitTarget}}})
	if !reflect.DeepEqual(run.Names, []string{"y", "y^2"}) || len(run.Chains[0].Values) != 500 {
		t.Fatalf("names %v, %d draws", run.Names, len(run.Chains[0].Values))
	}
	moments(t, run.Column(0), 3, math.Sqrt(3), 0, math.NaN())
	within(t, "mean of squares", diagnostics.Mean(run.Column(1)), 12,
		diagnostics.MCSEMean(run.Column(1)))
	evidence(t, rep, 0)
	near(t, "mode", run.Modes.Modes[0].Values[0], 3, 1e-2)
	near(t, "last", math.Exp(run.Chains[0].Last[0]), 3, 20)
	for _, c := range run.Chains {
		if len(c.Stats) != len(c.Values) || c.StepSize <= 0 || c.Metric.Kind != "dense_e" ||
			c.Gradients < 1000 || c.WarmupGradients < 200 {
			t.Fatalf("chain %+v", c)
		}
		for i, s := range c.Stats {
			y := c.Values[i][0]
			near(t, "lp", s.LP, 3*math.Log(y)-y-math.Log(2), 1e-9)
		}
	}
}

func TestDeterminism(t *testing.T) {
	cfg := Config{Settings: hmc.Settings{Seed: 9, Chains: 3, Warmup: 100, Draws: 50}}
	once := func(cfg Config) []byte {
		run, rep := sample(t, hmc.Shared(testmodels.Bimodal(2, 0.3, 5)), cfg)
		for i := range run.Chains {
			run.Chains[i].WarmupSeconds, run.Chains[i].SampleSeconds = 0, 0
		}
		b, err := json.Marshal([]any{run.Names, run.Chains, run.Modes, rep.Betas, rep.Rejection,
			rep.LogZ, rep.LogZSE, rep.RoundTrips})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	cfg.Parallel = 1
	want := once(cfg)
	cfg.Parallel = 0
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		got := once(cfg)
		runtime.GOMAXPROCS(old)
		if string(got) != string(want) {
			t.Errorf("GOMAXPROCS %d: another run", procs)
		}
	}
	cfg.Seed = 10
	if string(once(cfg)) == string(want) {
		t.Error("the seed changes nothing")
	}
	cfg.Seed, cfg.Source = 9, "chacha8"
	if string(once(cfg)) == string(want) {
		t.Error("the source changes nothing")
	}
}

func TestCancel(t *testing.T) {
	for _, c := range []struct {
		after  int64 // evaluations
		warmed bool
	}{{1, false}, {2000, false}, {120000, true}} {
		ctx, cancel := context.WithCancel(context.Background())
		var calls atomic.Int64
		bi := testmodels.Bimodal(2, 0.3, 5)
		f := testmodels.Func{N: 2, F: func(x, g []float64) float64 {
			if calls.Add(1) == c.after {
				cancel()
			}
			return bi.F(x, g)
		}}
		wide := normal(t, 2, 0, 6)
		run, rep, err := Sample(ctx, hmc.Shared(f), Config{Settings: hmc.Settings{Chains: 2,
			Warmup: 200, Draws: 1 << 40}, Reference: func() (Reference,
			error) {
			return wide.clone(), nil
		}})
		if !errors.Is(err, context.Canceled) || run == nil || rep == nil {
			t.Fatalf("error %v with %v, %v", err, run, rep)
		}
		n := max(len(run.Chains[0].Values), len(run.Chains[1].Values)) // one may run before the other
		if rep.WarmedUp != c.warmed || (n > 100) != c.warmed || run.Interrupted == "" ||
			!errors.Is(run.Chains[0].Err, context.Canceled) ||
			!errors.Is(run.Chains[1].Err, context.Canceled) {
			t.Errorf("after %d evaluations: %d draws, %+v", c.after, n, rep)
		}
		for _, z := range rep.ChainLogZ {
			if math.IsNaN(z) {
				t.Errorf("after %d evaluations: log Z %v", c.after, rep.ChainLogZ)
			}
		}
		cancel()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := Sample(ctx, hmc.Shared(testmodels.Banana()), Config{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestNoAllocation: scans allocate nothing beside the draws that are kept.
func TestNoAllocation(t *testing.T) {
	r := system(t, testmodels.Bimodal(5, 0.3, 5), student(t, 5, make([]float64, 5),
		mat.NewDiagDense(5, []float64{9, 9, 9, 9, 9})), []float64{0, 1e-4, 0.1, 0.4, 1})
	for i := range r.rungs {
		r.rungs[i].eps = 0.5
	}
	ctx := context.Background()
	if n := testing.AllocsPerRun(100, func() { _ = r.scan(ctx, false) }); n != 0 {
		t.Errorf("%v allocations per scan", n)
	}
}

// TestHalfNaN: where the target is not a number it counts as zero.
func TestHalfNaN(t *testing.T) {
	wide := normal(t, 1, 0, 3)
	run, rep := sample(t, func() (hmc.Target, error) { return broken{"nan", new(int)}, nil },
		Config{Settings: hmc.Settings{Seed: 3, Chains: 8, Warmup: 200,
			Start: hmc.Start{SkipGradientCheck: true}}, Reference: func() (Reference,
			error) {
			return wide.clone(), nil
		}})
	// The half normal.
	moments(t, run.Column(0), math.Sqrt(2/math.Pi), math.Sqrt(1-2/math.Pi), 0, math.NaN())
	evidence(t, rep, math.Log(2*math.Pi)/2-math.Log(2))
}

func (t *StudentT) clone() *StudentT {
	c := *t
	c.u = make([]float64, len(t.u))
	return &c
}
