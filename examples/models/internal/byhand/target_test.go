package byhand

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/priors"

	"gonum.org/v1/gonum/mathext"
)

func TestLogDensityDoesNotAllocate(t *testing.T) {
	m, likelihood := zoo()
	target := newTarget(t, m, likelihood)
	x, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
	if n := testing.AllocsPerRun(100, func() { target.LogDensity(x, grad) }); n != 0 {
		t.Errorf("LogDensity allocates %v times, want 0", n)
	}
	rec := make([]float64, len(target.(hmc.Constrainer).Names()))
	if n := testing.AllocsPerRun(100, func() { target.(hmc.Constrainer).Constrain(rec, x) }); n != 0 {
		t.Errorf("Constrain allocates %v times, want 0", n)
	}
	r := rand.New(rand.NewPCG(1, 1))
	if n := testing.AllocsPerRun(100, func() { target.(hmc.Initializer).Initial(x, r) }); n != 0 {
		t.Errorf("Initial allocates %v times, want 0", n)
	}
}

// Nothing but a number, -Inf or, for a NaN, NaN may come out, however far the sampler strays.
func TestLogDensityExtremes(t *testing.T) {
	m, likelihood := zoo()
	target := newTarget(t, m, likelihood)
	prior := newTarget(t, m, nil)
	n := target.Dim()
	x, grad := make([]float64, n), make([]float64, n)
	r := rand.New(rand.NewPCG(2, 2))
	values := []float64{-1e308, -800, -745, -700, -40, -1e-300, 0, 3, 37, 700, 709.7, 710, 1e5, 1e308}
	for range 5000 {
		for i := range x {
			x[i] = r.NormFloat64()
		}
		for range 1 + r.IntN(3) {
			x[r.IntN(n)] = values[r.IntN(len(values))]
		}
		for _, f := range []hmc.Target{target, prior} {
			lp := f.LogDensity(x, grad)
			if math.IsNaN(lp) || math.IsInf(lp, 1) {
				t.Fatalf("log density %v at %v", lp, x)
			}
			if finite(lp) && !allFinite(grad) {
				t.Fatalf("log density %v with gradient %v at %v", lp, grad, x)
			}
		}
	}
	for _, bad := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		clear(x)
		for i := range x {
			x[i] = bad
			lp := target.LogDensity(x, grad)
			if math.IsInf(lp, 1) || math.IsNaN(lp) != math.IsNaN(bad) {
				t.Errorf("log density %v with %v in coordinate %d", lp, bad, i)
			}
			x[i] = 0
		}
	}
}

// A likelihood's own -Inf and NaN pass through, and it is never asked outside the prior.
func TestLikelihoodOutside(t *testing.T) {
	var m Model
	a := m.Positive("a", priors.Gamma{Shape: 2, Rate: 1})
	for _, out := range []float64{math.Inf(-1), math.NaN()} {
		f := newTarget(t, &m, func() LogLikelihood {
			return func(v, g []float64) float64 {
				if !(v[a] > 0 && finite(v[a])) || g[a] != 0 {
					t.Errorf("likelihood asked at %v with a gradient of %v", v[a], g[a])
				}
				g[a] = math.NaN()
				return out
			}
		})
		grad := make([]float64, 1)
		if lp := f.LogDensity([]float64{0.5}, grad); lp != out && !math.IsNaN(out) || finite(lp) {
			t.Errorf("log density %v, want %v", lp, out)
		}
		for _, x := range []float64{-800, 800, math.Inf(1)} {
			if lp := f.LogDensity([]float64{x}, grad); !math.IsInf(lp, -1) {
				t.Errorf("log density %v at %v, want -Inf", lp, x)
			}
		}
	}
}

func TestTargetShapePanics(t *testing.T) {
	var m Model
	m.Reals("a", 2, nil)
	f := newTarget(t, &m, nil)
	two, three := make([]float64, 2), make([]float64, 3)
	for want, call := range map[string]func(){
		"byhand: len(x) is 3, want 2":    func() { f.LogDensity(three, two) },
		"byhand: len(grad) is 3, want 2": func() { f.LogDensity(two, three) },
		"byhand: len(dst) is 3, want 2":  func() { f.(hmc.Constrainer).Constrain(three, two) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %s", got, want)
				}
			}()
			call()
		}()
	}
}

// The starting points have the distribution of the priors, truncated where the support is. Eight
// tests at 1e-8 each: reseeded, one fails by chance with probability 8e-8.
func TestInitial(t *testing.T) {
	var m Model
	m.Real("mu", priors.Normal{Mean: 1, SD: 2})
	m.Positive("trunc", priors.Normal{Mean: -1, SD: 1})
	m.Interval("p", 0, 1, priors.Beta{A: 2, B: 3})
	m.Ordered("o", 2, priors.Normal{Mean: 0, SD: 1})
	m.Simplex("w", 3, 2, 0.5, 1)
	m.Real("flat", nil)
	m.Positive("hopeless", priors.Normal{Mean: -1000, SD: 1})
	f := newTarget(t, &m, nil)
	phi := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	// The distribution function of each coordinate or value that is tested.
	cdfs := []func(x, v []float64) float64{
		func(x, v []float64) float64 { return phi((v[0] - 1) / 2) },
		func(x, v []float64) float64 { return 1 - phi(-1-v[1])/phi(-1) },
		func(x, v []float64) float64 { return mathext.RegIncBeta(2, 3, v[2]) },
		func(x, v []float64) float64 { q := 1 - phi(v[3]); return 1 - q*q }, // the smaller of two
		func(x, v []float64) float64 { return phi(v[4]) * phi(v[4]) },       // and the larger
		func(x, v []float64) float64 { return mathext.RegIncBeta(0.5, 3, v[6]) },
		func(x, v []float64) float64 { return (x[7] + 2) / 4 },
		func(x, v []float64) float64 { return (x[8] + 2) / 4 },
	}
	const n, cells = 20_000, 32
	counts := make([][cells]int, len(cdfs))
	r := rand.New(rand.NewPCG(8, 8))
	x, v := make([]float64, f.Dim()), make([]float64, 10)
	for range n {
		f.(hmc.Initializer).Initial(x, r)
		f.(hmc.Constrainer).Constrain(v, x)
		for i, cdf := range cdfs {
			counts[i][min(int(cells*cdf(x, v)), cells-1)]++
		}
	}
	for i := range counts {
		chi := 0.0
		for _, c := range counts[i] {
			d := float64(c) - n/cells
			chi += d * d / (n / cells)
		}
		if p := mathext.GammaIncRegComp((cells-1)/2.0, chi/2); p < 1e-8 {
			t.Errorf("starting points, test %d: p = %.2g", i, p)
		}
	}
}

// Initial must end, finitely, where draws underflow or a prior from elsewhere gives nonsense.
func TestInitialFallsBack(t *testing.T) {
	var m Model
	m.Positive("tiny", priors.Gamma{Shape: 1e-4, Rate: 1})
	m.Simplex("w", 3, 1e-5)
	m.Reals("nonsense", 3, nonsense{})
	m.Declare("odd", 3, priors.Simplex{}, priors.Beta{A: 1, B: 1}) // draws that do not add up to 1
	f := newTarget(t, &m, nil)
	x := make([]float64, f.Dim())
	r := rand.New(rand.NewPCG(9, 9))
	for range 100 {
		f.(hmc.Initializer).Initial(x, r)
		if !allFinite(x) {
			t.Fatalf("starting point %v", x)
		}
	}
}

type nonsense struct{ priors.Normal }

func (nonsense) Rand(*rand.Rand) float64 { return math.NaN() }
func (nonsense) Check() error            { return nil }

func BenchmarkLogDensity(b *testing.B) {
	m, likelihood := eightSchools()
	f := newTarget(b, m, likelihood)
	x, grad := make([]float64, f.Dim()), make([]float64, f.Dim())
	b.ReportAllocs()
	for b.Loop() {
		f.LogDensity(x, grad)
	}
}

func BenchmarkPriorsOnly(b *testing.B) {
	m, _ := zoo()
	f := newTarget(b, m, nil)
	x, grad := make([]float64, f.Dim()), make([]float64, f.Dim())
	b.ReportAllocs()
	for b.Loop() {
		f.LogDensity(x, grad)
	}
}

// eightSchools is the model of the package's example.
func eightSchools() (*Model, func() LogLikelihood) {
	y := []float64{28, 8, -3, 7, -1, 1, 18, 12}
	sigma := []float64{15, 10, 16, 11, 9, 11, 10, 18}
	m := new(Model)
	mu := m.Real("mu", priors.Normal{Mean: 0, SD: 5})
	tau := m.Positive("tau", priors.HalfCauchy{Scale: 5})
	eta := m.Reals("eta", len(y), priors.Normal{Mean: 0, SD: 1})
	return m, func() LogLikelihood {
		return func(v, grad []float64) float64 {
			lp := 0.0
			gEta := eta.Of(grad)
			for j, e := range eta.Of(v) {
				z := (y[j] - v[mu] - v[tau]*e) / sigma[j]
				lp -= 0.5 * z * z
				d := z / sigma[j]
				grad[mu] += d
				grad[tau] += d * e
				gEta[j] += d * v[tau]
			}
			return lp
		}
	}
}
