package modes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/internal/fixture"
	"bayeskernel/internal/testmodels"
)

func find(t *testing.T, f hmc.Factory, o Options) *draws.Modes {
	t.Helper()
	m, err := Find(context.Background(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	for i, mode := range m.Modes {
		hits += mode.Hits
		if i > 0 && mode.LP > m.Modes[i-1].LP {
			t.Errorf("mode %d has a higher density than mode %d", i, i-1)
		}
	}
	if hits+m.Failed != m.Starts {
		t.Errorf("%d hits and %d failures in %d searches", hits, m.Failed, m.Starts)
	}
	return m
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %v, expected %v within %g", what, got, want, tol)
	}
}

// TestGaussian: the mode of a normal is its mean, Cov its covariance, and LogMass, exact for a
// normal, its normalising constant.
func TestGaussian(t *testing.T) {
	// The inverse of the precision {{2, .8, 0}, {.8, 1, .3}, {0, .3, .5}}, by cofactors.
	det := 2*(1*.5-.3*.3) - .8*(.8*.5-0)
	cov := [3][3]float64{
		{(1*.5 - .09) / det, -.8 * .5 / det, .8 * .3 / det},
		{0, 2 * .5 / det, -2 * .3 / det},
		{0, 0, (2 - .64) / det}}
	m := find(t, hmc.Shared(testmodels.Gauss3()), Options{})
	if len(m.Modes) != 1 || m.Failed != 0 || m.Modes[0].Hits != 16 {
		t.Fatalf("found %+v", m)
	}
	got := m.Modes[0]
	near(t, "LP", got.LP, 0, 1e-6)
	near(t, "LogMass", got.LogMass, 1.5*math.Log(2*math.Pi)-0.5*math.Log(det), 1e-6)
	for i := range 3 {
		near(t, "x", got.X[i], 0, 1e-3)
		for j := range 3 {
			near(t, "Cov", got.Cov[i][j], cov[min(i, j)][max(i, j)], 1e-6)
		}
	}
}

// TestScales: logistic densities, which are normal in the middle only, in units of which one is ten
// thousand times another, far from the origin. Cov is that of the middle.
func TestScales(t *testing.T) {
	sd, mean := [3]float64{1e-2, 1, 1e2}, [3]float64{3, -40, 1000}
	f := testmodels.Func{N: 3, F: func(x, g []float64) float64 {
		lp := 0.0
		for i, v := range x {
			// The Hessian of the log of a logistic density is -1/2 in the middle.
			z := (v - mean[i]) / sd[i] * math.Sqrt2
			e := math.Exp(-math.Abs(z))
			lp -= math.Abs(z) + 2*math.Log1p(e)
			g[i] = -math.Copysign((1-e)/(1+e), z) * math.Sqrt2 / sd[i]
		}
		return lp
	}}
	m := find(t, hmc.Shared(f), Options{})
	if len(m.Modes) != 1 || m.Failed != 0 {
		t.Fatalf("found %+v", m)
	}
	for i := range 3 {
		near(t, "x", m.Modes[0].X[i], mean[i], 2e-3*sd[i])
		near(t, "sd", math.Sqrt(m.Modes[0].Cov[i][i])/sd[i], 1, 1e-4)
	}
}

// TestNarrow: differences are taken over steps that suit the density, not the coordinate.
func TestNarrow(t *testing.T) {
	f := testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		z := (x[0] - 1) * 1e6
		g[0] = -4 * z * 1e6 / (1 + z*z)
		return -2 * math.Log1p(z*z)
	}}
	m := find(t, hmc.Shared(f), Options{})
	if len(m.Modes) != 1 || m.Failed != 0 {
		t.Fatalf("found %+v", m)
	}
	near(t, "Cov", m.Modes[0].Cov[0][0], 0.25e-12, 1e-16)
}

func TestBimodal(t *testing.T) {
	for _, d := range []int{2, 5} {
		m := find(t, hmc.Shared(testmodels.Bimodal(d, 0.3, 5)), Options{Seed: 1})
		if len(m.Modes) != 2 || m.Failed != 0 {
			t.Fatalf("d=%d: found %d modes, %d failures", d, len(m.Modes), m.Failed)
		}
		// Each mode is normal up to exp(-50) of the other: mass w (2 pi)^(d/2), unit covariance.
		for k, w := range []float64{0.7, 0.3} {
			mode := m.Modes[k]
			near(t, "LP", mode.LP, math.Log(w), 1e-6)
			near(t, "LogMass", mode.LogMass,
				math.Log(w)+float64(d)/2*math.Log(2*math.Pi), 1e-6)
			for i := range d {
				near(t, "x", mode.X[i], 5-10*float64(k), 1e-3)
				for j := range d {
					near(t, "Cov", mode.Cov[i][j], map[bool]float64{true: 1}[i == j], 1e-6)
				}
			}
		}
	}
}

// TestBanana: the mode is the origin, where the Hessian is diag(-1, -4).
func TestBanana(t *testing.T) {
	m := find(t, hmc.Shared(testmodels.Banana()), Options{})
	if len(m.Modes) != 1 || m.Failed != 0 {
		t.Fatalf("found %+v", m)
	}
	mode := m.Modes[0]
	near(t, "x0", mode.X[0], 0, 1e-3)
	near(t, "x1", mode.X[1], 0, 1e-3)
	near(t, "Cov00", mode.Cov[0][0], 1, 1e-4)
	near(t, "Cov11", mode.Cov[1][1], 0.25, 1e-4)
	near(t, "Cov01", mode.Cov[0][1], 0, 2e-3)
}

// TestCloseModes: modes of very different widths, the narrow one well inside the wide one's
// standard deviation, are two.
func TestCloseModes(t *testing.T) {
	f := testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		// 0.5 N(0, 1) + 0.5 N(0.05, 0.001^2)
		a := -x[0] * x[0] / 2
		z := (x[0] - 0.05) / 1e-3
		b := -z*z/2 - math.Log(1e-3)
		m := max(a, b)
		ea, eb := math.Exp(a-m), math.Exp(b-m)
		g[0] = (-x[0]*ea - z/1e-3*eb) / (ea + eb)
		return m + math.Log(ea+eb)
	}}
	m := find(t, hmc.Shared(f), Options{Points: [][]float64{{-1}, {0.0502}, {0.1}, {1}}})
	if len(m.Modes) != 2 {
		t.Fatalf("found %d modes, expected 2: %+v", len(m.Modes), m)
	}
	near(t, "narrow mode", m.Modes[0].X[0], 0.05, 1e-4)
	near(t, "wide mode", m.Modes[1].X[0], 0, 1e-2)
}

// TestGPBimodal: the Laplace masses of a bimodal posterior are near those by quadrature.
func TestGPBimodal(t *testing.T) {
	var ref struct {
		LogZ  float64 `json:"log_evidence"`
		Split float64 `json:"a_antimode"`
		Below float64 `json:"prob_a_below_antimode"`
	}
	fixture.JSON(t, "../testdata/gp_bimodal.json", &ref)
	m := find(t, models.NewGPBimodal, Options{})
	if len(m.Modes) != 2 || m.Failed != 0 {
		t.Fatalf("found %d modes, %d failures", len(m.Modes), m.Failed)
	}
	var below, all float64
	for _, mode := range m.Modes {
		mass := math.Exp(mode.LogMass)
		all += mass
		if mode.X[0] < ref.Split {
			below += mass
		}
	}
	// Neither mode is quite normal, so Laplace is off by a little.
	near(t, "log of the masses' sum", math.Log(all), ref.LogZ, 0.1)
	near(t, "share of the mode below", below/all, ref.Below, 0.1)
}

// TestNoMode: targets without a proper mode count as failures, in bounded time.
func TestNoMode(t *testing.T) {
	one := func(d int, f func(x, g []float64) float64) hmc.Factory {
		return hmc.Shared(testmodels.Func{N: d, F: f})
	}
	for name, f := range map[string]hmc.Factory{
		"flat":   one(2, func(x, g []float64) float64 { clear(g); return 1 }),
		"linear": one(1, func(x, g []float64) float64 { g[0] = 1; return x[0] }),
		"convex": one(1, func(x, g []float64) float64 { g[0] = 2 * x[0]; return x[0] * x[0] }),
		"explodes": one(1, func(x, g []float64) float64 {
			g[0] = math.Exp(x[0])
			return math.Exp(x[0])
		}),
		"plateau": one(1, func(x, g []float64) float64 {
			g[0] = math.Exp(-x[0])
			return -math.Exp(-x[0])
		}),
		"ridge": one(2, func(x, g []float64) float64 {
			g[0], g[1] = -(x[0] - x[1]), x[0]-x[1]
			return -(x[0] - x[1]) * (x[0] - x[1]) / 2
		}),
		// Improper along x0 = x1 only: a plateau that no axis of the coordinates shows.
		"oblique plateau": one(2, func(x, g []float64) float64 {
			u, v := x[0]-x[1], x[0]+x[1]
			e := math.Exp(-v)
			g[0], g[1] = -100*u+e, 100*u+e
			return -50*u*u - e
		}),
		"+Inf": one(1, func(x, g []float64) float64 {
			clear(g)
			return math.Inf(1)
		}),
		"-Inf": one(1, func(x, g []float64) float64 { return math.Inf(-1) }),
		"NaN":  one(1, func(x, g []float64) float64 { return math.NaN() }),
		"NaN gradient": one(1, func(x, g []float64) float64 {
			g[0] = math.NaN()
			return -x[0] * x[0]
		}),
		"huge gradient": one(2, func(x, g []float64) float64 {
			g[0], g[1] = math.MaxFloat64, math.MaxFloat64
			return x[0]
		}),
		"pole": one(1, func(x, g []float64) float64 {
			g[0] = -1 / x[0]
			return -math.Log(math.Abs(x[0]))
		}),
		"panic": one(1, func(x, g []float64) float64 { panic("no") }),
	} {
		t.Run(name, func(t *testing.T) {
			m := find(t, f, Options{Starts: 8})
			if len(m.Modes) != 0 || m.Failed != 8 || m.Starts != 8 {
				t.Errorf("found %+v", m)
			}
		})
	}
}

// TestSaddle: a climb along the watershed between two modes ends on a saddle, which is none.
func TestSaddle(t *testing.T) {
	f := testmodels.Func{N: 2, F: func(x, g []float64) float64 {
		u, v := x[0]+x[1], x[0]-x[1] // modes at u = 0, v = +-1
		du, dv := -u, v-v*v*v
		g[0], g[1] = du+dv, du-dv
		return -u*u/2 + v*v/2 - v*v*v*v/4
	}}
	m := find(t, hmc.Shared(f), Options{Points: [][]float64{{1, 1}, {-2, -2}, {1, 0}, {0, 1}}})
	if m.Failed != 2 || len(m.Modes) != 2 {
		t.Errorf("found %+v", m)
	}
}

// bad is a normal with mean 2 that misbehaves on part of the region of the starts.
type bad struct {
	calls   *atomic.Int64
	what    string
	initial bool
}

func (b bad) Dim() int { return 2 }
func (b bad) LogDensity(x, g []float64) float64 {
	b.calls.Add(1)
	if x[0] < -1 {
		switch b.what {
		case "panic":
			panic("below -1")
		case "nan":
			g[0] = math.NaN()
			return math.NaN()
		case "outside":
			return math.Inf(-1)
		}
	}
	g[0], g[1] = 2-x[0], -x[1]
	return -(x[0]-2)*(x[0]-2)/2 - x[1]*x[1]/2
}
func (b bad) Names() []string { return []string{"log x0", "x1", "sum"} }
func (b bad) Constrain(dst, x []float64) {
	dst[0], dst[1], dst[2] = math.Exp(x[0]), x[1], x[0]+x[1]
}
func (b bad) Initial(x []float64, r *rand.Rand) {
	if b.initial {
		panic("no initial point")
	}
	x[0], x[1] = 3*r.Float64()-2, r.NormFloat64()
}

func TestBadInPlaces(t *testing.T) {
	for _, what := range []string{"panic", "nan", "outside", ""} {
		b := bad{calls: new(atomic.Int64), what: what}
		f := func() (hmc.Target, error) { return b, nil }
		m := find(t, f, Options{InitFrom: hmc.InitTarget, Starts: 20})
		if len(m.Modes) != 1 {
			t.Fatalf("%s: found %+v", what, m)
		}
		// A third of the starts is drawn where the target panics; elsewhere another is drawn.
		if failed := m.Failed > 0; failed != (what == "panic") {
			t.Errorf("%s: %d searches failed", what, m.Failed)
		}
		mode := m.Modes[0]
		near(t, "exp x0", mode.Values[0], math.Exp(2), 1e-2)
		near(t, "x0+x1", mode.Values[2], 2, 2e-3)
		if b.calls.Load() > 20*1000 {
			t.Errorf("%s: %d evaluations", what, b.calls.Load())
		}
	}
	b := bad{calls: new(atomic.Int64), initial: true}
	m := find(t, func() (hmc.Target, error) { return b, nil },
		Options{InitFrom: hmc.InitTarget, Starts: 3})
	if m.Failed != 3 {
		t.Errorf("Initial panics: found %+v", m)
	}
}

func TestDeterminism(t *testing.T) {
	f := models.NewGPBimodal
	want := find(t, f, Options{Seed: 7, Parallel: 1})
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		got := find(t, f, Options{Seed: 7})
		runtime.GOMAXPROCS(old)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("GOMAXPROCS %d: another report", procs)
		}
	}
	if reflect.DeepEqual(find(t, f, Options{Seed: 8}), want) {
		t.Error("the seed changes nothing")
	}
	if reflect.DeepEqual(find(t, f, Options{Seed: 7, Source: "chacha8"}), want) {
		t.Error("the source changes nothing")
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var calls atomic.Int64
	f := testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		if calls.Add(1) == 50 {
			cancel()
		}
		g[0] = -x[0]
		return -x[0] * x[0] / 2
	}}
	m, err := Find(ctx, hmc.Shared(f), Options{Starts: 1000, Parallel: 2})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if m == nil || m.Starts == 0 || m.Starts > 40 || m.Failed > 0 {
		t.Errorf("report %+v", m)
	}
}

// twice names two values alike.
type twice struct{ testmodels.Func }

func (twice) Names() []string            { return []string{"a", "a"} }
func (twice) Constrain(dst, x []float64) { copy(dst, x) }

func TestErrors(t *testing.T) {
	ok := hmc.Shared(testmodels.Gauss2())
	for _, c := range []struct {
		f    hmc.Factory
		o    Options
		want string
	}{
		{ok, Options{Starts: -1}, "modes: Starts is -1"},
		{ok, Options{Radius: math.NaN()}, "modes: Radius is NaN"},
		{ok, Options{Radius: math.Inf(1)}, "modes: Radius is +Inf"},
		{ok, Options{Points: [][]float64{}}, "modes: Points is empty"},
		{ok, Options{Points: [][]float64{{1}}}, "start 1 has 1 components: the target has 2"},
		{ok, Options{InitFrom: hmc.InitTarget}, "has no method Initial"},
		{ok, Options{InitFrom: 7}, "unknown InitFrom 7"},
		{ok, Options{Source: "dice"}, `unknown source "dice"`},
		{func() (hmc.Target, error) { return nil, errors.New("no data") }, Options{}, "no data"},
		{func() (hmc.Target, error) { return nil, nil }, Options{}, "made no target"},
		{func() (hmc.Target, error) { panic("boom") }, Options{}, "panicked: boom"},
		{hmc.Shared(testmodels.Func{N: 0}), Options{}, "dimension 0"},
		{hmc.Shared(twice{testmodels.Gauss2()}), Options{}, `names both value 0 and value 1 "a"`},
	} {
		m, err := Find(context.Background(), c.f, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || m != nil {
			t.Errorf("error %v with %v, expected %q", err, m, c.want)
		}
	}
}

func Example() {
	// 0.3 N(-5, I) + 0.7 N(5, I) in two dimensions.
	target := testmodels.Bimodal(2, 0.3, 5)
	m, err := Find(context.Background(), hmc.Shared(target), Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d searches, %d failed\n", m.Starts, m.Failed)
	for _, mode := range m.Modes {
		fmt.Printf("mode at %.2f: Laplace mass %.3f\n", mode.X,
			math.Exp(mode.LogMass)/(2*math.Pi))
	}
	// Output:
	// 16 searches, 0 failed
	// mode at [5.00 5.00]: Laplace mass 0.700
	// mode at [-5.00 -5.00]: Laplace mass 0.300
}

// A target that ends its goroutine, as testing's FailNow does, fails its searches; nothing waits.
func TestGoexit(t *testing.T) {
	ends := hmc.Shared(testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		runtime.Goexit()
		return 0
	}})
	for _, parallel := range []int{1, 3} {
		m, err := Find(context.Background(), ends, Options{Starts: 5, Parallel: parallel})
		if err != nil || m.Starts != 5 || m.Failed != 5 {
			t.Errorf("%+v, %v", m, err)
		}
	}
}
